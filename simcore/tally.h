/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_TALLY_H
#define SIMCORE_TALLY_H

#include <stdint.h>

#include "simcore/time.h"

/*
 * Sums over MPI calls and messages, for whoever wants nothing else of them: they are added up where
 * they happen, which costs a fraction of a record for each.
 */
struct sim_tally_rank {
	uint64_t n_calls;
	sim_time_ps in_calls, waiting; /* in MPI calls, and how much of that */
	sim_time_ps last;	       /* the latest time known of it */
	/* messages that were received: all of them at their senders, and at their receivers those
	 * [of the application, of collectives] */
	uint64_t n_sent, sent_B, n_received[2], received_B[2];
};

struct sim_total { /* of one kernel or one MPI function, over all ranks */
	uint64_t n;
	/* Sums over ranks are seconds: picoseconds of thousands of ranks do not fit 64 bits. */
	double time_s, waiting_s; /* kernels: waiting is 0 */
	double useful_s;	  /* kernels only */
};

enum { SIM_TALLY_RECENT = 32 };

struct sim_tally {
	void *context;
	struct sim_tally_rank *(*rank)(void *context, int rank); /* lives as long as the tally */
	/* The sums of a function that is not at its place in `recent`, which it may write. Never
	 * NULL; for the moment. */
	struct sim_total *(*find)(void *context, const char *function);
	struct {
		const char *function;
		struct sim_total *total;
	} recent[SIM_TALLY_RECENT]; /* by address of the name */
};

static inline unsigned int sim_tally_place(const char *function)
{
	return ((uintptr_t)function >> 3) % SIM_TALLY_RECENT;
}

/* An MPI call ended. `function` lives as long as the run. */
static inline void sim_tally_add_call(struct sim_tally *tally, struct sim_tally_rank *rank,
				      const char *function, sim_time_ps begin, sim_time_ps end,
				      sim_time_ps waiting)
{
	unsigned int place = sim_tally_place(function);
	struct sim_total *total = tally->recent[place].total;

	if (__builtin_expect(tally->recent[place].function != function, 0))
		total = tally->find(tally->context, function);
	rank->n_calls++;
	total->n++;
	if (end > rank->last)
		rank->last = end;
	if (end == begin)
		return;
	rank->in_calls += end - begin;
	rank->waiting += waiting;
	total->time_s += sim_time_to_s(end - begin);
	total->waiting_s += sim_time_to_s(waiting);
}

/* A message was received. */
static inline void sim_tally_add_message(struct sim_tally_rank *source, struct sim_tally_rank *dest,
					 int64_t size_B, int in_collective)
{
	source->n_sent++;
	source->sent_B += (uint64_t)size_B;
	dest->n_received[in_collective]++;
	dest->received_B[in_collective] += (uint64_t)size_B;
}

#endif
