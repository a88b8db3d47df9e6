/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Everything at once. Messages between the same two ranks match in the order in which both list
 * each other. In a periodic dimension of one or two processes of a grid both neighbours are one
 * rank, and what goes up must arrive from below: so of each dimension a rank sends to the upper
 * neighbour first, where the lower one is received from first.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/comm/topology.h"

static bool has_one_block(const struct mpi_coll *coll)
{
	return coll->kind == COLL_NEIGHBOR_ALLGATHER || coll->kind == COLL_NEIGHBOR_ALLGATHERV;
}

static void send_to(struct mpi_rank *me, struct mpi_coll *coll, int index)
{
	const struct mpi_coll_side *send = &coll->call.send;

	if (coll->destinations[index] != MPI_PROC_NULL)
		mpi_coll_send(me, coll,
			      has_one_block(coll) ? mpi_coll_whole(send)
						  : mpi_coll_block(send, index),
			      coll->destinations[index]);
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	bool is_grid = coll->comm->topology->kind == MPI_CART;
	int n_in = coll->call.recv.n_blocks, n_out = coll->call.send.n_blocks;

	if (coll->step == 1)
		return true;
	mpi_coll_reserve(me, coll, n_in + n_out);
	for (int i = 0; i < n_in; i++)
		if (coll->sources[i] != MPI_PROC_NULL)
			mpi_coll_recv(me, coll, mpi_coll_block(&coll->call.recv, i),
				      coll->sources[i]);
	for (int i = 0; i < n_out; i++)
		send_to(me, coll, is_grid ? i ^ 1 : i);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_neighbor_linear = {
    .name = "linear",
    .stages = {{NULL, run_round}},
};
