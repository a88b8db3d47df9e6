/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_COMPUTE_H
#define PDEXEC_COMPUTE_H

#include "pdexec/rank.h"

/* Computation steps, beyond what rank.h declares for the layers above. */

/*
 * CPU time of the calling thread, and the host's monotonic clock, in seconds. Both go past the interposed clock_gettime of the
 * simulated program. Steps are measured in CPU time, not by the clock: what else the host does must
 * not count. A reading takes 0.2 us; the clock's takes 0.02 us, but with two busy threads per core a loop of
 * 0.67 ms took 1.37 ms by it on average.
 */
double pd_host_cpu_s(void);
double pd_host_clock_s(void);

/* Stops measuring and charges what was measured, without ending the step. pd_compute_begin goes on measuring. */
void pd_compute_pause(struct pd_rank *rank);
/* Charges `seconds` of computation on the reference CPU (scales applied already) to the step; `kernel` is interned, NULL: none. */
void pd_compute_charge(struct pd_rank *rank, const char *kernel, double seconds);
/* What a kernel that was charged reads and writes of memory; of other computation the cluster says it. */
void pd_compute_charge_memory(struct pd_rank *rank, const char *kernel, double memory_B);
/* CPU seconds of threads beyond what the step takes: they draw on memory as its own computation does. */
void pd_compute_charge_threads(struct pd_rank *rank, double seconds);

#endif
