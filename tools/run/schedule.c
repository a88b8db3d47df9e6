// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/schedule.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/placement.h"
#include "util/array.h"
#include "util/yaml.h"
#include "util/units.h"

#define MAX_JOBS 1000
#define MAX_BEGIN_S 1e6

/* What the converters of a job's keys work on. */
struct reading {
	const struct util_yaml_tree *tree;
	const struct cluster *cluster;
	struct run_schedule *schedule;
	struct run_job *job;
	int max_ranks;
};

typedef int (*read_fn)(const struct reading *reading, const struct util_yaml *node,
		       struct util_error *err);

static int fail_found(const struct reading *reading, const struct util_yaml *node,
		      const char *wanted, struct util_error *err)
{
	char found[64];

	return util_yaml_fail(reading->tree, node, err, "%s: found %s, wanted %s", node->key,
			      util_yaml_found(node, found, sizeof found), wanted);
}

static int copy_text(const struct util_yaml *node, char **out, struct util_error *err)
{
	*out = strdup(node->text);
	return *out ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

static bool is_text(const struct util_yaml *node)
{
	return node->kind == UTIL_YAML_SCALAR && node->text[0];
}

static int read_name(const struct reading *reading, const struct util_yaml *node,
		     struct util_error *err)
{
	if (!is_text(node))
		return fail_found(reading, node, "a name", err);
	return copy_text(node, &reading->job->name, err);
}

static int read_program(const struct reading *reading, const struct util_yaml *node,
			struct util_error *err)
{
	if (!is_text(node))
		return fail_found(reading, node, "the program's file", err);
	return copy_text(node, &reading->job->argv[0], err);
}

/* argv has room: read_job counted. */
static int read_arguments(const struct reading *reading, const struct util_yaml *node,
			  struct util_error *err)
{
	int n = 1, failed = 0;

	if (node->kind != UTIL_YAML_LIST)
		return fail_found(reading, node, "a list: [--n, 1000]", err);
	for (const struct util_yaml *word = node->first; word && !failed; word = word->next, n++) {
		if (word->kind != UTIL_YAML_SCALAR)
			return util_yaml_fail(
			    reading->tree, word, err,
			    "arguments: found a list or a mapping, wanted a word");
		failed = copy_text(word, &reading->job->argv[n], err);
	}
	return failed;
}

static int read_count(const struct reading *reading, const struct util_yaml *node, int max,
		      int *out, struct util_error *err)
{
	struct util_error why;
	int64_t value = 0;

	if (node->kind != UTIL_YAML_SCALAR)
		return fail_found(reading, node, "a number", err);
	if (util_parse_int(node->text, 1, max, &value, &why))
		return util_yaml_fail(reading->tree, node, err, "%s: %s", node->key, why.text);
	*out = (int)value;
	return 0;
}

static int read_ranks(const struct reading *reading, const struct util_yaml *node,
		      struct util_error *err)
{
	return read_count(reading, node, reading->max_ranks - reading->schedule->n_ranks,
			  &reading->job->n_ranks, err);
}

static int read_nodes(const struct reading *reading, const struct util_yaml *node,
		      struct util_error *err)
{
	return read_count(reading, node, reading->cluster->n_nodes, &reading->job->n_nodes, err);
}

static int read_placement(const struct reading *reading, const struct util_yaml *node,
			  struct util_error *err)
{
	if (!is_text(node))
		return fail_found(reading, node, "block, spread, cyclic, random or a list of nodes",
				  err);
	return copy_text(node, &reading->job->placement, err);
}

static int read_bench(const struct reading *reading, const struct util_yaml *node,
		      struct util_error *err)
{
	if (!is_text(node))
		return fail_found(reading, node, "a file with times of kernels", err);
	return copy_text(node, &reading->job->bench, err);
}

static int read_begin(const struct reading *reading, const struct util_yaml *node,
		      struct util_error *err)
{
	struct util_error why;
	double value = 0;

	if (node->kind != UTIL_YAML_SCALAR)
		return fail_found(reading, node, "a time, as in 90s", err);
	if (util_parse_time_s(node->text, &value, &why))
		return util_yaml_fail(reading->tree, node, err, "begin: %s", why.text);
	if (value < 0 || value > MAX_BEGIN_S)
		return fail_found(reading, node, "a time from 0 to 1e6 s", err);
	reading->job->begin_s = value;
	return 0;
}

static int find_job(const struct run_schedule *schedule, const char *name)
{
	for (int i = 0; i < schedule->n_jobs; i++)
		if (schedule->jobs[i].name && strcmp(schedule->jobs[i].name, name) == 0)
			return i;
	return -1;
}

static int add_after(const struct reading *reading, const struct util_yaml *node,
		     struct util_error *err)
{
	struct run_job *job = reading->job;
	int other;

	if (!is_text(node))
		return util_yaml_fail(reading->tree, node, err,
				      "after: wanted the name of a job or a list of names");
	other = find_job(reading->schedule, node->text);
	if (other < 0 || &reading->schedule->jobs[other] == job)
		return util_yaml_fail(reading->tree, node, err,
				      "after: found \"%s\", wanted the name of a job that stands "
				      "earlier in the file",
				      node->text);
	if (!util_array_room(&job->after, (size_t)job->n_after, sizeof *job->after))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	job->after[job->n_after++] = other;
	return 0;
}

static int read_after(const struct reading *reading, const struct util_yaml *node,
		      struct util_error *err)
{
	int failed = 0;

	if (node->kind != UTIL_YAML_LIST)
		return add_after(reading, node, err);
	for (const struct util_yaml *name = node->first; name && !failed; name = name->next)
		failed = add_after(reading, name, err);
	return failed;
}

static const struct job_key {
	const char *name;
	bool is_required;
	read_fn read;
} job_keys[] = {
    {"name", true, read_name},	  {"program", true, read_program},
    {"ranks", true, read_ranks},  {"arguments", false, read_arguments},
    {"nodes", false, read_nodes}, {"placement", false, read_placement},
    {"begin", false, read_begin}, {"after", false, read_after},
    {"bench", false, read_bench},
};
enum { N_JOB_KEYS = sizeof job_keys / sizeof job_keys[0] };

static int check_keys(const struct reading *reading, const struct util_yaml *map,
		      struct util_error *err)
{
	for (const struct util_yaml *member = map->first; member; member = member->next) {
		bool is_known = false;

		for (int i = 0; i < N_JOB_KEYS; i++)
			is_known = is_known || strcmp(member->key, job_keys[i].name) == 0;
		if (!is_known)
			return util_yaml_fail_key(
			    reading->tree, member, err,
			    "unknown key \"%s\" of a job, wanted name, program, arguments, "
			    "ranks, nodes, placement, begin, after or bench",
			    member->key);
	}
	return 0;
}

/* A job that asks for nodes of its own wants to use them all. */
static int choose_placement(const struct reading *reading, struct util_error *err)
{
	struct run_job *job = reading->job;

	if (job->n_nodes == 0 || job->placement || reading->cluster->placement)
		return 0;
	job->placement = strdup("spread");
	return job->placement ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

/* The nodes that a job of its own gets are chosen when it begins; any will do for the check. */
static int check_placement(const struct reading *reading, const struct util_yaml *map,
			   struct util_error *err)
{
	const struct run_job *job = reading->job;
	struct cluster some = *reading->cluster;
	struct util_error why;
	int *node_of = calloc((size_t)job->n_ranks, sizeof *node_of), failed;

	if (!node_of)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (job->n_nodes > 0)
		some.n_nodes = job->n_nodes;
	failed = cluster_place(job->placement, &some, job->n_ranks, node_of, &why);
	free(node_of);
	return failed ? util_yaml_fail(reading->tree, map, err, "job \"%s\": placement: %s",
				       job->name, why.text)
		      : 0;
}

static int read_job(struct reading *reading, const struct util_yaml *map, struct util_error *err)
{
	const struct util_yaml *arguments = util_yaml_member(map, "arguments", 9);
	int failed, n_arguments = arguments ? arguments->n_children : 0;

	if (map->kind != UTIL_YAML_MAP)
		return util_yaml_fail(reading->tree, map, err,
				      "jobs: wanted a mapping for each job: {name: …, program: …, "
				      "ranks: …}");
	reading->job->argv = calloc((size_t)n_arguments + 2, sizeof(char *));
	if (!reading->job->argv)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = check_keys(reading, map, err);
	for (int i = 0; i < N_JOB_KEYS && !failed; i++) {
		const char *name = job_keys[i].name;
		const struct util_yaml *node = util_yaml_member(map, name, strlen(name));

		if (node)
			failed = job_keys[i].read(reading, node, err);
		else if (job_keys[i].is_required)
			failed =
			    util_yaml_fail(reading->tree, map, err, "a job has no \"%s\"", name);
	}
	if (!failed && &reading->schedule->jobs[find_job(reading->schedule, reading->job->name)] !=
			   reading->job)
		failed = util_yaml_fail(reading->tree, map, err,
					"two jobs have the name \"%s\", wanted one of each name",
					reading->job->name);
	if (!failed)
		failed = choose_placement(reading, err);
	return failed ? failed : check_placement(reading, map, err);
}

static int read_jobs(struct reading *reading, const struct util_yaml *list, struct util_error *err)
{
	struct run_schedule *schedule = reading->schedule;
	int failed = 0;

	schedule->jobs = calloc((size_t)list->n_children, sizeof *schedule->jobs);
	if (!schedule->jobs)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (const struct util_yaml *map = list->first; map && !failed; map = map->next) {
		reading->job = &schedule->jobs[schedule->n_jobs++];
		failed = read_job(reading, map, err);
		schedule->n_ranks += reading->job->n_ranks;
	}
	return failed;
}

static int read_tree(struct reading *reading, struct util_error *err)
{
	const struct util_yaml *root = reading->tree->root;
	const struct util_yaml *list = util_yaml_member(root, "jobs", 4);

	if (!list)
		return util_yaml_fail(reading->tree, root, err,
				      "wanted \"jobs:\" with a list of jobs");
	for (const struct util_yaml *member = root->first; member; member = member->next)
		if (member != list)
			return util_yaml_fail_key(reading->tree, member, err,
						  "unknown key \"%s\", wanted jobs", member->key);
	if (list->kind != UTIL_YAML_LIST || list->n_children == 0 || list->n_children > MAX_JOBS)
		return util_yaml_fail(reading->tree, list, err,
				      "jobs: wanted a list of 1 to %d jobs", MAX_JOBS);
	return read_jobs(reading, list, err);
}

int run_schedule_load(const char *path, const struct cluster *cluster, int max_ranks,
		      struct run_schedule **out, struct util_error *err)
{
	struct run_schedule *schedule = calloc(1, sizeof *schedule);
	struct util_yaml_tree tree = {.name = path};
	struct reading reading = {
	    .tree = &tree, .cluster = cluster, .schedule = schedule, .max_ranks = max_ranks};
	char *text = NULL;
	size_t length_B = 0;
	int failed = schedule ? util_yaml_read_file(path, "the schedule", &text, &length_B, err)
			      : util_error_set(err, UTIL_ENOMEM, "out of memory");

	if (!failed) {
		failed = util_yaml_parse(&tree, path, text, length_B, err);
		if (!failed)
			failed = read_tree(&reading, err);
		util_yaml_finish(&tree);
	}
	free(text);
	if (failed)
		run_schedule_destroy(schedule);
	else
		*out = schedule;
	return failed;
}

void run_schedule_destroy(struct run_schedule *schedule)
{
	if (!schedule)
		return;
	for (int i = 0; i < schedule->n_jobs; i++) {
		struct run_job *job = &schedule->jobs[i];

		for (char **word = job->argv; word && *word; word++)
			free(*word);
		free(job->argv);
		free(job->name);
		free(job->placement);
		free(job->bench);
		free(job->after);
	}
	free(schedule->jobs);
	free(schedule);
}
