/* SPDX-License-Identifier: BSD-3-Clause */
/* Derived datatypes: every constructor, their geometry, and messages that use them. */
#include "check.h"

#include <stddef.h>

static int left, right;

/* Sends `count` of `type` from `from` to myself and to my neighbour; ints arrive contiguously in `to`. Returns how many. */
static int travel(const void *from, int count, MPI_Datatype type, int *to, int capacity)
{
	MPI_Status status;
	int n = -1;

	MPI_Sendrecv(from, count, type, right, 1, to, capacity, MPI_INT, left, 1, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &n);
	return n;
}

static void check_geometry(MPI_Datatype type, int size, long lb, long extent, long true_lb, long true_extent,
			   int line)
{
	MPI_Aint got_lb, got_extent;
	int got_size;

	MPI_Type_size(type, &got_size);
	check_int(got_size, size, "size", __FILE__, line);
	MPI_Type_get_extent(type, &got_lb, &got_extent);
	check_int(got_lb, lb, "lower bound", __FILE__, line);
	check_int(got_extent, extent, "extent", __FILE__, line);
	MPI_Type_get_true_extent(type, &got_lb, &got_extent);
	check_int(got_lb, true_lb, "true lower bound", __FILE__, line);
	check_int(got_extent, true_extent, "true extent", __FILE__, line);
}
#define GEOMETRY(...) check_geometry(__VA_ARGS__, __LINE__)

static void check_ints(const int *got, int n_got, const int *want, int n, int line)
{
	if (!check_int(n_got, n, "number of ints", __FILE__, line))
		return;
	for (int i = 0; i < n; i++)
		check_int(got[i], want[i], "an int", __FILE__, line);
}
#define WANT(n_got, ...) \
	check_ints(to, n_got, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int), \
		   __LINE__)

static int from[64], to[64];

static void vectors_take_blocks_at_a_stride(void)
{
	MPI_Datatype vector, hvector, contiguous;

	MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
	MPI_Type_commit(&vector);
	GEOMETRY(vector, 24, 0, 48, 0, 48);
	WANT(travel(from, 1, vector, to, 64), 0, 1, 5, 6, 10, 11);
	WANT(travel(from, 2, vector, to, 64), 0, 1, 5, 6, 10, 11, 12, 13, 17, 18, 22, 23);
	MPI_Type_create_hvector(2, 1, 12, vector, &hvector);
	MPI_Type_commit(&hvector);
	GEOMETRY(hvector, 48, 0, 60, 0, 60);
	WANT(travel(from, 1, hvector, to, 64), 0, 1, 5, 6, 10, 11, 3, 4, 8, 9, 13, 14);
	MPI_Type_contiguous(2, vector, &contiguous);
	MPI_Type_commit(&contiguous);
	GEOMETRY(contiguous, 48, 0, 96, 0, 96);
	MPI_Type_free(&vector); /* those built of it live on */
	CHECK(vector == MPI_DATATYPE_NULL);
	WANT(travel(from + 1, 1, contiguous, to, 64), 1, 2, 6, 7, 11, 12, 13, 14, 18, 19, 23, 24);
	MPI_Type_free(&hvector);
	MPI_Type_free(&contiguous);
}

static void negative_strides_run_backwards(void)
{
	MPI_Datatype back;

	MPI_Type_vector(4, 1, -2, MPI_INT, &back);
	MPI_Type_commit(&back);
	GEOMETRY(back, 16, -24, 28, -24, 28);
	WANT(travel(from + 10, 1, back, to, 64), 10, 8, 6, 4);
	WANT(travel(from + 10, 2, back, to, 64), 10, 8, 6, 4, 17, 15, 13, 11);
	MPI_Type_free(&back);
}

