/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_FORMAT_H
#define TRACES_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "traces/export/spool.h"
#include "traces/names.h"
#include "traces/summary.h"

/* What a format is: events go through it in the order of time. Write errors stay in the files. */
struct trace_output {
	FILE *files[3]; /* as struct trace_format.endings */
	const struct trace_summary *summary;
	const struct trace_names *names; /* of kernels, calls and phases */
	char **quoted; /* [names->n] as JSON strings with their quotes */
	int *cpu_of;   /* [n_ranks] a core of its node, over all nodes, from 0 */
	bool is_first; /* nothing was written to a list yet */
};

struct trace_format {
	const char *endings[3]; /* of the files, the first is the one asked for; NULL: no more */
	bool needs_ends;	/* TRACE_EVENT_END and TRACE_EVENT_RECEIVED too */
	void (*begin)(struct trace_output *out);
	void (*event)(struct trace_output *out, const struct trace_event *event);
	void (*end)(struct trace_output *out);
};

extern const struct trace_format trace_format_chrome, trace_format_paje, trace_format_paraver;

#endif
