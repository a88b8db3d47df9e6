/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REPORT_PARTS_H
#define TRACES_REPORT_PARTS_H

#include <stdio.h>

#include "traces/analysis/explain.h"
#include "traces/report.h"

/* What the files of a report share; used by traces/report*.c only. */
struct trace_report {
	const struct trace_run *run;
	const struct trace_summary *summary;
	const struct trace_detail *detail;
	/* over time; none without an explanation of the run */
	struct trace_tree_window windows[TRACE_MAX_TREE_WINDOWS];
	int n_windows;
	double end_s;
	const char *unit;	 /* of time in the pictures: "ms" … */
	double per_s;		 /* that many of them make a second */
	bool has_exact_timeline; /* the intervals, not the raster, are drawn */
	bool has_phases, has_messages;
	bool has_volume; /* not all messages are empty; else their number is drawn */
};

typedef void (*trace_report_fn)(const struct trace_report *report, FILE *file);

struct trace_report_file {
	const char *name;
	trace_report_fn write;
};

/* Ends with a NULL name. Write errors are left in `file`. */
extern const struct trace_report_file trace_report_tables[];
extern const struct trace_report_file
    trace_report_scripts[]; /* a picture each: X.gp draws X.png and X.svg */
/* What the message matrix shows of a flow: its bytes, or messages where all are empty. */
uint64_t trace_report_flow(const struct trace_report *report, const struct trace_flow *flow);
void trace_report_html(const struct trace_report *report, FILE *file);

/* Whether a picture or table of that name ("timeline.gp") makes sense for this run. */
bool trace_report_has(const struct trace_report *report, const char *name);

#endif
