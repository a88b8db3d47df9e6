/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined and user-defined operations. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/datatype/quad.h"
#include "mpi/datatype/typemap.h"
#include "mpi/op/half.h"
#include "mpi/op/op.h"
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

static void predefined_types_and_their_numbers_agree(void **state)
{
	int n_types = 0;

	for (uintptr_t number = 0; number <= MPI_HANDLE_PREDEFINED_MAX; number++) {
		const struct mpi_datatype *type = mpi_datatype_predefined(number);

		if (!type)
			continue;
		n_types++;
		assert_int_equal((uintptr_t)type->handle, number);
		assert_memory_equal(type->name, "MPI_", 4);
		assert_true(type->is_committed);
		/* types of fixed size say it in their number: 1 << bits 3 … 5 */
		if (number >= 0x240)
			assert_int_equal(type->size_B, 1 << (number >> 3 & 7));
		assert_true(type->extent_B >= type->size_B &&
			    type->extent_B % type->alignment_B == 0);
	}
	/* rows of kind "datatype" in mpi/abi/constants.csv: 73, less MPI_DATATYPE_NULL and the two
	 * aliases; and MPI-1's MPI_LB and MPI_UB, which the ABI has not */
	assert_int_equal(n_types, 70 + 2);
	assert_null(mpi_datatype_get(solo_rank(solo), MPI_DATATYPE_NULL));
	assert_string_equal(mpi_datatype_predefined(0x214)->name, "MPI_DOUBLE");
	assert_int_equal(mpi_datatype_predefined(0x22d)->size_B, sizeof(long double) + sizeof(int));
}

static void predefined_operations_and_their_numbers_agree(void **state)
{
	int n_ops = 0;

	for (uintptr_t number = 0; number <= MPI_HANDLE_PREDEFINED_MAX; number++) {
		const struct mpi_op *op = mpi_op_get(solo_rank(solo), (MPI_Op)number);

		if (!op)
			continue;
		n_ops++;
		assert_int_equal((uintptr_t)op->handle, number);
		assert_true(op->is_commutative);
	}
	assert_int_equal(n_ops, 14);
	assert_null(mpi_op_get(solo_rank(solo), MPI_OP_NULL));
}

static bool accepts(MPI_Op op, MPI_Datatype type)
{
	return mpi_op_accepts(mpi_op_get(solo_rank(solo), op),
			      mpi_datatype_get(solo_rank(solo), type));
}

static void operations_accept_the_types_of_the_standards_table(void **state)
{
	assert_true(accepts(MPI_SUM, MPI_INT) && accepts(MPI_SUM, MPI_DOUBLE) &&
		    accepts(MPI_SUM, MPI_C_DOUBLE_COMPLEX));
	assert_true(accepts(MPI_SUM, MPI_AINT) && accepts(MPI_MAX, MPI_COUNT) &&
		    accepts(MPI_BOR, MPI_OFFSET));
	assert_true(accepts(MPI_LAND, MPI_LOGICAL) && accepts(MPI_LXOR, MPI_C_BOOL) &&
		    accepts(MPI_LOR, MPI_INT));
	assert_true(accepts(MPI_BAND, MPI_BYTE) && accepts(MPI_BXOR, MPI_UNSIGNED_LONG));
	assert_true(accepts(MPI_MINLOC, MPI_DOUBLE_INT) && accepts(MPI_MAXLOC, MPI_2INTEGER));
	assert_true(accepts(MPI_MIN, MPI_SIGNED_CHAR) && accepts(MPI_MIN, MPI_REAL2));
	assert_false(accepts(MPI_MIN, MPI_C_DOUBLE_COMPLEX));
	assert_false(accepts(MPI_BAND, MPI_DOUBLE));
	/* beyond the standard, as MPICH and Open MPI have it */
	assert_true(accepts(MPI_SUM, MPI_CHAR) && accepts(MPI_LAND, MPI_CHAR));
	assert_false(accepts(MPI_SUM, MPI_CHARACTER) || accepts(MPI_SUM, MPI_WCHAR) ||
		     accepts(MPI_SUM, MPI_BYTE));
	assert_false(accepts(MPI_SUM, MPI_C_BOOL));
	assert_false(accepts(MPI_LAND, MPI_FLOAT));
	assert_false(accepts(MPI_MAXLOC, MPI_INT) || accepts(MPI_SUM, MPI_2INT));
	assert_false(accepts(MPI_SUM, MPI_PACKED));
	assert_false(accepts(MPI_REPLACE, MPI_INT) ||
		     accepts(MPI_NO_OP, MPI_INT)); /* one-sided only */
}

