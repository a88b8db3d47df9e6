/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Up a tree of one of the shapes of shape.h, in segments of items if that was asked for: while a
 * position passes on one segment, the next ones of its children arrive. Only the in-order tree
 * keeps the order of ranks; its top, the last rank, passes the result to the root.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/shape.h"
#include "mpi/coll/tree.h"

/* One rank's place; `base` is the rank of position 0. */
struct place {
	struct mpi_coll_shape shape;
	int base, top;
	bool is_top;
	MPI_Count segment, n_segments; /* items of one */
};

static struct place place_of(const struct mpi_coll *coll)
{
	mpi_coll_shape_fn shape_of = mpi_coll_tree_of(coll);
	bool is_in_order = shape_of == mpi_coll_shape_in_order;
	const struct mpi_coll_side *send = &coll->call.send;
	struct place place = {.base = is_in_order ? 0 : coll->call.root,
			      .top = is_in_order ? coll->size - 1 : coll->call.root};

	shape_of(mpi_coll_position(coll->rank, place.base, coll->size), coll->size, &place.shape);
	place.is_top = coll->rank == place.top;
	place.segment = coll->segment_B && send->type->size_B ? coll->segment_B / send->type->size_B
							      : send->count;
	if (place.segment < 1)
		place.segment = 1;
	place.n_segments = (send->count + place.segment - 1) / place.segment;
	return place;
}

static MPI_Count count_of(const struct mpi_coll *coll, const struct place *place, MPI_Count index)
{
	MPI_Count left = coll->call.send.count - index * place->segment;

	return left < place->segment ? left : place->segment;
}

/* Segment `index` of this rank's reduction so far, and where a child's contribution arrives. */
static struct mpi_coll_block own_segment(const struct mpi_coll *coll, const struct place *place,
					 MPI_Count index)
{
	struct mpi_coll_block data =
	    mpi_coll_block_at(mpi_coll_whole(&coll->call.send), coll->work[0]);

	return mpi_coll_items(coll, data, index * place->segment, count_of(coll, place, index));
}

static struct mpi_coll_block slot(const struct mpi_coll *coll, const struct place *place, int child,
				  MPI_Count index)
{
	struct mpi_coll_block slots =
	    mpi_coll_block_at(mpi_coll_whole(&coll->call.send), coll->work[1]);

	return mpi_coll_items(coll, slots, child * place->segment, count_of(coll, place, index));
}

/* A leaf sends its buffer as it is. */
static void begin(struct mpi_rank *me, struct mpi_coll *coll, const struct place *place)
{
	struct mpi_coll_block own = mpi_coll_whole(&coll->call.send), slots = own;

	coll->work[0] = own.buf;
	if (place->shape.n_children == 0)
		return;
	coll->work[0] = mpi_coll_scratch_like(me, coll, own);
	mpi_coll_copy(me, coll, own, mpi_coll_block_at(own, coll->work[0]));
	slots.count = place->shape.n_children * place->segment;
	coll->work[1] = mpi_coll_scratch_like(me, coll, slots);
}

/* Lower children are folded in last, from the left. */
static void fold(struct mpi_rank *me, struct mpi_coll *coll, const struct place *place,
		 MPI_Count index)
{
	struct mpi_coll_block own = own_segment(coll, place, index);

	for (int i = place->shape.n_children - 1; i >= 0; i--)
		mpi_op_apply(me, coll->op, own.type, slot(coll, place, i, index).buf, own.buf,
			     own.count);
}

static bool deliver(struct mpi_rank *me, struct mpi_coll *coll, const struct place *place)
{
	struct mpi_coll_block result =
	    mpi_coll_block_at(mpi_coll_whole(&coll->call.send), coll->work[0]);

	coll->phase++;
	if (place->is_top && coll->rank != coll->call.root && coll->phase == 1)
		mpi_coll_send(me, coll, result, coll->call.root);
	else if (!place->is_top && coll->rank == coll->call.root && coll->phase == 1)
		mpi_coll_recv(me, coll, mpi_coll_whole(&coll->call.recv), place->top);
	else if (place->is_top && coll->phase == 1)
		mpi_coll_copy(me, coll, result, mpi_coll_whole(&coll->call.recv));
	return coll->n_posted == 0;
}

/* Round s: segment s of the children arrives, the one before goes up. */
static bool run(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct place place = place_of(coll);
	bool is_leaf = place.shape.n_children == 0;
	MPI_Count in = coll->step, out = is_leaf ? in : in - 1;

	if (coll->step == 0)
		begin(me, coll, &place);
	if (!is_leaf && out >= 0 && out < place.n_segments)
		fold(me, coll, &place, out);
	if (out >= place.n_segments)
		return deliver(me, coll, &place);
	for (int i = 0; i < place.shape.n_children && in < place.n_segments; i++)
		mpi_coll_recv(me, coll, slot(coll, &place, i, in),
			      mpi_coll_rank_at(place.shape.children[i], place.base, coll->size));
	if (!place.is_top && out >= 0)
		mpi_coll_send(me, coll, own_segment(coll, &place, out),
			      mpi_coll_rank_at(place.shape.parent, place.base, coll->size));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_reduce_pipeline = {
    .name = "pipeline",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .has_segments = true,
    .fits = mpi_coll_commutes,
    .shape = mpi_coll_shape_pipeline,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_reduce_chain = {
    .name = "chain",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .has_segments = true,
    .fits = mpi_coll_commutes,
    .shape = mpi_coll_shape_chain,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_reduce_binary = {
    .name = "binary",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .has_segments = true,
    .fits = mpi_coll_commutes,
    .shape = mpi_coll_shape_binary,
    .stages = {{NULL, run}},
};

const struct mpi_coll_algorithm mpi_coll_reduce_in_order_binary = {
    .name = "in_order_binary",
    .kinds = MPI_COLL_KIND(COLL_REDUCE),
    .has_segments = true,
    .shape = mpi_coll_shape_in_order,
    .stages = {{NULL, run}},
};
