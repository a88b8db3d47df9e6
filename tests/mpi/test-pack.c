/* SPDX-License-Identifier: BSD-3-Clause */
/* Layout, packing and unpacking of datatypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/datatype/typemap.h"
#include "tests/mpi/solo.h"
#include "util/rng.h"

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

static void bounds_follow_the_standards_definitions(void **state)
{
	MPI_Datatype type, resized, pair;

	/* {(double, 0), (char, 8)}: ub = 9, rounded up to the alignment of double (the standard's
	 * example) */
	assert_int_equal(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8},
						(MPI_Datatype[]){MPI_DOUBLE, MPI_CHAR}, &type),
			 MPI_SUCCESS);
	assert_bounds(type, 9, 0, 16, 0, 9);
	/* two of them: the second begins at 16, its char ends at 25 */
	assert_int_equal(MPI_Type_contiguous(2, type, &pair), MPI_SUCCESS);
	assert_bounds(pair, 18, 0, 32, 0, 25);
	/* explicit bounds stay explicit: in {resized(int, -3, 9) at 0, char at 20} only the resized
	 * one counts */
	assert_int_equal(MPI_Type_create_resized(MPI_INT, -3, 9, &resized), MPI_SUCCESS);
	assert_bounds(resized, 4, -3, 9, 0, 4);
	MPI_Type_free(&type);
	assert_int_equal(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 20},
						(MPI_Datatype[]){resized, MPI_CHAR}, &type),
			 MPI_SUCCESS);
	assert_bounds(type, 5, -3, 9, 0, 21);
	MPI_Type_free(&type);
	/* negative stride: blocks at 0, -8, -16 */
	assert_int_equal(MPI_Type_vector(3, 1, -2, MPI_INT, &type), MPI_SUCCESS);
	assert_bounds(type, 12, -16, 20, -16, 20);
	MPI_Type_free(&type);
	MPI_Type_free(&pair);
	MPI_Type_free(&resized);
}

static void empty_types_have_no_bounds(void **state)
{
	MPI_Datatype type, outer;

	assert_int_equal(MPI_Type_contiguous(0, MPI_INT, &type), MPI_SUCCESS);
	assert_bounds(type, 0, 0, 0, 0, 0);
	assert_int_equal(
	    MPI_Type_create_hindexed(2, (int[]){1, 0}, (MPI_Aint[]){100, 200}, type, &outer),
	    MPI_SUCCESS);
	assert_bounds(outer, 0, 0, 0, 0, 0);
	mpi_datatype_pack(object(outer), NULL, 5, NULL);
	MPI_Type_free(&outer);
	MPI_Type_free(&type);
}

static void a_reordered_type_is_not_contiguous(void **state)
{
	int in[2] = {1, 2}, packed[2];
	MPI_Datatype type;

	assert_int_equal(MPI_Type_indexed(2, (int[]){1, 1}, (int[]){1, 0}, MPI_INT, &type),
			 MPI_SUCCESS);
	assert_false(object(type)->is_contiguous); /* no hole, but the second int comes first */
	mpi_datatype_pack(object(type), in, 1, packed);
	assert_int_equal(packed[0], 2);
	assert_int_equal(packed[1], 1);
	MPI_Type_free(&type);
}

