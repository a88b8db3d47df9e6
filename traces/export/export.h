/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_EXPORT_H
#define TRACES_EXPORT_EXPORT_H

#include "traces/summary.h"
#include "util/error.h"

/*
 * A run as a trace for other tools (docs/traces-out.md): what each rank computed and called, phases,
 * messages. The name's ending says the format: .json (Chrome, Perfetto), .paje or .trace (Paje), .prv
 * (Paraver, with .pcf and .row beside it). Events go to disk while the run goes on; memory is that
 * of a spool.
 */
struct trace_export;

/* `path` is borrowed. Errors: UTIL_EINPUT, UTIL_ESYSTEM, UTIL_ENOMEM. */
int trace_export_create(const char *path, const struct trace_summary *summary,
			struct trace_export **out, struct util_error *err);
void trace_export_destroy(struct trace_export *exporter); /* NULL is fine */
struct sim_observer trace_export_observer(struct trace_export *exporter);
/* Writes the files, each under its name when it is complete. After trace_summary_close. Errors:
 * UTIL_ESYSTEM, UTIL_ENOMEM. */
int trace_export_write(struct trace_export *exporter, struct util_error *err);

#endif
