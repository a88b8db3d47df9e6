/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_SUMMARY_H
#define TRACES_SUMMARY_H

#include <stdbool.h>
#include <stdint.h>

#include "cluster/cluster.h"
#include "simcore/observer.h"
#include "simcore/tally.h"
#include "traces/curve.h"
#include "traces/names.h"
#include "util/error.h"
#include "util/list.h"

/*
 * The summary of a run: sums that are kept while it runs, in memory that does not grow with its
 * length (O(ranks) + O(phases)). It implements `struct sim_observer`; every record costs a few
 * additions. The fields are for reading.
 */
struct trace_rank {
	int node; /* -1: its job has not begun */
	bool has_ended, has_released;
	bool was_spawned;
	sim_time_ps begin; /* of a rank that was spawned */
	/* Of its MPI calls, of which what is not waiting communicates, and messages. `last` is the
	 * end of its last record: when it ended, once has_ended. */
	struct sim_tally_rank sums;
	sim_time_ps computing; /* in computation steps: useful + stolen + shared */
	double useful_s, stolen_s, shared_s;
	double accelerator_s; /* of useful_s: launching work of its accelerator, waiting for it */
	struct trace_open_phase *open; /* [n_open], innermost last */
	int n_open;
	int *n_phases; /* [n_phases_known]: how often it began the phase of that name */
	int n_phases_known;
};

struct trace_node {
	int n_ranks, n_holding; /* ranks placed on it; those that hold it now */
	sim_time_ps since;	/* n_holding > 0: held since then */
	sim_time_ps released;	/* when n_holding became 0 last */
	struct trace_hold {
		sim_time_ps begin, end;
	} * holds; /* [n_holds] that are over, in order */
	int n_holds;
};

/* One occurrence of a phase: the k-th time that each rank began a phase of this name. */
struct trace_phase {
	int name, index;     /* id in `phase_names`; k from 0 */
	int place;	     /* in `phases` */
	int parent;	     /* name of the phase around it on the rank that came first; -1: none */
	int n_ranks, n_open; /* ranks that took part; those still in it */
	sim_time_ps begin, end; /* first begin and last end over the ranks */
	/* inside it, summed over the ranks; useful_s: computation done */
	double time_s, communicating_s, waiting_s, useful_s;
	/* useful computation of the whole run up to begin and end, and the place among the bounds
	 * in order of time */
	double useful_until[2];
	struct trace_bound {
		struct util_link link;
		sim_time_ps time;
		double *useful_until;
		int place; /* of the phase, in `phases` */
	} bound[2];
};

/* Occurrences beyond this are not kept one by one; n_phases_dropped counts their begins. */
#define TRACE_MAX_PHASES 20000

struct trace_summary {
	const struct cluster *cluster;	 /* borrowed */
	int n_ranks, n_nodes, n_spawned; /* n_spawned: of n_ranks, the last ones */
	int max_ranks;			 /* that it may become */
	struct trace_rank *ranks;	 /* [n_ranks]; stays where it is */
	struct trace_node *nodes;	 /* [n_nodes] */
	struct trace_names kernel_names, offloaded_names, call_names, phase_names;
	/* by id of the name; offloaded: kernels and copies of streams */
	struct sim_total *kernels, *offloaded, *calls;
	int kernels_capacity, offloaded_capacity, calls_capacity;
	struct trace_phase_list {
		struct trace_phase **of;
		int n;
	} phases; /* in the order of their begins; owns them */
	struct trace_phase_list
	    *phases_of_name; /* [n_phase_lists] by name: occurrence k at of[k] */
	int n_phase_lists;
	uint64_t n_phases_dropped; /* begins of occurrences that are not kept */
	struct util_list bounds;   /* in order of time */
	/* once it is closed */
	uint64_t n_messages, n_bytes, n_collective_messages, n_collective_bytes;
	struct sim_tally tally;
	struct sim_total unknown;  /* what no memory was left for */
	double useful_s;	   /* over all ranks, of the steps that ended */
	struct trace_curve useful; /* the same over time */
	sim_time_ps end;	   /* latest time seen, once it is closed */
	bool out_of_memory;	   /* some sums are too small */
};

/* `node_of`: [n_ranks], read now: all hold their nodes from the start; NULL: trace_summary_place
 * says where each is. `cluster` is borrowed. Errors: UTIL_ENOMEM. */
int trace_summary_create(int n_ranks, const int node_of[], const struct cluster *cluster,
			 struct trace_summary **out, struct util_error *err);
void trace_summary_destroy(struct trace_summary *summary); /* NULL is fine */
/* The rank's job begins: it holds `node` from `now` on. */
void trace_summary_place(struct trace_summary *summary, int rank, int node, sim_time_ps now);
struct sim_observer trace_summary_observer(struct trace_summary *summary);
/* Ends the observation at `now`: phases that are still open end there. */
void trace_summary_close(struct trace_summary *summary, sim_time_ps now);

/* --- what can be asked afterwards --- */

/* Cores held × time over [begin, end] in core-seconds. Nodes that carry no rank are not held
 * (docs/model.md §5). O(nodes that were released). */
double trace_held_core_s(const struct trace_summary *summary, sim_time_ps begin, sim_time_ps end);
/* Dynamic efficiency over the whole run: useful computation / cores held × time; 0 for a run that
 * takes no time. */
double trace_efficiency(const struct trace_summary *summary);
/* … over the window of a phase, from its first begin to its last end: all useful computation of the
 * run in it counts. */
double trace_phase_efficiency(const struct trace_summary *summary, const struct trace_phase *phase);

struct trace_window {
	double begin_s, end_s, useful_s, held_core_s, efficiency;
};
/*
 * … as a curve: at most `max_windows` (1 … TRACE_CURVE_BINS) windows of equal length (the last may
 * be shorter) that cover the run. Writes out[0 … returned-1].
 */
int trace_efficiency_curve(const struct trace_summary *summary, int max_windows,
			   struct trace_window out[]);

struct trace_breakdown {	/* of one rank; sums to the run's predicted time */
	double useful_s;	/* computing, as on an otherwise idle core */
	double accelerator_s;	/* launching work of its accelerator, and waiting for it */
	double stolen_s;	/* … longer because communication took the CPU */
	double shared_s;	/* … longer because other ranks computed on the node */
	double communicating_s; /* in MPI calls while transfers were under way */
	double waiting_s;	/* in MPI calls while none was */
	double ended_s;		/* had ended, others went on */
	double before_s;	/* was not there yet: it was spawned later */
	double other_s;		/* the rest: sleeping */
};
struct trace_breakdown trace_rank_breakdown(const struct trace_summary *summary, int rank);
void trace_breakdown_add(struct trace_breakdown *sum, const struct trace_breakdown *one);
/* The mean over all ranks. */
struct trace_breakdown trace_mean_breakdown(const struct trace_summary *summary);

#endif
