// SPDX-License-Identifier: BSD-3-Clause
/*
 * The engine that runs the program once for each set of points that differ only in cluster,
 * placement and kernels, records it, and replays the trace for the others. Whether a replay says
 * what a run would say is found out with the point that is recorded: its replay must predict the
 * same time and have nothing to warn of that the run had not. A replay of another point that fails
 * or warns of more (a program that asks which ranks share a node) is no result either: it is run.
 *
 * Nearly every program reads a clock, most only to tell a time. Where computation is measured such
 * points are run once more than they count, to see whether they take the same course as the
 * recording: whether they send as many messages and bytes.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "tools/sweep/run.h"

#include "util/array.h"

#define MIN_GROUP 3 /* points that are worth a trace and its check */
/* Of measured points two are: what scatters is then the same in both. */
#define MIN_MEASURED_GROUP 2

struct group { /* points with the same traced inputs; order[first] is recorded */
	int first;
	double recorded_s; /* the predicted time of the run that is recorded; 0: it failed */
	char *warnings;	   /* of that run, as JSON; NULL: none */
	long long n_messages, n_bytes;
	bool is_doubted; /* since it reads a clock, and for nothing else */
	bool is_good;	 /* its trace is used */
};

struct replaying {
	struct sweep_run *run;
	struct group *groups; /* [n_groups] */
	int n_groups;
	int *order; /* [n_order] replayable points, by what a trace cannot vary */
	int n_order;
	int *group_of; /* [n_points] place of a point's group, from 1; 0: it has none */
	struct {       /* [n_rest] what is left when all is recorded */
		int point;
		bool is_replayed, is_done;
	} * rest;
	int n_rest;
	char *folder; /* of the traces */
};

static char *trace_of(const struct replaying *r, int point)
{
	char *path;

	return asprintf(&path, "%s/%s.mtrace", r->folder, r->run->traced[point]) < 0 ? NULL : path;
}

static int add_copy(char ***words, int *n, const char *word)
{
	return util_texts_add(words, n, word ? strdup(word) : NULL);
}

/* The words of a run with --record, or of the replay of what it recorded. */
static int make_words(const struct replaying *r, int point, bool is_replayed,
		      struct sweep_item *out, struct util_error *err)
{
	struct sweep_command command;
	char *trace = trace_of(r, point), **words = NULL;
	int n = 0, bad = 0, failed = sweep_run_command(r->run, point, &command, err);

	if (failed) {
		free(trace);
		return failed;
	}
	bad |= add_copy(&words, &n, is_replayed ? r->run->tools.replay : command.words[0]);
	if (!is_replayed)
		bad |= add_copy(&words, &n, "--record") | add_copy(&words, &n, trace);
	for (int i = 1; i < command.n_words && !bad && !is_replayed; i++)
		bad |= add_copy(&words, &n, command.words[i]);
	for (int i = 1; i + 1 < command.program && !bad && is_replayed; i++)
		if (sweep_option_is_replayed(r->run->spec, command.words[i]))
			bad |= add_copy(&words, &n, command.words[i]) |
			       add_copy(&words, &n, command.words[i + 1]);
	if (is_replayed)
		bad |= add_copy(&words, &n, trace);
	*out = (struct sweep_item){.words = words,
				   .engine = is_replayed ? "replay" : "direct",
				   .is_measured = command.is_measured,
				   .round = r->run->round,
				   .timeout_s = r->run->spec->timeout_s};
	strcpy(out->hash, command.hash);
	sweep_command_finish(&command);
	free(trace);
	if (bad)
		sweep_item_finish(out);
	return bad ? util_error_set(err, UTIL_ENOMEM, "out of memory") : 0;
}

static int make_recording(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	const struct replaying *r = context;

	return make_words(r, r->order[r->groups[i].first], false, out, err);
}

static int make_check(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	const struct replaying *r = context;

	return make_words(r, r->order[r->groups[i].first], true, out, err);
}

static int make_run(const struct replaying *r, int point, struct sweep_item *out,
		    struct util_error *err)
{
	struct sweep_command command;
	int failed = sweep_run_command(r->run, point, &command, err);

	if (failed)
		return failed;
	*out = (struct sweep_item){.words = command.words,
				   .engine = "direct",
				   .is_measured = command.is_measured,
				   .round = r->run->round,
				   .timeout_s = r->run->spec->timeout_s};
	strcpy(out->hash, command.hash);
	return 0;
}

static int make_rest(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	const struct replaying *r = context;
	int point = r->rest[i].point;

	return r->rest[i].is_replayed ? make_words(r, point, true, out, err)
				      : make_run(r, point, out, err);
}

/* Sentences that say the same with other figures are of one kind. */
static bool is_of_kind(const char *text, const char *other)
{
	size_t length = strcspn(text, "0123456789");

	return length == strcspn(other, "0123456789") && strncmp(text, other, length) == 0;
}

