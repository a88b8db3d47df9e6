/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Queues of what is not matched, in the order in which it came. Where they are deep, what is of one
 * other rank is found by that rank: a linear all-to-all has as many as there are ranks.
 */
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/shadow.h"

enum { DEEP = 16, LOG2_FIRST = 5 };

/* --- finding them --- */

static struct mpi_shadow_queue *new_queue(struct mpi_shadow *shadow)
{
	struct mpi_shadow_queue *queue = util_pool_get(&shadow->queues);

	if (!queue)
		mpi_shadow_fail_memory(shadow);
	*queue = (struct mpi_shadow_queue){.n_wild = 0};
	return queue;
}

struct mpi_shadow_queue *mpi_shadow_queue_of(struct mpi_shadow *shadow, int rank, uint32_t context)
{
	struct mpi_shadow_rank *r = &shadow->ranks[rank];

	if (context >= r->n_queues) {
		uint32_t n = 2 * context + 4;
		struct mpi_shadow_queue **larger = realloc(r->queues, n * sizeof *larger);

		if (!larger)
			mpi_shadow_fail_memory(shadow);
		memset(larger + r->n_queues, 0, (n - r->n_queues) * sizeof *larger);
		r->queues = larger;
		r->n_queues = n;
	}
	if (!r->queues[context])
		r->queues[context] = new_queue(shadow);
	return r->queues[context];
}

struct mpi_shadow_queue *mpi_shadow_settled_queue(struct mpi_shadow *shadow, int rank,
						  uint32_t context)
{
	struct mpi_shadow_rank *r = &shadow->ranks[rank];

	mpi_shadow_settle_for(r);
	r->recent = mpi_shadow_queue_of(shadow, rank, context);
	r->context = context;
	return r->recent;
}

/* --- their buckets --- */

static int other_rank(const struct mpi_shadow_op *op)
{
	return op->kind == SHADOW_SEND ? op->rank : op->peer;
}

static size_t n_buckets(const struct mpi_shadow_queue *queue, int side)
{
	return queue->buckets[side] ? (size_t)1 << queue->log2_buckets[side] : 0;
}

static struct mpi_shadow_bucket *bucket_of(const struct mpi_shadow_queue *queue, int side,
					   int other)
{
	return &queue->buckets[side][(uint32_t)other & (n_buckets(queue, side) - 1)];
}

static void enter_bucket(struct mpi_shadow_queue *queue, struct mpi_shadow_op *op)
{
	struct mpi_shadow_bucket *bucket = bucket_of(queue, op->kind, other_rank(op));

	op->next_of_peer = NULL;
	op->prev_of_peer = bucket->last;
	*(bucket->last ? &bucket->last->next_of_peer : &bucket->first) = op;
	bucket->last = op;
}

static void leave_bucket(struct mpi_shadow_queue *queue, struct mpi_shadow_op *op)
{
	struct mpi_shadow_bucket *bucket = bucket_of(queue, op->kind, other_rank(op));

	*(op->prev_of_peer ? &op->prev_of_peer->next_of_peer : &bucket->first) = op->next_of_peer;
	*(op->next_of_peer ? &op->next_of_peer->prev_of_peer : &bucket->last) = op->prev_of_peer;
}

void mpi_shadow_drop_buckets(struct mpi_shadow_queue *queue, int side)
{
	free(queue->buckets[side]);
	queue->buckets[side] = NULL;
	queue->log2_buckets[side] = 0;
}

/* Without memory all are gone through. */
static void build(struct mpi_shadow_queue *queue, int side)
{
	uint8_t log2 = LOG2_FIRST;
	size_t n;

	while ((UINT64_C(1) << log2) < queue->n[side])
		log2++;
	n = (size_t)1 << log2;
	mpi_shadow_drop_buckets(queue, side);
	queue->buckets[side] = calloc(n, sizeof *queue->buckets[side]);
	if (!queue->buckets[side])
		return;
	queue->log2_buckets[side] = log2;
	for (struct mpi_shadow_op *op = queue->of[side].first; op; op = op->link.next)
		if (!op->is_wild)
			enter_bucket(queue, op);
}

void mpi_shadow_append(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		       struct mpi_shadow_op *op)
{
	int side = op->kind;

	op->is_queued = true;
	op->n_references++;
	util_list_append(&queue->of[side], op);
	queue->n_wild += op->is_wild;
	if (++queue->n[side] <= DEEP && !queue->buckets[side])
		return;
	if (queue->n[side] > 2 * n_buckets(queue, side))
		build(queue, side);
	else if (!op->is_wild)
		enter_bucket(queue, op);
}

void mpi_shadow_take_out(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
			 struct mpi_shadow_op *op)
{
	int side = op->kind;

	op->is_queued = false;
	util_list_remove(&queue->of[side], op);
	queue->n_wild -= op->is_wild;
	if (queue->buckets[side] && !op->is_wild)
		leave_bucket(queue, op);
	/* small ones serve again */
	if (--queue->n[side] == 0 && queue->log2_buckets[side] > LOG2_FIRST)
		mpi_shadow_drop_buckets(queue, side);
	mpi_shadow_release(shadow, op);
}

static bool fits(const struct mpi_shadow_op *op, int other, int tag)
{
	return other_rank(op) == other &&
	       (op->tag == tag || op->tag == MPI_ANY_TAG || tag == MPI_ANY_TAG);
}

struct mpi_shadow_op *mpi_shadow_find(const struct mpi_shadow_queue *queue, int side, int other,
				      int tag)
{
	struct mpi_shadow_op *op;

	if (queue->buckets[side]) {
		for (op = bucket_of(queue, side, other)->first; op; op = op->next_of_peer)
			if (fits(op, other, tag))
				return op;
		return NULL;
	}
	for (op = queue->of[side].first; op && (op->is_wild || !fits(op, other, tag));)
		op = op->link.next;
	return op;
}
