/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions: every predefined operation, user-defined and non-commutative ones, scans, reduce-scatter, in place. */
#include "check.h"

#include <stdint.h>

static void integers_reduce_exactly(void)
{
	static const int n = 3;
	int mine[3] = {me + 1, me % 2, 5 - me}, got[3], want_sum = 0, want_xor = 0, product = 1, two = 2;

	for (int r = 0; r < n_ranks; r++) {
		want_sum += r + 1;
		want_xor ^= r + 1;
		product *= 2;
	}
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(got[0], want_sum);
	CHECK_INT(got[1], n_ranks / 2);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	CHECK_INT(got[0], n_ranks);
	CHECK_INT(got[2], 5);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	CHECK_INT(got[0], 1);
	CHECK_INT(got[2], 6 - n_ranks);
	MPI_Allreduce(&two, got, 1, MPI_INT, MPI_PROD, MPI_COMM_WORLD);
	CHECK_INT(got[0], product);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_BXOR, MPI_COMM_WORLD);
	CHECK_INT(got[0], want_xor);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	CHECK_INT(got[0], 1);
	CHECK_INT(got[1], 0);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
	CHECK_INT(got[1], n_ranks > 1);
	MPI_Allreduce(mine, got, n, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
	CHECK_INT(got[0], n_ranks % 2);
}

