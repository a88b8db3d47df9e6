/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The items are n blocks. Each goes once around the ring while every rank adds its own, then once
 * more to reach all: 2(n-1) rounds. With segments the first time around is done segment by segment
 * of every block. Contributions come in an order of their own in each block, so only for operations
 * that commute.
 */
#include "mpi/coll/algorithms.h"

static bool fits(const struct mpi_coll *coll)
{
	return coll->op->is_commutative && coll->given.recv.count >= coll->size;
}

/* The first blocks are longer by one item where n does not divide their number. */
static MPI_Count block_begin(const struct mpi_coll *coll, int block)
{
	MPI_Count count = coll->call.recv.count, n_longer = count % coll->size;

	return block * (count / coll->size) + (block < n_longer ? block : n_longer);
}

/* Items of one segment; of a whole block without. */
static MPI_Count segment_items(const struct mpi_coll *coll)
{
	MPI_Count longest = (coll->call.recv.count + coll->size - 1) / coll->size;
	MPI_Count items = coll->segment_B / coll->call.recv.type->size_B;

	if (coll->segment_B == 0)
		return longest;
	return items < 1 ? 1 : items < longest ? items : longest;
}

/* Segment `segment` of the block of `rank - distance`, at `buf`. */
static struct mpi_coll_block part(const struct mpi_coll *coll, char *buf, int distance,
				  MPI_Count segment, MPI_Count items)
{
	int block = (coll->rank - distance + 2 * coll->size) % coll->size;
	MPI_Count begin = block_begin(coll, block) + segment * items;
	MPI_Count end = block_begin(coll, block + 1);

	if (begin > end)
		begin = end;
	return mpi_coll_items(coll, mpi_coll_block_at(mpi_coll_whole(&coll->call.recv), buf), begin,
			      end - begin < items ? end - begin : items);
}

static void pass(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block in,
		 struct mpi_coll_block out)
{
	int n = coll->size;

	mpi_coll_recv_some(me, coll, in, (coll->rank + n - 1) % n);
	mpi_coll_send_some(me, coll, out, (coll->rank + 1) % n);
}

static void fold(struct mpi_rank *me, struct mpi_coll *coll, int distance, MPI_Count segment,
		 MPI_Count items)
{
	struct mpi_coll_block own = part(coll, coll->work[0], distance, segment, items);

	if (own.count > 0)
		mpi_op_apply(me, coll->op, own.type,
			     part(coll, coll->work[1], distance, segment, items).buf, own.buf,
			     own.count);
}

static void begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_coll_block result = mpi_coll_whole(&coll->call.recv);

	coll->work[0] = result.buf;
	coll->work[1] = mpi_coll_scratch_like(me, coll, result);
	mpi_coll_copy(me, coll, mpi_coll_whole(&coll->call.send), result);
}

/*
 * Round r = phase * (n-1) + k: in the first ones a segment of block rank - k goes on, its
 * predecessor's arrives and is folded in; in the last n-1 whole blocks do.
 */
static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, k = n > 1 ? coll->step % (n - 1) : 0;
	MPI_Count items = segment_items(coll);
	MPI_Count longest = block_begin(coll, 1), n_phases = (longest + items - 1) / items;
	MPI_Count phase = n > 1 ? coll->step / (n - 1) : n_phases + 1;

	if (coll->step == 0)
		begin(me, coll);
	if (coll->step > 0 && (phase < n_phases || (phase == n_phases && k == 0)))
		fold(me, coll, k > 0 ? k : n - 1, k > 0 ? phase : phase - 1, items);
	if (phase > n_phases)
		return true;
	if (phase < n_phases)
		pass(me, coll, part(coll, coll->work[1], k + 1, phase, items),
		     part(coll, coll->work[0], k, phase, items));
	else /* rank + 1 - k is complete */
		pass(me, coll, part(coll, coll->work[0], k, 0, longest),
		     part(coll, coll->work[0], k - 1, 0, longest));
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allreduce_ring = {
    .name = "ring",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .fits = fits,
    .stages = {{NULL, run_round}},
};

const struct mpi_coll_algorithm mpi_coll_allreduce_segmented_ring = {
    .name = "segmented_ring",
    .kinds = MPI_COLL_KIND(COLL_ALLREDUCE),
    .has_segments = true,
    .fits = fits,
    .stages = {{NULL, run_round}},
};
