/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_TRACE_H
#define TOOLS_VALIDATE_TRACE_H

#include <stdbool.h>

#include "util/error.h"

/* What is in a trace of a real run (docs/trace-real.md), told as it is read, rank by rank. */
struct val_trace_reader {
	void *context;
	/* A phase of a rank begins; name NULL: the one begun last ends. */
	int (*phase)(void *context, int rank, const char *name, double at_s,
		     struct util_error *err);
	/* `seconds` in a call of the function; of computation, by the clock that the trace was
	 * recorded with: name VAL_COMPUTING; where that is the CPU's, what passed between calls
	 * besides: name VAL_WAITING. */
	int (*part)(void *context, const char *name, double seconds, struct util_error *err);
	/* Written when the trace is open. */
	bool has_cpu_clock;
	int n_ranks;
};
#define VAL_COMPUTING "(computing)"
#define VAL_WAITING "(waiting for the CPU)"

/* One of these names. */
bool val_is_computation(const char *name);

/* Whether the file is a trace, by its first bytes. */
bool val_is_trace(const char *path);
/* Errors: those of the callbacks, which end it; of mtrace/reader.h; UTIL_EINPUT without times. */
int val_trace_read(const char *path, struct val_trace_reader *reader, struct util_error *err);

#endif
