/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_POOL_H
#define TOOLS_SWEEP_POOL_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Processes that run side by side. What a process writes to descriptor SWEEP_RESULT_FD and the end
 * of what it writes to standard error are kept; its standard output is dropped. Processes end with
 * this one, however it ends. SIGINT and SIGTERM are taken over while a pool is there.
 */
#define SWEEP_RESULT_FD 3
/* What a process that could not become its command says, and its exit status. */
#define SWEEP_CANNOT_START "cannot start "
#define SWEEP_EXIT_CANNOT_START 127
#define SWEEP_RESULT_PATH "/dev/fd/3"

struct sweep_pool;

struct sweep_ended {
	int tag;
	int status; /* as of waitpid */
	bool has_timed_out;
	char *result; /* [result_size] and a NUL; the receiver's */
	size_t result_size;
	char *errors;  /* the last lines of standard error; the receiver's */
	double host_s; /* from start to end */
};
void sweep_ended_finish(struct sweep_ended *ended);

/* Errors: UTIL_ENOMEM, UTIL_ESYSTEM. */
int sweep_pool_create(int n_jobs, struct sweep_pool **out, struct util_error *err);
/* Kills what still runs. */
void sweep_pool_destroy(struct sweep_pool *pool);

int sweep_pool_n_running(const struct sweep_pool *pool);
/* Starts words[0] with `words` as arguments. There must be room. `timeout_s` 0: none. */
int sweep_pool_start(struct sweep_pool *pool, int tag, char *const words[], double timeout_s,
		     struct util_error *err);
/* Waits at most `milliseconds`. 1: *out is set; 0: nothing has ended; UTIL_EPROGRAM: a signal asks
 * for the end; other negative values: errors. */
int sweep_pool_wait(struct sweep_pool *pool, int milliseconds, struct sweep_ended *out,
		    struct util_error *err);

double sweep_host_time_s(void);

#endif
