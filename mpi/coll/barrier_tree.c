/* SPDX-License-Identifier: BSD-3-Clause */
/* Up a binomial tree to rank 0, and down again. */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/shape.h"

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block nothing = mpi_coll_bytes(me, NULL, 0);
	struct mpi_coll_shape shape;

	mpi_coll_shape_binomial(coll->rank, coll->size, &shape);
	if (coll->step == 0)
		for (int i = 0; i < shape.n_children; i++)
			mpi_coll_recv(me, coll, nothing, shape.children[i]);
	else if (coll->step == 1 && shape.parent >= 0)
		mpi_coll_send(me, coll, nothing, shape.parent);
	else if (coll->step == 2 && shape.parent >= 0)
		mpi_coll_recv(me, coll, nothing, shape.parent);
	else if (coll->step == 3)
		for (int i = 0; i < shape.n_children; i++)
			mpi_coll_send(me, coll, nothing, shape.children[i]);
	return coll->step == 4;
}

const struct mpi_coll_algorithm mpi_coll_barrier_tree = {
    .name = "tree",
    .kinds = MPI_COLL_KIND(COLL_BARRIER),
    .stages = {{NULL, run_round}},
};
