/* SPDX-License-Identifier: BSD-3-Clause */
/* Graph topologies, also distributed ones, and collectives among neighbours in all topologies. */
#include "check.h"

#define MAX 64

/* A ring in which everybody knows rank 0 as well. */
static int ring_neighbours(int rank, int list[3])
{
	int n = 0;

	list[n++] = (rank + n_ranks - 1) % n_ranks;
	list[n++] = (rank + 1) % n_ranks;
	return n;
}

static void make_ring(MPI_Comm *ring)
{
	int index[MAX], edges[3 * MAX], n = 0;

	for (int i = 0; i < n_ranks; i++) {
		n += ring_neighbours(i, edges + n);
		index[i] = n;
	}
	MPI_Graph_create(MPI_COMM_WORLD, n_ranks, index, edges, 0, ring);
}

static void graphs_are_given_back(void)
{
	MPI_Comm ring, copy, small;
	int kind, n_nodes, n_edges, n, index[MAX], edges[3 * MAX], list[3], want[3], rank;

	make_ring(&ring);
	MPI_Comm_dup(ring, &copy);
	MPI_Topo_test(copy, &kind);
	CHECK_INT(kind, MPI_GRAPH);
	MPI_Graphdims_get(copy, &n_nodes, &n_edges);
	CHECK_INT(n_nodes, n_ranks);
	CHECK_INT(n_edges, 2 * n_ranks);
	MPI_Graph_get(copy, n_nodes, n_edges, index, edges);
	for (int i = 0; i < n_ranks; i++) {
		CHECK_INT(index[i], 2 * (i + 1));
		MPI_Graph_neighbors_count(copy, i, &n);
		CHECK_INT(n, 2);
		MPI_Graph_neighbors(copy, i, 3, list);
		ring_neighbours(i, want);
		CHECK_INT(list[0], want[0]);
		CHECK_INT(list[1], want[1]);
		CHECK_INT(edges[2 * i], want[0]);
	}
	MPI_Graph_map(MPI_COMM_WORLD, n_nodes, index, edges, &rank);
	CHECK(rank >= 0 && rank < n_ranks);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&ring);
	if (n_ranks > 1) { /* two nodes, an edge each */
		MPI_Graph_create(MPI_COMM_WORLD, 2, (const int[]){1, 2}, (const int[]){1, 0}, 0,
				 &small);
		CHECK((small == MPI_COMM_NULL) == (me > 1));
		if (small != MPI_COMM_NULL)
			MPI_Comm_free(&small);
	}
	MPI_Graph_create(MPI_COMM_WORLD, 0, index, edges, 0, &small);
	CHECK(small == MPI_COMM_NULL);
}

/* Every rank sends to the two above it, and twice to the first of them: edges with weights. */
static void own_edges(int in[3], int in_weights[3], int out[3], int out_weights[3])
{
	for (int k = 0; k < 3; k++) {
		int distance = k < 2 ? 1 : 2;

		in[k] = (me + 2 * n_ranks - distance) % n_ranks;
		out[k] = (me + distance) % n_ranks;
		in_weights[k] = 10 * in[k] + distance;
		out_weights[k] = 10 * me + distance;
	}
}

static int sum_of(int n, const int list[])
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += list[i];
	return sum;
}

static void adjacent_edges_are_given_back(void)
{
	int in[3], in_weights[3], out[3], out_weights[3], n_in, n_out, is_weighted, kind;
	int got[3], got_weights[3], got_out[3], got_out_weights[3] = {-1, -1, -1};
	MPI_Comm graph, plain, none;

	own_edges(in, in_weights, out, out_weights);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, in, in_weights, 3, out, out_weights,
				       MPI_INFO_NULL, 0, &graph);
	MPI_Topo_test(graph, &kind);
	CHECK_INT(kind, MPI_DIST_GRAPH);
	MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &is_weighted);
	CHECK_INT(n_in, 3);
	CHECK_INT(n_out, 3);
	CHECK(is_weighted);
	MPI_Dist_graph_neighbors(graph, 3, got, got_weights, 3, got_out, got_out_weights);
	for (int k = 0; k < 3; k++) {
		CHECK_INT(got[k], in[k]);
		CHECK_INT(got_weights[k], in_weights[k]);
		CHECK_INT(got_out[k], out[k]);
		CHECK_INT(got_out_weights[k], out_weights[k]);
	}
	MPI_Dist_graph_create_adjacent(graph, 3, in, MPI_UNWEIGHTED, 3, out, MPI_UNWEIGHTED,
				       MPI_INFO_NULL, 0, &plain);
	MPI_Dist_graph_neighbors_count(plain, &n_in, &n_out, &is_weighted);
	CHECK_INT(is_weighted, 0);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, 0, NULL,
				       MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &none);
	MPI_Dist_graph_neighbors_count(none, &n_in, &n_out, &is_weighted);
	CHECK_INT(n_in + n_out, 0);
	CHECK(is_weighted);
	MPI_Neighbor_alltoall(NULL, 0, MPI_INT, NULL, 0, MPI_INT, none);
	MPI_Comm_free(&none);
	MPI_Comm_free(&plain);
	MPI_Comm_free(&graph);
}

