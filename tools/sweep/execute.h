/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_EXECUTE_H
#define TOOLS_SWEEP_EXECUTE_H

#include "tools/sweep/db.h"
#include "tools/sweep/pool.h"
#include "tools/sweep/progress.h"

struct sweep_item { /* one process to run */
	char hash[SWEEP_HASH_SIZE];
	char **words; /* NULL-terminated, without --json; owned: words and list */
	const char *engine;
	bool is_measured;
	int round; /* of its measurements; others: 0 */
	double timeout_s;
	int place; /* set by sweep_execute: which item it is */
};
void sweep_item_finish(struct sweep_item *item);

struct sweep_work {
	int n;
	void *context;
	/* Makes item i; an error ends all. */
	int (*make)(void *context, int i, struct sweep_item *out, struct util_error *err);
	/* Looks at the result of item i; false: it is not to be put into the file. NULL: all are.
	 */
	bool (*take)(void *context, int i, const struct sweep_result *result);
};

/*
 * Runs all items, in their order, n_jobs at a time, and puts each result into `db` as soon as it is
 * there. Errors: UTIL_EPROGRAM when interrupted (what had ended is in the file), those of `make`,
 * UTIL_ESYSTEM, UTIL_ENOMEM.
 */
int sweep_execute(struct sweep_db *db, const struct sweep_work *work, int n_jobs,
		  struct sweep_progress *progress, struct util_error *err);

#endif