static void what_does_not_fit_into_a_count_is_refused(void **state)
{
	MPI_Datatype big, type = MPI_INT;

	assert_int_equal(MPI_Type_contiguous_c((MPI_Count)1 << 60, MPI_INT, &big), MPI_SUCCESS);
	/* 2^62 bytes, four times */
	assert_int_equal(MPI_Type_contiguous(4, big, &type), MPI_ERR_VALUE_TOO_LARGE);
	assert_int_equal(MPI_Type_vector_c(4, 1, (MPI_Count)1 << 61, MPI_DOUBLE, &type),
			 MPI_ERR_VALUE_TOO_LARGE);
	assert_int_equal(MPI_Type_create_hindexed(1, (int[]){4}, (MPI_Aint[]){0}, big, &type),
			 MPI_ERR_VALUE_TOO_LARGE);
	assert_int_equal(
	    MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){INTPTR_MAX - 2}, MPI_INT, &type),
	    MPI_ERR_VALUE_TOO_LARGE);
	assert_int_equal(MPI_Type_create_resized(MPI_INT, INTPTR_MAX, 1, &type),
			 MPI_ERR_VALUE_TOO_LARGE);
	assert_ptr_equal(type, MPI_INT); /* untouched */
	MPI_Type_free(&big);
}

static void a_million_blocks_cost_what_two_do(void **state)
{
	enum { N = 1000000 };
	char *in = malloc(2 * N), *packed = malloc(N);
	MPI_Datatype type;

	for (int i = 0; i < 2 * N; i++)
		in[i] = (char)(i * 7);
	assert_int_equal(MPI_Type_vector(N, 1, 2, MPI_CHAR, &type), MPI_SUCCESS);
	assert_int_equal(object(type)->map->kind, MAP_STRIDED); /* four numbers, no list */
	mpi_datatype_pack(object(type), in, 1, packed);
	for (int i = 0; i < N; i++)
		if (packed[i] != in[2 * i])
			fail_msg("byte %d", i);
	MPI_Type_free(&type);
	free(in);
	free(packed);
}

/* --- random types against the definition: a list of elements and bound markers --- */

#define MAX_ENTRIES 500
#define ARENA_B 65536

struct reference {
	int n, n_markers, alignment;
	MPI_Count displacement[MAX_ENTRIES];
	int size[MAX_ENTRIES];
	MPI_Count lower[MAX_ENTRIES], upper[MAX_ENTRIES];
};

static void append(struct reference *to, const struct reference *child, MPI_Count at)
{
	assert_true(to->n + child->n <= MAX_ENTRIES &&
		    to->n_markers + child->n_markers <= MAX_ENTRIES);
	for (int i = 0; i < child->n; i++) {
		to->displacement[to->n] = at + child->displacement[i];
		to->size[to->n++] = child->size[i];
	}
	for (int i = 0; i < child->n_markers; i++) {
		to->lower[to->n_markers] = at + child->lower[i];
		to->upper[to->n_markers++] = at + child->upper[i];
	}
	if (child->n > 0 && child->alignment > to->alignment)
		to->alignment = child->alignment;
}

static void reference_bounds(const struct reference *r, MPI_Count *lb, MPI_Count *extent)
{
	MPI_Count low = INT64_MAX, high = INT64_MIN;

	for (int i = 0; i < r->n_markers; i++) {
		low = r->lower[i] < low ? r->lower[i] : low;
		high = r->upper[i] > high ? r->upper[i] : high;
	}
	for (int i = 0; i < r->n && r->n_markers == 0; i++) {
		low = r->displacement[i] < low ? r->displacement[i] : low;
		high =
		    r->displacement[i] + r->size[i] > high ? r->displacement[i] + r->size[i] : high;
	}
	*lb = r->n + r->n_markers ? low : 0;
	*extent = r->n + r->n_markers ? high - low : 0;
	while (r->n_markers == 0 && r->n && *extent % r->alignment)
		++*extent;
}

static MPI_Count reference_size(const struct reference *r)
{
	MPI_Count size = 0;

	for (int i = 0; i < r->n; i++)
		size += r->size[i];
	return size;
}

static int below(struct util_rng *rng, int n)
{
	return (int)(util_rng_next(rng) % (uint64_t)n);
}

/* n blocks; block i has lengths[i] items of kid[i] at at[i] */
static void append_blocks(struct reference *r, int n, const int lengths[], const MPI_Aint at[],
			  const struct reference *const kids[])
{
	for (int i = 0; i < n; i++) {
		MPI_Count lb, extent;

		reference_bounds(kids[i], &lb, &extent);
		for (int j = 0; j < lengths[i]; j++)
			append(r, kids[i], at[i] + j * extent);
	}
}

