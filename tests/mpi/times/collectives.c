/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What collectives take in all their forms, by the formulas of docs/collectives.md and of
 * mpi/coll/README.md, with the algorithms that meson.build asks for; with an argument, by those of
 * the profile `ideal`. Blocks have 100 B, messages without blocks 400 B: all eager, but for those
 * of `exchanges`. collectives.py writes the calls.
 */
#include <stddef.h>

#include "tests/mpi/times/times.h"

enum { BLOCK = 100, LONG_BLOCK = LONG, ROOM = 4 * LONG_BLOCK };
/* What bytes there are of so many blocks. */
#define B(n) ((n)*BLOCK)
#define LONG_B(n) ((n)*LONG_BLOCK)
/* An exchange by rendezvous. */
#define X_LONG(bytes) (OS + 2 * T(CONTROL) + T(bytes) + OR)

static char in[ROOM], out[ROOM];
static int block, counts[N_RANKS], displs[N_RANKS];
static MPI_Count large_counts[N_RANKS];
static MPI_Aint large_displs[N_RANKS];
static MPI_Datatype types[N_RANKS];
static MPI_Comm comm;
static int root;

/* For each rank, when a nonblocking call returns, having sent what waits for nobody, and when the
 * operation is done, in seconds after all began. */
struct row {
	void (*rows)(const struct row *r);
	double started[N_RANKS], done[N_RANKS];
};
#define ALL(seconds)                               \
	{                                          \
		seconds, seconds, seconds, seconds \
	}
/* Ranks that do the same: 0 and 2, 1 and 3. */
#define TWO(even, odd)               \
	{                            \
		even, odd, even, odd \
	}

#include "tests/mpi/times/collectives-rows.h"

static const struct row intra[] = {
    /* dissemination: two rounds */
    {barrier_rows, ALL(OS), ALL(2 * X(0))},
    /* pipeline, one segment: a chain */
    {bcast_rows, {OS}, {OS, X(B(4)) + OS, 2 * X(B(4)) + OS, 3 * X(B(4))}},
    /* binomial: 1 to 0 and 3 to 2, then 2 to 0 */
    {gather_rows, {0, OS, 0, OS}, {X(B(1)) + X(B(2)), OS, X(B(1)) + OS, OS}},
    /* linear: all at once on the root's link, taken one after the other */
    {gatherv_rows, {0, OS, OS, OS}, {X(B(3)) + 2 * OR, OS, OS, OS}},
    /* binomial: 0 to 2, then 0 to 1 and 2 to 3 */
    {scatter_rows, {2 * OS}, {2 * OS, OS + X(B(1)), X(B(2)) + OS, X(B(2)) + X(B(1))}},
    /* linear: each is sent before the next one */
    {scatterv_rows, {3 * OS}, {3 * OS, X(B(1)), OS + X(B(1)), 2 * OS + X(B(1))}},
    /* ring */
    {allgather_rows, ALL(OS), ALL(3 * X(B(1)))},
    /* bruck */
    {allgatherv_rows, ALL(OS), ALL(X(B(1)) + X(B(2)))},
    /* pairwise: n - 1 rounds of a block */
    {alltoall_rows, ALL(OS), ALL(3 * X(B(1)))},
    {alltoallv_rows, ALL(OS), ALL(3 * X(B(1)))},
    {alltoallw_rows, ALL(OS), ALL(3 * X(B(1)))},
    /* pipeline, one segment: a chain from the last to the first */
    {reduce_rows, {0, 0, 0, OS}, {3 * X(B(4)), 2 * X(B(4)) + OS, X(B(4)) + OS, OS}},
    /* recursive doubling: two rounds of everything */
    {allreduce_rows, ALL(OS), ALL(2 * X(B(4)))},
    /* pairwise */
    {reduce_scatter_rows, ALL(OS), ALL(3 * X(B(1)))},
    /* recursive halving: half of four blocks, half of that */
    {reduce_scatter_block_rows, ALL(OS), ALL(X(B(2)) + X(B(1)))},
    /* linear: a chain */
    {scan_rows, {OS}, {OS, X(B(4)) + OS, 2 * X(B(4)) + OS, 3 * X(B(4))}},
    {exscan_rows, {OS}, {OS, X(B(4)) + OS, 2 * X(B(4)) + OS, 3 * X(B(4))}},
};

/* Algorithms of exchanges, with blocks above the threshold. */
static const struct row exchanges[] = {
    {allgather_rows, ALL(OS), ALL(3 * X_LONG(LONG_B(1)))},
    {allgatherv_rows, ALL(OS), ALL(X_LONG(LONG_B(1)) + X_LONG(LONG_B(2)))},
    {alltoall_rows, ALL(OS), ALL(3 * X_LONG(LONG_B(1)))},
    {alltoallv_rows, ALL(OS), ALL(3 * X_LONG(LONG_B(1)))},
    {alltoallw_rows, ALL(OS), ALL(3 * X_LONG(LONG_B(1)))},
    {allreduce_rows, ALL(OS), ALL(2 * X_LONG(LONG_B(4)))},
    {reduce_scatter_rows, ALL(OS), ALL(3 * X_LONG(LONG_B(1)))},
    {reduce_scatter_block_rows, ALL(OS), ALL(X_LONG(LONG_B(2)) + X_LONG(LONG_B(1)))},
};

/* By formula: rounds without bytes, and the bytes of the busiest link. Who waits for nobody spends
 * the overhead of a message. */
