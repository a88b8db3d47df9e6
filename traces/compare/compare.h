/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_COMPARE_COMPARE_H
#define TRACES_COMPARE_COMPARE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/* Two runs side by side, as --json tells of each: what changed, the largest first (docs/html-report.md). */

/* Reads what `mpisim-run --json` wrote. *out is the caller's. Errors: UTIL_EINPUT with the path. */
int trace_compare_load(const char *path, json_t **out, struct util_error *err);
/* The "compared" of docs/json.md; `after`: the whole JSON of the run. NULL: out of memory. */
json_t *trace_compare_json(const char *path, const json_t *before, const json_t *after);
/* For people what a run is compared with, if it is; is_brief: the time alone. */
struct trace_run;
void trace_compare_text(const struct trace_run *run, bool is_brief, FILE *file);

#endif
