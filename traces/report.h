/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REPORT_H
#define TRACES_REPORT_H

#include "traces/detail.h"
#include "traces/run.h"

/*
 * The report directory (docs/report.md): index.html, summary.txt, tables as CSV, a gnuplot script
 * for each picture, and the pictures as PNG and SVG. It appears whole or not at all: everything is
 * written to a directory beside it, which is renamed at the end.
 */

/* Whether `dir` can be made: it must not exist, or be an empty directory. To be asked before a long
 * run. Errors: UTIL_EINPUT, UTIL_ESYSTEM. */
int trace_report_check(const char *dir, struct util_error *err);

enum trace_report_pictures {
	TRACE_PICTURES_DRAWN,
	TRACE_PICTURES_NO_GNUPLOT,
	TRACE_PICTURES_FAILED
};

/*
 * Writes the report. What became of the pictures goes to *out_pictures: without a gnuplot that
 * works the tables and scripts are there all the same. Errors: UTIL_EINPUT, UTIL_ESYSTEM (nothing
 * is left behind), UTIL_ENOMEM.
 */
int trace_report_write(const struct trace_run *run, const struct trace_detail *detail,
		       const char *dir, enum trace_report_pictures *out_pictures,
		       struct util_error *err);

#endif
