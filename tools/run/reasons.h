/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_REASONS_H
#define TOOLS_RUN_REASONS_H

#include <stdbool.h>

#include "mtrace/reader.h"
#include "replay/replay.h"
#include "traces/analysis/delays.h"
#include "traces/reasons.h"
#include "util/map.h"

/*
 * Who is to blame for what a run takes (docs/efficiency.md): the recording of the run is replayed
 * once to see who made others wait where, then once without each of the causes. The program does
 * not run again.
 */
struct run;

/* Whether the run is to be recorded for it. */
bool run_reasons_are_wanted(const struct run *run);
/* After a run that ended well; run->trace is its recording. What stands in the way is in why_not. */
void run_reasons_find(struct run *run, struct trace_reasons *out);

/* --- between the files of this: tools/run/reasons*.c --- */

enum { REASONS_MOST = 12 };
#define REASONS_NOTHING 0.01 /* of the longest: as good as not computing at a place */

struct reasons_traffic { /* between two ranks, both ways */
	int low, high;
	double size_B;
};

struct reasons { /* what is known of the run */
	struct run *run;
	int n_ranks;
	double time_s;
	struct replay_region *places; /* [n_places] by number */
	int n_places;
	struct util_map numbers; /* of places */
	struct trace_delays *delays;
	struct trace_explanation *explanation;
	uint64_t *n_sent;	      /* [n_ranks] messages */
	struct util_map traffic;      /* struct reasons_traffic */
	uint64_t *n_locks;	      /* [n_ranks] exclusive locks of its windows */
	uint64_t *n_locking;	      /* [n_ranks] that it asked for */
	uint64_t lock_site;	      /* of the first one */
	struct reasons_times **times; /* [n_meetings] tools/run/reasons_even.c */
	int n_meetings;
	size_t n_times;
	struct reasons_candidate *candidates; /* [n_candidates] */
	int n_candidates;
	bool is_lost; /* no memory */
};

struct reasons_candidate { /* a cause, and what a replay without it changes */
	struct trace_reason reason;
	double weight; /* heavier ones are tried first */
	int place;     /* where it computes; -1: `site` counts */
	int site;      /* of the recording: where `function` is called; -1: nowhere */
	const char *function;
	double **factors; /* [n_places] of [n_ranks]; NULL: unchanged */
	int n_factors;
	bool *evens; /* [n_evens] whether computations that end there take the mean, or of slow ranks
			the median, each time; NULL: none */
	int n_evens;
	struct cluster *cluster;	     /* shallow copy; NULL: the run's */
	struct cluster_segment *segments[2]; /* of the copy: between nodes, within one */
	int *node_of;			     /* NULL: the run's */
	bool shares_locks;
};

/* The number of a place where ranks compute; -1: no memory. */
int reasons_place(struct reasons *reasons, const struct replay_region *region);
/* A new candidate, zero but for its kind; NULL: no room. */
struct reasons_candidate *reasons_add(struct reasons *reasons, enum trace_reason_kind kind);
/* Says where it is, in lines of the source, by helper processes. */
void reasons_describe(const struct reasons *reasons, struct reasons_candidate *candidate);
/* Copies the ranks to blame. */
void reasons_blame(struct reasons *reasons, struct trace_reason *reason, const int ranks[], int n);
/* "ranks 3-7, 9 compute" as the begin of a sentence. */
const char *reasons_ranks(const struct trace_reason *reason, char *buf, size_t size);
/*
 * Work that is uneven each time: a computation is noted while the recording is looked at; a place
 * where nobody is to blame is added, or one where ranks are slow. A replay without it begins, then
 * asks for each computation; false: it is of no such place.
 */
void reasons_even_note(struct reasons *reasons, int rank, const struct replay_region *region,
		       double seconds);
void reasons_even_add(struct reasons *reasons, int place, double cost_s);
void reasons_even_begin(struct reasons *reasons);
void reasons_even_slow(struct reasons *reasons, struct reasons_candidate *candidate, int place);
bool reasons_even_factor(struct reasons *reasons, const struct reasons_candidate *candidate,
			 int rank, const struct replay_region *region, double seconds,
			 double *out);
void reasons_even_finish(struct reasons *reasons);
/* Computation that some do longer than others; then the network, placement, locks. */
void reasons_add_computation(struct reasons *reasons);
void reasons_add_network(struct reasons *reasons);
/* The time with so many times the network's bandwidth. */
int reasons_try_bandwidth(struct reasons *reasons, double factor, double *out_s,
			  struct util_error *err);
/* The curve of it, malloc'ed; left alone after an interrupt. */
int reasons_find_bandwidth(struct reasons *reasons, struct trace_bandwidth **out,
			   struct util_error *err);
/* Replays the run without the cause: its predicted time and gain. */
int reasons_try_without(struct reasons *reasons, struct reasons_candidate *candidate,
			struct util_error *err);
/* What it has but for itself. */
void reasons_candidate_finish(struct reasons_candidate *candidate);

#endif
