/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_DIRECTORY_H
#define PDEXEC_DIRECTORY_H

#include "util/error.h"

/*
 * Working directories. The system has one for all threads of a process, so it is changed when a
 * rank is resumed that is elsewhere than the one before: nothing as long as no rank calls chdir.
 * Ranks that are in the same directory share its file descriptor.
 */
struct pd_process;
struct pd_directories; /* of a world */

int pd_directories_create(struct pd_directories **out, struct util_error *err);
/* After all processes. NULL is fine. */
void pd_directories_destroy(struct pd_directories *directories);

/* The process is to begin in `path`. Errors: UTIL_ESYSTEM, UTIL_ENOMEM. */
int pd_directory_set(struct pd_directories *directories, struct pd_process *process,
		     const char *path, struct util_error *err);
/* The process needs its directory no more. */
void pd_directory_leave(struct pd_process *process);
/* The working directory changes from that of `from`, which it is, to that of `to`. */
void pd_directory_enter(const struct pd_process *from, const struct pd_process *to);

#endif
