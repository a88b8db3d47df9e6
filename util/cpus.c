/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/cpus.h"

#include <sched.h>
#include <unistd.h>

int util_cpus(void)
{
	cpu_set_t set;
	long n = sched_getaffinity(0, sizeof(set), &set) ? sysconf(_SC_NPROCESSORS_ONLN)
							 : CPU_COUNT(&set);

	return n < 1 ? 1 : (int)n;
}
