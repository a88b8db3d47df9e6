/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_INTERNAL_H
#define TRACES_ANALYSIS_INTERNAL_H

#include "traces/analysis/analysis.h"

/* What the files of the analysis share. */

/* Keys of what paths consist of: what (a trace_blame, or TRACE_N_BLAMES + a trace_path_count), of
 * which site or kernel. */
enum { TRACE_KEY_ID_BITS = 24 };

static inline uint32_t trace_key(int what, int id)
{
	return (uint32_t)what << TRACE_KEY_ID_BITS | (uint32_t)(id < 0 ? 0 : id);
}
static inline int trace_key_what(uint32_t key)
{
	return (int)(key >> TRACE_KEY_ID_BITS);
}
static inline int trace_key_id(uint32_t key)
{
	return (int)(key & ((1u << TRACE_KEY_ID_BITS) - 1));
}

struct trace_token { /* a message */
	struct trace_path path;
	int64_t ideal;
	int source, dest, site;
	int level; /* as of struct sim_cause_message */
	sim_time_ps sent;    /* the send was called */
	sim_time_ps matched; /* when the receive came later than the message; else 0 */
	/* the transfer under way */
	sim_time_ps begin;
	int64_t moved_B;
	bool is_back;
	struct trace_links_mark mark;
};

/* causes.c: fills analysis->causes. */
void trace_causes_init(struct trace_analysis *analysis);
/* services.c: sim_causes.worked, awaited and accessed. */
void trace_causes_worked(void *context, void *of, const void *after, const char *kernel,
			 sim_time_ps now);
void trace_causes_awaited(void *context, int rank, const void *of);
void trace_causes_accessed(void *context, int rank, sim_time_ps now);
/* As sim_observer.collective. */
void trace_causes_collective(void *context, const struct sim_cause_collective *entered,
			     sim_time_ps now);
/* The rank is at `now`: what no record explains until then is sleeping. */
void trace_causes_see(struct trace_analysis *analysis, int rank, sim_time_ps now);
/* The rank's ideal clock goes on to `ideal`, at `now`. */
void trace_causes_advance(struct trace_analysis *analysis, int rank, int64_t ideal,
			  sim_time_ps now);
void trace_causes_wait(struct trace_analysis *analysis, int rank, int site, enum trace_wait wait,
		       sim_time_ps waited, bool is_open);

struct trace_tree;
struct trace_units;
/* explain.c: efficiencies from the sums of the units. */
struct trace_tree trace_tree_of(const struct trace_units *units, double time_s, double ideal_s);

/* regions.c. The summary has noted the begin of a phase on `rank`, its end, a computation step. */
void trace_regions_begin(struct trace_analysis *analysis, int rank);
void trace_regions_end(struct trace_analysis *analysis, int rank);
void trace_regions_compute(struct trace_analysis *analysis,
			   const struct sim_record_compute *record);
void trace_regions_finish(struct trace_analysis *analysis);

#endif
