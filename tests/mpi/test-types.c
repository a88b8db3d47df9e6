/* SPDX-License-Identifier: BSD-3-Clause */
/* What datatypes tell of themselves, MPI_Pack and external32, counts in a status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/core/status.h"
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

static void contents_are_the_arguments(void **state)
{
	int n_integers, n_addresses, n_types, combiner, integers[4];
	MPI_Count large_integers, large_addresses, large_counts, large_types, counts[3];
	MPI_Datatype vector, outer, types[1];
	MPI_Aint addresses[2];

	MPI_Type_vector(3, 2, -4, MPI_FLOAT, &vector);
	MPI_Type_get_envelope(vector, &n_integers, &n_addresses, &n_types, &combiner);
	assert_true(n_integers == 3 && n_addresses == 0 && n_types == 1 &&
		    combiner == MPI_COMBINER_VECTOR);
	assert_int_equal(MPI_Type_get_contents(vector, 3, 0, 1, integers, NULL, types),
			 MPI_SUCCESS);
	assert_true(integers[0] == 3 && integers[1] == 2 && integers[2] == -4 &&
		    types[0] == MPI_FLOAT);
	assert_int_equal(MPI_Type_get_contents(vector, 2, 0, 1, integers, NULL, types),
			 MPI_ERR_ARG);
	MPI_Type_create_hindexed(2, (int[]){5, 6}, (MPI_Aint[]){70, 80}, vector, &outer);
	MPI_Type_free(&vector);
	assert_int_equal(MPI_Type_get_contents(outer, 3, 2, 1, integers, addresses, types),
			 MPI_SUCCESS);
	assert_true(integers[0] == 2 && integers[1] == 5 && integers[2] == 6 &&
		    addresses[0] == 70 && addresses[1] == 80);
	assert_int_equal(MPI_Type_size(types[0], &n_types),
			 MPI_SUCCESS); /* a usable handle again, to be freed */
	assert_int_equal(n_types, 24);
	assert_int_equal(MPI_Type_free(&types[0]), MPI_SUCCESS);
	MPI_Type_free(&outer);
	MPI_Type_vector_c(3, 2, 4, MPI_FLOAT, &vector);
	assert_int_equal(
	    MPI_Type_get_envelope(vector, &n_integers, &n_addresses, &n_types, &combiner),
	    MPI_ERR_TYPE);
	MPI_Type_get_envelope_c(vector, &large_integers, &large_addresses, &large_counts,
				&large_types, &combiner);
	assert_true(large_integers == 0 && large_addresses == 0 && large_counts == 3 &&
		    large_types == 1);
	assert_int_equal(MPI_Type_get_contents_c(vector, 0, 0, 3, 1, NULL, NULL, counts, types),
			 MPI_SUCCESS);
	assert_true(counts[0] == 3 && counts[1] == 2 && counts[2] == 4);
	MPI_Type_free(&vector);
	assert_int_equal(MPI_Type_get_contents(MPI_INT, 3, 0, 1, integers, NULL, types),
			 MPI_ERR_TYPE);
}

static void external32_is_big_endian_with_the_standards_sizes(void **state)
{
	unsigned char out[32];
	MPI_Aint position = 0, size;
	long number = -2, back = 0;
	long double real = -1.5L, real_back = 0;

	assert_int_equal(
	    MPI_Pack_external("external32", &(int){0x01020304}, 1, MPI_INT, out, 32, &position),
	    MPI_SUCCESS);
	assert_memory_equal(out, ((unsigned char[]){1, 2, 3, 4}), 4);
	MPI_Pack_external("external32", &number, 1, MPI_LONG, out, 32, &position);
	assert_int_equal(position, 8); /* a long has 4 bytes there */
	assert_memory_equal(out + 4, ((unsigned char[]){255, 255, 255, 254}), 4);
	position = 4;
	MPI_Unpack_external("external32", out, 32, &position, &back, 1, MPI_LONG);
	assert_int_equal(back, -2);
	position = 0;
	MPI_Pack_external("external32", &real, 1, MPI_LONG_DOUBLE, out, 32, &position);
	/* binary128 of -1.5: sign, exponent 16383 = 0x3fff, fraction 0.1000… */
	assert_memory_equal(out, ((unsigned char[]){0xbf, 0xff, 0x80, 0}), 4);
	assert_int_equal(position, 16);
	position = 0;
	MPI_Unpack_external("external32", out, 16, &position, &real_back, 1, MPI_LONG_DOUBLE);
	assert_true(real_back == real);
	MPI_Pack_external_size("external32", 2, MPI_SHORT_INT, &size);
	assert_int_equal(size, 12); /* no padding */
	position = 30;
	assert_int_equal(MPI_Pack_external("external32", &number, 1, MPI_INT, out, 32, &position),
			 MPI_ERR_TRUNCATE);
	assert_int_equal(MPI_Pack_external("native", &number, 1, MPI_INT, out, 32, &position),
			 MPI_ERR_ARG);
	assert_int_equal(position, 30);
}

