/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What algorithms of collectives take, against formulas, without contention, on ../timing.yaml: L =
 * 1 ms, b = 1 byte per us, o = 100 us, eager up to 1000 B. Run as `timing_algorithms CASE` on 4
 * ranks, one per node, --compute modelled, with the algorithms that meson.build asks for; exit 1
 * when a time is off by more than 10 ps. Hierarchical ones: on two nodes, with 0.5 ms and 2 bytes
 * per us within them.
 *
 * X(s) = o + L + s/b + o is an exchange of s bytes with a partner, or a message from one to the
 * next, Y(s) the same within a node. Blocks are 100 B long, messages without blocks 400 B.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <string.h>

#define O 0.1
#define X(s) (1.2 + (s) / 1000.0)
#define Y(s) (0.7 + (s) / 2000.0)

static int rank;
static char from[400], to[400];

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void bcast(void)
{
	MPI_Bcast(to, 400, MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void allgather(void)
{
	MPI_Allgather(from, 100, MPI_BYTE, to, 100, MPI_BYTE, MPI_COMM_WORLD);
}

static void allgatherv(void)
{
	static const int counts[] = {100, 100, 100, 100}, displs[] = {0, 100, 200, 300};

	MPI_Allgatherv(from, 100, MPI_BYTE, to, counts, displs, MPI_BYTE, MPI_COMM_WORLD);
}

static void alltoall(void)
{
	MPI_Alltoall(from, 100, MPI_BYTE, to, 100, MPI_BYTE, MPI_COMM_WORLD);
}

/* All to rank 0. */
static void alltoallv(void)
{
	int sent[4] = {100}, all[4] = {100, 100, 100, 100}, none[4] = {0};
	int displs[4] = {0, 100, 200, 300};

	MPI_Alltoallv(from, sent, displs, MPI_BYTE, to, rank == 0 ? all : none, displs, MPI_BYTE,
		      MPI_COMM_WORLD);
}

static void reduce(void)
{
	MPI_Reduce(from, to, 400, MPI_BYTE, MPI_BOR, 0, MPI_COMM_WORLD);
}

static void allreduce(void)
{
	MPI_Allreduce(from, to, 400, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void reduce_scatter(void)
{
	MPI_Reduce_scatter_block(from, to, 100, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

static void scan(void)
{
	MPI_Scan(from, to, 400, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
}

/* Rank 1 comes 10 ms late. */
static void come_late(void)
{
	if (rank == 1)
		mpisim_add_compute_time(0.010);
}

static void late_bcast(void)
{
	come_late();
	bcast();
}

static void late_reduce(void)
{
	come_late();
	reduce();
}

static void late_allreduce(void)
{
	come_late();
	allreduce();
}

static void late_scan(void)
{
	come_late();
	scan();
}

/* It ends while the ranks compute. */
static void hidden_allreduce(void)
{
	MPI_Request request;

	MPI_Iallreduce(from, to, 400, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD, &request);
	mpisim_add_compute_time(0.010);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Wrong: rank 1 calls another operation than the others. */
static void mismatch(void)
{
	if (rank == 1)
		allreduce();
	else
		reduce();
}

/* Wrong, too. */
static void roots(void)
{
	MPI_Bcast(to, 400, MPI_BYTE, rank == 1, MPI_COMM_WORLD);
}

static void everything(void)
{
	barrier();
	bcast();
	allgather();
	allgatherv();
	alltoall();
	reduce();
	allreduce();
	reduce_scatter();
	scan();
}

static const struct timing_case {
	const char *name;
	void (*run)(void);
	int rank; /* whose time it is; -1: all are done at once; -2: it does not matter */
	double wanted_ms;
} cases[] = {
    /* Rounds with partners at distance 1, 2. */
    {"barrier_recursive_doubling", barrier, -1, 2 * X(0)},
    /* Eight messages around; then rank 0 is back. */
    {"barrier_double_ring", barrier, 0, 8 * X(0)},
    /* 3 to 2, 2 to 0, and back the same way. */
    {"barrier_tree", barrier, 3, 4 * X(0)},
    {"bcast_pipeline", bcast, 3, 3 * X(400)},
    /* The first of four segments goes down; each further one costs a position two overheads more.
     */
    {"bcast_segments", bcast, 3, 3 * X(100) + 3 * 2 * O},
    {"allgather_ring", allgather, -1, 3 * X(100)},
    {"allgather_bruck", allgather, -1, X(100) + X(200)},
    {"allgather_recursive_doubling", allgather, -1, X(100) + X(200)},
    {"allgather_neighbor_exchange", allgather, -1, X(100) + X(200)},
    {"allgatherv_bruck", allgatherv, -1, X(100) + X(200)},
    {"allgatherv_recursive_doubling", allgatherv, -1, X(100) + X(200)},
    {"alltoall_pairwise", alltoall, -1, 3 * X(100)},
    /* Two of four blocks have bit 0 in their way, two bit 1. */
    {"alltoall_bruck", alltoall, -1, 2 * X(200)},
    {"reduce_pipeline", reduce, 0, 3 * X(400)},
    /* Halves, quarters; then they are collected. */
    {"reduce_rabenseifner", reduce, 0, 2 * X(200) + 2 * X(100)},
    /* 1 to 2 to the top, 3, and that to the root. */
    {"reduce_in_order_binary", reduce, 0, 3 * X(400)},
    {"allreduce_recursive_doubling", allreduce, -1, 2 * X(400)},
    {"allreduce_rabenseifner", allreduce, -1, 2 * X(200) + 2 * X(100)},
    {"allreduce_ring", allreduce, -1, 6 * X(100)},
    /* Two segments of 50 B go around for each block, then whole blocks. */
    {"allreduce_segmented_ring", allreduce, -1, 2 * 3 * X(50) + 3 * X(100)},
    {"reduce_scatter_pairwise", reduce_scatter, -1, 3 * X(100)},
    {"reduce_scatter_ring", reduce_scatter, -1, 3 * X(100)},
    {"reduce_scatter_recursive_halving", reduce_scatter, -1, X(200) + X(100)},
    {"reduce_scatter_butterfly", reduce_scatter, -1, X(200) + X(100)},
    /* All but the own block, then all but those of the pair. */
    {"reduce_scatter_recursive_doubling", reduce_scatter, -1, X(300) + X(200)},
    {"scan_linear", scan, 3, 3 * X(400)},
    /* In the nodes, between 0 and 2, in the nodes. */
    {"barrier_hierarchical", barrier, 3, Y(0) + X(0) + Y(1)},
    {"bcast_hierarchical", bcast, 3, X(400) + Y(400)},
    {"bcast_hierarchical_root_node", bcast, 3, X(400) + Y(400)},
    {"reduce_hierarchical", reduce, 0, Y(400) + X(400)},
    /* What 1 sent has long been there. */
    {"reduce_hierarchical_root_node", reduce, 0, Y(400) + X(400) + O},
    {"allreduce_hierarchical", allreduce, 3, Y(400) + X(400) + Y(400)},
    /*
     * By formula, one rank to a node: ceil(log2 4) = 2 empty messages, and the bytes of the busiest
     * link. Who waits for nobody has the overhead of a message.
     */
    {"ideal_barrier", barrier, -1, 2 * X(0)},
    {"ideal_bcast", bcast, 3, 2 * X(0) + 0.4},
    {"ideal_bcast_root", bcast, 0, O},
    {"ideal_allgather", allgather, -1, 2 * X(0) + 0.3},
    {"ideal_allgatherv", allgatherv, -1, 2 * X(0) + 0.3},
    {"ideal_alltoall", alltoall, -1, 2 * X(0) + 0.3},
    {"ideal_alltoallv", alltoallv, -1, 2 * X(0) + 0.3},
    {"ideal_reduce", reduce, 0, 2 * X(0) + 0.4},
    {"ideal_reduce_leaf", reduce, 3, O},
    {"ideal_allreduce", allreduce, -1, 2 * X(0) + 2 * 0.3},
    {"ideal_reduce_scatter", reduce_scatter, -1, 2 * X(0) + 0.3},
    {"ideal_scan", scan, 3, 2 * X(0) + 0.4},
    {"ideal_scan_first", scan, 0, O},
    {"ideal_late_bcast", late_bcast, 1, 10},
    {"ideal_late_bcast_others", late_bcast, 2, 2 * X(0) + 0.4},
    {"ideal_late_reduce", late_reduce, 0, 10 + 2 * X(0) + 0.4},
    {"ideal_late_reduce_others", late_reduce, 2, O},
    {"ideal_late_allreduce", late_allreduce, -1, 10 + 2 * X(0) + 2 * 0.3},
    {"ideal_late_scan", late_scan, 2, 10 + 2 * X(0) + 0.4},
    {"ideal_late_scan_first", late_scan, 0, O},
    {"ideal_hidden_allreduce", hidden_allreduce, -1, 10},
    /*
     * Two ranks on each of two nodes: a message between the nodes, one within (200 us each of
     * overhead, l' = 0.5 ms), and what crosses the link of a node.
     */
    {"ideal_nodes_allgather", allgather, -1, X(0) + 0.7 + 0.2},
    {"ideal_nodes_alltoall", alltoall, -1, X(0) + 0.7 + 2 * 2 * 0.1},
    {"ideal_nodes_allreduce", allreduce, -1, X(0) + 0.7 + 2 * 0.2},
    /* All four on one node, where a byte takes half as long. */
    {"ideal_node_alltoall", alltoall, -1, 2 * 0.7 + 3 * 0.1 / 2},
    {"everything", everything, -2, 0},
    {"mismatch", mismatch, -2, 0},
    {"roots", roots, -2, 0},
};

static int check(const struct timing_case *c)
{
	double found_ms;

	mpisim_add_compute_time(0.100 - MPI_Wtime()); /* all go on together */
	c->run();
	found_ms = MPI_Wtime() * 1e3 - 100;
	if (c->rank == -2 || (c->rank >= 0 && c->rank != rank))
		return 0;
	if (found_ms - c->wanted_ms < 1e-8 && c->wanted_ms - found_ms < 1e-8)
		return 0;
	printf("rank %d: %s: found %.9f ms, wanted %.9f ms\n", rank, c->name, found_ms,
	       c->wanted_ms);
	return 1;
}

int main(int argc, char **argv)
{
	int failures = 0, n_run = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0] && argc > 1; i++)
		if (strcmp(cases[i].name, argv[1]) == 0) {
			failures += check(&cases[i]);
			n_run++;
		}
	MPI_Finalize();
	return failures > 0 || n_run != 1;
}
