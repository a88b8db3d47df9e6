/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the rounds of a collective: blocking, nonblocking and persistent forms share all of this. */
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"
#include "mpi/coll/order.h"
#include "mpi/coll/rounds.h"
#include "mpi/coll/staged.h"
#include "mpi/coll/uses.h"
#include "mpi/p2p/causes.h"

void mpi_coll_init(struct mpi_coll *coll, enum mpi_coll_kind kind, struct mpi_comm *comm)
{
	memset(coll, 0, sizeof *coll);
	coll->kind = kind;
	coll->comm = comm;
	coll->rank = comm->rank;
	coll->size = comm->size;
	coll->remote_size = comm->remote ? comm->remote->size : 0;
	coll->given.send.n_blocks = coll->given.recv.n_blocks = mpi_comm_n_peers(comm);
	coll->posted = coll->inline_posted;
	coll->n_capacity = MPI_COLL_INLINE_REQUESTS;
}

/* An address of this rank's data that has no memory, or NULL. */
static char *absent_address(const struct mpi_coll_side *side)
{
	int n = mpi_counts_are_set(side->counts) ? side->n_blocks : 1;

	for (int i = 0; i < n && (side->type || side->types); i++) {
		struct mpi_coll_block block = mpi_coll_block(side, i);

		if (mpi_coll_block_size_B(block) > 0 && pd_memory_is_absent(block.buf))
			return block.buf;
	}
	return NULL;
}

void mpi_coll_schedule(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->absent = absent_address(&coll->given.send);
	/*
	 * Scratch memory of a reduce-scatter is addressed by blocks, which the one received would
	 * be too small for.
	 */
	if (!coll->absent && coll->kind != COLL_REDUCE_SCATTER &&
	    coll->kind != COLL_REDUCE_SCATTER_BLOCK)
		coll->absent = absent_address(&coll->given.recv);
	if (mpi_coll_asks_for_nodes(me->world->coll_selection, coll))
		coll->nodes = mpi_group_nodes(me, coll->comm->group);
	coll->algorithm = mpi_coll_choose(me->world->coll_selection, coll);
	coll->segment_B =
	    mpi_coll_choose_segment_B(me->world->coll_selection, coll->kind, coll->algorithm);
	coll->tag = (int)(coll->comm->collective_count++ & 0x7fffffff);
	mpi_coll_order_check(me, coll);
	if (coll->comm->local)
		coll->local_tag = (int)(coll->comm->local->collective_count++ & 0x7fffffff);
}

/* A receive of the round tells the next one that there is something to work on. */
static void take_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->has_received = false;
	for (int i = 0; i < coll->n_posted; i++) {
		struct mpi_request *request = coll->posted[i];

		if (request->kind == REQUEST_RECV)
			coll->has_received = true;
		if (coll->error == MPI_SUCCESS)
			coll->error = request->status.MPI_ERROR;
		mpi_cause_taken(me, request);
		if (coll->is_apart && !coll->spare && request->kind == REQUEST_RECV)
			coll->spare = request;
		else
			mpi_request_destroy(me, request);
	}
	coll->n_posted = 0;
}

void mpi_coll_reserve(struct mpi_rank *me, struct mpi_coll *coll, int n)
{
	struct mpi_request **larger;

	if (n <= coll->n_capacity)
		return;
	larger = malloc((size_t)n * sizeof *larger);
	if (!larger)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d messages of %s", n,
			coll->algorithm->name);
	memcpy(larger, coll->posted, (size_t)coll->n_posted * sizeof *larger);
	if (coll->posted != coll->inline_posted)
		free(coll->posted);
	coll->posted = larger;
	coll->n_capacity = n;
}

void mpi_coll_post(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_request *request)
{
	if (coll->n_posted == coll->n_capacity)
		mpi_coll_reserve(me, coll, 2 * coll->n_capacity);
	coll->posted[coll->n_posted++] = request;
}

static int in_comm(const struct mpi_coll *coll, int rank)
{
	return coll->ranks ? coll->ranks[rank] : rank;
}

void mpi_coll_send(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		   int dest)
{
	if (coll->is_apart && mpi_send_small(me, block.buf, block.count, block.type,
					     in_comm(coll, dest), coll->via_tag, coll->via))
		return;
	mpi_coll_post(me, coll,
		      mpi_send_start(me, block.buf, block.count, block.type, in_comm(coll, dest),
				     coll->via_tag, coll->via, SEND_STANDARD, CHANNEL_COLL));
}

void mpi_coll_recv(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_block block,
		   int source)
{
	struct mpi_request *recv = coll->spare;

	if (recv)
		mpi_recv_again(me, recv, block.buf, block.count, block.type, in_comm(coll, source),
			       coll->via_tag);
	else
		recv = mpi_recv_start(me, block.buf, block.count, block.type, in_comm(coll, source),
				      coll->via_tag, coll->via, CHANNEL_COLL);
	coll->spare = NULL;
	mpi_coll_post(me, coll, recv);
}