#define IDEAL(bytes) (2 * X(0) + (bytes)*BYTE)
#define WAIT_FOR(bytes) IDEAL(bytes), IDEAL(bytes), IDEAL(bytes)
static const struct row ideal[] = {
    {barrier_rows, {0}, ALL(IDEAL(0))},
    {bcast_rows, {OS}, {OS, WAIT_FOR(B(4))}},
    {gather_rows, {0, OS, OS, OS}, {IDEAL(B(3)), OS, OS, OS}},
    {gatherv_rows, {0, OS, OS, OS}, {IDEAL(B(3)), OS, OS, OS}},
    {scatter_rows, {OS}, {OS, WAIT_FOR(B(3))}},
    {scatterv_rows, {OS}, {OS, WAIT_FOR(B(3))}},
    {allgather_rows, {0}, ALL(IDEAL(B(3)))},
    {allgatherv_rows, {0}, ALL(IDEAL(B(3)))},
    {alltoall_rows, {0}, ALL(IDEAL(B(3)))},
    {alltoallv_rows, {0}, ALL(IDEAL(B(3)))},
    {alltoallw_rows, {0}, ALL(IDEAL(B(3)))},
    {reduce_rows, {0, OS, OS, OS}, {IDEAL(B(4)), OS, OS, OS}},
    {allreduce_rows, {0}, ALL(IDEAL(2 * B(3)))},
    {reduce_scatter_rows, {0}, ALL(IDEAL(B(3)))},
    {reduce_scatter_block_rows, {0}, ALL(IDEAL(B(3)))},
    {scan_rows, {OS}, {OS, WAIT_FOR(B(4))}},
    {exscan_rows, {OS}, {OS, WAIT_FOR(B(4))}},
};

/* In a ring: to both neighbours, from both; what comes second is there before the first is taken.
 */
#define NEIGHBORS ALL(2 * OS), ALL(X(B(1)) + OR)
static const struct row ring[] = {
    {neighbor_allgather_rows, NEIGHBORS}, {neighbor_allgatherv_rows, NEIGHBORS},
    {neighbor_alltoall_rows, NEIGHBORS},  {neighbor_alltoallv_rows, NEIGHBORS},
    {neighbor_alltoallw_rows, NEIGHBORS},
};

/* Between 0, 1 and 2, 3; 0 and 2 are the leaders, 0 the root. */
static const struct row inter[] = {
    /* within both, between the leaders, within both */
    {barrier_rows, ALL(OS), TWO(2 * X(0) + OS, 3 * X(0))},
    /* to the other leader, and on */
    {bcast_rows, {OS}, {OS, 0, X(B(4)) + OS, 2 * X(B(4))}},
    /* every rank with the root */
    {gather_rows, {0, 0, OS, OS}, {X(B(2)) + OR, 0, OS, OS}},
    {gatherv_rows, {0, 0, OS, OS}, {X(B(2)) + OR, 0, OS, OS}},
    {scatter_rows, {2 * OS}, {2 * OS, 0, X(B(1)), OS + X(B(1))}},
    {scatterv_rows, {2 * OS}, {2 * OS, 0, X(B(1)), OS + X(B(1))}},
    /* gathered, exchanged, broadcast */
    {allgather_rows, TWO(0, OS), TWO(X(B(1)) + X(B(2)) + OS, X(B(1)) + 2 * X(B(2)))},
    /* all to the other leader at once, who broadcasts */
    {allgatherv_rows, ALL(OS), TWO(X(B(2)) + OR + OS, X(B(2)) + OR + X(B(2)))},
    /* pairwise, as many rounds as ranks in a group */
    {alltoall_rows, ALL(OS), ALL(2 * X(B(1)))},
    {alltoallv_rows, ALL(OS), ALL(2 * X(B(1)))},
    {alltoallw_rows, ALL(OS), ALL(2 * X(B(1)))},
    /* within the other group, to the root */
    {reduce_rows, {0, 0, 0, OS}, {2 * X(B(4)), 0, X(B(4)) + OS, OS}},
    /* reduced, exchanged, broadcast */
    {allreduce_rows, TWO(0, OS), TWO(2 * X(B(4)) + OS, 3 * X(B(4)))},
    /* reduced, exchanged, a block to each */
    {reduce_scatter_rows, TWO(0, OS), TWO(2 * X(B(2)) + OS, 2 * X(B(2)) + X(B(1)))},
    {reduce_scatter_block_rows, TWO(0, OS), TWO(2 * X(B(2)) + OS, 2 * X(B(2)) + X(B(1)))},
};

#define RUN(table) run(table, sizeof table / sizeof table[0])
static void run(const struct row *table, size_t n)
{
	for (size_t i = 0; i < n; i++)
		table[i].rows(&table[i]);
	times_together(); /* what follows is in nobody's way */
}

static void set_blocks(int bytes)
{
	block = bytes;
	for (int i = 0; i < N_RANKS; i++) {
		counts[i] = bytes;
		displs[i] = i * bytes;
		large_counts[i] = bytes;
		large_displs[i] = i * bytes;
	}
}

int main(int argc, char **argv)
{
	MPI_Comm half;

	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("collectives");
	for (int i = 0; i < N_RANKS; i++)
		types[i] = MPI_BYTE;
	comm = MPI_COMM_WORLD;
	set_blocks(LONG_BLOCK);
	if (argc == 1)
		RUN(exchanges);
	set_blocks(BLOCK);
	if (argc > 1)
		RUN(ideal);
	else
		RUN(intra);
	MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){N_RANKS}, (int[]){1}, 0, &comm);
	RUN(ring);
	MPI_Comm_free(&comm);
	MPI_Comm_split(MPI_COMM_WORLD, times_rank / 2, 0, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, times_rank < 2 ? 2 : 0, 0, &comm);
	root = times_rank == 0 ? MPI_ROOT : times_rank == 1 ? MPI_PROC_NULL : 0;
	RUN(inter);
	MPI_Comm_free(&comm);
	MPI_Comm_free(&half);
	return times_end();
}