static void bits_reduce_in_every_width(void)
{
	uint8_t b8 = (uint8_t)(1 << me % 8), g8;
	uint16_t b16 = (uint16_t)~(1 << me % 16), g16, want16 = 0xffff;
	uint64_t b64 = 1ull << (40 + me), g64;
	unsigned char byte = (unsigned char)(0x80 | me), got_byte;

	for (int r = 0; r < n_ranks; r++)
		want16 &= (uint16_t)~(1 << r % 16);
	MPI_Allreduce(&b8, &g8, 1, MPI_UINT8_T, MPI_BOR, MPI_COMM_WORLD);
	CHECK_INT(g8, n_ranks >= 8 ? 255 : (1 << n_ranks) - 1);
	MPI_Allreduce(&b16, &g16, 1, MPI_UINT16_T, MPI_BAND, MPI_COMM_WORLD);
	CHECK_INT(g16, want16);
	MPI_Allreduce(&b64, &g64, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
	CHECK(g64 == ((1ull << n_ranks) - 1) << 40);
	MPI_Allreduce(&byte, &got_byte, 1, MPI_BYTE, MPI_BAND, MPI_COMM_WORLD);
	CHECK_INT(got_byte, n_ranks == 1 ? 0x80 : 0x80);
}

static void floats_reduce(void)
{
	double d[2] = {0.5 * (me + 1), -me}, got_d[2];
	float f = (float)me, got_f;
	double complex_in[2] = {me, 1}, complex_out[2];

	MPI_Allreduce(d, got_d, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD); /* halves: exact in any order */
	CHECK(got_d[0] == 0.25 * n_ranks * (n_ranks + 1));
	MPI_Allreduce(d, got_d, 2, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
	CHECK(got_d[0] == 0.5 && got_d[1] == 1 - n_ranks);
	MPI_Allreduce(&f, &got_f, 1, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
	CHECK(got_f == (float)(n_ranks - 1));
	MPI_Allreduce(complex_in, complex_out, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
	CHECK(complex_out[0] == n_ranks * (n_ranks - 1) / 2 && complex_out[1] == n_ranks);
}

static void maxloc_breaks_ties_by_the_lowest_index(void)
{
	struct {
		double value;
		int index;
	} mine = {me % 3, me}, got;
	struct {
		int value, index;
	} pair = {-(me % 3), me}, got_pair;
	int want = 0;

	for (int r = 0; r < n_ranks; r++)
		if (r % 3 > want % 3)
			want = r;
	MPI_Allreduce(&mine, &got, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
	CHECK(got.value == want % 3);
	CHECK_INT(got.index, want);
	MPI_Allreduce(&pair, &got_pair, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
	CHECK_INT(got_pair.value, -(want % 3));
	CHECK_INT(got_pair.index, want);
}

static void reduce_reaches_every_root(void)
{
	enum { N = 3000 };
	static int mine[N], got[N];

	for (int root = 0; root < n_ranks; root++) {
		for (int in_place = 0; in_place < 2; in_place++) {
#ifdef MPICH_VERSION /* 4.0 crashes on large in-place reductions to other roots than 0 */
			if (in_place && root > 0)
				continue;
#endif
			for (int k = 0; k < N; k++) {
				mine[k] = me * k + root;
				got[k] = in_place ? mine[k] : -1;
			}
			if (in_place && me == root)
				MPI_Reduce(MPI_IN_PLACE, got, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
			else
				MPI_Reduce(mine, me == root ? got : NULL, N, MPI_INT, MPI_SUM, root,
					   MPI_COMM_WORLD);
			for (int k = 0; k < N && me == root; k += 7)
				CHECK_INT(got[k], k * n_ranks * (n_ranks - 1) / 2 + n_ranks * root);
		}
	}
	MPI_Reduce(mine, got, 0, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

/* 2x2 integer matrices modulo a prime: associative, not commutative. in · inout, lower rank on the left. */
enum { PRIME = 10007 };

static void matrix_product(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	for (int k = 0; k < *len; k++, a += 4, b += 4) {
		int c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2],
			    a[2] * b[1] + a[3] * b[3]};

		for (int i = 0; i < 4; i++)
			b[i] = c[i] % PRIME;
	}
}

static void matrix_of(int r, int k, int m[4])
{
	m[0] = r + 2;
	m[1] = 1 + k;
	m[2] = 3;
	m[3] = r * r + 1;
}

/* The product of ranks first … last in rank order. */
static void product_of(int first, int last, int k, int want[4])
{
	int one = 1, next[4];

	want[0] = want[3] = 1;
	want[1] = want[2] = 0;
	for (int r = first; r <= last; r++) {
		matrix_of(r, k, next);
		matrix_product(want, next, &one, NULL);
		memcpy(want, next, sizeof(next));
	}
}

static void check_matrices(const int *got, int n, int first, int last, int line)
{
	int want[4];

	for (int k = 0; k < n; k++) {
		product_of(first, last, k, want);
		for (int i = 0; i < 4; i++)
			check_int(got[4 * k + i], want[i], "a matrix element", __FILE__, line);
	}
}

static void noncommutative_operations_keep_rank_order(void)
{
	enum { N = 50 };
	int mine[4 * N], got[4 * N], commutes = -1;
	MPI_Datatype matrix;
	MPI_Op op;

	MPI_Type_contiguous(4, MPI_INT, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(matrix_product, 0, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK_INT(commutes, 0);
	for (int k = 0; k < N; k++)
		matrix_of(me, k, mine + 4 * k);
	MPI_Allreduce(mine, got, N, matrix, op, MPI_COMM_WORLD);
	check_matrices(got, N, 0, n_ranks - 1, __LINE__);
	for (int root = 0; root < n_ranks; root++) {
		MPI_Reduce(mine, got, N, matrix, op, root, MPI_COMM_WORLD);
		if (me == root)
			check_matrices(got, N, 0, n_ranks - 1, __LINE__);
	}
	MPI_Scan(mine, got, N, matrix, op, MPI_COMM_WORLD);
	check_matrices(got, N, 0, me, __LINE__);
	memset(got, 0xff, sizeof(got));
	MPI_Exscan(mine, got, N, matrix, op, MPI_COMM_WORLD);
	if (me > 0)
		check_matrices(got, N, 0, me - 1, __LINE__);
	memcpy(got, mine, sizeof(got));
	MPI_Scan(MPI_IN_PLACE, got, N, matrix, op, MPI_COMM_WORLD);
	check_matrices(got, N, 0, me, __LINE__);
	memcpy(got, mine, sizeof(got));
	MPI_Allreduce(MPI_IN_PLACE, got, N, matrix, op, MPI_COMM_WORLD);
	check_matrices(got, N, 0, n_ranks - 1, __LINE__);
	MPI_Op_free(&op);
	CHECK(op == MPI_OP_NULL);
	MPI_Type_free(&matrix);
}

static void scans_run_along_the_ranks(void)
{
	int mine[3] = {me + 1, 1, -me}, got[3] = {-9, -9, -9};

	MPI_Scan(mine, got, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(got[0], (me + 1) * (me + 2) / 2);
	CHECK_INT(got[1], me + 1);
	MPI_Scan(mine, got, 3, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	CHECK_INT(got[2], -me);
	MPI_Exscan(mine, got, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (me > 0)
		CHECK_INT(got[0], me * (me + 1) / 2);
	MPI_Exscan(MPI_IN_PLACE, mine, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (me > 0)
		CHECK_INT(mine[1], me);
}

static void reduce_scatter_deals_the_sum(void)
{
	int *counts = malloc((size_t)n_ranks * sizeof(int)), total = 0, mine_at = 0;
	int *in, *out;

	for (int r = 0; r < n_ranks; r++) {
		counts[r] = r % 3 * 4; /* 0 4 8 0 … */
		mine_at += r < me ? counts[r] : 0;
		total += counts[r];
	}
	in = malloc((size_t)(total + 10) * sizeof(int));
	out = malloc((size_t)(total + 10) * sizeof(int));
	for (int in_place = 0; in_place < 2; in_place++) {
		for (int k = 0; k < total; k++)
			in[k] = me * 100 + k;
		if (in_place) {
			MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
			memcpy(out, in, (size_t)counts[me] * sizeof(int));
		} else {
			MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		}
		for (int k = 0; k < counts[me]; k++)
			CHECK_INT(out[k], 50 * n_ranks * (n_ranks - 1) + n_ranks * (mine_at + k));
	}
	free(in);
	free(out);
	free(counts);
}

static void reduce_scatter_block_deals_equal_parts(void)
{
	enum { N = 11 };
	int *in = malloc((size_t)n_ranks * N * sizeof(int)), out[N];

	for (int in_place = 0; in_place < 2; in_place++) {
		for (int k = 0; k < n_ranks * N; k++)
			in[k] = me + k;
		if (in_place)
			MPI_Reduce_scatter_block(MPI_IN_PLACE, in, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		else
			MPI_Reduce_scatter_block(in, out, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		for (int k = 0; k < N; k++)
			CHECK_INT((in_place ? in : out)[k],
				  n_ranks * (n_ranks - 1) / 2 + n_ranks * (me * N + k));
	}
	free(in);
}

/* The operation sees the type it was called with, strided, and may be called on parts of the vector. */
static void add_first_of_pairs(void *in, void *inout, int *len, MPI_Datatype *type)
{
	MPI_Aint lb, extent;

	MPI_Type_get_extent(*type, &lb, &extent);
	for (int k = 0; k < *len; k++)
		*(int *)((char *)inout + k * extent) += *(int *)((char *)in + k * extent);
}

static void user_operations_on_derived_types(void)
{
	enum { N = 700 };
	static int mine[2 * N], got[2 * N];
	MPI_Datatype spaced;
	MPI_Op op;
	int commutes = 0;

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spaced);
	MPI_Type_commit(&spaced);
	MPI_Op_create(add_first_of_pairs, 1, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK(commutes);
	for (int k = 0; k < 2 * N; k++) {
		mine[k] = k % 2 ? -77 : me + k;
		got[k] = -1;
	}
	MPI_Allreduce(mine, got, N, spaced, op, MPI_COMM_WORLD);
	for (int k = 0; k < 2 * N; k += 2) {
		CHECK_INT(got[k], n_ranks * (n_ranks - 1) / 2 + n_ranks * k);
		CHECK_INT(got[k + 1], -1); /* the gap stays */
	}
	MPI_Op_free(&op);
	MPI_Type_free(&spaced);
}

static void reduce_local_needs_nobody(void)
{
	int in[3] = {1, 2, 3}, inout[3] = {10, 20, 30}, commutes = 0;

	MPI_Reduce_local(in, inout, 3, MPI_INT, MPI_SUM);
	CHECK(inout[0] == 11 && inout[1] == 22 && inout[2] == 33);
	MPI_Reduce_local(in, inout, 0, MPI_INT, MPI_SUM);
	CHECK_INT(inout[0], 11);
	MPI_Op_commutative(MPI_SUM, &commutes);
	CHECK(commutes);
}

/* Floating-point sums depend on the order: every rank must still get the same bits. */
static void allreduce_gives_every_rank_the_same_bits(void)
{
	enum { N = 257 };
	double mine[N], got[N], other[N];

	for (int k = 0; k < N; k++)
		mine[k] = 1.0 / (1 + me * 31 + k) * (k % 2 ? 1e10 : 1e-10);
	MPI_Allreduce(mine, got, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	memcpy(other, got, sizeof(got));
	MPI_Bcast(other, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	CHECK(!memcmp(other, got, sizeof(got)));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	integers_reduce_exactly();
	bits_reduce_in_every_width();
	floats_reduce();
	section_end("predefined operations");
	maxloc_breaks_ties_by_the_lowest_index();
	section_end("maxloc and minloc");
	reduce_reaches_every_root();
	section_end("reduce");
	noncommutative_operations_keep_rank_order();
	section_end("non-commutative operation");
	scans_run_along_the_ranks();
	section_end("scan and exscan");
	reduce_scatter_deals_the_sum();
	reduce_scatter_block_deals_equal_parts();
	section_end("reduce_scatter");
	user_operations_on_derived_types();
	section_end("operation on a derived type");
	reduce_local_needs_nobody();
	allreduce_gives_every_rank_the_same_bits();
	section_end("reduce_local and reproducibility");
	return check_finish();
}
