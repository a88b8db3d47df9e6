/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REAL_WALK_H
#define TRACES_REAL_WALK_H

#include <stdbool.h>
#include <stdint.h>

#include "mtrace/reader.h"

/* One rank of a real run's trace (docs/trace-real.md), call by call: memory is that of a block, and
 * of the datatypes and requests that are there. */
enum trace_real_kind { TRACE_REAL_CALL, TRACE_REAL_PHASE_BEGIN, TRACE_REAL_PHASE_END };

struct trace_real_item {
	enum trace_real_kind kind;
	const char
	    *name; /* of the function or phase; NULL: end of a phase; lives as long as the file */
	bool has_times;
	int64_t begin_ns, end_ns; /* from the zero of all ranks */
	/* Calls: of the largest message that the arguments tell of (to or from one rank), or that
	 * the requests do; -1: none. */
	int64_t size_B;
};

struct trace_real_charge {
	const char *kernel; /* NULL: not annotated */
	double seconds;
};

struct trace_real_walk {
	struct mtrace_cursor at;
	struct mtrace_file *file;
	int64_t now_ns;
	struct trace_real_sizes {
		int64_t *of; /* [n] by id */
		size_t n;
	} types, requests;
	struct trace_real_charge *charges; /* [n_charges] computation before the item */
	int n_charges;
	bool is_open;
};

/* `file` is borrowed. Errors: as mtrace_cursor_open. */
int trace_real_walk_open(struct mtrace_file *file, int rank, struct trace_real_walk *out,
			 struct util_error *err);
void trace_real_walk_close(struct trace_real_walk *walk);
/* 1: an item; 0: there are no more. Errors: UTIL_EINPUT, UTIL_ENOMEM. */
int trace_real_walk_next(struct trace_real_walk *walk, struct trace_real_item *out,
			 struct util_error *err);
/* MPI_Init and MPI_Finalize: starting and ending processes is not predicted, and no part of a
 * timeline. */
bool trace_real_is_edge(const char *function);

#endif