static void packing_checks_its_arguments(void **state)
{
	int in[4] = {1, 2, 3, 4}, position = 0, size;
	char out[16];
	MPI_Datatype type;

	MPI_Type_contiguous(2, MPI_INT, &type);
	assert_int_equal(MPI_Pack(in, 1, type, out, 16, &position, MPI_COMM_WORLD),
			 MPI_ERR_TYPE); /* not committed */
	MPI_Type_commit(&type);
	assert_int_equal(MPI_Pack(in, 2, type, out, 16, &position, MPI_COMM_WORLD), MPI_SUCCESS);
	assert_int_equal(position, 16);
	assert_int_equal(MPI_Pack(in, 1, MPI_INT, out, 16, &position, MPI_COMM_WORLD),
			 MPI_ERR_TRUNCATE);
	assert_int_equal(MPI_Pack(in, 1, MPI_INT, out, 16, NULL, MPI_COMM_WORLD), MPI_ERR_ARG);
	position = -1;
	assert_int_equal(MPI_Unpack(out, 16, &position, in, 1, MPI_INT, MPI_COMM_WORLD),
			 MPI_ERR_ARG);
	position = 0;
	assert_int_equal(MPI_Pack(in, -1, MPI_INT, out, 16, &position, MPI_COMM_WORLD),
			 MPI_ERR_COUNT);
	assert_int_equal(MPI_Pack(NULL, 1, MPI_INT, out, 16, &position, MPI_COMM_WORLD),
			 MPI_ERR_BUFFER);
	assert_int_equal(MPI_Pack(in, 1, MPI_INT, out, 16, &position, MPI_COMM_NULL), MPI_ERR_COMM);
	assert_int_equal(MPI_Pack_size(3, type, MPI_COMM_WORLD, &size), MPI_SUCCESS);
	assert_int_equal(size, 24);
	assert_int_equal(MPI_Type_free(&(MPI_Datatype){MPI_INT}), MPI_ERR_TYPE);
	assert_int_equal(MPI_Type_commit(NULL), MPI_ERR_ARG);
	MPI_Type_free(&type);
}

static void counts_come_from_the_bytes_of_a_status(void **state)
{
	MPI_Status status;
	MPI_Datatype type;
	int count;

	mpi_status_set_empty(&status);
	mpi_status_set_bytes(&status, 20);
	MPI_Get_count(&status, MPI_INT, &count);
	assert_int_equal(count, 5);
	MPI_Get_count(&status, MPI_DOUBLE, &count);
	assert_int_equal(count, MPI_UNDEFINED);
	MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
	assert_int_equal(count, 3); /* 8 + 4 + 8 */
	MPI_Type_contiguous(3, MPI_INT, &type);
	MPI_Get_count(&status, type, &count);
	assert_int_equal(count, MPI_UNDEFINED);
	MPI_Get_elements(&status, type, &count);
	assert_int_equal(count, 5);
	MPI_Status_set_elements(&status, type, 4);
	assert_int_equal(mpi_status_bytes(&status), 16);
	mpi_status_set_bytes(&status, (int64_t)1 << 40);
	MPI_Get_count(&status, MPI_BYTE, &count);
	assert_int_equal(count, MPI_UNDEFINED); /* does not fit into an int */
	MPI_Type_free(&type);
	MPI_Type_contiguous(0, MPI_INT, &type); /* no number of these gives those bytes */
	MPI_Get_count(&status, type, &count);
	assert_int_equal(count, MPI_UNDEFINED);
	mpi_status_set_bytes(&status, 0);
	MPI_Get_count(&status, type, &count);
	assert_int_equal(count, 0);
	assert_int_equal(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &count), MPI_ERR_ARG);
	assert_int_equal(MPI_Status_set_elements(&status, MPI_INT, -1), MPI_ERR_COUNT);
	MPI_Type_free(&type);
}

