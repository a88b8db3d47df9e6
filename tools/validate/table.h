/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_TABLE_H
#define TOOLS_VALIDATE_TABLE_H

#include <stdbool.h>

#include "tools/validate/csv.h"
#include "util/error.h"

/* The table of measured and predicted configurations (docs/validate.md). Strings are borrowed from
 * its files' text. */
struct val_row {
	int line;					   /* of the file */
	const char *configuration, *group, *choice, *note; /* "" where there is none */
	double measured_s;
	double low_s, high_s; /* 95 % interval; 0, 0: none */
	double n;	      /* runs; 0: not said */
	double *predicted_s;  /* [n_models]; negative: not predicted */
	const char **notes;   /* [n_models]; that of the line where the model has none of its own */
};

struct val_table {
	const char *path; /* borrowed */
	char **models;	  /* [n_models] names */
	int n_models;
	struct val_row *rows; /* [n_rows], n_rows >= 1 */
	int n_rows;
	struct csv csv;
};

/*
 * Reads the table, and the JSON files that it names. Errors: UTIL_EINPUT with path:line, what was
 * found and what was wanted; UTIL_ESYSTEM; UTIL_ENOMEM.
 */
int val_table_read(const char *path, struct val_table *out, struct util_error *err);
void val_table_finish(struct val_table *table);

/* The predicted_time_s of a file of mpisim-run --json whose run completed. */
int val_prediction_read(const char *path, double *out_s, struct util_error *err);

#endif
