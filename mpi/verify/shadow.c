/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends and receives of the shadow, and how they match. */
#include "mpi/verify/shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/group.h"
#include "mpi/p2p/message.h"

enum { FIRST_LOOK = 1 << 14 }; /* calls until the first look for ranks that are stuck */

_Noreturn void mpi_shadow_fail_memory(const struct mpi_shadow *shadow)
{
	pd_fail(&shadow->world->pd->ranks[0], PD_FAILURE_MEMORY, "out of memory for --verify");
}

void *mpi_shadow_allocate(const struct mpi_shadow *shadow, size_t n, size_t size_B)
{
	void *memory = calloc(n ? n : 1, size_B);

	if (!memory)
		mpi_shadow_fail_memory(shadow);
	return memory;
}

void *mpi_shadow_room(const struct mpi_shadow *shadow, size_t n, size_t size_B)
{
	void *memory = malloc(n * size_B);

	if (!memory)
		mpi_shadow_fail_memory(shadow);
	return memory;
}

static struct mpi_shadow_op *get_op(struct mpi_shadow *shadow)
{
	struct mpi_shadow_op *op = util_pool_get(&shadow->ops);

	if (!op)
		mpi_shadow_fail_memory(shadow);
	return op;
}

struct mpi_shadow_op *mpi_shadow_op(struct mpi_shadow *shadow, struct mpi_rank *me,
				    enum mpi_shadow_kind kind)
{
	struct mpi_shadow_op *op = get_op(shadow);

	*op = (struct mpi_shadow_op){
	    .kind = kind,
	    .rank = me->rank,
	    .function = me->pd->function,
	    .site = me->pd->site,
	};
	return op;
}

/* --- pairs --- */

void mpi_shadow_unlink_pair(struct mpi_shadow *shadow, struct mpi_shadow_pair *pair)
{
	struct mpi_shadow_queue *queue = pair->queue;

	if (!queue)
		return;
	pair->queue = NULL;
	util_list_remove(&queue->pairs, pair);
}

static void leave_pair(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	struct mpi_shadow_pair *pair = op->pair;

	pair->op[op->kind] = NULL;
	if (--pair->n_references > 0)
		return;
	mpi_shadow_unlink_pair(shadow, pair);
	util_pool_put(&shadow->pairs, pair);
}

void mpi_shadow_destroy_op(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	if (op->kind == SHADOW_COLL)
		mpi_shadow_leave_together(shadow, op->together);
	if (op->was_probed)
		mpi_shadow_release(shadow, op->probed);
	if (op->was_wild)
		mpi_group_release(&shadow->world->ranks[op->rank],
				  (struct mpi_group *)(uintptr_t)op->peers);
	if (op->is_paired)
		leave_pair(shadow, op);
	mpi_datatype_release(&shadow->world->ranks[op->rank], op->type);
	util_pool_put(&shadow->ops, op);
}

/* --- matching --- */

static bool fits(const struct mpi_shadow_op *recv, const struct mpi_shadow_op *send)
{
	return (recv->peer == send->rank || recv->is_wild) &&
	       (recv->tag == send->tag || recv->tag == MPI_ANY_TAG);
}

static void link_pair(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		      struct mpi_shadow_op *send, struct mpi_shadow_op *recv)
{
	struct mpi_shadow_pair *pair = util_pool_get(&shadow->pairs);

	if (!pair)
		mpi_shadow_fail_memory(shadow);
	*pair = (struct mpi_shadow_pair){.op = {send, recv},
					 .rank = {send->rank, recv->rank},
					 .is_posted = {send->is_posted, recv->is_posted},
					 .n_references = 2,
					 .queue = queue};
	util_list_prepend(&queue->pairs, pair);
	send->is_held = recv->is_held = false;
	send->pair = recv->pair = pair;
	send->is_paired = recv->is_paired = true;
}

static void join(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		 struct mpi_shadow_op *send, struct mpi_shadow_op *recv)
{
	if (send->is_posted && recv->is_posted) {
		mpi_shadow_set_met(send);
		mpi_shadow_set_met(recv);
	} else {
		link_pair(shadow, queue, send, recv);
	}
	if (!recv->type) {
		recv->was_probed = true;
		recv->probed = send;
		send->n_references++;
	} else if (recv->type != send->type) {
		struct mpi_shadow_data in = mpi_shadow_data_of(recv),
				       out = mpi_shadow_data_of(send);

		mpi_shadow_compare(shadow, &in, &out);
	}
	mpi_shadow_look_for(shadow, send);
	mpi_shadow_look_for(shadow, recv);
	mpi_shadow_take_out(shadow, queue, send);
	mpi_shadow_take_out(shadow, queue, recv);
}

