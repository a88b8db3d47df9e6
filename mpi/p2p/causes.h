/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_CAUSES_H
#define MPI_P2P_CAUSES_H

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"

/*
 * What the library tells `sim_observer.causes` (simcore/observer.h). Without an observer of causes
 * each of these is a load and a branch.
 */
/* Who wants to know which message meets which receive, those of collectives, too. Told where an
 * observer of causes is. world->meets; NULL: nobody. */
struct mpi_meets {
	void *context;
	void (*sent)(void *context, const struct mpi_message *message);	   /* it is on its way */
	void (*posted)(void *context, const struct mpi_request *recv);	   /* it is there */
	void (*matched)(void *context, const struct mpi_message *message); /* with message->recv */
};

static inline const struct sim_causes *mpi_causes_of(const struct mpi_rank *me)
{
	return me->causes;
}

static inline sim_time_ps mpi_causes_now(const struct mpi_rank *me)
{
	return me->world->pd->engine.now;
}

static inline struct sim_cause_place mpi_cause_place(const struct mpi_rank *me)
{
	return (struct sim_cause_place){
	    .rank = me->pd->rank, .function = me->pd->function, .site = me->pd->site};
}

/* The rank on whose fiber this happens; -1: in the engine's loop. */
static inline int mpi_cause_rank(const struct mpi_rank *me)
{
	const struct sim_task *running = me->world->pd->engine.running;

	return running ? ((const struct pd_rank *)running->data)->rank : -1;
}

__attribute__((cold)) void mpi_cause_posted_slow(const struct mpi_rank *me,
						 struct mpi_request *recv);
void mpi_cause_launch_slow(struct mpi_message *message);
void mpi_cause_transfer_slow(struct mpi_message *message, bool is_back);
void mpi_cause_matched_slow(struct mpi_message *message);

static inline void mpi_cause_transfer(struct mpi_message *message, bool is_back)
{
	if (__builtin_expect(message->cause != NULL, 0))
		mpi_cause_transfer_slow(message, is_back);
}

/* `size_B` bytes of the transfer under way have arrived: all, or those up to its mark. */
static inline void mpi_cause_arrived(struct mpi_message *message, int64_t size_B, bool is_end)
{
	const struct sim_causes *causes;

	if (__builtin_expect(!message->cause, 1))
		return;
	causes = mpi_causes_of(message->source);
	causes->transfer_end(causes->context, message->cause, size_B, is_end,
			     mpi_causes_now(message->source));
}

static inline void mpi_cause_follow(struct mpi_message *message, const struct mpi_message *other)
{
	const struct sim_causes *causes;

	if (__builtin_expect(!message->cause || !other->cause, 1))
		return;
	causes = mpi_causes_of(message->source);
	causes->follow(causes->context, message->cause, other->cause,
		       mpi_causes_now(message->source));
}

static inline void mpi_cause_matched(struct mpi_message *message)
{
	if (__builtin_expect(message->cause != NULL, 0))
		mpi_cause_matched_slow(message);
}

/* The mark of what `rank` may wait for. */
static inline int64_t mpi_cause_released(const struct mpi_message *message,
					 const struct mpi_rank *rank)
{
	const struct sim_causes *causes;

	if (__builtin_expect(!message->cause, 1))
		return 0;
	causes = mpi_causes_of(rank);
	return causes->released(causes->context, message->cause, rank->pd->rank,
				mpi_causes_now(rank));
}

static inline void mpi_cause_end(struct mpi_message *message)
{
	const struct sim_causes *causes;

	if (__builtin_expect(!message->cause, 1))
		return;
	causes = mpi_causes_of(message->source);
	causes->message_end(causes->context, message->cause);
	message->cause = NULL;
}

/* The rank's clock on an ideal network. */
static inline int64_t mpi_cause_mark(const struct mpi_rank *me)
{
	const struct sim_causes *causes = mpi_causes_of(me);

	return __builtin_expect(causes != NULL, 0)
		   ? causes->mark(causes->context, me->pd->rank, mpi_causes_now(me))
		   : 0;
}

/* The rank goes on knowing what has this mark. */
static inline void mpi_cause_known(const struct mpi_rank *me, int64_t mark)
{
	const struct sim_causes *causes = mpi_causes_of(me);

	if (__builtin_expect(causes != NULL, 0))
		causes->taken(causes->context, me->pd->rank, mark, mpi_causes_now(me));
}

static inline void mpi_cause_posted(const struct mpi_rank *me, struct mpi_request *recv)
{
	if (__builtin_expect(mpi_causes_of(me) != NULL, 0))
		mpi_cause_posted_slow(me, recv);
}

/* The rank has seen that the request is complete. */
static inline void mpi_cause_taken(const struct mpi_rank *me, const struct mpi_request *request)
{
	mpi_cause_known(me, request->cause_mark);
}

static inline void mpi_cause_block(const struct mpi_rank *me)
{
	const struct sim_causes *causes = mpi_causes_of(me);

	if (__builtin_expect(causes != NULL, 0))
		causes->block(causes->context, me->pd->rank);
}

static inline void mpi_cause_resume(const struct mpi_rank *me, sim_time_ps begin)
{
	const struct sim_causes *causes = mpi_causes_of(me);
	struct sim_cause_place place;

	if (__builtin_expect(!causes, 1))
		return;
	place = mpi_cause_place(me);
	causes->resume(causes->context, &place, begin, mpi_causes_now(me));
}

/* An access to a file that began with `mark` has taken `duration`: the mark of its end, which
 * nothing but the storage decides. */
static inline int64_t mpi_cause_accessed(const struct mpi_rank *me, int64_t mark,
					 sim_time_ps duration)
{
	const struct sim_causes *causes = mpi_causes_of(me);

	if (__builtin_expect(!causes, 1))
		return 0;
	causes->accessed(causes->context, me->pd->rank, mpi_causes_now(me));
	return mark + duration;
}

static inline void mpi_cause_overhead(const struct mpi_rank *me, bool is_send, int64_t size_B,
				      sim_time_ps begin)
{
	const struct sim_causes *causes = mpi_causes_of(me);
	struct sim_cause_place place;

	if (__builtin_expect(!causes, 1))
		return;
	place = mpi_cause_place(me);
	causes->overhead(causes->context, &place, is_send, size_B, begin, mpi_causes_now(me));
}

#endif
