/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROGRAMS_KINDS_H
#define TESTS_PROGRAMS_KINDS_H

#include <stddef.h>

#include "check.h"

/*
 * Communicators and datatypes of every kind, for programs that do the same with each of them. Which
 * bytes of an item are data is written down by hand beside each type: nothing is taken from the
 * library under test.
 */
enum { MAX_PIECES = 16, N_ITEMS = 5, PAD = 64 };

struct piece {
	int at, n_bytes; /* a basic element of an item */
};

struct kind {
	MPI_Datatype type;
	int lb, extent, n_pieces;
	struct piece pieces[MAX_PIECES];
	int is_derived;
};

struct mix {
	char letter;
	short little;
	long large;
	struct {
		double value;
		int index;
	} pair;
	struct {
		short value;
		int index;
	} small;
};

enum { MAX_KINDS = 24, MAX_COMMS = 16 };
static struct kind kinds[MAX_KINDS];
static int n_kinds;

struct one_comm {
	MPI_Comm comm;
	int is_inter, rank;
	int n_others; /* processes that one talks to: the remote group's of an intercommunicator,
			 else all */
	int *others;  /* [n_others], their ranks in MPI_COMM_WORLD */
};
static struct one_comm comms[MAX_COMMS];
static int n_comms;

static struct kind *add_kind(MPI_Datatype type, int lb, int extent)
{
	struct kind *kind = &kinds[n_kinds++];

	*kind = (struct kind){.type = type, .lb = lb, .extent = extent};
	return kind;
}

static void add_piece(struct kind *kind, size_t at, size_t n_bytes)
{
	kind->pieces[kind->n_pieces++] = (struct piece){(int)at, (int)n_bytes};
}

static void add_basic(MPI_Datatype type, size_t size)
{
	add_piece(add_kind(type, 0, (int)size), 0, size);
}

static struct kind *add_derived(MPI_Datatype type, int lb, int extent)
{
	struct kind *kind;

	MPI_Type_commit(&type);
	kind = add_kind(type, lb, extent);
	kind->is_derived = 1;
	return kind;
}

/* Seven integers one after the other, made in every way there is. */
static void add_sevens(void)
{
	int ones[7] = {1, 1, 1, 1, 1, 1, 1}, places[7] = {0, 1, 2, 3, 4, 5, 6}, seven = 7;
	MPI_Aint bytes[7] = {0, 4, 8, 12, 16, 20, 24}, start = 0;
	MPI_Datatype whole = MPI_INT, made[7];

	MPI_Type_contiguous(7, MPI_INT, &made[0]);
	MPI_Type_vector(7, 1, 1, MPI_INT, &made[1]);
	MPI_Type_create_hvector(7, 1, 4, MPI_INT, &made[2]);
	MPI_Type_indexed(7, ones, places, MPI_INT, &made[3]);
	MPI_Type_create_hindexed(7, ones, bytes, MPI_INT, &made[4]);
	MPI_Type_create_struct(1, &seven, &start, &whole, &made[5]);
	MPI_Type_create_indexed_block(7, 1, places, MPI_INT, &made[6]);
	for (int i = 0; i < 7; i++) {
		struct kind *kind = add_derived(made[i], 0, 28);

		for (int k = 0; k < 7; k++)
			add_piece(kind, 4 * (size_t)k, 4);
	}
}