/* Nothing before `recv` may take the message: a wild receive whose source is not known might. */
static bool is_first_for(const struct mpi_shadow_queue *queue, const struct mpi_shadow_op *recv,
			 const struct mpi_shadow_op *send)
{
	if (queue->n_wild == 0)
		return true;
	for (const struct mpi_shadow_op *r = queue->of[SHADOW_RECV].first; r && r != recv;
	     r = r->link.next)
		if (fits(r, send))
			return false;
	return true;
}

/* Matches a receive whose source is known with the first message that fits. */
static bool match_recv(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		       struct mpi_shadow_op *recv)
{
	struct mpi_shadow_op *send;

	if (recv->is_wild)
		return false;
	send = mpi_shadow_find(queue, SHADOW_SEND, recv->peer, recv->tag);
	if (!send || !is_first_for(queue, recv, send))
		return false;
	join(shadow, queue, send, recv);
	return true;
}

static void match_send(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		       struct mpi_shadow_op *send)
{
	struct mpi_shadow_op *recv = queue->of[SHADOW_RECV].first;

	if (queue->n_wild == 0) {
		recv = mpi_shadow_find(queue, SHADOW_RECV, send->rank, send->tag);
		if (recv)
			join(shadow, queue, send, recv);
		return;
	}
	while (recv && !fits(recv, send))
		recv = recv->link.next;
	if (recv)
		match_recv(shadow, queue, recv);
}

/* --- posting --- */

/*
 * What the call posts and its other side, which waits, are posted in the strict view, and nothing
 * else may take the message: of this side nothing is to be kept. False: it has to be.
 */
static inline bool meet(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
			enum mpi_shadow_kind kind, const struct mpi_p2p_args *a, int other,
			const struct mpi_finding_call *call)
{
	struct mpi_shadow_data data[2];
	struct mpi_shadow_op *op;

	if (queue->n[!kind] == 0 || queue->n_wild > 0)
		return false;
	op = mpi_shadow_find(queue, !kind, other, a->tag);
	if (!op || !op->is_posted || !op->type)
		return false;
	if (op->type != a->type) {
		data[kind] = (struct mpi_shadow_data){a->type, a->count, *call};
		data[!kind] = mpi_shadow_data_of(op);
		mpi_shadow_compare(shadow, &data[SHADOW_RECV], &data[SHADOW_SEND]);
	}
	mpi_shadow_set_met(op);
	mpi_shadow_look_for(shadow, op);
	mpi_shadow_take_out(shadow, queue, op);
	return true;
}

/* With the arguments that both sides have. */
static inline struct mpi_shadow_op *from_args(struct mpi_shadow *shadow, enum mpi_shadow_kind kind,
					      const struct mpi_p2p_args *a,
					      const struct mpi_finding_call *call, bool is_posted)
{
	struct mpi_shadow_op *op = get_op(shadow);

	*op = (struct mpi_shadow_op){
	    .kind = kind,
	    .rank = call->rank,
	    .tag = a->tag,
	    .given_tag = a->tag,
	    .given_peer = a->peer,
	    .comm_rank = a->comm->rank,
	    .context = a->comm->context,
	    .n_references = 1,
	    .type = a->type,
	    .count = a->count,
	    .function = call->function,
	    .site = call->site,
	};
	if (op->type) {
		mpi_datatype_retain(op->type);
		op->is_posted = is_posted;
	}
	return op;
}

static inline struct mpi_shadow_op *post_send(struct mpi_shadow *shadow,
					      struct mpi_shadow_queue *queue, int peer,
					      const struct mpi_p2p_args *a, enum mpi_send_mode mode,
					      const struct mpi_finding_call *call, bool is_posted)
{
	struct mpi_shadow_op *send;

	if (is_posted && meet(shadow, queue, SHADOW_SEND, a, call->rank, call))
		return NULL;
	send = from_args(shadow, SHADOW_SEND, a, call, is_posted);
	send->mode = mode;
	send->peer = peer;
	mpi_shadow_append(shadow, queue, send);
	match_send(shadow, queue, send);
	return send;
}