static const MPI_Datatype integers[] = {
    MPI_SHORT,		MPI_INT,      MPI_LONG,		 MPI_LONG_LONG,
    MPI_UNSIGNED_SHORT, MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
    MPI_INT8_T,		MPI_UINT8_T,  MPI_SIGNED_CHAR,	 MPI_UNSIGNED_CHAR,
    MPI_INT16_T,	MPI_UINT16_T, MPI_INT32_T,	 MPI_UINT32_T,
    MPI_INT64_T,	MPI_UINT64_T, MPI_AINT,		 MPI_OFFSET,
    MPI_COUNT,		MPI_INTEGER,  MPI_INTEGER1,	 MPI_INTEGER2,
    MPI_INTEGER4,	MPI_INTEGER8, MPI_INTEGER16,
};

/* Applies an operation to integers of a type, given and read back as long long. */
static long long integer_result(MPI_Op op, MPI_Datatype type, long long in, long long inout)
{
	bool is_signed = mpi_datatype_get(solo_rank(solo), type)->basic == BASIC_INTEGER;
	MPI_Count size = mpi_datatype_get(solo_rank(solo), type)->size_B;
	__int128 a = in, b = inout; /* little-endian: the low bytes come first */

	assert_int_equal(MPI_Reduce_local(&a, &b, 1, type, op), MPI_SUCCESS);
	if (size < 16)
		b = (__int128)((unsigned __int128)b << (128 - 8 * size));
	if (size < 16)
		b = is_signed ? b >> (128 - 8 * size)
			      : (__int128)((unsigned __int128)b >> (128 - 8 * size));
	return (long long)b;
}

static void integer_operations_are_right_on_every_integer_type(void **state)
{
	for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
		MPI_Datatype type = integers[i];

		assert_int_equal(integer_result(MPI_SUM, type, 12, 30), 42);
		assert_int_equal(integer_result(MPI_PROD, type, 6, 7), 42);
		assert_int_equal(integer_result(MPI_MIN, type, 5, 9), 5);
		assert_int_equal(integer_result(MPI_MAX, type, 5, 9), 9);
		assert_int_equal(integer_result(MPI_BAND, type, 12, 10), 8);
		assert_int_equal(integer_result(MPI_BOR, type, 12, 10), 14);
		assert_int_equal(integer_result(MPI_BXOR, type, 12, 10), 6);
		assert_int_equal(integer_result(MPI_LAND, type, 4, 2), 1);
		assert_int_equal(integer_result(MPI_LAND, type, 4, 0), 0);
		assert_int_equal(integer_result(MPI_LOR, type, 0, 8), 1);
		assert_int_equal(integer_result(MPI_LXOR, type, 4, 2), 0);
		assert_int_equal(integer_result(MPI_LXOR, type, 0, 2), 1);
		if (mpi_datatype_get(solo_rank(solo), type)->basic == BASIC_INTEGER) {
			assert_int_equal(integer_result(MPI_MIN, type, -5, 3), -5);
			assert_int_equal(integer_result(MPI_MAX, type, -5, 3), 3);
			assert_int_equal(integer_result(MPI_SUM, type, -5, 3), -2);
		}
	}
	/* 200 is above 127: unsigned must not compare as -56 */
	assert_int_equal(integer_result(MPI_MAX, MPI_UINT8_T, 200, 100), 200);
	assert_int_equal(integer_result(MPI_SUM, MPI_UINT8_T, 200, 100), 44); /* mod 256 */
	assert_int_equal(integer_result(MPI_PROD, MPI_UINT16_T, 65535, 65535),
			 1); /* (2^16 - 1)^2 mod 2^16 */
	assert_int_equal(integer_result(MPI_SUM, MPI_INT, 0x7fffffff, 1), -0x7fffffffLL - 1);
}

static void reduce(MPI_Op op, MPI_Datatype type, const void *in, void *inout)
{
	assert_int_equal(MPI_Reduce_local(in, inout, 2, type, op), MPI_SUCCESS);
}

