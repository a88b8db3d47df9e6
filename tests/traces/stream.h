/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_TRACES_STREAM_H
#define TESTS_TRACES_STREAM_H

#include <stdlib.h>

#include "traces/summary.h"

/* Absolute tolerance, with the place of the failure. */
#define assert_near(found, wanted, tolerance)                                              \
	do {                                                                               \
		double found_ = (found), wanted_ = (wanted);                               \
		if (!(found_ - wanted_ <= (tolerance) && wanted_ - found_ <= (tolerance))) \
			fail_msg("%s = %.17g, wanted %.17g", #found, found_, wanted_);     \
	} while (0)

/* Synthetic streams of records, with times in whole seconds, so that expectations can be derived by
 * hand. */
static inline sim_time_ps at(double seconds)
{
	return sim_time_from_s(seconds);
}

static inline void observe(struct sim_observers *to, struct sim_observer observer)
{
	sim_observers_add(to, &observer);
}

static inline void compute(struct sim_observers *to, int rank, const char *kernel, double begin,
			   double end, double useful_s, double stolen_s)
{
	struct sim_record_compute record = {
	    .rank = rank,
	    .kernel = kernel,
	    .begin = at(begin),
	    .end = at(end),
	    .useful_s = useful_s,
	    .stolen_s = stolen_s,
	    .shared_s = end - begin - useful_s - stolen_s,
	};

	sim_tell_compute(to, &record);
}

static inline void call(struct sim_observers *to, int rank, const char *function, double begin,
			double end, double waiting)
{
	struct sim_record_call record = {
	    .rank = rank,
	    .function = function,
	    .begin = at(begin),
	    .end = at(end),
	    .waiting = at(waiting),
	};

	sim_tell_call(to, &record);
}

static inline void message(struct sim_observers *to, int source, int dest, int64_t size_B,
			   int in_collective)
{
	struct sim_record_message record = {
	    .source = source, .dest = dest, .size_B = size_B, .in_collective = in_collective};

	sim_tell_message(to, &record);
}

static inline void phase(struct sim_observers *to, int rank, const char *name, int is_begin,
			 double now)
{
	sim_tell_phase(to, rank, name, is_begin, at(now));
}

static inline void release(struct sim_observers *to, int rank, double now)
{
	sim_tell_node_release(to, rank, at(now));
}

static inline void acquire(struct sim_observers *to, int rank, double now)
{
	sim_tell_node_acquire(to, rank, at(now));
}

static inline void end_rank(struct sim_observers *to, int rank, double now)
{
	sim_tell_rank_end(to, rank, at(now));
}

#endif
