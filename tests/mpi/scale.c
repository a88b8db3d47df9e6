/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One MPI object or operation each, by very many ranks: `scale CASE` on any even number of ranks.
 * No rank holds an array that grows with their number, so that the memory for each must not grow
 * either: tests/mpi/scale.py.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int rank, size;

/* A communicator that is made is used once, and is gone again. */
static void use(MPI_Comm comm)
{
	int one = 1, sum = 0, n;

	if (comm == MPI_COMM_NULL)
		return;
	MPI_Comm_size(comm, &n);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	if (sum != n)
		MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Barrier(MPI_COMM_WORLD); /* while all have it */
	MPI_Comm_free(&comm);
}

static void duplicate(void)
{
	MPI_Comm comm;

	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	use(comm);
}

static void split(int color, int key)
{
	MPI_Comm comm;

	MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
	if (comm == MPI_COMM_NULL)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		use(comm);
}

static void split_whole(void)
{
	split(0, rank);
}

static void split_rows(void)
{
	split(rank / 32, rank);
}

static void split_columns(void)
{
	split(rank % 32, rank);
}

/* In an order that is no sequence. */
static void split_shuffled(void)
{
	split(0, (int)((long long)rank * 7919 % size));
}

static void split_type(void)
{
	MPI_Comm comm;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
	use(comm);
}

static void grid_of(int n)
{
	int dims[2] = {2, n / 2}, periods[2] = {1, 0};
	MPI_Comm comm;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
	if (comm == MPI_COMM_NULL)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		use(comm);
}

static void grid(void)
{
	grid_of(size);
}

static void grid_of_some(void)
{
	grid_of(size - 2);
}

static void grid_rows(void)
{
	int dims[2] = {2, size / 2}, periods[2] = {0, 0}, remain[2] = {0, 1};
	MPI_Comm comm, row;

	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &comm);
	MPI_Cart_sub(comm, remain, &row);
	MPI_Comm_free(&comm);
	use(row);
}

/* What groups are made without a list: all but two, and every second one. */
static void groups(void)
{
	int edges[2] = {1, size / 2}, evens[1][3] = {{0, size - 1, 2}}, last[1] = {0}, place[1];
	MPI_Group world, some, half, both;
	MPI_Comm comm;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_excl(world, 2, edges, &some);
	MPI_Group_range_incl(world, 1, evens, &half);
	MPI_Group_intersection(some, half, &both);
	MPI_Group_translate_ranks(both, 1, last, world, place);
	MPI_Barrier(MPI_COMM_WORLD); /* while all have them */
	MPI_Comm_create(MPI_COMM_WORLD, some, &comm);
	if (comm == MPI_COMM_NULL)
		MPI_Barrier(MPI_COMM_WORLD);
	else
		use(comm);
	MPI_Group_free(&world);
	MPI_Group_free(&some);
	MPI_Group_free(&half);
	MPI_Group_free(&both);
}

static void create_group(void)
{
	int others[1][3] = {{rank % 2, size - 2 + rank % 2, 2}};
	MPI_Group world, half;
	MPI_Comm comm;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 1, others, &half);
	MPI_Comm_create_group(MPI_COMM_WORLD, half, 0, &comm);
	MPI_Group_free(&world);
	MPI_Group_free(&half);
	use(comm);
}

/* Two halves, an intercommunicator of parts of them, and one communicator of all. */
static void between_halves(void)
{
	MPI_Comm half, inter, parts, all;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 0, &inter);
	MPI_Comm_split(inter, rank / 2 % 3, -rank, &parts);
	MPI_Intercomm_merge(inter, rank % 2, &all);
	MPI_Comm_free(&half);
	MPI_Comm_free(&inter);
	MPI_Comm_free(&parts);
	use(all);
}

static void neighbours_on_ring(int sources[2], int destinations[2])
{
	sources[0] = destinations[1] = (rank + size - 1) % size;
	sources[1] = destinations[0] = (rank + 1) % size;
}

static void talk_to_neighbours(MPI_Comm comm)
{
	int in[2] = {0, 0};

	MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm);
	if (in[0] != (rank + size - 1) % size || in[1] != (rank + 1) % size)
		MPI_Abort(MPI_COMM_WORLD, 3);
	use(comm);
}

static void graph_adjacent(void)
{
	int sources[2], destinations[2];
	MPI_Comm comm;

	neighbours_on_ring(sources, destinations);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, destinations,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
	talk_to_neighbours(comm);
}

/* Each rank names the edges of the next one. */
static void graph_by_others(void)
{
	int next = (rank + 1) % size, n = 2, ends[2] = {(next + 1) % size, rank};
	MPI_Comm comm;

	MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &next, &n, ends, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
			      &comm);
	use(comm);
}

static void window(void)
{
	int cell = 0;
	MPI_Win win;

	MPI_Win_create(&cell, sizeof cell, sizeof cell, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_fence(0, win);
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	MPI_Win_free(&win);
	if (cell != (rank + size - 1) % size)
		MPI_Abort(MPI_COMM_WORLD, 3);
}

static void window_of_all(void)
{
	int *cell;
	MPI_Win win;

	MPI_Win_allocate(sizeof *cell, sizeof *cell, MPI_INFO_NULL, MPI_COMM_WORLD, &cell, &win);
	MPI_Win_lock_all(0, win);
	MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

static void file(void)
{
	MPI_File fh;

	MPI_File_open(MPI_COMM_WORLD, "scale-file",
		      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
		      &fh);
	MPI_File_write_at_all(fh, rank * (MPI_Offset)sizeof rank, &rank, 1, MPI_INT,
			      MPI_STATUS_IGNORE);
	MPI_File_write_ordered(fh, &rank, 1, MPI_INT, MPI_STATUS_IGNORE);
	MPI_File_close(&fh);
}

static void collectives(void)
{
	int one = 1, all = 0, *list = NULL;
	MPI_Request request;

	MPI_Bcast(&one, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Reduce(&one, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Scan(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Iallreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Ibarrier(MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Alloc_mem(size * (MPI_Aint)sizeof *list, MPI_INFO_NULL, &list);
	MPI_Gather(&rank, 1, MPI_INT, list, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Scatter(list, 1, MPI_INT, &all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (all != rank)
		MPI_Abort(MPI_COMM_WORLD, 3);
	if (rank == 0)
		MPI_Free_mem(list);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
    {"duplicate", duplicate},
    {"split_whole", split_whole},
    {"split_rows", split_rows},
    {"split_columns", split_columns},
    {"split_shuffled", split_shuffled},
    {"split_type", split_type},
    {"grid", grid},
    {"grid_of_some", grid_of_some},
    {"grid_rows", grid_rows},
    {"groups", groups},
    {"create_group", create_group},
    {"between_halves", between_halves},
    {"graph_adjacent", graph_adjacent},
    {"graph_by_others", graph_by_others},
    {"window", window},
    {"window_of_all", window_of_all},
    {"file", file},
    {"collectives", collectives},
};

int main(int argc, char **argv)
{
	size_t i = 0, n = sizeof cases / sizeof cases[0];

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	while (i < n && (argc != 2 || strcmp(argv[1], cases[i].name) != 0))
		i++;
	if (i == n) {
		fprintf(stderr, "usage: scale CASE\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	} else {
		cases[i].run();
	}
	MPI_Finalize();
	return 0;
}
