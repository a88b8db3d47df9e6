// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/task.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "util/units.h"

#define MAX_JOBS 4096

static int put_words(struct sweep_db *db, sqlite3_stmt *put, const struct sweep_command *command,
		     double timeout_s, struct util_error *err)
{
	json_t *list = json_array();
	char *text;
	int failed = 0;

	for (int i = 0; i < command->n_words; i++)
		json_array_append_new(
		    list, json_stringn_nocheck(command->words[i], strlen(command->words[i])));
	text = json_dumps(list, JSON_COMPACT);
	json_decref(list);
	sqlite3_bind_text(put, 1, command->hash, -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 2, text, -1, SQLITE_TRANSIENT);
	sqlite3_bind_double(put, 3, timeout_s);
	sqlite3_bind_int(put, 4, command->is_measured);
	if (!text)
		failed = util_refuse(
		    err, "found an argument that is not UTF-8, wanted UTF-8 for the engine slurm");
	else if (sqlite3_step(put) != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_reset(put);
	free(text);
	return failed;
}

static int put_points(const struct sweep_run *run, struct sweep_db *db, int first, int step,
		      struct util_error *err)
{
	sqlite3_stmt *put = NULL;
	struct sweep_command command;
	int failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), "INSERT INTO task VALUES (?, ?, ?, ?)", -1,
			       &put, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	for (int i = first; i < run->n_todo && !failed; i += step) {
		failed = sweep_run_command(run, run->todo[i], &command, err);
		if (failed)
			break;
		failed = put_words(db, put, &command, run->spec->timeout_s, err);
		sweep_command_finish(&command);
	}
	sqlite3_finalize(put);
	return failed;
}

int sweep_task_write(const struct sweep_run *run, const char *path, int first, int step,
		     struct util_error *err)
{
	struct sweep_db *db = NULL;
	char *folder = getcwd(NULL, 0), round[16];
	int failed = folder ? sweep_db_open(path, true, false, &db, err)
			    : util_error_errno(err, errno, "cannot find the working directory");

	if (!failed)
		failed = sweep_db_begin(db, err);
	if (!failed)
		failed = sweep_db_put_info(db, "folder", folder, err);
	snprintf(round, sizeof round, "%d", run->round);
	if (!failed)
		failed = sweep_db_put_info(db, "round", round, err);
	if (!failed)
		failed = put_points(run, db, first, step, err);
	if (!failed)
		failed = sweep_db_commit(db, err);
	sweep_db_close(db);
	free(folder);
	return failed;
}

struct task {
	struct sweep_item *items; /* [n]; those made are taken */
	int n;
};

static char **words_of(const char *text)
{
	json_t *list = json_loads(text, 0, NULL);
	size_t n = json_array_size(list);
	char **words = n ? calloc(n + 1, sizeof *words) : NULL;
	bool is_good = words != NULL;

	for (size_t i = 0; i < n && is_good; i++) {
		const char *word = json_string_value(json_array_get(list, i));

		words[i] = word ? strdup(word) : NULL;
		is_good = words[i] != NULL;
	}
	json_decref(list);
	if (!is_good && words) {
		struct sweep_item item = {.words = words};

		sweep_item_finish(&item);
		words = NULL;
	}
	return words;
}

static int load(struct sweep_db *db, struct task *task, struct util_error *err)
{
	static const char sql[] =
	    "SELECT hash, words, timeout_s, is_measured, (SELECT value FROM info WHERE key ="
	    " 'round') FROM task WHERE hash NOT IN (SELECT hash"
	    " FROM result) ORDER BY rowid";
	sqlite3_stmt *all = NULL;
	int failed = 0, code = SQLITE_DONE;

	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &all, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while (!failed && (code = sqlite3_step(all)) == SQLITE_ROW) {
		struct sweep_item *more =
		    realloc(task->items, (size_t)(task->n + 1) * sizeof *more);
		struct sweep_item item = {
		    .words = more ? words_of((const char *)sqlite3_column_text(all, 1)) : NULL,
		    .engine = "slurm",
		    .is_measured = sqlite3_column_int(all, 3),
		    .round = sqlite3_column_int(all, 4),
		    .timeout_s = sqlite3_column_double(all, 2)};

		if (!more || !item.words) {
			task->items = more ? more : task->items;
			failed = util_refuse(err, "found a task without words");
			break;
		}
		snprintf(item.hash, sizeof item.hash, "%s", sqlite3_column_text(all, 0));
		task->items = more;
		more[task->n++] = item;
	}
	if (!failed && code != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(all);
	return failed;
}

static int make_item(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	struct task *task = context;

	*out = task->items[i];
	task->items[i].words = NULL;
	return 0;
}

static int run_task(const char *path, int n_jobs, struct util_error *err)
{
	struct task task = {0};
	struct sweep_progress progress;
	struct sweep_db *db = NULL;
	char *folder = NULL;
	int failed = sweep_db_open(path, false, true, &db, err);

	if (!failed)
		failed = load(db, &task, err);
	if (!failed && (!(folder = sweep_db_info(db, "folder")) || chdir(folder)))
		failed = util_refuse(err, "%s: cannot enter the folder of the sweep", path);
	if (!failed) {
		struct sweep_work work = {.n = task.n, .context = &task, .make = make_item};

		sweep_progress_init(&progress, task.n, 0, true);
		failed = sweep_execute(db, &work, n_jobs, &progress, err);
	}
	for (int i = 0; i < task.n; i++)
		sweep_item_finish(&task.items[i]);
	free(task.items);
	free(folder);
	sweep_db_close(db);
	return failed;
}

int sweep_main_task(int argc, char **argv)
{
	struct util_error err = {0};
	int64_t n_jobs = 1;
	int failed = 0;

	if (argc != 3 || util_parse_int(argv[2], 1, MAX_JOBS, &n_jobs, NULL))
		failed =
		    util_refuse(&err, "wanted mpisim-sweep task FILE JOBS, which job arrays call");
	if (!failed)
		failed = run_task(argv[1], (int)n_jobs, &err);
	return failed ? sweep_refuse(&err) : 0;
}
