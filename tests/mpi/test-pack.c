/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout, packing and unpacking of datatypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/datatype/typemap.h"
#include "solo.h"

static struct solo *solo;

static int setup(void **state)
{
	solo = solo_create(1, 0);
	return 0;
}

static int teardown(void **state)
{
	solo_destroy(solo);
	return 0;
}

static struct mpi_datatype *object(MPI_Datatype handle)
{
	return mpi_datatype_get(solo_rank(solo), handle);
}

static void assert_bounds(MPI_Datatype type, MPI_Count size, MPI_Count lb, MPI_Count extent, MPI_Count true_lb,
			  MPI_Count true_extent)
{
	const struct mpi_datatype *t = object(type);

	assert_non_null(t);
	assert_int_equal(t->size_B, size);
	assert_int_equal(t->lb_B, lb);
	assert_int_equal(t->extent_B, extent);
	assert_int_equal(t->true_lb_B, true_lb);
	assert_int_equal(t->true_extent_B, true_extent);
}

static void a_vector_takes_blocks_and_leaves_holes(void **state)
{
	int in[12], out[12], packed[6];
	MPI_Datatype type;

	for (int i = 0; i < 12; i++) {
		in[i] = i;
		out[i] = -1;
	}
	assert_int_equal(MPI_Type_vector(3, 2, 4, MPI_INT, &type), MPI_SUCCESS);
	/* blocks at 0, 4, 8 of 2 ints: ends at int 10 */
	assert_bounds(type, 24, 0, 40, 0, 40);
	mpi_datatype_pack(object(type), in, 1, packed);
	assert_memory_equal(packed, ((int[]){0, 1, 4, 5, 8, 9}), 24);
	mpi_datatype_unpack(object(type), out, 1, packed, 24);
	assert_memory_equal(out, ((int[]){0, 1, -1, -1, 4, 5, -1, -1, 8, 9, -1, -1}), 48);
	assert_int_equal(MPI_Type_free(&type), MPI_SUCCESS);
	assert_ptr_equal(type, MPI_DATATYPE_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_vector_takes_blocks_and_leaves_holes, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
