/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_FORMAT_H
#define TRACES_EXPORT_FORMAT_H

#include <stdbool.h>
#include <stdio.h>

#include "traces/export/comms.h"
#include "traces/export/spool.h"
#include "traces/names.h"
#include "traces/summary.h"

/* What a format is: events go through it in the order of time, and write errors stay in the files; or
 * it writes its files itself. */
struct trace_output {
	FILE *files[3]; /* as struct trace_format.endings */
	const struct trace_summary *summary;
	const struct trace_names *names; /* of kernels, calls and phases */
	char **quoted; /* [names->n] as JSON strings with their quotes */
	int *cpu_of;   /* [n_ranks] a core of its node, over all nodes, from 0 */
	const struct trace_comms *comms;
	bool is_first; /* nothing was written to a list yet */
};

struct trace_format {
	const char *endings[3]; /* of the files, the first is the one asked for; NULL: no more */
	bool needs_ends;	/* TRACE_EVENT_END and TRACE_EVENT_RECEIVED too */
	void (*begin)(struct trace_output *out);
	void (*event)(struct trace_output *out, const struct trace_event *event);
	void (*end)(struct trace_output *out);
	/* NULL, or whether it can be written at all: before the run. Errors: UTIL_EINPUT, UTIL_ENOMEM. */
	int (*check)(const char *path, struct util_error *err);
	/* NULL, or writes all events of `spool`, which come rank by rank; no file is left behind that
	 * is not complete. `files`, `quoted`, `cpu_of` and `is_first` are not set. */
	int (*write)(const struct trace_output *out, const char *path, struct trace_spool *spool,
		     struct util_error *err);
};

extern const struct trace_format trace_format_chrome, trace_format_otf2, trace_format_paje,
    trace_format_paraver;

#endif
