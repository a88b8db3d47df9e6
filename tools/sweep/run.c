// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mtrace/reader.h"
#include "tools/sweep/verdict.h"
#include "util/array.h"

#define MAX_SHOWN 10 /* commands of --dry-run */

int sweep_run_command(const struct sweep_run *run, int point, struct sweep_command *out,
		      struct util_error *err)
{
	const int *choice = run->grid.choices + (size_t)point * (size_t)run->grid.n_parameters;
	int failed = sweep_command_make(run->spec, &run->tools, choice, out, err);
	struct sweep_hash *hash;

	if (failed || !run->is_replay_only)
		return failed;
	/* What a replay says may differ from what a run says: another result. */
	hash = sweep_hash_create();
	if (!hash) {
		sweep_command_finish(out);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	sweep_hash_add(hash, "replay");
	sweep_hash_add(hash, out->hash);
	sweep_hash_get(hash, out->hash);
	sweep_hash_destroy(hash);
	return 0;
}

/* "sweep.yaml" → "sweep.db", as an absolute path: points run in the folder of the sweep file. */
static int choose_db(struct sweep_run *run, struct util_error *err)
{
	const char *name = run->options.db ? run->options.db : run->options.spec;
	size_t length = strlen(name);
	char here[PATH_MAX];

	if (!getcwd(here, sizeof here))
		return util_error_errno(err, errno, "cannot find the working directory");
	if (!run->options.db && length > 5 && strcmp(name + length - 5, ".yaml") == 0)
		length -= 5;
	else if (!run->options.db && length > 4 && strcmp(name + length - 4, ".yml") == 0)
		length -= 4;
	if (asprintf(&run->db_path, "%s%s%.*s%s", name[0] == '/' ? "" : here,
		     name[0] == '/' ? "" : "/", (int)length, name,
		     run->options.db ? "" : ".db") < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	return 0;
}

/* The hashes of all points: reads every file, so that what is missing is said before anything runs.
 */
static int make_hashes(struct sweep_run *run, struct util_error *err)
{
	size_t n = (size_t)run->grid.n_points;
	struct sweep_command command;
	int failed = 0;

	run->hashes = calloc(n, sizeof *run->hashes);
	run->traced = calloc(n, sizeof *run->traced);
	run->is_measured = calloc(n, sizeof *run->is_measured);
	run->is_candidate = calloc(n, sizeof *run->is_candidate);
	run->courses = calloc(n, sizeof *run->courses);
	if (!run->hashes || !run->traced || !run->is_measured || !run->is_candidate ||
	    !run->courses)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %zu points", n);
	for (int i = 0; i < run->grid.n_points && !failed; i++) {
		failed = sweep_run_command(run, i, &command, err);
		if (failed)
			break;
		strcpy(run->hashes[i], command.hash);
		run->is_measured[i] = command.is_measured;
		if (command.can_replay)
			strcpy(run->traced[i], command.traced);
		sweep_command_finish(&command);
	}
	return failed;
}

/* A trace that all points replay must be whole: else all would fail alike. Of several, each point
 * finds out about its own. */
static int check_trace(const struct sweep_run *run, struct util_error *err)
{
	struct sweep_command command;
	struct mtrace_file *file = NULL;
	int failed;

	for (int i = 0; i < run->spec->n_parameters; i++)
		if (sweep_text_uses(run->spec->trace, i))
			return 0;
	failed = sweep_run_command(run, 0, &command, err);
	if (failed)
		return failed;
	failed = mtrace_file_open(command.words[command.program], &file, err);
	mtrace_file_close(file);
	sweep_command_finish(&command);
	return failed;
}

static int compare_hashes(const void *a, const void *b, void *context)
{
	char(*hashes)[SWEEP_HASH_SIZE] = context;
	int x = *(const int *)a, y = *(const int *)b;
	int order = strcmp(hashes[x], hashes[y]);

	return order ? order : (x > y) - (x < y);
}

int sweep_run_find_todo(struct sweep_run *run, struct util_error *err)
{
	int n = run->grid.n_points, *order = calloc((size_t)n, sizeof *order), failed = 0;

	free(run->todo);
	run->todo = order;
	if (!order)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, (size_t)n, sizeof *order, compare_hashes, run->hashes);
	run->n_todo = 0;
	for (int i = 0, last = -1; i < n && !failed; i++) {
		int point = order[i];
		bool is_todo = false;

		if (last >= 0 && strcmp(run->hashes[last], run->hashes[point]) == 0)
			continue;
		last = point;
		failed = sweep_run_is_todo(run, point, &is_todo, err);
		if (is_todo)
			order[run->n_todo++] = point;
	}
	qsort(order, (size_t)run->n_todo, sizeof *order, util_compare_ints);
	return failed;
}

static int put_grid(struct sweep_run *run, struct util_error *err)
{
	int failed = sweep_db_begin(run->db, err);

	if (!failed)
		failed = sweep_db_put_grid(run->db, run->spec, &run->grid,
					   (const char(*)[SWEEP_HASH_SIZE])run->hashes, err);
	if (!failed && run->options.retries_failed)
		failed = sweep_db_forget_failed(run->db, err);
	return failed ? failed : sweep_db_commit(run->db, err);
}

static enum sweep_engine engine_of(const struct sweep_run *run)
{
	return run->options.engine >= 0 ? (enum sweep_engine)run->options.engine
					: run->spec->engine;
}

static int prepare(struct sweep_run *run, struct util_error *err)
{
	int failed = choose_db(run, err);

	if (!failed)
		failed = sweep_spec_read(run->options.spec, &run->spec, err);
	if (!failed && run->spec->trace && engine_of(run) == SWEEP_DIRECT)
		failed = util_refuse(err, "found the engine direct for a trace, wanted auto, "
					  "replay or slurm: there is no program to run");
	run->is_replay_only = !failed && !run->spec->trace && engine_of(run) == SWEEP_REPLAY;
	if (!failed)
		failed = sweep_grid_make(run->spec, &run->grid, err);
	if (!failed)
		failed = sweep_tools_find(run->own_path, run->lib_from_bin, &run->tools, err);
	if (!failed && !run->tools.replay && (run->spec->trace || run->is_replay_only))
		failed = util_refuse(err, "found no mpisim-replay, wanted it beside mpisim-sweep");
	if (!failed && chdir(run->spec->folder))
		failed = util_error_errno(err, errno, "cannot enter %s", run->spec->folder);
	if (!failed)
		failed = make_hashes(run, err);
	if (!failed && run->spec->trace)
		failed = check_trace(run, err);
	if (!failed && run->options.is_dry && access(run->db_path, R_OK) && errno == ENOENT)
		return sweep_run_find_todo(run, err);
	if (!failed)
		failed = sweep_db_open(run->db_path, !run->options.is_dry, !run->options.is_dry,
				       &run->db, err);
	if (!failed && !run->options.is_dry)
		failed = put_grid(run, err);
	return failed ? failed : sweep_run_find_todo(run, err);
}

/* What would be run, without running it. */
static int show(struct sweep_run *run, struct util_error *err)
{
	struct sweep_command command;
	int failed = 0, i;

	printf("%s: %d points, %d to run\n", run->spec->name, run->grid.n_points, run->n_todo);
	for (i = 0; i < run->n_todo && i < MAX_SHOWN && !failed; i++) {
		char *line = NULL;

		failed = sweep_run_command(run, run->todo[i], &command, err);
		if (failed)
			break;
		line = sweep_command_line(command.words);
		printf("%s\n", line ? line : "");
		free(line);
		sweep_command_finish(&command);
	}
	if (i < run->n_todo && !failed)
		printf("… and %d more\n", run->n_todo - i);
	return failed;
}

static int execute(struct sweep_run *run, struct util_error *err)
{
	int failed;

	sweep_progress_init(&run->progress, run->grid.n_points, run->grid.n_points - run->n_todo,
			    run->options.is_quiet);
	if (engine_of(run) == SWEEP_SLURM)
		failed = sweep_run_rounds(run, sweep_engine_slurm, err);
	else if (engine_of(run) == SWEEP_DIRECT || run->spec->trace || !run->tools.replay)
		failed = sweep_run_rounds(run, sweep_engine_direct, err);
	else
		failed = sweep_run_rounds(run, sweep_engine_replay, err);
	sweep_progress_finish(&run->progress);
	return failed;
}

/* What is measured can leave open which point is the fastest. */
static void print_verdict(const struct sweep_run *run)
{
	struct sweep_table *table = NULL;

	if (!sweep_table_load(run->db_path, NULL, &table, NULL))
		sweep_verdict_print(table, stdout);
	sweep_table_destroy(table);
}

/* The last words, and the exit status. */
static int conclude(struct sweep_run *run, int failed, const struct util_error *err)
{
	struct sweep_counts counts = {0};
	struct util_error why = {0};
	char time[32];

	if (failed && failed != UTIL_EPROGRAM)
		return sweep_refuse(err);
	if (sweep_db_count(run->db, &counts, &why))
		return sweep_refuse(&why);
	if (failed) {
		fprintf(
		    stderr,
		    "mpisim-sweep: interrupted with %d of %d points; the same command goes on\n",
		    counts.n_done + counts.n_failed, counts.n_points);
		return SWEEP_EXIT_INTERRUPTED;
	}
	if (!run->options.is_quiet) {
		printf("%s: %d points: %d done, %d failed; %d run now, ", run->spec->name,
		       counts.n_points, counts.n_done, counts.n_failed, run->n_new);
		if (run->n_runs > run->n_new)
			printf("%d measurements, ", run->n_runs);
		printf("in %s\n", sweep_duration_text(sweep_host_time_s() - run->progress.begin_s,
						      time, sizeof time));
	}
	if (!run->options.is_quiet && sweep_run_has_measured(run))
		print_verdict(run);
	if (counts.n_failed)
		sweep_failures_print(run->db, stderr);
	return counts.n_failed ? SWEEP_EXIT_FAILED : 0;
}

static void finish(struct sweep_run *run)
{
	sweep_db_close(run->db);
	sweep_grid_finish(&run->grid);
	sweep_spec_destroy(run->spec);
	sweep_tools_finish(&run->tools);
	free(run->hashes);
	free(run->traced);
	free(run->is_measured);
	free(run->is_candidate);
	free(run->courses);
	free(run->todo);
	free(run->db_path);
	free(run->own_path);
}

int sweep_main_run(int argc, char **argv, const char *own_path, const char *lib_from_bin)
{
	struct sweep_run run = {.own_path = strdup(own_path), .lib_from_bin = lib_from_bin};
	struct util_error err = {0};
	int failed = sweep_run_options_parse(argc, argv, &run.options, &err), status = 0;

	if (!failed && run.options.help) {
		free(run.own_path);
		return 0;
	}
	if (!failed && !run.own_path)
		failed = util_error_set(&err, UTIL_ENOMEM, "out of memory");
	if (!failed)
		failed = prepare(&run, &err);
	if (!failed && run.options.is_dry)
		failed = show(&run, &err);
	if (failed)
		status = sweep_refuse(&err);
	else if (!run.options.is_dry)
		status = conclude(&run, execute(&run, &err), &err);
	finish(&run);
	return status;
}
