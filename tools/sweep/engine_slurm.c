// SPDX-License-Identifier: BSD-3-Clause
/*
 * The engine that runs points in a job array of Slurm. Everything that passes between this process
 * and the tasks is in the folder SWEEP.db.jobs: a results file for each task, which names its
 * points and takes their results. So this process may end at any moment: the tasks go on, and the
 * next one finds them by the folder and the name of the array.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/sweep/task.h"
#include "util/outpath.h"

#define POLL_MS 500
#define POLLS_PER_QUEUE 4 /* slurmctld is asked more seldom than files */
#define ANSWER_B 4096

struct array {
	struct sweep_run *run;
	char *folder;	/* of the task files */
	char name[64];	/* of the job */
	int n_tasks;	/* task files 0.db … */
	time_t *seen_s; /* [n_tasks] when each was last changed, as far as it is merged */
};

/* Runs a command of Slurm; *out is what it prints. */
static int ask(char *const words[], char out[ANSWER_B], struct util_error *err)
{
	char *line = sweep_command_line(words), *all = NULL;
	size_t n = 0;
	FILE *pipe = NULL;
	int status = -1;

	if (line && asprintf(&all, "%s 2>&1", line) >= 0)
		pipe = popen(all, "re");
	if (pipe) {
		n = fread(out, 1, ANSWER_B - 1, pipe);
		while (fgetc(pipe) != EOF) /* what is too much to keep still has to be taken */
			;
		status = pclose(pipe);
	}
	free(line);
	free(all);
	while (n > 0 && out[n - 1] == '\n')
		n--;
	out[n] = '\0';
	for (char *c = status ? out : out + n; *c; c++) /* an error is one line */
		*c = *c == '\n' ? ' ' : *c;
	if (status == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return util_refuse(err, "found no %s, wanted Slurm's commands for --engine slurm",
				   words[0]);
	return util_error_set(err, UTIL_ESYSTEM, "%s failed: %s", words[0], out);
}

/* Whether tasks of the array wait or run. Jobs that Slurm has forgotten are not in its answer. */
static int is_active(const struct array *array, bool *out, struct util_error *err)
{
	char squeue[] = "squeue", brief[] = "--noheader", name[] = "--name",
	     format[] = "--format=%i";
	char *const words[] = {squeue, brief, name, (char *)array->name, format, NULL};
	char answer[ANSWER_B];
	int failed = ask(words, answer, err);

	if (!failed)
		*out = answer[0] != '\0';
	return failed;
}

static char *path_in(const struct array *array, int task, const char *end)
{
	char *path;

	return asprintf(&path, "%s/%d.%s", array->folder, task, end) < 0 ? NULL : path;
}

/* Takes the results of the tasks whose files have changed since the last time. */
static int merge(struct array *array, struct util_error *err)
{
	int failed = 0;

	for (int i = 0; i < array->n_tasks && !failed; i++) {
		char *path = path_in(array, i, "db");
		struct stat status;
		int n = 0;

		/* Times have a resolution: what is young may change without a new one. */
		if (path && stat(path, &status) == 0 &&
		    (status.st_mtime != array->seen_s[i] || time(NULL) - status.st_mtime < 3)) {
			failed = sweep_db_merge(array->run->db, path, &n, err);
			array->seen_s[i] = status.st_mtime;
			array->run->progress.n_ended += n;
		}
		free(path);
	}
	return failed;
}

/* Waits until no task waits or runs. UTIL_EPROGRAM: interrupted; they go on. */
static int wait_for(struct array *array, struct util_error *err)
{
	struct sweep_pool *pool = NULL;
	struct sweep_ended none;
	bool active = true;
	int failed = sweep_pool_create(1, &pool, err);

	for (int i = 0; active && !failed; i++) {
		if (i % POLLS_PER_QUEUE == 0)
			failed = is_active(array, &active, err);
		if (!failed)
			failed = merge(array, err);
		sweep_progress_show(&array->run->progress);
		if (active && !failed)
			failed = sweep_pool_wait(pool, POLL_MS, &none, err);
	}
	sweep_pool_destroy(pool);
	return failed ? failed : merge(array, err);
}

/* Folder and name of the array of a results file: the same for every call. */
static int init(struct array *array, struct sweep_run *run, struct util_error *err)
{
	struct sweep_hash *hash = sweep_hash_create();
	char text[SWEEP_HASH_SIZE] = "";

	*array = (struct array){.run = run};
	if (hash) {
		sweep_hash_add(hash, run->db_path);
		sweep_hash_get(hash, text);
	}
	sweep_hash_destroy(hash);
	snprintf(array->name, sizeof array->name, "mpisim-sweep-%.16s", text);
	if (!hash || asprintf(&array->folder, "%s.jobs", run->db_path) < 0) {
		array->folder = NULL;
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	return 0;
}

static int set_tasks(struct array *array, int n, struct util_error *err)
{
	free(array->seen_s);
	array->n_tasks = n;
	array->seen_s = calloc((size_t)n + 1, sizeof *array->seen_s);
	return array->seen_s ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

static int count_tasks(const struct array *array)
{
	struct stat status;
	int n = 0;
	char *path;

	while ((path = path_in(array, n, "db")) && stat(path, &status) == 0) {
		free(path);
		n++;
	}
	free(path);
	return n;
}

/* An array that an earlier run submitted: waits for it and takes its results. */
static int adopt(struct array *array, struct util_error *err)
{
	int failed;

	if (access(array->folder, F_OK))
		return 0;
	failed = set_tasks(array, count_tasks(array), err);
	if (!failed)
		failed = wait_for(array, err);
	if (!failed)
		util_output_remove_folder(array->folder);
	return failed;
}

static int write_script(const struct array *array, char **out, struct util_error *err)
{
	char task[] = "task", *const words[] = {array->run->own_path, task, array->folder, NULL};
	char *line = sweep_command_line(words);
	FILE *file = NULL;
	int failed = 0;

	if (!line || asprintf(out, "%s/job.sh", array->folder) < 0)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	else if (!(file = fopen(*out, "we")))
		failed = util_error_errno(err, errno, "cannot write %s", *out);
	if (file) {
		fprintf(file,
			"#!/bin/sh\n"
			"# A task of an array runs the points of its file, one for each CPU that "
			"it has.\n"
			"exec %s/\"$SLURM_ARRAY_TASK_ID\".db \"${SLURM_CPUS_PER_TASK:-1}\"\n",
			line);
		if (fclose(file))
			failed = util_error_errno(err, errno, "cannot write %s", *out);
	}
	free(line);
	return failed;
}

static int submit(struct array *array, struct util_error *err)
{
	char sbatch[] = "sbatch", *words[64] = {sbatch}, answer[ANSWER_B], *script = NULL;
	char *fixed[5] = {NULL},
	     *extra = strdup(array->run->options.sbatch ? array->run->options.sbatch : "");
	char *rest = NULL;
	int n = 1, failed = write_script(array, &script, err);

	if (!failed && (!extra || asprintf(&fixed[0], "--array=0-%d", array->n_tasks - 1) < 0 ||
			asprintf(&fixed[1], "--job-name=%s", array->name) < 0 ||
			asprintf(&fixed[2], "--output=%s/%%a.log", array->folder) < 0 ||
			asprintf(&fixed[3], "--chdir=%s", array->folder) < 0))
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < 4 && !failed; i++)
		words[n++] = fixed[i];
	for (char *word = failed ? NULL : strtok_r(extra, " \t", &rest); word && n < 60;
	     word = strtok_r(NULL, " \t", &rest))
		words[n++] = word;
	words[n] = script;
	if (!failed)
		failed = ask(words, answer, err);
	for (int i = 0; i < 4; i++)
		free(fixed[i]);
	free(extra);
	free(script);
	return failed;
}

static int write_tasks(struct array *array, struct util_error *err)
{
	struct sweep_run *run = array->run;
	int n = run->n_todo < run->options.n_tasks ? run->n_todo : run->options.n_tasks, failed = 0;

	if (mkdir(array->folder, 0777))
		return util_error_errno(err, errno, "cannot make %s", array->folder);
	for (int i = 0; i < n && !failed; i++) {
		char *path = path_in(array, i, "db");

		failed = path ? sweep_task_write(run, path, i, n, err)
			      : util_error_set(err, UTIL_ENOMEM, "out of memory");
		free(path);
	}
	return failed ? failed : set_tasks(array, n, err);
}

/* Points that have no result although their tasks are over: Slurm ended them, or their node. */
static int check(struct array *array, struct util_error *err)
{
	struct sweep_run *run = array->run;
	int there = 0, n_lost = 0;

	for (int i = 0; i < run->n_todo && there >= 0; i++) {
		there = sweep_db_has(run->db, run->hashes[run->todo[i]], err);
		n_lost += there == 0;
	}
	if (there < 0)
		return there;
	if (n_lost == 0) {
		util_output_remove_folder(array->folder);
		return 0;
	}
	return util_error_set(
	    err, UTIL_ESYSTEM,
	    "found %d points without a result: Slurm ended their tasks early (a time "
	    "limit, scancel?); see %s/*.log. The same command runs them again",
	    n_lost, array->folder);
}

int sweep_engine_slurm(struct sweep_run *run, struct util_error *err)
{
	struct array array = {0};
	int failed = init(&array, run, err);

	if (!failed)
		failed = adopt(&array, err);
	if (!failed)
		failed = sweep_run_find_todo(run, err);
	if (!failed && run->n_todo > 0) {
		failed = write_tasks(&array, err);
		if (!failed)
			failed = submit(&array, err);
		if (failed)
			util_output_remove_folder(array.folder);
		if (!failed)
			failed = wait_for(&array, err);
		if (!failed)
			failed = check(&array, err);
	}
	free(array.folder);
	free(array.seen_s);
	return failed;
}
