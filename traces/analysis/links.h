/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_LINKS_H
#define TRACES_ANALYSIS_LINKS_H

#include <stdbool.h>

#include "cluster/cluster.h"
#include "simcore/time.h"

/*
 * How much the links of nodes carried. Link i goes out of node i, link n_nodes + i into it. A
 * transfer occupies its two links from when its bytes enter them (after the latency, where that is
 * a delay) to its end.
 */
struct trace_interval_ps {
	sim_time_ps begin, end;
};

struct trace_link {
	double flow_ps; /* time × number of transfers */
	double lost_ps; /* how much longer transfers took, of which this link was the busier */
	double bytes;
	sim_time_ps busy; /* time with at least one transfer, of intervals that are settled */
	/* transfers begun and not ended, and the integral of their number until `updated` */
	int n_active;
	double active_ps;
	sim_time_ps updated;
	/* busy intervals that a transfer under way may yet join: disjoint, in order */
	struct trace_interval_ps *open;
	int n_open;
};

struct trace_links {
	struct trace_link *list; /* [2 * n_nodes] */
	int n_nodes;
	bool out_of_memory;
};

struct trace_links_mark { /* of a transfer, at its begin */
	double out_ps, in_ps;
};

/* UTIL_ENOMEM or 0. */
int trace_links_init(struct trace_links *links, int n_nodes);
void trace_links_finish(struct trace_links *links);
struct trace_links_mark trace_links_begin(struct trace_links *links, int source, int dest,
					  sim_time_ps now);
/* It entered the links at `entered`, and took `lost` longer than alone. */
void trace_links_end(struct trace_links *links, int source, int dest, int64_t size_B,
		     struct trace_links_mark mark, sim_time_ps entered, sim_time_ps lost,
		     sim_time_ps now);
/* Time with at least one transfer that has ended. */
sim_time_ps trace_link_busy(const struct trace_link *link);

#endif
