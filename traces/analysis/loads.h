/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_LOADS_H
#define TRACES_ANALYSIS_LOADS_H

#include <stdbool.h>
#include <stdint.h>

#include "netmodel/model.h"
#include "util/map.h"

/* Which call sites have sent what over which links between switches. */
struct trace_load {
	int link, site;
	double bytes;
};

enum { TRACE_LOADS_TOLD = 5 };

struct trace_loads {		 /* all zero: nothing yet */
	struct trace_load *list; /* [n] */
	int n;
	struct util_map places; /* in the list, plus 1 */
	bool out_of_memory;
};

void trace_loads_finish(struct trace_loads *loads);
/* What the route has carried whose transfer ends in `model`. */
void trace_loads_add(struct trace_loads *loads, const struct net_model *model, int site,
		     int64_t size_B);
/* By link; of one those with the most bytes first. Nothing is added afterwards. O(n log n). */
void trace_loads_sort(struct trace_loads *loads);
/* After that: how many a link has; *out: the first. O(log n). */
int trace_loads_of(const struct trace_loads *loads, int link, const struct trace_load **out);

#endif
