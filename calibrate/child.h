/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_CHILD_H
#define CALIBRATE_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "util/error.h"

struct child_command {
	int n;
	char **arguments; /* NULL behind the last */
	bool is_short;	  /* no memory */
};

/* One more argument. */
void child_say(struct child_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void child_forget(struct child_command *command);
/* A program of mpisim's. Errors: UTIL_ESYSTEM, there is none. */
int child_find(const char *name, char path[PATH_MAX], struct util_error *err);
/* Its standard output goes to the file `output`, NULL: to `log`, where its errors go. */
int child_start(const struct child_command *command, const char *output, const char *log,
		pid_t *child, struct util_error *err);
/* Until it ends. Errors: its own first line. One that takes too long is ended. */
int child_wait(pid_t child, const char *log, struct util_error *err);

#endif