static bool is_known(const json_t *known, const char *text)
{
	const json_t *one;
	size_t i;

	json_array_foreach(known, i, one)
	{
		if (is_of_kind(text, json_string_value(one)))
			return true;
	}
	return false;
}

/* Whether a replay has more to warn of than the run that was recorded. With `but_clocks` that it
 * reads a clock does not count. */
static bool warns_of_more(const struct sweep_result *result, const struct group *group,
			  bool but_clocks)
{
	json_t *list = result->warnings ? json_loads(result->warnings, 0, NULL) : NULL;
	json_t *known = group->warnings ? json_loads(group->warnings, 0, NULL) : NULL, *warning;
	bool is_more = false;
	size_t i;

	json_array_foreach(list, i, warning)
	{
		const char *text = json_string_value(warning);

		is_more |= !is_known(known, text) && !(but_clocks && strstr(text, "read a clock"));
	}
	json_decref(list);
	json_decref(known);
	return is_more;
}

static bool take_recording(void *context, int i, const struct sweep_result *result)
{
	struct replaying *r = context;
	struct group *group = &r->groups[i];

	group->recorded_s = result->state == SWEEP_DONE ? result->predicted_time_s : 0;
	group->warnings = result->warnings ? strdup(result->warnings) : NULL;
	group->n_messages = result->n_messages;
	group->n_bytes = result->n_bytes;
	group->is_good = result->state == SWEEP_DONE;
	/* With --engine replay it is only there for its trace. */
	return !r->run->is_replay_only;
}

static bool take_check(void *context, int i, const struct sweep_result *result)
{
	struct replaying *r = context;
	struct group *group = &r->groups[i];
	bool is_same = result->state == SWEEP_DONE && result->predicted_time_s == group->recorded_s;

	group->is_good = is_same && !warns_of_more(result, group, false);
	group->is_doubted = is_same && !group->is_good &&
			    r->run->is_measured[r->order[group->first]] &&
			    !warns_of_more(result, group, true);
	return false;
}

static int make_course(void *context, int i, struct sweep_item *out, struct util_error *err)
{
	const struct replaying *r = context;

	return make_run(r, r->rest[i].point, out, err);
}

static bool take_course(void *context, int i, const struct sweep_result *result)
{
	struct replaying *r = context;
	int point = r->rest[i].point;
	const struct group *group = &r->groups[r->group_of[point] - 1];
	bool is_same = result->state == SWEEP_DONE && result->n_messages == group->n_messages &&
		       result->n_bytes == group->n_bytes;

	r->run->courses[point] = is_same ? SWEEP_COURSE_SAME : SWEEP_COURSE_OTHER;
	return false;
}

/* Those of doubted groups whose course is not known from an earlier round. */
static void find_courses(struct replaying *r)
{
	r->n_rest = 0;
	for (int i = 0; i < r->n_order; i++) {
		int point = r->order[i], group = r->group_of[point] - 1;

		if (group >= 0 && r->groups[group].is_doubted && r->groups[group].first != i &&
		    r->run->courses[point] == SWEEP_COURSE_UNKNOWN)
			r->rest[r->n_rest++].point = point;
	}
}

/* Where all take the same course their replays may warn of the clock. */
static void clear_doubts(struct replaying *r)
{
	for (int i = 0; i < r->n_order; i++) {
		int point = r->order[i], group = r->group_of[point] - 1;

		if (group >= 0 && r->groups[group].first != i &&
		    r->run->courses[point] != SWEEP_COURSE_SAME)
			r->groups[group].is_doubted = false;
	}
	for (int i = 0; i < r->n_groups; i++)
		r->groups[i].is_good |= r->groups[i].is_doubted;
}

static int compare_traced(const void *a, const void *b, void *context)
{
	const struct replaying *r = context;
	int x = *(const int *)a, y = *(const int *)b;
	int order = strcmp(r->run->traced[x], r->run->traced[y]);

	return order ? order : (x > y) - (x < y);
}

/* A replay that fails or has more to warn of than the run that was recorded is another course. */
static bool take_rest(void *context, int i, const struct sweep_result *result)
{
	struct replaying *r = context;
	bool is_done = !r->rest[i].is_replayed || r->run->is_replay_only;

	if (!is_done && result->state == SWEEP_DONE) { /* a replay: its point has a group */
		const struct group *group = &r->groups[r->group_of[r->rest[i].point] - 1];

		is_done = !warns_of_more(result, group, group->is_doubted);
	}
	r->rest[i].is_done = is_done;
	return is_done;
}

/* Leaves the points that are to be run after all. */
static void find_undone(struct replaying *r)
{
	int n = 0;

	for (int i = 0; i < r->n_rest; i++) {
		if (r->rest[i].is_done)
			continue;
		r->rest[n].point = r->rest[i].point;
		r->rest[n++].is_replayed = false;
	}
	r->n_rest = n;
}