/* Rank 0 names the edges of everybody, then everybody those of the rank above it. */
static void anybody_names_edges(void)
{
	int sources[MAX], degrees[MAX], destinations[3 * MAX], weights[3 * MAX];
	int in[3], in_weights[3], out[3], out_weights[3], n_in, n_out, is_weighted;
	int got_in[3], got_in_weights[3], got_out[3], got_out_weights[3];
	MPI_Comm graph;

	for (int pass = 0; pass < 2; pass++) {
		int n = pass ? 1 : me == 0 ? n_ranks : 0;

		for (int i = 0; i < n; i++) {
			sources[i] = pass ? (me + 1) % n_ranks : i;
			degrees[i] = 3;
			for (int k = 0; k < 3; k++) {
				destinations[3 * i + k] = (sources[i] + (k < 2 ? 1 : 2)) % n_ranks;
				weights[3 * i + k] = 10 * sources[i] + (k < 2 ? 1 : 2);
			}
		}
		MPI_Dist_graph_create(MPI_COMM_WORLD, n, sources, degrees, destinations, weights,
				      MPI_INFO_NULL, 0, &graph);
		MPI_Dist_graph_neighbors_count(graph, &n_in, &n_out, &is_weighted);
		CHECK_INT(n_in, 3);
		CHECK_INT(n_out, 3);
		CHECK(is_weighted);
		MPI_Dist_graph_neighbors(graph, 3, got_in, got_in_weights, 3, got_out,
					 got_out_weights);
		own_edges(in, in_weights, out, out_weights); /* in any order */
		CHECK_INT(sum_of(3, got_in), sum_of(3, in));
		CHECK_INT(sum_of(3, got_in_weights), sum_of(3, in_weights));
		CHECK_INT(sum_of(3, got_out), sum_of(3, out));
		CHECK_INT(sum_of(3, got_out_weights), sum_of(3, out_weights));
		MPI_Comm_free(&graph);
	}
}

/* --- collectives among neighbours --- */

/* A line, then a ring: blocks beyond an edge keep what they have. */
static void halo_of_grids(void)
{
	for (int wrap = 0; wrap < 2; wrap++) {
		int dims[2] = {n_ranks, 1}, periods[2] = {wrap, wrap}, send[4], recv[4], near[4],
		    all[4];
		MPI_Comm grid;

		MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
		for (int k = 0; k < 4; k++) {
			send[k] = 10 * me + k;
			recv[k] = all[k] = -1;
		}
		MPI_Cart_shift(grid, 0, 1, &near[0], &near[1]);
		MPI_Cart_shift(grid, 1, 1, &near[2], &near[3]);
		MPI_Neighbor_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, grid);
		for (int k = 0; k < 4; k++)
			CHECK_INT(all[k], near[k] == MPI_PROC_NULL ? -1 : near[k]);
		MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, grid);
#ifndef MPICH_VERSION /* 4.0 swaps the blocks when both neighbours are one rank */
#ifndef OPEN_MPI
		for (int k = 0; k < 4; k++) /* what comes from below was sent upwards */
			CHECK_INT(recv[k], near[k] == MPI_PROC_NULL ? -1 : 10 * near[k] + (k ^ 1));
#endif
#endif
		MPI_Comm_free(&grid);
	}
}