static void add_mix(void)
{
	int ones[5] = {1, 1, 1, 1, 1};
	MPI_Aint places[5] = {offsetof(struct mix, letter), offsetof(struct mix, little),
			      offsetof(struct mix, large), offsetof(struct mix, pair),
			      offsetof(struct mix, small)};
	MPI_Datatype parts[5] = {MPI_CHAR, MPI_SHORT, MPI_LONG, MPI_DOUBLE_INT, MPI_SHORT_INT},
		     type, copy;

	MPI_Type_create_struct(5, ones, places, parts, &type);
	MPI_Type_dup(type, &copy);
	for (int i = 0; i < 2; i++) {
		struct kind *kind = add_derived(i ? copy : type, 0, (int)sizeof(struct mix));

		add_piece(kind, offsetof(struct mix, letter), 1);
		add_piece(kind, offsetof(struct mix, little), 2);
		add_piece(kind, offsetof(struct mix, large), 8);
		add_piece(kind, offsetof(struct mix, pair.value), 8);
		add_piece(kind, offsetof(struct mix, pair.index), 4);
		add_piece(kind, offsetof(struct mix, small.value), 2);
		add_piece(kind, offsetof(struct mix, small.index), 4);
	}
}

/* Not in the order of its addresses, none of them aligned, with bounds of its own and data before
 * its origin. */
static void add_odd(void)
{
	int ones[6] = {1, 1, 1, 1, 1, 1};
	MPI_Aint places[6] = {-1, 0, 2, -9, 6, -17};
	MPI_Datatype parts[6] = {MPI_CHAR, MPI_SHORT, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE},
		     plain, type;
	static const int sizes[6] = {1, 2, 4, 8, 4, 8};
	struct kind *kind;

	MPI_Type_create_struct(6, ones, places, parts, &plain);
	MPI_Type_create_resized(plain, -17, 29, &type);
	MPI_Type_free(&plain);
	kind = add_derived(type, -17, 29);
	for (int i = 0; i < 6; i++)
		add_piece(kind, (size_t)places[i], (size_t)sizes[i]);
}

/* Two integers of six: an item ends with a hole. */
static void add_sparse(void)
{
	MPI_Datatype row, type;
	struct kind *kind;

	MPI_Type_vector(2, 1, 3, MPI_INT, &row);
	MPI_Type_create_resized(row, 0, 24, &type);
	MPI_Type_free(&row);
	kind = add_derived(type, 0, 24);
	add_piece(kind, 0, 4);
	add_piece(kind, 12, 4);
}

static void make_kinds(void)
{
	add_basic(MPI_CHAR, 1);
	add_basic(MPI_BYTE, 1);
	add_basic(MPI_SHORT, sizeof(short));
	add_basic(MPI_INT, sizeof(int));
	add_basic(MPI_UNSIGNED_LONG, sizeof(long));
	add_basic(MPI_DOUBLE, sizeof(double));
	add_basic(MPI_LONG_DOUBLE, sizeof(long double));
	add_sevens();
	add_mix();
	add_odd();
	add_sparse();
}

static void free_kinds(void)
{
	for (int i = 0; i < n_kinds; i++)
		if (kinds[i].is_derived)
			MPI_Type_free(&kinds[i].type);
}

static void add_comm(MPI_Comm comm, int is_inter)
{
	struct one_comm *one = &comms[n_comms];
	MPI_Group group, world;
	int *ranks;

	if (comm == MPI_COMM_NULL)
		return;
	*one = (struct one_comm){.comm = comm, .is_inter = is_inter};
	MPI_Comm_rank(comm, &one->rank);
	if (is_inter)
		MPI_Comm_remote_group(comm, &group);
	else
		MPI_Comm_group(comm, &group);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_size(group, &one->n_others);
	ranks = malloc((size_t)one->n_others * sizeof *ranks);
	one->others = malloc((size_t)one->n_others * sizeof *ranks);
	for (int i = 0; i < one->n_others; i++)
		ranks[i] = i;
	MPI_Group_translate_ranks(group, one->n_others, ranks, world, one->others);
	MPI_Group_free(&group);
	MPI_Group_free(&world);
	free(ranks);
	n_comms++;
}

/* The ranks below `low` on one side, the others on the other one. */
static void add_intercomm(int low, int is_merged)
{
	MPI_Comm side, inter, merged;

	MPI_Comm_split(MPI_COMM_WORLD, me >= low, me, &side);
	MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, me < low ? low : 0, 12, &inter);
	MPI_Comm_free(&side);
	add_comm(inter, 1);
	if (is_merged) {
		MPI_Intercomm_merge(inter, me < low, &merged);
		add_comm(merged, 0);
	}
}