static int least_of(const struct sweep_run *run, int point)
{
	if (run->is_replay_only)
		return 1;
	return run->is_measured[point] ? MIN_MEASURED_GROUP : MIN_GROUP;
}

static int make_groups(struct replaying *r, struct util_error *err)
{
	const struct sweep_run *run = r->run;

	r->order = calloc((size_t)run->n_todo + 1, sizeof *r->order);
	r->groups = calloc((size_t)run->n_todo + 1, sizeof *r->groups);
	r->rest = calloc((size_t)run->n_todo + 1, sizeof *r->rest);
	r->group_of = calloc((size_t)run->grid.n_points, sizeof *r->group_of);
	if (!r->order || !r->groups || !r->rest || !r->group_of)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < run->n_todo; i++)
		if (run->traced[run->todo[i]][0])
			r->order[r->n_order++] = run->todo[i];
	if (run->is_replay_only && r->n_order < run->n_todo)
		return util_refuse(
		    err, "found points that vary at random, collect or have other options, wanted "
			 "none of vary_*, \"compute: collect\" and options for the engine replay");
	qsort_r(r->order, (size_t)r->n_order, sizeof *r->order, compare_traced, r);
	for (int begin = 0, end; begin < r->n_order; begin = end) {
		for (end = begin + 1; end < r->n_order && strcmp(run->traced[r->order[begin]],
								 run->traced[r->order[end]]) == 0;
		     end++)
			;
		if (end - begin < least_of(run, r->order[begin]))
			continue;
		r->groups[r->n_groups++] = (struct group){.first = begin};
		for (int i = begin; i < end; i++)
			r->group_of[r->order[i]] = r->n_groups;
	}
	return 0;
}

/* Points that no group has recorded, in the order of the grid. */
static void find_rest(struct replaying *r)
{
	const struct sweep_run *run = r->run;

	r->n_rest = 0;
	for (int i = 0; i < run->n_todo; i++) {
		int point = run->todo[i];
		bool is_done = false, is_replayed = false;

		if (r->group_of[point]) {
			const struct group *group = &r->groups[r->group_of[point] - 1];

			is_done = r->order[group->first] == point && !run->is_replay_only;
			is_replayed = group->is_good;
		}
		if (is_done)
			continue;
		r->rest[r->n_rest].point = point;
		r->rest[r->n_rest].is_done = false;
		r->rest[r->n_rest++].is_replayed = is_replayed;
	}
}

static void remove_folder(const struct replaying *r)
{
	DIR *dir = r->folder ? opendir(r->folder) : NULL;
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir) {
		closedir(dir);
		rmdir(r->folder);
	}
}

static int execute(struct replaying *r, struct util_error *err)
{
	struct sweep_run *run = r->run;
	int n_jobs = sweep_run_n_jobs(run), failed;
	struct sweep_work work = {
	    .n = r->n_groups, .context = r, .make = make_recording, .take = take_recording};

	failed = sweep_execute(run->db, &work, n_jobs, &run->progress, err);
	if (!failed && !run->is_replay_only) {
		work.make = make_check;
		work.take = take_check;
		failed = sweep_execute(run->db, &work, n_jobs, &run->progress, err);
	}
	if (!failed && !run->is_replay_only) {
		find_courses(r);
		work = (struct sweep_work){
		    .n = r->n_rest, .context = r, .make = make_course, .take = take_course};
		failed = sweep_execute(run->db, &work, n_jobs, &run->progress, err);
		clear_doubts(r);
	}
	find_rest(r);
	for (int k = 0; k < 2 && !failed; k++) {
		work = (struct sweep_work){
		    .n = r->n_rest, .context = r, .make = make_rest, .take = take_rest};
		failed = sweep_execute(run->db, &work, n_jobs, &run->progress, err);
		find_undone(r);
	}
	return failed;
}

int sweep_engine_replay(struct sweep_run *run, struct util_error *err)
{
	struct replaying r = {.run = run};
	int failed = 0;

	if (asprintf(&r.folder, "%s.traces", run->db_path) < 0) {
		r.folder = NULL;
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	remove_folder(&r); /* of a run that was killed */
	if (!failed)
		failed = make_groups(&r, err);
	if (!failed && r.n_groups > 0 && mkdir(r.folder, 0777))
		failed = util_error_errno(err, errno, "cannot make %s", r.folder);
	if (!failed)
		failed = execute(&r, err);
	remove_folder(&r);
	for (int i = 0; i < r.n_groups; i++)
		free(r.groups[i].warnings);
	free(r.folder);
	free(r.order);
	free(r.groups);
	free(r.rest);
	free(r.group_of);
	return failed;
}
