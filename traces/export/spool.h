/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_SPOOL_H
#define TRACES_EXPORT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "simcore/time.h"
#include "util/error.h"

/*
 * Events in the order of their times, or rank by rank. They are added in any order, since an interval is known when
 * it ends, and kept in sorted runs in a file that has no name; so memory is bounded, and the disk
 * takes sizeof(struct trace_event) for each. Equal times stay in the order in which they were added.
 */
enum trace_event_kind {
	TRACE_EVENT_BEGIN, /* of a computation or call */
	TRACE_EVENT_END,
	TRACE_EVENT_PHASE_BEGIN,
	TRACE_EVENT_PHASE_END,
	TRACE_EVENT_SENT,
	TRACE_EVENT_RECEIVED,
};

struct trace_event {
	sim_time_ps time;
	uint64_t order;
	sim_time_ps other; /* the other end of the interval or message; 0: phases */
	union {
		sim_time_ps waiting; /* calls */
		sim_time_ps started; /* messages */
	};
	sim_time_ps arrived; /* messages */
	sim_time_ps since;   /* messages: end of what the receiver did last */
	int64_t size_B;
	uint64_t message; /* messages: number */
	int rank;	  /* whose event it is */
	int peer;	  /* messages: the other one */
	int name;	  /* in the exporter's table; -1: messages */
	union {
		int tag;  /* messages */
		int root; /* calls of a collective that has one, in its communicator; -1 */
	};
	int comm;	 /* calls of a collective: in trace_comms.list; -1: none */
	uint8_t kind;	 /* enum trace_event_kind */
	uint8_t is_call; /* intervals: of an MPI call */
	uint8_t in_collective; /* messages */
};

#define TRACE_SPOOL_EVENTS 262144 /* in memory */

struct trace_spool {
	int fd;
	bool by_rank;
	struct trace_event *events; /* [TRACE_SPOOL_EVENTS], n_events of them used */
	size_t n_events;
	uint64_t next_order;
	size_t *run_sizes; /* [n_runs] in the file, one after the other */
	int n_runs;
	int failed; /* errno of the first write that failed; later events are dropped */
};

/* The file lies in the directory of `path`. `by_rank`: the order is that of ranks, of times only
 * within each. Errors: UTIL_ESYSTEM, UTIL_ENOMEM. */
int trace_spool_init(struct trace_spool *spool, const char *path, bool by_rank,
		     struct util_error *err);
void trace_spool_finish(struct trace_spool *spool);
/* Sets event->order. Leaves errno alone. */
void trace_spool_add(struct trace_spool *spool, struct trace_event *event);
/* Calls `visit` for each event in order, until it returns non-zero. Errors: UTIL_ESYSTEM also for
 * what failed before, UTIL_ENOMEM; what `visit` returned. */
typedef int (*trace_event_fn)(void *context, const struct trace_event *event);
int trace_spool_visit(struct trace_spool *spool, trace_event_fn visit, void *context,
		      struct util_error *err);

#endif
