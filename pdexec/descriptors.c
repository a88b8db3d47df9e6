/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The simulator's own files are open while the program runs. A rank that closes whatever there may
 * be, as daemons and libraries do, closes its own and the program's, not those.
 */
#include <dirent.h>
#include <limits.h>

#include "pdexec/libc-next.h"
#include "pdexec/process.h"

enum { N_KEPT = 4096 }; /* more than the simulator opens before a run */

static bool is_kept[N_KEPT];

void pd_descriptors_keep(void)
{
	DIR *folder = opendir("/proc/self/fd");
	struct dirent *entry;

	memset(is_kept, 0, sizeof is_kept);
	while (folder && (entry = readdir(folder))) {
		int descriptor = atoi(entry->d_name);

		if (descriptor > STDERR_FILENO && descriptor < N_KEPT &&
		    descriptor != dirfd(folder))
			is_kept[descriptor] = true;
	}
	if (folder)
		closedir(folder);
}

static bool is_simulators(int descriptor)
{
	return descriptor >= 0 && descriptor < N_KEPT && is_kept[descriptor];
}

PD_INTERPOSE int close(int descriptor)
{
	if (is_simulators(descriptor) && pd_process_here())
		return 0;
	return pd_libc_next()->close(descriptor);
}

/* What lies between those that are kept. */
static int close_others(unsigned int first, unsigned int last, int flags)
{
	int status = 0;

	for (unsigned int i = first; i < N_KEPT && i <= last && status == 0; i++) {
		if (!is_kept[i])
			continue;
		if (i > first)
			status = pd_libc_next()->close_range(first, i - 1, flags);
		first = i + 1;
	}
	return status || first > last ? status : pd_libc_next()->close_range(first, last, flags);
}

PD_INTERPOSE int close_range(unsigned int first, unsigned int last, int flags)
{
	return first <= last && pd_process_here() ? close_others(first, last, flags)
						  : pd_libc_next()->close_range(first, last, flags);
}

PD_INTERPOSE void closefrom(int first)
{
	if (pd_process_here())
		close_others(first > 0 ? (unsigned int)first : 0, UINT_MAX, 0);
	else
		pd_libc_next()->closefrom(first);
}