static MPI_Datatype random_leaf(struct util_rng *rng, struct reference *r)
{
	const MPI_Datatype types[] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_DOUBLE};
	int i = below(rng, 4);

	*r = (struct reference){.n = 1, .alignment = 1 << i, .size = {1 << i}};
	return types[i];
}

/* A type over random children, its definition in *r. */
static MPI_Datatype random_type(struct util_rng *rng, int depth, struct reference *r)
{
	struct reference kid_references[3];
	const struct reference *kids[6] = {&kid_references[0]};
	MPI_Datatype kid_types[3], types[6], type = MPI_DATATYPE_NULL;
	int lengths[6], n = below(rng, 4), blocklength = below(rng, 3), stride = below(rng, 9) - 4,
			which = below(rng, 7);
	int items[6];
	MPI_Aint at[6];
	MPI_Count lb, extent;

	if (depth == 0)
		return random_leaf(rng, r);
	memset(r, 0, sizeof *r);
	r->alignment = 1;
	for (int i = 0; i < 3; i++)
		kid_types[i] = i == 0 || which == 6
				   ? random_type(rng, depth - 1, &kid_references[i])
				   : MPI_DATATYPE_NULL;
	reference_bounds(&kid_references[0], &lb, &extent);
	for (int i = 0; i < n; i++) {
		lengths[i] = which == 0 || which == 1 || which == 2 ? blocklength : below(rng, 3);
		kids[i] = &kid_references[0];
		items[i] = below(rng, 13) - 6;
		at[i] = which == 1   ? i * stride * extent
			: which == 2 ? 3 * i * stride
				     : below(rng, 200) - 100;
		if (which == 3)
			at[i] = items[i] * extent;
	}
	if (which == 0) { /* contiguous */
		MPI_Type_contiguous(n, kid_types[0], &type);
		append_blocks(r, 1, &n, (MPI_Aint[]){0}, kids);
		if (n == 0)
			*r = (struct reference){.alignment = 1};
	} else if (which == 1) {
		MPI_Type_vector(n, blocklength, stride, kid_types[0], &type);
		append_blocks(r, n, lengths, at, kids);
	} else if (which == 2) {
		MPI_Type_create_hvector(n, blocklength, 3 * stride, kid_types[0], &type);
		append_blocks(r, n, lengths, at, kids);
	} else if (which == 3) {
		MPI_Type_indexed(n, lengths, items, kid_types[0], &type);
		append_blocks(r, n, lengths, at, kids);
	} else if (which == 4) {
		MPI_Type_create_hindexed(n, lengths, at, kid_types[0], &type);
		append_blocks(r, n, lengths, at, kids);
	} else if (which == 5) {
		MPI_Type_create_resized(kid_types[0], stride, 5 * blocklength, &type);
		append(r, &kid_references[0], 0);
		r->n_markers = 1;
		r->lower[0] = stride;
		r->upper[0] = stride + 5 * blocklength;
	} else {
		for (int i = 0; i < n; i++) {
			types[i] = kid_types[i % 3];
			kids[i] = &kid_references[i % 3];
		}
		MPI_Type_create_struct(n, lengths, at, types, &type);
		append_blocks(r, n, lengths, at, kids);
	}
	for (int i = 0; i < 3; i++)
		if (kid_types[i] != MPI_DATATYPE_NULL &&
		    (uintptr_t)kid_types[i] > MPI_HANDLE_PREDEFINED_MAX)
			MPI_Type_free(&kid_types[i]);
	return type;
}

