/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Down a tree of one of the shapes of shape.h, in segments of bytes if that was asked for: while a
 * position passes on one segment, the next arrives.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/shape.h"
#include "mpi/coll/tree.h"

static void pass_on(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block segment,
		    const struct mpi_coll_shape *shape)
{
	for (int i = 0; i < shape->n_children; i++)
		mpi_coll_send(me, coll, segment,
			      mpi_coll_rank_at(shape->children[i], coll->call.root, coll->size));
}

/* Round s: segment s arrives, the one that arrived before goes on; position 0 has them all. */
static bool run(struct mpi_rank *me, struct mpi_coll *coll)
{
	int root = coll->call.root, position = mpi_coll_position(coll->rank, root, coll->size);
	MPI_Count size_B = mpi_coll_block_size_B(mpi_coll_whole(&coll->call.recv));
	MPI_Count segment_B = coll->segment_B ? coll->segment_B : size_B, in = coll->step, out;
	MPI_Count n_segments = size_B ? (size_B + segment_B - 1) / segment_B : 0;
	struct mpi_coll_shape shape;

	if (coll->step == 0)
		mpi_coll_flatten(me, coll, position == 0);
	mpi_coll_tree_of(coll)(position, coll->size, &shape);
	out = position == 0 ? in : in - 1;
	if (out == n_segments) {
		mpi_coll_unflatten(me, coll, position == 0);
		return true;
	}
	if (position != 0 && in < n_segments)
		mpi_coll_recv(me, coll,
			      mpi_coll_flat(me, coll, in * segment_B, (in + 1) * segment_B),
			      mpi_coll_rank_at(shape.parent, root, coll->size));
	if (out >= 0)
		pass_on(me, coll, mpi_coll_flat(me, coll, out * segment_B, (out + 1) * segment_B),
			&shape);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_bcast_pipeline = {
    .name = "pipeline",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .has_segments = true,
    .shape = mpi_coll_shape_pipeline,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_bcast_chain = {
    .name = "chain",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .has_segments = true,
    .shape = mpi_coll_shape_chain,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_bcast_binary = {
    .name = "binary",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .has_segments = true,
    .shape = mpi_coll_shape_binary,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_bcast_knomial = {
    .name = "knomial",
    .kinds = MPI_COLL_KIND(COLL_BCAST),
    .has_segments = true,
    .shape = mpi_coll_shape_knomial,
    .stages = {{NULL, run}},
};
