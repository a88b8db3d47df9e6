/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_STORE_WRITE_H
#define PDEXEC_STORE_WRITE_H

#include <stdbool.h>

#include "util/error.h"

/*
 * Writing measurements to a benchmark store: used by the simulator and by libmpisim-real, so it stands on nothing but libc and util/error.
 * Several processes may append to one file: every row is one write with O_APPEND, so rows are whole and none is lost when a process is killed.
 */
#define PD_BENCH_VERSION 1
#define PD_BENCH_MAX_PARAMS 4
#define PD_BENCH_MAX_NAME 100
#define PD_BENCH_COMMENT "# mpisim-bench "
#define PD_BENCH_HEADER "name,p1,p2,p3,p4,seconds"
/* Of programs, in the files that they write; those written by hand may lack the end. */
#define PD_BENCH_ENDS "# every line ends: the last one without its end is cut"

/* Opens or creates the file for appending; a new one gets its version and header. `*out_fd` is the caller's to close. */
int pd_bench_open(const char *path, int *out_fd, struct util_error *err);
/* Appends one row. Independent of the locale; numbers read back to the same double. */
int pd_bench_append(int fd, const char *name, int n_params, const double params[], double seconds,
		    struct util_error *err);
/* Checks a kernel's name and parameters: what may stand in a row. UTIL_EPROGRAM with a sentence. */
int pd_bench_check(const char *name, int n_params, const double params[], struct util_error *err);
/* NULL when `name` may name a kernel, else what is wrong with it ("is empty"). */
const char *pd_bench_name_fault(const char *name);

#endif