/* Three integers at 0, -8 and -16, of which each says that it ends 8 bytes before it begins. */
static void items_of_negative_extent_run_backwards(void **state)
{
	MPI_Datatype back, three;
	MPI_Aint lb, extent;

	MPI_Type_create_resized(MPI_INT, 0, -8, &back);
	MPI_Type_contiguous(3, back, &three);
	MPI_Type_get_extent(three, &lb, &extent);
	assert_true(lb == -16 && lb + extent == -8);
	MPI_Type_get_true_extent(three, &lb, &extent);
	assert_true(lb == -16 && lb + extent == 4);
	MPI_Type_free(&three);
	MPI_Type_free(&back);
}

static void fortran_kinds_are_unnamed_predefined_types(void **state)
{
	int n_integers, n_addresses, n_types, combiner, integers[2], size;
	MPI_Datatype a, b, freed;
	double x = 1.5, y = 2;

	assert_int_equal(MPI_Type_create_f90_real(10, MPI_UNDEFINED, &a), MPI_SUCCESS);
	MPI_Type_size(a, &size);
	assert_int_equal(size, 8);
	MPI_Type_create_f90_real(10, MPI_UNDEFINED, &b);
	assert_ptr_equal(a, b); /* the same question, the same handle */
	assert_int_equal(MPI_Reduce_local(&x, &y, 1, a, MPI_SUM), MPI_SUCCESS);
	assert_true(y == 3.5);
	MPI_Type_get_envelope(a, &n_integers, &n_addresses, &n_types, &combiner);
	assert_true(n_integers == 2 && n_addresses == 0 && n_types == 0 &&
		    combiner == MPI_COMBINER_F90_REAL);
	assert_int_equal(MPI_Type_get_contents(a, 2, 0, 0, integers, NULL, NULL), MPI_SUCCESS);
	assert_true(integers[0] == 10 && integers[1] == MPI_UNDEFINED);
	freed = a;
	assert_int_equal(MPI_Type_free(&freed), MPI_ERR_TYPE);
	MPI_Type_create_f90_integer(12, &a);
	MPI_Type_size(a, &size);
	assert_int_equal(size, 8);
	MPI_Type_create_f90_complex(6, 37, &a);
	MPI_Type_size(a, &size);
	assert_int_equal(size, 8);
	assert_int_equal(MPI_Type_create_f90_real(40, 10, &a), MPI_ERR_ARG);
	assert_int_equal(MPI_Type_create_f90_integer(39, &a), MPI_ERR_ARG);
	assert_int_equal(MPI_Type_create_f90_real(MPI_UNDEFINED, MPI_UNDEFINED, &a), MPI_ERR_ARG);
}

static void types_are_found_by_class_and_size(void **state)
{
	MPI_Datatype type;

	assert_int_equal(MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type), MPI_SUCCESS);
	assert_ptr_equal(type, MPI_REAL8);
	assert_int_equal(MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 32, &type), MPI_SUCCESS);
	assert_ptr_equal(type, MPI_COMPLEX32);
	assert_int_equal(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 3, &type), MPI_ERR_ARG);
	assert_int_equal(MPI_Type_match_size(0, 4, &type), MPI_ERR_ARG);
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &type);
	assert_ptr_equal(type, MPI_DOUBLE_INT);
	MPI_Type_get_value_index(MPI_DOUBLE, MPI_FLOAT, &type);
	assert_ptr_equal(type, MPI_DATATYPE_NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(contents_are_the_arguments, setup, teardown),
	    cmocka_unit_test_setup_teardown(external32_is_big_endian_with_the_standards_sizes,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(packing_checks_its_arguments, setup, teardown),
	    cmocka_unit_test_setup_teardown(counts_come_from_the_bytes_of_a_status, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(items_of_negative_extent_run_backwards, setup, teardown),
	    cmocka_unit_test_setup_teardown(fortran_kinds_are_unnamed_predefined_types, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(types_are_found_by_class_and_size, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