static void indexed_types_take_blocks_anywhere(void)
{
	const int lengths[] = {2, 0, 3, 1}, displs[] = {7, 100, 0, 4};
	const MPI_Aint byte_displs[] = {28, -400, 0, 16};
	MPI_Datatype type;

	MPI_Type_indexed(4, lengths, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	GEOMETRY(type, 24, 0, 36, 0, 36); /* the empty block at 100 does not count */
	WANT(travel(from, 1, type, to, 64), 7, 8, 0, 1, 2, 4);
	WANT(travel(from, 2, type, to, 64), 7, 8, 0, 1, 2, 4, 16, 17, 9, 10, 11, 13);
	MPI_Type_free(&type);
	MPI_Type_create_hindexed(4, lengths, byte_displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	WANT(travel(from, 1, type, to, 64), 7, 8, 0, 1, 2, 4);
	MPI_Type_free(&type);
	MPI_Type_create_indexed_block(3, 2, displs + 2, MPI_INT, &type);
	MPI_Type_free(&type);
	MPI_Type_create_indexed_block(2, 2, displs + 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	GEOMETRY(type, 16, 0, 24, 0, 24);
	WANT(travel(from + 3, 1, type, to, 64), 3, 4, 7, 8);
	MPI_Type_free(&type);
	MPI_Type_create_hindexed_block(2, 1, byte_displs + 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	WANT(travel(from, 2, type, to, 64), 0, 4, 5, 9);
	MPI_Type_free(&type);
}

struct particle {
	char kind;
	double x[3];
	int id;
	short tail;
};

static void structs_travel_with_their_padding_left_out(void)
{
	const int lengths[] = {1, 3, 1, 1};
	const MPI_Aint displs[] = {offsetof(struct particle, kind), offsetof(struct particle, x),
				   offsetof(struct particle, id), offsetof(struct particle, tail)};
	const MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT};
	struct particle out[3], in[3];
	MPI_Datatype raw, type;
	MPI_Status status;
	int count;

	MPI_Type_create_struct(4, lengths, displs, types, &raw);
	MPI_Type_create_resized(raw, 0, sizeof(struct particle), &type);
	MPI_Type_commit(&type);
	GEOMETRY(type, 31, 0, sizeof(struct particle), 0, offsetof(struct particle, tail) + 2);
	memset(in, 0x55, sizeof(in));
	memset(out, 0x22, sizeof(out));
	for (int k = 0; k < 3; k++)
		out[k] = (struct particle){(char)('a' + k), {me, k, 0.5}, 100 * me + k, (short)-k};
	MPI_Sendrecv(out, 3, type, right, 2, in, 3, type, left, 2, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, type, &count);
	CHECK_INT(count, 3);
	MPI_Get_elements(&status, type, &count);
	CHECK_INT(count, 18);
	for (int k = 0; k < 3; k++) {
		CHECK(in[k].kind == 'a' + k && in[k].tail == -k);
		CHECK(in[k].x[0] == left && in[k].x[1] == k && in[k].x[2] == 0.5);
		CHECK_INT(in[k].id, 100 * left + k);
		CHECK_INT(((char *)&in[k])[1], 0x55); /* padding is nobody's */
	}
	MPI_Type_free(&raw);
	MPI_Type_free(&type);
}

static void subarrays_cut_boxes(void)
{
	const int sizes[] = {4, 5}, sub[] = {2, 3}, start[] = {1, 2};
	MPI_Datatype c_order, fortran_order;

	MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_C, MPI_INT, &c_order);
	MPI_Type_commit(&c_order);
	GEOMETRY(c_order, 24, 0, 80, 28, 32);
	WANT(travel(from, 1, c_order, to, 64), 7, 8, 9, 12, 13, 14);
	WANT(travel(from, 2, c_order, to, 64), 7, 8, 9, 12, 13, 14, 27, 28, 29, 32, 33, 34);
	MPI_Type_create_subarray(2, sizes, sub, start, MPI_ORDER_FORTRAN, MPI_INT, &fortran_order);
	MPI_Type_commit(&fortran_order);
	GEOMETRY(fortran_order, 24, 0, 80, 36, 40);
	WANT(travel(from, 1, fortran_order, to, 64), 9, 10, 13, 14, 17, 18);
	MPI_Type_free(&c_order);
	MPI_Type_free(&fortran_order);
}

static void distributed_arrays_are_dealt_like_hpf(void)
{
	const int gsizes[] = {4, 6}, psizes[] = {2, 2};
	const int block_cyclic[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
	const int dargs[] = {MPI_DISTRIBUTE_DFLT_DARG, 2};
	MPI_Datatype type;

	/* rank 1 of 2x2: rows 0, 1; columns 2, 3 (blocks of two dealt round) */
	MPI_Type_create_darray(4, 1, 2, gsizes, block_cyclic, dargs, psizes, MPI_ORDER_C, MPI_INT, &type);
	MPI_Type_commit(&type);
	WANT(travel(from, 1, type, to, 64), 2, 3, 8, 9);
	MPI_Type_free(&type);
	MPI_Type_create_darray(4, 2, 2, gsizes, block_cyclic, dargs, psizes, MPI_ORDER_C, MPI_INT, &type);
	MPI_Type_commit(&type);
	WANT(travel(from, 1, type, to, 64), 12, 13, 16, 17, 18, 19, 22, 23);
	MPI_Type_free(&type);
}

static void resized_types_overlap_and_spread(void)
{
	MPI_Datatype column, narrow, wide;

	MPI_Type_vector(3, 1, 4, MPI_INT, &column); /* a column of a 3x4 matrix */
	MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
	MPI_Type_commit(&narrow);
	GEOMETRY(narrow, 12, 0, 4, 0, 36);
	WANT(travel(from, 4, narrow, to, 64), 0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11);
	MPI_Type_create_resized(MPI_INT, -4, 12, &wide);
	MPI_Type_commit(&wide);
	GEOMETRY(wide, 4, -4, 12, 0, 4);
	WANT(travel(from + 1, 3, wide, to, 64), 1, 4, 7);
	MPI_Type_free(&column);
	MPI_Type_free(&narrow);
	MPI_Type_free(&wide);
}

/* The matrix transpose: contiguous rows out, columns in. */
static void types_differ_on_the_two_sides(void)
{
	MPI_Datatype column, columns;
	int in[12];

	MPI_Type_vector(3, 1, 4, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &columns);
	MPI_Type_commit(&columns);
	memset(in, 0xff, sizeof(in));
	MPI_Sendrecv(from, 12, MPI_INT, right, 3, in, 4, columns, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int r = 0; r < 3; r++)
		for (int c = 0; c < 4; c++)
			CHECK_INT(in[4 * r + c], 3 * c + r);
	memset(in, 0xff, sizeof(in)); /* half a message: five ints into four columns of three */
	MPI_Sendrecv(from, 5, MPI_INT, right, 3, in, 4, columns, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(in[8], 2);
	CHECK_INT(in[1], 3);
	CHECK_INT(in[5], 4);
	CHECK_INT(in[9], -1);
	MPI_Type_free(&column);
	MPI_Type_free(&columns);
}

static void bottom_with_absolute_addresses(void)
{
	static int first[3] = {1, 2, 3};
	int second = 4;
	MPI_Aint displs[2];
	const int lengths[] = {3, 1};
	MPI_Datatype type;
	MPI_Status status;

	MPI_Get_address(first, &displs[0]);
	MPI_Get_address(&second, &displs[1]);
	MPI_Type_create_hindexed(2, lengths, displs, MPI_INT, &type);
	MPI_Type_commit(&type);
	WANT(travel(MPI_BOTTOM, 1, type, to, 64), 1, 2, 3, 4);
	MPI_Sendrecv(from + 20, 4, MPI_INT, right, 4, MPI_BOTTOM, 1, type, left, 4, MPI_COMM_WORLD, &status);
	CHECK_INT(first[0], 20);
	CHECK_INT(first[2], 22);
	CHECK_INT(second, 23);
	MPI_Type_free(&type);
	CHECK(MPI_Aint_diff(displs[0], displs[1]) == displs[0] - displs[1]);
	CHECK(MPI_Aint_add(displs[0], 8) == displs[0] + 8);
	first[0] = 1, first[1] = 2, first[2] = 3;
}

static void a_type_in_use_may_be_freed(void)
{
	MPI_Datatype type, copy;
	MPI_Request req;

	MPI_Type_vector(2, 1, 3, MPI_INT, &type);
	MPI_Type_commit(&type);
	MPI_Type_dup(type, &copy); /* committed as its original is */
	memset(to, 0xff, sizeof(to));
	MPI_Irecv(to, 2, type, left, 5, MPI_COMM_WORLD, &req);
	MPI_Type_free(&type);
	MPI_Send(from, 2, copy, right, 5, MPI_COMM_WORLD);
	MPI_Type_free(&copy);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(to[0], 0);
	CHECK_INT(to[1], -1);
	CHECK_INT(to[3], 3);
	CHECK_INT(to[4], 4);
	CHECK_INT(to[7], 7);
}

static void empty_types_carry_nothing(void)
{
	MPI_Datatype none, nothing;
	MPI_Status status;
	int count = -1;

	MPI_Type_contiguous(0, MPI_DOUBLE, &none);
	MPI_Type_commit(&none);
	GEOMETRY(none, 0, 0, 0, 0, 0);
	CHECK_INT(travel(from, 5, none, to, 64), 0);
	MPI_Type_vector(0, 3, 7, MPI_INT, &nothing);
	MPI_Type_commit(&nothing);
	MPI_Sendrecv(from, 2, nothing, right, 6, to, 1, none, left, 6, MPI_COMM_WORLD, &status);
	MPI_Get_count(&status, none, &count);
	CHECK_INT(count, 0);
	MPI_Type_free(&none);
	MPI_Type_free(&nothing);
}

/* Six levels deep, large enough for rendezvous, both sides scattered. */
static void nested_types_of_large_messages(void)
{
	enum { N = 300 };
	static int a[N][N], b[N][N];
	MPI_Datatype row, every_second, block;

	for (int i = 0; i < N * N; i++)
		a[i / N][i % N] = me + i;
	memset(b, 0xff, sizeof(b));
	MPI_Type_vector(N / 2, 1, 2, MPI_INT, &row);
	MPI_Type_create_hvector(N / 2, 1, 2 * N * (int)sizeof(int), row, &every_second);
	MPI_Type_contiguous(1, every_second, &block);
	MPI_Type_commit(&block);
	MPI_Sendrecv(a, 1, block, right, 7, b, 1, block, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			if (b[i][j] != (i % 2 || j % 2 ? -1 : left + i * N + j)) {
				CHECK_INT(b[i][j], i % 2 || j % 2 ? -1 : left + i * N + j);
				return;
			}
	MPI_Type_free(&row);
	MPI_Type_free(&every_second);
	MPI_Type_free(&block);
}

static void predefined_types_have_their_sizes(void)
{
	static const int want[] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 8, 4, 8, 1, 1, 2, 4, 8, 1, 2, 4, 8, 8};
	const MPI_Datatype types[] = {
		MPI_CHAR, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_INT,
		MPI_UNSIGNED, MPI_LONG, MPI_UNSIGNED_LONG, MPI_LONG_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_BYTE,
		MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T, MPI_UINT16_T, MPI_UINT32_T,
		MPI_UINT64_T, MPI_AINT};
	MPI_Aint lb, extent;
	int size;

	for (size_t k = 0; k < sizeof(want) / sizeof(want[0]); k++) {
		MPI_Type_size(types[k], &size);
		CHECK_INT(size, want[k]);
		MPI_Type_get_extent(types[k], &lb, &extent);
		CHECK_INT(lb, 0);
		CHECK_INT(extent, want[k]);
	}
	GEOMETRY(MPI_DOUBLE_INT, 12, 0, 16, 0, 12);
	GEOMETRY(MPI_SHORT_INT, 6, 0, 8, 0, 8);
	GEOMETRY(MPI_2INT, 8, 0, 8, 0, 8);
	MPI_Type_size(MPI_C_DOUBLE_COMPLEX, &size);
	CHECK_INT(size, 16);
	MPI_Type_size(MPI_WCHAR, &size);
	CHECK_INT(size, sizeof(L'x'));
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	left = (me + n_ranks - 1) % n_ranks;
	right = (me + 1) % n_ranks;
	for (int i = 0; i < 64; i++)
		from[i] = i;
	vectors_take_blocks_at_a_stride();
	negative_strides_run_backwards();
	section_end("vector types");
	indexed_types_take_blocks_anywhere();
	section_end("indexed types");
	structs_travel_with_their_padding_left_out();
	section_end("struct types");
	subarrays_cut_boxes();
	distributed_arrays_are_dealt_like_hpf();
	section_end("subarrays and distributed arrays");
	resized_types_overlap_and_spread();
	types_differ_on_the_two_sides();
	section_end("resized types");
	bottom_with_absolute_addresses();
	section_end("MPI_BOTTOM");
	a_type_in_use_may_be_freed();
	empty_types_carry_nothing();
	nested_types_of_large_messages();
	section_end("type life, empty and nested types");
	predefined_types_have_their_sizes();
	section_end("predefined types");
	return check_finish();
}
