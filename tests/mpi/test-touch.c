/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim_touch: what those who observe a run are told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "mpisim.h"
#include "tests/mpi/solo.h"

static struct sim_record_touch told;
static struct sim_touch_run runs[4];
static int n_told;

static void listen(void *context, const struct sim_record_touch *record)
{
	n_told++;
	told = *record;
	assert_true(record->n_runs <= 4);
	for (size_t i = 0; i < record->n_runs; i++)
		runs[i] = record->runs[i];
}

static struct mpi_rank *begin(struct solo *solo)
{
	const struct sim_observer observer = {.context = &told, .touch = listen};
	struct mpi_rank *me = solo_rank(solo);

	n_told = 0;
	sim_observers_add(&me->pd->world->observers, &observer);
	return me;
}

static void touches_are_told_with_their_bytes(void **state)
{
	struct solo *solo = solo_create(4, 3);
	double x[10];

	begin(solo);
	mpisim_touch(x + 2, 5, MPI_DOUBLE, MPISIM_READ | MPISIM_WRITE, 0.25);
	assert_int_equal(n_told, 1);
	assert_int_equal(told.rank, 3);
	assert_int_equal(told.use, SIM_TOUCH_READ | SIM_TOUCH_WRITE);
	assert_true(told.fraction == 0.25);
	assert_null(told.kernel);
	assert_int_equal(told.n_runs, 1);
	assert_int_equal(runs[0].at, (uintptr_t)(x + 2));
	assert_int_equal(runs[0].size_B, 40);
	solo_destroy(solo);
}

/* A column of 3 of an array with rows of 4: bytes 0-7, 32-39, 64-71. Nothing of no items. */
static void holes_are_left_out(void **state)
{
	struct solo *solo = solo_create(1, 0);
	MPI_Datatype column;
	double x[12];

	begin(solo);
	MPI_Type_vector(3, 1, 4, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	mpisim_touch(x, 1, column, MPISIM_WRITE, 1);
	assert_int_equal(told.use, SIM_TOUCH_WRITE);
	assert_int_equal(told.n_runs, 3);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(runs[i].at, (uintptr_t)(x + 4 * i));
		assert_int_equal(runs[i].size_B, 8);
	}
	mpisim_touch(x, 0, column, MPISIM_READ, 0);
	assert_int_equal(n_told, 2);
	assert_int_equal(told.n_runs, 0);
	MPI_Type_free(&column);
	solo_destroy(solo);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(touches_are_told_with_their_bytes),
	    cmocka_unit_test(holes_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
