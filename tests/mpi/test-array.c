/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes of parts of arrays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/datatype/typemap.h"
#include "tests/mpi/solo.h"

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

static void assert_bounds(MPI_Datatype type, MPI_Count size, MPI_Count lb, MPI_Count extent,
			  MPI_Count true_lb, MPI_Count true_extent)
{
	const struct mpi_datatype *t = object(type);

	assert_non_null(t);
	assert_int_equal(t->size_B, size);
	assert_int_equal(t->lb_B, lb);
	assert_int_equal(t->extent_B, extent);
	assert_int_equal(t->true_lb_B, true_lb);
	assert_int_equal(t->true_extent_B, true_extent);
}

/* Marks the items of a 2-D array of ints that a type selects, in the order of the typemap. */
static void selected_items(MPI_Datatype type, int n_items, int order[])
{
	const struct mpi_datatype *t = object(type);
	int in[64], packed[64];

	assert_true(n_items <= 64);
	for (int i = 0; i < 64; i++)
		in[i] = i;
	memset(packed, -1, sizeof packed);
	mpi_datatype_pack(t, in, 1, packed);
	for (int i = 0; i < n_items; i++)
		order[i] = packed[i];
	assert_int_equal(t->size_B, 4 * n_items);
}

static void a_subarray_selects_its_rectangle(void **state)
{
	MPI_Datatype type;
	int order[6];

	/* rows 1 … 2, columns 2 … 4 of a 4 x 6 array: 6 * row + column */
	assert_int_equal(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2},
						  MPI_ORDER_C, MPI_INT, &type),
			 MPI_SUCCESS);
	assert_bounds(type, 24, 0, 96, 32, 36);
	selected_items(type, 6, order);
	assert_memory_equal(order, ((int[]){8, 9, 10, 14, 15, 16}), sizeof order);
	MPI_Type_free(&type);
	/* the same numbers in Fortran order: the first dimension is the fast one */
	assert_int_equal(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 3}, (int[]){1, 2},
						  MPI_ORDER_FORTRAN, MPI_INT, &type),
			 MPI_SUCCESS);
	selected_items(type, 6, order);
	assert_memory_equal(order, ((int[]){9, 10, 13, 14, 17, 18}), sizeof order);
	MPI_Type_free(&type);
	assert_int_equal(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 5}, (int[]){1, 2},
						  MPI_ORDER_C, MPI_INT, &type),
			 MPI_ERR_ARG); /* 2 + 5 > 6 */
}

static void distributed_arrays_partition_the_array(void **state)
{
	const int distribs[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_CYCLIC};
	const int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG, 2};

	/* every item of a 7 x 8 array on 2 x 3 processes belongs to exactly one, found by the
	 * definition of the distribution */
	for (int row = 0; row < 3; row++) {
		for (int column = 0; column < 3; column++) {
			int in[56], out[56], owner[56];

			for (int i = 0; i < 56; i++)
				in[i] = i;
			memset(owner, -1, sizeof owner);
			for (int rank = 0; rank < 6; rank++) {
				MPI_Datatype type;
				int n;

				assert_int_equal(MPI_Type_create_darray(
						     6, rank, 2, (int[]){7, 8},
						     (int[]){distribs[row], distribs[column]},
						     (int[]){dargs[row], dargs[column]},
						     (int[]){2, 3}, MPI_ORDER_C, MPI_INT, &type),
						 MPI_SUCCESS);
				assert_int_equal(object(type)->extent_B, 56 * 4);
				n = (int)object(type)->size_B / 4;
				mpi_datatype_pack(object(type), in, 1, out);
				for (int i = 0; i < n; i++) {
					assert_int_equal(owner[out[i]], -1);
					assert_true(i == 0 ||
						    out[i] > out[i - 1]); /* in array order */
					owner[out[i]] = rank;
				}
				MPI_Type_free(&type);
			}
			for (int i = 0; i < 56; i++) {
				int y = i / 8, x = i % 8;
				int block_y = row == 0	 ? 4
					      : row == 1 ? 1
							 : 2,
				    block_x = column == 0   ? 3
					      : column == 1 ? 1
							    : 2;

				assert_int_equal(owner[i], y / block_y % 2 * 3 + x / block_x % 3);
			}
		}
	}
}

static void rows_of_a_subarray_that_touch_are_one_run(void **state)
{
	MPI_Datatype type;

	assert_int_equal(MPI_Type_create_subarray(2, (int[]){4, 6}, (int[]){2, 6}, (int[]){1, 0},
						  MPI_ORDER_C, MPI_INT, &type),
			 MPI_SUCCESS);
	assert_true(object(type)->is_dense);
	assert_false(object(type)->is_contiguous); /* its extent is that of the array */
	MPI_Type_free(&type);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_subarray_selects_its_rectangle, setup, teardown),
	    cmocka_unit_test_setup_teardown(distributed_arrays_partition_the_array, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(rows_of_a_subarray_that_touch_are_one_run, setup,
					    teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
