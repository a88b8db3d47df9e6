/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_REPORT_H
#define TOOLS_VALIDATE_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "tools/validate/stats.h"
#include "tools/validate/table.h"

struct val_options {
	double limits[VAL_MAX_LIMITS]; /* [n_limits], fractions, ascending */
	int n_limits;
	double margin; /* fraction by which measured times differ, or they are the same */
	bool lists_rows;
	const char *plot; /* directory; NULL: none */
	const char *json; /* file; NULL: none */
};

/* Shares, groups, choices, outliers, as Markdown. Returns 0 or UTIL_ENOMEM. */
int val_report_print(const struct val_table *table, const struct val_options *options, FILE *file);
/* Writes `root`, which it releases, to a file or ("-") standard output. Errors: UTIL_EINPUT,
 * UTIL_ESYSTEM, UTIL_ENOMEM; leaves no half file. */
int val_json_put(json_t *root, const char *path, struct util_error *err);
/* The same as JSON (docs/validate.md). Errors: UTIL_ESYSTEM, UTIL_ENOMEM; leaves no half file. */
int val_json_write(const struct val_table *table, const struct val_options *options,
		   const char *path, struct util_error *err);
/*
 * Writes points.csv, histogram.csv, scatter.gp, errors.gp into options->plot, a directory that is
 * made if it does not exist, and draws them as PNG and SVG. *out_drawn: false without gnuplot.
 * Errors: UTIL_ESYSTEM, UTIL_ENOMEM.
 */
int val_plot(const struct val_table *table, const struct val_options *options, bool *out_drawn,
	     struct util_error *err);

#endif
