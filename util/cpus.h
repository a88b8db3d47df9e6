/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_CPUS_H
#define UTIL_CPUS_H

/* On how many CPUs this process may run: a job on a shared node may have few of the node's. 1 at least. */
int util_cpus(void);

#endif