static void enter_scope(struct mpi_coll *coll, enum mpi_coll_scope scope)
{
	const struct mpi_nodes *nodes = coll->nodes;
	bool is_local = scope == SCOPE_LOCAL_GROUP;
	int rank = coll->comm->rank;

	coll->via = is_local ? coll->comm->local : coll->comm;
	coll->via_tag = is_local ? coll->local_tag : coll->tag;
	coll->rank = rank;
	coll->size = coll->comm->size;
	coll->ranks = NULL;
	if (scope == SCOPE_NODE) {
		int node = nodes->node[rank];

		coll->rank = nodes->place[rank];
		coll->size = nodes->first[node + 1] - nodes->first[node];
		coll->ranks = nodes->members + nodes->first[node];
	} else if (scope == SCOPE_LEADERS) {
		coll->rank = nodes->place[rank] == 0 ? nodes->node[rank] : -1;
		coll->size = nodes->n_nodes;
		coll->ranks = nodes->leaders;
	}
}

static void begin_stage(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_stage *stage = &coll->algorithm->stages[coll->stage];

	coll->step = 0;
	coll->phase = 0;
	enter_scope(coll, stage->scope);
	if (stage->prepare && coll->rank >= 0)
		stage->prepare(me, coll);
}

/* What an in-place alltoall sends lies where it receives, so it sends from a packed copy. */
static void send_from_copy(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_coll_side *recv = &coll->given.recv;
	MPI_Count *counts = coll->owned[2], *displs, total_B = 0;
	char *packed;

	if (!counts)
		counts = malloc(2 * (size_t)coll->size * sizeof *counts);
	if (!counts)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d counts", coll->size);
	coll->owned[2] = counts;
	displs = counts + coll->size;
	for (int i = 0; i < coll->size; i++) {
		counts[i] = mpi_coll_block_size_B(mpi_coll_block(recv, i));
		displs[i] = coll->absent ? 0 : total_B;
		total_B += counts[i];
	}
	packed = mpi_coll_scratch(me, coll, total_B);
	coll->call.send = (struct mpi_coll_side){.buf = packed,
						 .type = mpi_datatype_get(me, MPI_BYTE),
						 .counts = {.wide = counts},
						 .displs = {.wide = displs}};
	for (int i = 0; i < coll->size; i++)
		mpi_coll_copy(me, coll, mpi_coll_block(recv, i),
			      mpi_coll_block(&coll->call.send, i));
}

void mpi_coll_begin(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (me->world->coll_uses)
		mpi_coll_note_use(me->world->coll_uses, coll);
	coll->call = coll->given;
	coll->error = MPI_SUCCESS;
	coll->stage = 0;
	coll->turn++;
	if (me->world->pd->cluster->accelerators.per_node > 0)
		mpi_coll_stage(me, coll);
	if (coll->is_in_place)
		send_from_copy(me, coll);
	begin_stage(me, coll);
}

/* False when the last stage has ended. */
static bool next_stage(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->stage++;
	if (coll->stage == MPI_COLL_MAX_STAGES || !coll->algorithm->stages[coll->stage].round) {
		enter_scope(coll, SCOPE_ALL);
		return false;
	}
	begin_stage(me, coll);
	return true;
}

bool mpi_coll_continue(struct mpi_rank *me, struct mpi_coll *coll)
{
	do {
		take_round(me, coll);
		if (coll->rank >= 0 && !coll->algorithm->stages[coll->stage].round(me, coll)) {
			coll->step++;
		} else if (!next_stage(me, coll)) {
			mpi_coll_scratch_free(coll);
			return true;
		}
	} while (coll->n_posted == 0);
	return false;
}

enum sim_collective_shape mpi_coll_shape_of(enum mpi_coll_kind kind)
{
	switch (kind) {
	case COLL_BCAST:
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return SIM_COLLECTIVE_FROM;
	case COLL_GATHER:
	case COLL_GATHERV:
	case COLL_REDUCE:
		return SIM_COLLECTIVE_TO;
	case COLL_SCAN:
	case COLL_EXSCAN:
		return SIM_COLLECTIVE_SCAN;
	default:
		return SIM_COLLECTIVE_ALL;
	}
}

static void note_entry(const struct mpi_rank *me, const struct mpi_coll *coll)
{
	const struct sim_cause_collective entered = {
	    .place = mpi_cause_place(me),
	    .comm = coll->comm->context,
	    .comm_name = coll->comm->name,
	    .sequence = (uint32_t)coll->tag,
	    .n_ranks = coll->size,
	    .rank = coll->rank,
	    .root = coll->given.root,
	    .shape = mpi_coll_shape_of(coll->kind),
	};

	sim_tell_collective(&me->world->pd->observers, &entered, mpi_causes_now(me));
}

int mpi_coll_run(struct mpi_rank *me, struct mpi_coll *coll)
{
	int error;

	if (me->world->pd->observers.wanted & SIM_OBSERVED_COLLECTIVE && coll->remote_size == 0)
		note_entry(me, coll);
	mpi_coll_begin(me, coll);
	if (mpi_coll_can_run_apart(me, coll))
		mpi_coll_run_apart(me, coll);
	else
		while (!mpi_coll_continue(me, coll))
			mpi_requests_wait(me, coll->n_posted, coll->posted, false);
	mpi_coll_unstage(me, coll);
	error = coll->error;
	mpi_coll_finish(coll);
	return error;
}

void mpi_coll_finish(struct mpi_coll *coll)
{
	mpi_coll_scratch_free(coll);
	if (coll->posted != coll->inline_posted)
		free(coll->posted);
	for (size_t i = 0; i < sizeof coll->owned / sizeof coll->owned[0]; i++)
		free(coll->owned[i]);
}