static void floating_point_operations_are_right(void **state)
{
	float f[2] = {1.5f, -2}, g[2] = {4, 8};
	double d[2] = {1.5, -2}, e[2] = {4, 8};
	long double l[2] = {1.5L, -2}, m[2] = {4, 8};
	mpi_quad q[2] = {1.5f, -2}, r[2] = {4, 8};

	reduce(MPI_SUM, MPI_FLOAT, f, g);
	assert_true(g[0] == 5.5f && g[1] == 6);
	reduce(MPI_PROD, MPI_DOUBLE, d, e);
	assert_true(e[0] == 6 && e[1] == -16);
	reduce(MPI_MAX, MPI_LONG_DOUBLE, l, m);
	assert_true(m[0] == 4 && m[1] == 8);
	reduce(MPI_MIN, MPI_REAL16, q, r);
	assert_true(r[0] == (mpi_quad)1.5f && r[1] == -2);
	reduce(MPI_SUM, MPI_REAL16, q, r);
	assert_true(r[0] == 3 && r[1] == -4);
	reduce(MPI_SUM, MPI_REAL8, d, e);
	assert_true(e[0] == 7.5 && e[1] == -18);
}

static void complex_operations_are_right(void **state)
{
	float complex f[2] = {1 + 2 * I, 3}, g[2] = {3 - I, I};
	double complex d[2] = {1 + 2 * I, 3}, e[2] = {3 - I, I};
	uint16_t h[2][2] = {{0x3c00, 0x4000}, {0x4200, 0}},
		 k[2][2] = {{0x4200, 0xbc00}, {0, 0x3c00}}; /* the same */

	reduce(MPI_PROD, MPI_C_FLOAT_COMPLEX, f, g);
	assert_true(g[0] == 5 + 5 * I && g[1] == 3 * I); /* (1+2i)(3-i) = 3 - i + 6i + 2 */
	reduce(MPI_SUM, MPI_DOUBLE_COMPLEX, d, e);
	assert_true(e[0] == 4 + I && e[1] == 3 + I);
	reduce(MPI_PROD, MPI_COMPLEX4, h, k);
	assert_int_equal(k[0][0], 0x4500); /* 5 */
	assert_int_equal(k[0][1], 0x4500);
	assert_int_equal(k[1][0], 0);
	assert_int_equal(k[1][1], 0x4200); /* 3 */
}

static void halves_round_to_nearest_even(void **state)
{
	/* all finite halves survive the way to float and back */
	for (uint32_t bits = 0; bits < 0x10000; bits++)
		if ((bits & 0x7c00) != 0x7c00)
			assert_int_equal(mpi_half_from_float(mpi_half_to_float((uint16_t)bits)),
					 bits);
	assert_true(mpi_half_to_float(0x3c00) == 1 && mpi_half_to_float(0xc000) == -2 &&
		    mpi_half_to_float(1) == 0x1p-24f);
	assert_true(isinf(mpi_half_to_float(0x7c00)) && isnan(mpi_half_to_float(0x7e00)));
	assert_int_equal(mpi_half_from_float(65504), 0x7bff); /* the largest */
	assert_int_equal(mpi_half_from_float(65519), 0x7bff);
	assert_int_equal(mpi_half_from_float(65520), 0x7c00); /* half way to 2^16: infinity */
	assert_int_equal(mpi_half_from_float(1 + 0x1p-11f), 0x3c00);	 /* tie: to even, down */
	assert_int_equal(mpi_half_from_float(1 + 3 * 0x1p-11f), 0x3c02); /* tie: to even, up */
	assert_int_equal(mpi_half_from_float(0x1p-25f), 0); /* tie between 0 and the smallest */
	assert_int_equal(mpi_half_from_float(0x1.8p-25f), 1);
	assert_int_equal(mpi_half_from_float(-0x1p-30f), 0x8000);
	assert_int_equal(mpi_half_from_float(NAN) & 0x7c00, 0x7c00);
}

