/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_REAL_COMPARE_H
#define TRACES_REAL_COMPARE_H

#include "traces/real/real.h"
#include "traces/real/walk.h"

/* What the files of a real run share. */
struct trace_real_pair { /* sums over ranks */
	uint64_t measured_n, predicted_n;
	double measured_s, predicted_s;
};

enum { TRACE_REAL_CLASSES = 8 };

struct trace_real {
	const char *path; /* borrowed */
	struct mtrace_file *file;
	int n_ranks;
	struct trace_summary *summary;
	struct trace_detail *detail;
	int64_t end_ns; /* the last MPI_Finalize begins, from when the last MPI_Init ended */
	bool has_times;
	struct trace_real_pair computing; /* only measured_* */
	/* calls, one by one */
	struct trace_real_walk *walks; /* [n_ranks] */
	bool *is_lost;		       /* [n_ranks]: the calls were others from some point on */
	int first_lost;		       /* the first rank that this happened to */
	const char *lost_call;	       /* … and what it called; NULL: none */
	struct trace_real_pair classes[TRACE_REAL_CLASSES]; /* by size */
	uint64_t n_paired, n_unpaired;
};

#endif