static void add_grids(void)
{
	int two[2] = {0, 0}, three[3] = {0, 0, 0}, round[3] = {1, 1, 1}, open[3] = {0, 0, 0};
	int *index = malloc((size_t)n_ranks * sizeof *index),
	    *edges = malloc((size_t)n_ranks * (size_t)n_ranks * sizeof *edges), n = 0;
	MPI_Comm comm;

	MPI_Dims_create(n_ranks, 2, two);
	MPI_Cart_create(MPI_COMM_WORLD, 2, two, round, 1, &comm);
	add_comm(comm, 0);
	MPI_Dims_create(n_ranks, 3, three);
	MPI_Cart_create(MPI_COMM_WORLD, 3, three, open, 1, &comm);
	add_comm(comm, 0);
	for (int i = 0; i < n_ranks; i++) { /* everybody's neighbours are all others */
		for (int k = 0; k < n_ranks; k++)
			if (k != i)
				edges[n++] = k;
		index[i] = n;
	}
	MPI_Graph_create(MPI_COMM_WORLD, n_ranks, index, edges, 1, &comm);
	add_comm(comm, 0);
	free(index);
	free(edges);
}

static void make_comms(void)
{
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	add_comm(comm, 0);
	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	add_comm(comm, 0);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &comm); /* the other way round */
	add_comm(comm, 0);
	MPI_Comm_split(MPI_COMM_WORLD, me >= n_ranks / 2, me, &comm);
	add_comm(comm, 0);
	MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &comm);
	add_comm(comm, 0);
	add_grids();
	if (n_ranks > 1) {
		add_intercomm(1, 0);
		add_intercomm((n_ranks + 1) / 2, 1);
	}
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &comm);
	add_comm(comm, 0);
}

static void free_comms(void)
{
	for (int i = 0; i < n_comms; i++) {
		MPI_Comm_free(&comms[i].comm);
		free(comms[i].others);
	}
}

/* --- buffers: PAD bytes, n items, PAD bytes; what is no data keeps its 0xa5 --- */

static size_t buffer_size(const struct kind *kind, int n)
{
	return 2 * PAD + (size_t)n * (size_t)kind->extent;
}

static unsigned char byte_of(int who, int item, int piece, int i)
{
	return (unsigned char)(7 * who + 31 * item + 11 * piece + 3 * i + 1);
}

/* Where the first of n items lies in a buffer. */
static char *origin(const struct kind *kind, unsigned char *buffer)
{
	return (char *)buffer + PAD - kind->lb;
}

/* Items [first, first + n) as `who` sends them, items 0 to n of its own. */
static void put_items(const struct kind *kind, unsigned char *buffer, int first, int n, int who)
{
	for (int item = 0; item < n; item++)
		for (int k = 0; k < kind->n_pieces; k++)
			for (int i = 0; i < kind->pieces[k].n_bytes; i++)
				origin(kind, buffer)[(first + item) * kind->extent +
						     kind->pieces[k].at + i] =
				    (char)byte_of(who, item, k, i);
}

static unsigned char *empty_buffer(const struct kind *kind, int n)
{
	unsigned char *buffer = malloc(buffer_size(kind, n));

	memset(buffer, 0xa5, buffer_size(kind, n));
	return buffer;
}

static unsigned char *filled_buffer(const struct kind *kind, int n, int who)
{
	unsigned char *buffer = empty_buffer(kind, n);

	put_items(kind, buffer, 0, n, who);
	return buffer;
}

/* Whether both have the same bytes, holes included; frees both. */
static int same(const struct kind *kind, unsigned char *got, unsigned char *want, int n)
{
	int holds = memcmp(got, want, buffer_size(kind, n)) == 0;

	free(got);
	free(want);
	return holds;
}

#endif