static void locations_of_equal_values_are_the_smallest(void **state)
{
	struct {
		double value;
		int index;
	} in[3] = {{1, 7}, {2, 5}, {3, 1}}, inout[3] = {{2, 3}, {2, 6}, {2, 9}};
	int pair[2] = {4, 1}, best[2] = {4, 0};
	float real[2] = {3, 2}, best_real[2] = {1, 5};

	assert_int_equal(MPI_Reduce_local(in, inout, 3, MPI_DOUBLE_INT, MPI_MINLOC), MPI_SUCCESS);
	assert_true(inout[0].value == 1 && inout[0].index == 7);
	assert_true(inout[1].value == 2 && inout[1].index == 5);
	assert_true(inout[2].value == 2 && inout[2].index == 9);
	assert_int_equal(MPI_Reduce_local(pair, best, 1, MPI_2INT, MPI_MAXLOC), MPI_SUCCESS);
	assert_int_equal(best[1], 0);
	assert_int_equal(MPI_Reduce_local(real, best_real, 1, MPI_2REAL, MPI_MAXLOC), MPI_SUCCESS);
	assert_true(best_real[0] == 3 && best_real[1] == 2);
}

static MPI_Datatype seen_type;
static int seen_calls;

static void subtract(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout, size;

	seen_type = *type;
	seen_calls++;
	assert_int_equal(MPI_Type_size(*type, &size),
			 MPI_SUCCESS); /* functions may be called from here */
	for (int i = 0; i < *len * size / 4; i++)
		b[i] = a[i] - b[i];
}

static void user_functions_get_the_datatype(void **state)
{
	int in[4] = {10, 20, 30, 40}, inout[4] = {1, 2, 3, 4}, commute = -1;
	MPI_Datatype pair;
	MPI_Op op;

	assert_int_equal(MPI_Op_create(subtract, 0, &op), MPI_SUCCESS);
	assert_int_equal(MPI_Op_commutative(op, &commute), MPI_SUCCESS);
	assert_int_equal(commute, 0);
	assert_int_equal(MPI_Type_contiguous(2, MPI_INT, &pair), MPI_SUCCESS);
	assert_int_equal(MPI_Reduce_local(in, inout, 2, pair, op),
			 MPI_ERR_TYPE); /* not committed */
	assert_int_equal(MPI_Type_commit(&pair), MPI_SUCCESS);
	assert_int_equal(MPI_Reduce_local(in, inout, 2, pair, op), MPI_SUCCESS);
	assert_int_equal(seen_calls, 1);
	assert_ptr_equal(seen_type, pair);
	assert_memory_equal(inout, ((int[]){9, 18, 27, 36}), sizeof inout);
	MPI_Type_free(&pair);
	assert_int_equal(MPI_Op_free(&op), MPI_SUCCESS);
	assert_ptr_equal(op, MPI_OP_NULL);
}

static void wrong_arguments_are_refused(void **state)
{
	int a = 1, b = 2;
	MPI_Op op = MPI_SUM;

	assert_int_equal(MPI_Reduce_local(&a, &b, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
	assert_int_equal(MPI_Reduce_local(&a, &b, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
	assert_int_equal(MPI_Reduce_local(&a, &b, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
	assert_int_equal(MPI_Reduce_local(&a, &b, 1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
	assert_int_equal(MPI_Reduce_local(NULL, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	assert_int_equal(MPI_Reduce_local(MPI_IN_PLACE, &b, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
	assert_int_equal(MPI_Op_free(&op), MPI_ERR_OP);
	assert_int_equal(MPI_Op_free(NULL), MPI_ERR_ARG);
	assert_int_equal(MPI_Op_create(NULL, 0, &op), MPI_ERR_ARG);
	assert_int_equal(MPI_Op_commutative(MPI_SUM, NULL), MPI_ERR_ARG);
	assert_int_equal(MPI_Op_commutative((MPI_Op)0x777777, &a), MPI_ERR_OP);
	assert_int_equal(b, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(predefined_types_and_their_numbers_agree, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(predefined_operations_and_their_numbers_agree, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(operations_accept_the_types_of_the_standards_table,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(integer_operations_are_right_on_every_integer_type,
					    setup, teardown),
	    cmocka_unit_test_setup_teardown(floating_point_operations_are_right, setup, teardown),
	    cmocka_unit_test_setup_teardown(complex_operations_are_right, setup, teardown),
	    cmocka_unit_test(halves_round_to_nearest_even),
	    cmocka_unit_test_setup_teardown(locations_of_equal_values_are_the_smallest, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(user_functions_get_the_datatype, setup, teardown),
	    cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