static void along_a_graph(void)
{
	int list[3], send[2] = {10 * me, 10 * me + 1}, recv[2] = {-1, -1}, all[2];
	MPI_Comm ring;

	make_ring(&ring);
	ring_neighbours(me, list);
	MPI_Neighbor_allgather(&me, 1, MPI_INT, all, 1, MPI_INT, ring);
	CHECK_INT(all[0], list[0]);
	CHECK_INT(all[1], list[1]);
	MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, ring);
	if (n_ranks > 2) { /* below that both neighbours are one rank, and either order is right */
		CHECK_INT(recv[0], 10 * list[0] + 1);
		CHECK_INT(recv[1], 10 * list[1]);
	}
	CHECK_INT(recv[0] + recv[1], 10 * (list[0] + list[1]) + 1);
	MPI_Comm_free(&ring);
}

/* Parallel edges get their messages in the order in which both ranks list them. */
static void along_parallel_edges(void)
{
	int in[3], in_weights[3], out[3], out_weights[3], send[6], recv[6], counts[3] = {1, 2, 1};
	int displs[3] = {4, 1, 0}, n;
	MPI_Aint bytes[3] = {16, 4, 0};
	MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
	MPI_Comm graph;
	MPI_Request requests[2];

	own_edges(in, in_weights, out, out_weights);
	MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 3, in, MPI_UNWEIGHTED, 3, out,
				       MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
	for (int k = 0; k < 6; k++)
		send[k] = 10 * me + k;
	MPI_Neighbor_alltoall(send, 1, MPI_INT, recv, 1, MPI_INT, graph);
#ifndef MPICH_VERSION /* in 4.0 one may overtake the other */
	for (int k = 0; k < 3 && n_ranks > 2; k++)
		CHECK_INT(recv[k], 10 * in[k] + k);
#endif
	memset(recv, -1, sizeof(recv));
	MPI_Neighbor_alltoallv(send, counts, displs, MPI_INT, recv, counts, displs, MPI_INT, graph);
	if (n_ranks > 2) {
		CHECK_INT(recv[4], 10 * in[0] + 4);
		CHECK_INT(recv[1], 10 * in[1] + 1);
		CHECK_INT(recv[2], 10 * in[1] + 2);
		CHECK_INT(recv[0], 10 * in[2]);
		CHECK_INT(recv[3], -1);
	}
	memset(recv, -1, sizeof(recv));
	MPI_Neighbor_alltoallw(send, counts, bytes, types, recv, counts, bytes, types, graph);
	if (n_ranks > 2)
		CHECK_INT(recv[2], 10 * in[1] + 2);
	memset(recv, -1, sizeof(recv));
	n = 1;
	MPI_Ineighbor_allgatherv(&me, n, MPI_INT, recv, (const int[]){1, 1, 1}, displs, MPI_INT,
				 graph, &requests[0]);
	MPI_Ineighbor_alltoall(send, 0, MPI_INT, NULL, 0, MPI_INT, graph, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	for (int k = 0; k < 3; k++)
		CHECK_INT(recv[displs[k]], in[k]);
	MPI_Comm_free(&graph);
}

static void errors_have_their_class(void)
{
	MPI_Comm world, ring;
	int value, n, list[3];

	MPI_Comm_dup(MPI_COMM_WORLD, &world);
	make_ring(&ring);
	MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
#define CHECK_CLASS(call, want) (MPI_Error_class(call, &value), CHECK_INT(value, want))
	CHECK_CLASS(MPI_Graphdims_get(world, &n, &n), MPI_ERR_TOPOLOGY);
	CHECK_CLASS(MPI_Dist_graph_neighbors_count(ring, &n, &n, &n), MPI_ERR_TOPOLOGY);
	CHECK_CLASS(MPI_Cartdim_get(ring, &n), MPI_ERR_TOPOLOGY);
#ifdef OPEN_MPI /* 4.1 does not look */
	(void)list;
#else
	CHECK_CLASS(MPI_Graph_neighbors(ring, n_ranks, 3, list), MPI_ERR_RANK);
#endif
	MPI_Comm_free(&ring);
	MPI_Comm_free(&world);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	graphs_are_given_back();
	section_end("graphs");
	adjacent_edges_are_given_back();
	section_end("distributed graphs");
	anybody_names_edges();
	section_end("edges named by any rank");
	halo_of_grids();
	section_end("neighbours in grids");
	along_a_graph();
	section_end("neighbours in graphs");
	along_parallel_edges();
	section_end("parallel edges");
	errors_have_their_class();
	section_end("errors");
	return check_finish();
}
