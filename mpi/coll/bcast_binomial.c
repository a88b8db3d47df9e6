/* SPDX-License-Identifier: BSD-3-Clause */
/* Down a binomial tree, largest subtree first: ceil(log2 n) rounds of the longest path. */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/tree.h"

bool mpi_coll_bcast_binomial_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block data = mpi_coll_whole(&coll->call.recv);
	int n = coll->size, root = coll->call.root;
	int position = mpi_coll_position(coll->rank, root, n);

	if (coll->step == 2)
		return true;
	if (coll->step == 0) {
		if (position != 0)
			mpi_coll_recv(me, coll, data,
				      mpi_coll_rank_at(mpi_coll_tree_parent(position), root, n));
		return false;
	}
	for (int mask = mpi_coll_tree_reach(position, n) / 2; mask > 0; mask /= 2)
		if (position + mask < n)
			mpi_coll_send(me, coll, data, mpi_coll_rank_at(position + mask, root, n));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_bcast_binomial = {
    .name = "binomial",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .stages = {{NULL, mpi_coll_bcast_binomial_round}},
};
