/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * n - 1 rounds; in round s everyone has one partner to send to and one to receive from: rank XOR s
 * when n is a power of two, else rank ± s.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, distance = coll->step + 1;
	int dest = (coll->rank + distance) % n;
	int source = (coll->rank - distance + n) % n;
	struct mpi_coll_block in, out;

	if (coll->step == 0)
		mpi_coll_copy(me, coll, mpi_coll_block(&coll->call.send, coll->rank),
			      mpi_coll_block(&coll->call.recv, coll->rank));
	if (distance >= n)
		return true;
	if (mpi_coll_power_of_two(n) == n)
		dest = source = coll->rank ^ distance;
	in = mpi_coll_block(&coll->call.recv, source);
	out = mpi_coll_block(&coll->call.send, dest);
	if (mpi_coll_block_size_B(in) > 0)
		mpi_coll_recv(me, coll, in, source);
	if (mpi_coll_block_size_B(out) > 0)
		mpi_coll_send(me, coll, out, dest);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_alltoall_two_proc = {
    .name = "two_proc",
    .kinds = MPI_COLL_KIND(COLL_ALLTOALL),
    .fits = mpi_coll_is_pair,
    .stages = {{NULL, run_round}},
};

const struct mpi_coll_algorithm mpi_coll_alltoall_pairwise = {
    .name = "pairwise",
    .kinds = MPI_COLL_KIND(COLL_ALLTOALL) | MPI_COLL_KIND(COLL_ALLTOALLV) |
	     MPI_COLL_KIND(COLL_ALLTOALLW),
    .stages = {{NULL, run_round}},
};
