/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_JSON_H
#define TRACES_JSON_H

#include <jansson.h>

#include "simcore/time.h"
#include "util/error.h"

struct trace_run;

/* The run as JSON (docs/json.md), the caller's to release; NULL when out of memory. */
json_t *trace_json_run(const struct trace_run *run);
/* The list of --verify. */
json_t *trace_json_findings(const struct trace_run *run);

/* Values of the JSON output. What fails shows in the missing whole. */
json_t *trace_json_number(double value); /* null for what is no finite number */
json_t *trace_json_seconds(sim_time_ps time);
/* Text of the program may be of any encoding; what is not UTF-8 is shown byte by byte. NULL: null. */
json_t *trace_json_string(const char *text);
json_t *trace_json_words(char *const *words); /* [] until NULL */

/* Reads a file that holds an object or a list, the caller's to release. UTIL_EINPUT. */
int trace_json_load(const char *path, json_t **out, struct util_error *err);

/* traces/json_jobs.c */
json_t *trace_json_jobs(const struct trace_run *run);
json_t *trace_json_spawned(const struct trace_run *run);
json_t *trace_json_connections(const struct trace_run *run);

#endif