static inline struct mpi_shadow_op *post_recv(struct mpi_shadow *shadow,
					      struct mpi_shadow_queue *queue,
					      const struct mpi_p2p_args *a,
					      const struct mpi_finding_call *call, bool is_posted)
{
	bool is_wild = a->peer == MPI_ANY_SOURCE;
	int peer = is_wild ? MPI_ANY_SOURCE : mpi_comm_peer(a->comm, a->peer);
	struct mpi_shadow_op *recv;

	if (is_posted && !is_wild && a->type && meet(shadow, queue, SHADOW_RECV, a, peer, call))
		return NULL;
	recv = from_args(shadow, SHADOW_RECV, a, call, is_posted);
	recv->is_wild = recv->was_wild = is_wild;
	recv->peer = peer;
	if (is_wild) {
		recv->peers = a->comm->peers;
		mpi_group_retain((struct mpi_group *)(uintptr_t)recv->peers);
	}
	mpi_shadow_append(shadow, queue, recv);
	match_recv(shadow, queue, recv);
	return recv;
}

/* The rank is as far as in the run. */
static bool is_level(const struct mpi_shadow *shadow, const struct mpi_rank *me)
{
	return !shadow->ranks[me->rank].first && !shadow->is_given_up;
}

struct mpi_shadow_op *mpi_shadow_send(struct mpi_shadow *shadow, struct mpi_rank *me,
				      const struct mpi_p2p_args *a, enum mpi_send_mode mode)
{
	const struct mpi_finding_call call = {me->rank, me->pd->function, me->pd->site};
	int peer;

	if (a->peer == MPI_PROC_NULL)
		return NULL;
	peer = mpi_comm_peer(a->comm, a->peer);
	return post_send(shadow, mpi_shadow_queue(shadow, peer, a->comm->context), peer, a, mode,
			 &call, is_level(shadow, me));
}

struct mpi_shadow_op *mpi_shadow_recv(struct mpi_shadow *shadow, struct mpi_rank *me,
				      const struct mpi_p2p_args *a)
{
	const struct mpi_finding_call call = {me->rank, me->pd->function, me->pd->site};

	if (a->peer == MPI_PROC_NULL)
		return NULL;
	return post_recv(shadow, mpi_shadow_queue(shadow, me->rank, a->comm->context), a, &call,
			 is_level(shadow, me));
}

struct mpi_shadow_op *mpi_shadow_settled(struct mpi_shadow *shadow, struct mpi_rank *me,
					 enum mpi_shadow_kind kind, const struct mpi_p2p_args *a,
					 const struct mpi_finding_call *call)
{
	int owner = kind == SHADOW_SEND ? mpi_comm_peer(a->comm, a->peer) : me->rank;
	struct mpi_shadow_queue *queue = mpi_shadow_queue_of(shadow, owner, a->comm->context);
	bool is_posted = !shadow->is_given_up;

	return kind == SHADOW_SEND
		   ? post_send(shadow, queue, owner, a, SEND_STANDARD, call, is_posted)
		   : post_recv(shadow, queue, a, call, is_posted);
}

void mpi_shadow_resolve(struct mpi_shadow *shadow, struct mpi_shadow_op *recv,
			const MPI_Status *status)
{
	struct mpi_shadow_queue *queue;
	struct mpi_shadow_op *next;

	if (!recv || recv->kind != SHADOW_RECV || !recv->is_wild)
		return;
	if (status->MPI_SOURCE < 0 || status->MPI_SOURCE >= recv->peers->size)
		return;
	queue = mpi_shadow_queue(shadow, recv->rank, recv->context);
	recv->is_wild = false;
	recv->peer = mpi_group_world_rank(recv->peers, status->MPI_SOURCE);
	recv->tag = status->MPI_TAG;
	queue->n_wild--;
	mpi_shadow_drop_buckets(queue, SHADOW_RECV);
	for (recv = queue->of[SHADOW_RECV].first; recv; recv = next) {
		next = recv->link.next;
		match_recv(shadow, queue, recv);
	}
}

void mpi_shadow_kill(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	op->is_dead = true;
	mpi_shadow_look_at(shadow, op->rank);
	if (op->is_queued)
		mpi_shadow_take_out(shadow,
				    mpi_shadow_queue(shadow,
						     op->kind == SHADOW_SEND ? op->peer : op->rank,
						     op->context),
				    op);
}

