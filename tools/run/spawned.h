/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_SPAWNED_H
#define TOOLS_RUN_SPAWNED_H

#include "tools/run/run.h"
#include "traces/jobs.h"

/* The programs that were spawned, in order; malloc'ed [*out_n], NULL without any or when out of
 * memory. Strings are the run's. */
struct trace_job *run_spawned_describe(const struct run *run, int *out_n);

#endif
