/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles, and the order of delivery of messages. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "mpi/core/handle.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/pair.h"

struct fixture {
	struct mpi_world world;
	struct mpi_rank ranks[3];
	struct pd_rank pd[3];
};

static struct fixture *fixture_create(void)
{
	struct fixture *f = calloc(1, sizeof *f);

	assert_non_null(f);
	assert_int_equal(mpi_handle_table_create(&f->world.handles), 0);
	assert_int_equal(mpi_pair_table_create(&f->world.pairs), 0);
	for (int i = 0; i < 3; i++) {
		f->pd[i].function = "MPI_Test_case";
		f->ranks[i] = (struct mpi_rank){.world = &f->world, .rank = i, .pd = &f->pd[i]};
	}
	return f;
}

static void fixture_destroy(struct fixture *f)
{
	mpi_handle_table_destroy(f->world.handles);
	mpi_pair_table_destroy(f->world.pairs);
	free(f);
}

static void handles_find_their_object_and_nothing_else_does(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_rank *me = &f->ranks[0];
	int object;
	uintptr_t handle = mpi_handle_create(me, KIND_GROUP, &object);

	assert_true(handle > MPI_HANDLE_PREDEFINED_MAX);
	assert_ptr_equal(mpi_handle_object(me, KIND_GROUP, handle), &object);
	assert_null(mpi_handle_object(me, KIND_COMM, handle));		  /* another kind */
	assert_null(mpi_handle_object(&f->ranks[1], KIND_GROUP, handle)); /* another rank */
	assert_null(mpi_handle_object(me, KIND_GROUP, handle + 1));	  /* never made */
	assert_null(mpi_handle_object(me, KIND_GROUP, 0));
	assert_null(mpi_handle_object(me, KIND_GROUP, UINTPTR_MAX));
	assert_null(mpi_handle_object(me, KIND_GROUP, (uintptr_t)&object)); /* a wild pointer */
	mpi_handle_destroy(me, handle);
	assert_null(mpi_handle_object(me, KIND_GROUP, handle));
	fixture_destroy(f);
}

static void a_reused_slot_does_not_revive_old_handles(void **state)
{
	struct fixture *f = fixture_create();
	struct mpi_rank *me = &f->ranks[0];
	int a, b;
	uintptr_t first = mpi_handle_create(me, KIND_OP, &a), second;

	mpi_handle_destroy(me, first);
	second = mpi_handle_create(me, KIND_OP, &b);
	assert_int_not_equal(first, second);
	assert_null(mpi_handle_object(me, KIND_OP, first));
	assert_ptr_equal(mpi_handle_object(me, KIND_OP, second), &b);
	mpi_handle_destroy(me, first); /* twice: nothing happens */
	assert_ptr_equal(mpi_handle_object(me, KIND_OP, second), &b);
	assert_int_equal(me->n_handles, 1);
	fixture_destroy(f);
}

static void count_visit(void *context, enum mpi_kind kind, void *object, const char *function,
			const void *site)
{
	assert_string_equal(function, "MPI_Test_case");
	++*(int *)context;
}

static void live_handles_of_a_rank_are_visited(void **state)
{
	struct fixture *f = fixture_create();
	int object, n = 0;
	uintptr_t handle = mpi_handle_create(&f->ranks[0], KIND_INFO, &object);

	mpi_handle_create(&f->ranks[0], KIND_OP, &object);
	mpi_handle_create(&f->ranks[1], KIND_OP, &object);
	mpi_handle_destroy(&f->ranks[0], handle);
	mpi_handle_visit(&f->ranks[0], count_visit, &n);
	assert_int_equal(n, 1);
	fixture_destroy(f);
}

/* Per pair a list of messages under way; checked against counters over many pairs, so that the
 * table grows and its runs close up. */
static void messages_of_a_pair_form_a_queue(void **state)
{
	enum { N_RANKS = 40, N_STEPS = 20000 };
	struct fixture *f = fixture_create();
	struct mpi_rank *ranks = calloc(N_RANKS, sizeof *ranks);
	static struct mpi_message *first[N_RANKS][N_RANKS];
	static int length[N_RANKS][N_RANKS];
	unsigned seed = 12345;

	assert_non_null(ranks);
	for (int i = 0; i < N_RANKS; i++)
		ranks[i] = (struct mpi_rank){.rank = i, .world = &f->world};
	for (int step = 0; step < N_STEPS; step++) {
		int s, d;

		seed = seed * 1664525u + 1013904223u;
		s = (int)(seed >> 8) % N_RANKS;
		d = (int)(seed >> 16) % N_RANKS;
		if ((seed >> 28) % 2 == 0) {
			struct mpi_message *message = calloc(1, sizeof *message);

			assert_non_null(message);
			message->source = &ranks[s];
			message->dest = &ranks[d];
			message->tag = step;
			assert_int_equal(mpi_pair_append(message->source, message),
					 length[s][d] > 0);
			if (length[s][d]++ == 0)
				first[s][d] = message;
		} else if (length[s][d] > 0) {
			struct mpi_message *message = first[s][d];

			first[s][d] = mpi_pair_advance(&f->world, message);
			assert_int_equal(first[s][d] != NULL, --length[s][d] > 0);
			if (first[s][d])
				assert_true(first[s][d]->tag > message->tag);
			free(message);
		}
	}
	for (int s = 0; s < N_RANKS; s++)
		for (int d = 0; d < N_RANKS; d++)
			while (first[s][d]) {
				struct mpi_message *message = first[s][d];

				first[s][d] = mpi_pair_advance(&f->world, message);
				length[s][d]--;
				free(message);
			}
	for (int i = 0; i < N_RANKS * N_RANKS; i++)
		assert_int_equal(length[i / N_RANKS][i % N_RANKS], 0);
	free(ranks);
	fixture_destroy(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(handles_find_their_object_and_nothing_else_does),
	    cmocka_unit_test(a_reused_slot_does_not_revive_old_handles),
	    cmocka_unit_test(live_handles_of_a_rank_are_visited),
	    cmocka_unit_test(messages_of_a_pair_form_a_queue),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