/* Bytes of `count` items in typemap order, and how often each byte of the arena belongs to one. */
static int reference_pack(const struct reference *r, MPI_Count extent, int count, const char *base,
			  char *packed)
{
	int n = 0;

	for (int item = 0; item < count; item++)
		for (int i = 0; i < r->n; i++)
			for (int byte = 0; byte < r->size[i]; byte++)
				packed[n++] = base[item * extent + r->displacement[i] + byte];
	return n;
}

static void check_unpack(const struct reference *r, MPI_Count extent,
			 const struct mpi_datatype *type, const char *packed, int n_bytes)
{
	static char arena[ARENA_B], expected[ARENA_B];
	char *base = expected + ARENA_B / 2;
	int n = 0;

	memset(arena, 'h', sizeof arena);
	memset(expected, 'h', sizeof expected);
	for (int item = 0; item < 2; item++)
		for (int i = 0; i < r->n; i++)
			for (int byte = 0; byte < r->size[i] && n < n_bytes; byte++)
				base[item * extent + r->displacement[i] + byte] = packed[n++];
	mpi_datatype_unpack(type, arena + ARENA_B / 2, 2, packed, n_bytes);
	assert_memory_equal(arena, expected, sizeof arena);
}

static void check_elements(const struct reference *r, const struct mpi_datatype *type)
{
	MPI_Count size = 0;

	for (int i = 0; i < r->n; i++) {
		assert_int_equal(mpi_datatype_elements(type, size), i);
		assert_int_equal(mpi_datatype_bytes(type, i), size);
		if (r->size[i] > 1)
			assert_int_equal(mpi_datatype_elements(type, size + 1), -1);
		size += r->size[i];
	}
	if (r->n > 0) {
		assert_int_equal(mpi_datatype_elements(type, 3 * size), 3 * r->n);
		assert_int_equal(mpi_datatype_bytes(type, 3 * r->n), 3 * size);
	}
}

static void random_types_behave_as_their_typemap_says(void **state)
{
	static char arena[ARENA_B], packed[2 * 8 * MAX_ENTRIES], expected[2 * 8 * MAX_ENTRIES];
	static struct reference r;
	const uint64_t seed = 20;
	struct util_rng rng;

	util_rng_init(&rng, seed, 0);
	printf("seed %llu\n", (unsigned long long)seed);
	for (int i = 0; i < ARENA_B; i++)
		arena[i] = (char)util_rng_next(&rng);
	for (int round = 0; round < 4000; round++) {
		MPI_Datatype handle = random_type(&rng, 1 + round % 3, &r);
		const struct mpi_datatype *type = object(handle);
		MPI_Count lb, extent;
		int n;

		assert_non_null(type);
		reference_bounds(&r, &lb, &extent);
		assert_int_equal(type->size_B, reference_size(&r));
		assert_int_equal(type->lb_B, lb);
		assert_int_equal(type->extent_B, extent);
		assert_int_equal(type->n_elements, r.n);
		n = reference_pack(&r, extent, 2, arena + ARENA_B / 2, expected);
		memset(packed, 0, sizeof packed);
		mpi_datatype_pack(type, arena + ARENA_B / 2, 2, packed);
		assert_memory_equal(packed, expected, (size_t)n);
		check_unpack(&r, extent, type, packed, n);
		check_unpack(&r, extent, type, packed, n / 3);
		check_elements(&r, type);
		if ((uintptr_t)handle > MPI_HANDLE_PREDEFINED_MAX)
			MPI_Type_free(&handle);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(a_vector_takes_blocks_and_leaves_holes, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(bounds_follow_the_standards_definitions, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(empty_types_have_no_bounds, setup, teardown),
	    cmocka_unit_test_setup_teardown(a_reordered_type_is_not_contiguous, setup, teardown),
	    cmocka_unit_test_setup_teardown(what_does_not_fit_into_a_count_is_refused, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(a_million_blocks_cost_what_two_do, setup, teardown),
	    cmocka_unit_test_setup_teardown(random_types_behave_as_their_typemap_says, setup,
					    teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
