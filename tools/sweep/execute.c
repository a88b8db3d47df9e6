// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/execute.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "tools/sweep/command.h"
#include "tools/sweep/result.h"

#define WAIT_MS 200 /* between two looks at the progress line */

struct execution {
	struct sweep_db *db;
	const struct sweep_work *work;
	struct sweep_pool *pool;
	struct sweep_progress *progress;
	struct sweep_item *running; /* [n_jobs] by tag; no words: free */
	int n_jobs, next;
	struct util_error *err;
};

void sweep_item_finish(struct sweep_item *item)
{
	for (int i = 0; item->words && item->words[i]; i++)
		free(item->words[i]);
	free(item->words);
	item->words = NULL;
}

/* The words with where the JSON goes; borrows them. */
static char **words_with_result(char *const words[])
{
	static char json[] = "--json", path[] = SWEEP_RESULT_PATH, quiet[] = "--quiet";
	size_t n = 0;
	char **all;

	while (words[n])
		n++;
	all = calloc(n + 4, sizeof *all);
	if (!all)
		return NULL;
	all[0] = words[0];
	all[1] = json;
	all[2] = path;
	all[3] = quiet;
	memcpy(all + 4, words + 1, (n - 1) * sizeof *all);
	return all;
}

static int start_next(struct execution *e)
{
	struct sweep_item item = {0};
	char **words;
	int tag = 0, failed = e->work->make(e->work->context, e->next, &item, e->err);

	if (failed)
		return failed;
	while (e->running[tag].words)
		tag++;
	words = words_with_result(item.words);
	failed = words ? sweep_pool_start(e->pool, tag, words, item.timeout_s, e->err)
		       : util_error_set(e->err, UTIL_ENOMEM, "out of memory");
	free(words);
	if (failed) {
		sweep_item_finish(&item);
		return failed;
	}
	item.place = e->next;
	e->running[tag] = item;
	e->next++;
	return 0;
}

static int take(struct execution *e, const struct sweep_ended *ended)
{
	struct sweep_item *item = &e->running[ended->tag];
	struct sweep_result result = {0};
	int failed;

	/* That is no result of the point: it would be kept. */
	if (WIFEXITED(ended->status) && WEXITSTATUS(ended->status) == SWEEP_EXIT_CANNOT_START &&
	    ended->errors &&
	    strncmp(ended->errors, SWEEP_CANNOT_START, strlen(SWEEP_CANNOT_START)) == 0)
		return util_error_set(e->err, UTIL_ESYSTEM, "%.*s",
				      (int)strcspn(ended->errors, "\n"), ended->errors);
	failed = sweep_result_take(ended, &result, e->err);
	if (failed)
		return failed;
	strcpy(result.hash, item->hash);
	snprintf(result.engine, sizeof result.engine, "%s", item->engine);
	result.command = sweep_command_line(item->words);
	if (!e->work->take || e->work->take(e->work->context, item->place, &result)) {
		failed = item->is_measured
			     ? sweep_db_put_measurement(e->db, &result, item->round, e->err)
			     : sweep_db_put_result(e->db, &result, e->err);
		e->progress->n_ended++;
		e->progress->n_failed += result.state == SWEEP_FAILED;
	}
	sweep_result_finish(&result);
	sweep_item_finish(item);
	return failed;
}

static int step(struct execution *e)
{
	struct sweep_ended ended;
	int found, failed = 0;

	while (e->next < e->work->n && sweep_pool_n_running(e->pool) < e->n_jobs && !failed)
		failed = start_next(e);
	if (failed)
		return failed;
	e->progress->n_running = sweep_pool_n_running(e->pool);
	sweep_progress_show(e->progress);
	found = sweep_pool_wait(e->pool, WAIT_MS, &ended, e->err);
	if (found <= 0)
		return found;
	failed = take(e, &ended);
	sweep_ended_finish(&ended);
	return failed;
}

int sweep_execute(struct sweep_db *db, const struct sweep_work *work, int n_jobs,
		  struct sweep_progress *progress, struct util_error *err)
{
	struct execution e = {.db = db,
			      .work = work,
			      .progress = progress,
			      .running = calloc((size_t)n_jobs, sizeof *e.running),
			      .n_jobs = n_jobs,
			      .err = err};
	int failed = e.running ? sweep_pool_create(n_jobs, &e.pool, err)
			       : util_error_set(err, UTIL_ENOMEM, "out of memory");

	while (!failed && (e.next < work->n || sweep_pool_n_running(e.pool) > 0))
		failed = step(&e);
	sweep_pool_destroy(e.pool);
	for (int i = 0; i < n_jobs && e.running; i++)
		sweep_item_finish(&e.running[i]);
	free(e.running);
	return failed;
}