struct mpi_shadow_op *mpi_shadow_find_send(struct mpi_shadow *shadow, int rank, uint32_t context,
					   int source, int tag)
{
	return mpi_shadow_find(mpi_shadow_queue(shadow, rank, context), SHADOW_SEND, source, tag);
}

const char *mpi_shadow_sender_at(const struct mpi_shadow *shadow, const void *site)
{
	for (int rank = 0; rank < shadow->world->n_ranks; rank++)
		for (uint32_t i = 0; i < shadow->ranks[rank].n_queues; i++) {
			const struct mpi_shadow_queue *queue = shadow->ranks[rank].queues[i];

			for (const struct mpi_shadow_op *op = queue ? queue->of[SHADOW_SEND].first
								    : NULL;
			     op; op = op->link.next)
				if (op->site == site)
					return op->function;
		}
	return NULL;
}

/* --- life --- */

void mpi_shadow_add(struct mpi_shadow *shadow, struct mpi_rank *me)
{
	me->shadow = &shadow->ranks[me->rank];
	me->shadow->shadow = shadow;
}

int mpi_shadow_create(struct mpi_world *world, struct mpi_shadow **out)
{
	struct mpi_shadow *shadow = calloc(1, sizeof *shadow);
	size_t n = (size_t)world->n_ranks + (size_t)world->pd->config.max_spawned;

	if (!shadow)
		return UTIL_ENOMEM;
	shadow->world = world;
	shadow->next_look = FIRST_LOOK;
	util_pool_init(&shadow->ops, sizeof(struct mpi_shadow_op));
	util_pool_init(&shadow->pairs, sizeof(struct mpi_shadow_pair));
	util_pool_init(&shadow->steps, sizeof(struct mpi_shadow_step));
	util_pool_init(&shadow->chunks, SHADOW_IN_CHUNK * sizeof(struct mpi_shadow_request));
	/* whole lines */
	util_pool_init(&shadow->queues, (sizeof(struct mpi_shadow_queue) + 63) / 64 * 64);
	/* whole lines, of which those of ranks to come are not touched */
	shadow->memory = calloc(n + 1, sizeof *shadow->ranks);
	if (shadow->memory)
		shadow->ranks = (void *)(((uintptr_t)shadow->memory + 63) & ~(uintptr_t)63);
	shadow->to_look = calloc(n ? n : 1, sizeof *shadow->to_look);
	if (!shadow->ranks || !shadow->to_look) {
		mpi_shadow_destroy(shadow);
		return UTIL_ENOMEM;
	}
	for (int rank = 0; rank < world->n_ranks; rank++)
		mpi_shadow_add(shadow, &world->ranks[rank]);
	*out = shadow;
	return 0;
}

static void destroy_steps(struct mpi_shadow_step *step)
{
	struct mpi_shadow_step *next;

	for (; step; step = next) {
		next = step->next;
		if (step->ops != step->few)
			free(step->ops);
	}
}

void mpi_shadow_destroy(struct mpi_shadow *shadow)
{
	struct mpi_shadow_together *together;

	if (!shadow)
		return;
	for (int rank = 0; shadow->ranks && rank < shadow->world->n_ranks; rank++) {
		struct mpi_shadow_rank *r = &shadow->ranks[rank];

		destroy_steps(r->first);
		for (uint32_t i = 0; i < r->n_queues; i++) {
			if (!r->queues[i])
				continue;
			free(r->queues[i]->buckets[0]);
			free(r->queues[i]->buckets[1]);
		}
		free(r->queues);
		mpi_apart_finish(&r->apart);
	}
	while ((together = util_list_pop(&shadow->open)) ||
	       (together = util_list_pop(&shadow->closed)))
		mpi_shadow_destroy_together(shadow, together);
	mpi_shadow_destroy_requests(shadow);
	mpi_shadow_destroy_halves(shadow);
	util_pool_finish(&shadow->ops);
	util_pool_finish(&shadow->pairs);
	util_pool_finish(&shadow->steps);
	util_pool_finish(&shadow->queues);
	util_pool_finish(&shadow->chunks);
	free(shadow->memory);
	util_map_finish(&shadow->numbered);
	free(shadow->to_look);
	free(shadow);
}
