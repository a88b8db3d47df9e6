/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_ESTIMATE_H
#define PDEXEC_ESTIMATE_H

#include "util/error.h"

/*
 * What a run will need, known before it starts: memory that ranks take before their programs
 * allocate anything. Messages under way and what programs allocate come on top, and nobody knows
 * how much.
 */
struct pd_image;

/* Of `n_ranks` ranks without their variables: stacks that were touched, and the state of all
 * layers. Measured: docs/decisions/0040-what-a-run-needs.md. */
double pd_estimate_ranks_B(int n_ranks);
/* Their variables. After its isolation is chosen. */
double pd_estimate_variables_B(const struct pd_image *image);
/* What the control groups of a process leave it, the least of all that it is in; INFINITY: none has
 * a limit. `membership`: a file like /proc/self/cgroup; `root`: /sys/fs/cgroup, of either version. */
double pd_estimate_group_B(const char *root, const char *membership);
/* What this process may still take: free memory and swap of the machine, and not more than its
 * control groups leave. INFINITY where nobody says. Linux: /proc/meminfo, /sys/fs/cgroup. */
double pd_estimate_available_B(void);
/* 0, or UTIL_EINPUT when `n_ranks` ranks need more than there is. */
int pd_estimate_check(int n_ranks, double needed_B, double available_B, struct util_error *err);

#endif
