/* SPDX-License-Identifier: BSD-3-Clause */
/* The forward model of a calibration: the simulated calibration, run on a cluster file by the
 * mpisim-run that lies beside this program. */
#include "check.h"
#include "child.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/outpath.h"

enum { ARGUMENT_B = 4200, JOBS = 2 };

/* --- what they are told --- */

static const char *fact_or(const struct samples *samples, const char *name, const char *otherwise)
{
	const char *text = samples_get_fact(samples, name, 0);

	return text ? text : otherwise;
}

static int64_t largest(const struct samples *samples, const char *name)
{
	int64_t most = -1;

	for (size_t i = 0; i < samples->n; i++)
		if (!strcmp(samples->list[i].key.name, name) && samples->list[i].key.x > most)
			most = samples->list[i].key.x;
	return most;
}

static bool has_probe(const struct samples *samples, const char *beginning)
{
	for (size_t i = 0; i < samples->n; i++)
		if (!strncmp(samples->list[i].key.name, beginning, strlen(beginning)))
			return true;
	return false;
}

/* Samples that do not say it have a rank on each node, and all others on the first. */
static void say_places(struct child_command *command, const struct samples *samples)
{
	int n_nodes = atoi(fact_or(samples, "nodes", "1")),
	    n_ranks = atoi(fact_or(samples, "ranks", "2"));
	char text[ARGUMENT_B];
	const char *part;
	size_t at;

	at = (size_t)snprintf(text, sizeof(text), n_ranks > n_nodes ? "0-%d,0*%d" : "0-%d",
			      n_nodes - 1, n_ranks - n_nodes);
	for (int k = 0; (part = samples_get_fact(samples, "placement", k)); k++) {
		at = k ? at : 0;
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", k ? "," : "", part);
		command->is_short |= at >= sizeof(text);
		at = at < sizeof(text) ? at : 0;
	}
	child_say(command, "--set");
	child_say(command, "nodes=%d", n_nodes);
	child_say(command, "--set");
	child_say(command, "run.placement=\"%s\"", text);
	child_say(command, "-n");
	child_say(command, "%d", n_ranks);
}

static void say_probes(struct child_command *command, const struct samples *samples, bool once,
		       bool few)
{
	long long most_B = largest(samples, "one_way");
	int64_t n_transfers = largest(samples, "compute_speed");

	/* as long as the other one: windows grow by what a connection has carried before */
	child_say(command, "--budget=%ss", fact_or(samples, "budget_s", "300"));
	if (once)
		child_say(command, "--once");
	if (few)
		child_say(command, "--few");
	child_say(command, "--max-size=%lldB", most_B < 1024 ? 1024 : most_B);
	child_say(command, "--window=%ss", fact_or(samples, "window_s", "0.05"));
	if (samples_get_fact(samples, "cpus", 0))
		child_say(command, "--cores=%s", samples_get_fact(samples, "cpus", 0));
	if (n_transfers > 0) /* nothing that is searched for depends on more than one */
		child_say(command, "--transfers=%lld", once ? 1 : (long long)n_transfers);
	if (has_probe(samples, "spawn"))
		child_say(command, "--spawn");
}

static int make_command(struct child_command *command, const struct samples *samples,
			const char *cluster, const char *folder, bool once, bool few,
			struct util_error *err)
{
	char run[PATH_MAX], program[PATH_MAX];

	if (child_find("mpisim-run", run, err) ||
	    child_find("mpisim-calibrate.simulated", program, err))
		return err->code;
	child_say(command, "%s", run);
	child_say(command, "--quiet");
	child_say(command, "--deterministic"); /* the probes repeat by themselves */
	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	child_say(command, "--cluster=%s", cluster);
	say_places(command, samples);
	child_say(command, "%s", program);
	say_probes(command, samples, once, few);
	if (has_probe(samples, "storage_latency"))
		child_say(command, "--storage=%s", folder);
	child_say(command, "--samples=%s/samples.csv", folder);
	if (command->is_short)
		return util_error_set(err, UTIL_ESYSTEM, "out of memory, or too many nodes");
	return 0;
}

int forward_folder(char folder[FORWARD_FOLDER_B], struct util_error *err)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, FORWARD_FOLDER_B, "%s/mpisim-calibrate.XXXXXX",
		 place && *place ? place : "/tmp");
	if (!mkdtemp(folder))
		return util_error_errno(err, errno, "cannot make %s", folder);
	util_output_guard(folder);
	return 0;
}

/* --- a run --- */

struct run {
	char folder[FORWARD_FOLDER_B];
	pid_t child;
	struct util_error err; /* why it is none, if code */
};

static const char *path_in(const struct run *run, const char *name, char path[PATH_MAX])
{
	snprintf(path, PATH_MAX, "%s/%s", run->folder, name);
	return path;
}

/* The folder may hold cluster.yaml already. */
static void start(struct run *run, const struct samples *measured, const char *cluster, bool once,
		  bool few)
{
	struct child_command command = {0};
	char log[PATH_MAX];

	run->err.code = 0;
	if (make_command(&command, measured, cluster, run->folder, once, few, &run->err) == 0)
		child_start(&command, NULL, path_in(run, "log.txt", log), &run->child, &run->err);
	child_forget(&command);
}

/* *predicted is the caller's, to be finished. */
static void finish(struct run *run, struct samples *predicted)
{
	static const char *const names[] = {"log.txt", "samples.csv", "cluster.yaml"};
	char path[PATH_MAX], error[SAMPLES_ERROR_B];

	if (!run->err.code && child_wait(run->child, path_in(run, "log.txt", path), &run->err))
		util_error_prepend(&run->err, "its probes cannot be simulated");
	if (!run->err.code && samples_read(predicted, path_in(run, "samples.csv", path), error) < 0)
		util_error_set(&run->err, UTIL_ESYSTEM, "%s", error);
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		unlink(path_in(run, names[k], path));
	rmdir(run->folder);
	util_output_release(run->folder);
}

static void compare(struct run *run, const struct check_base *base, struct check *check,
		    double *offs, FILE *rows)
{
	struct samples predicted = {0};

	finish(run, &predicted);
	*check = (struct check){0};
	for (int k = 0; k < base->n && offs; k++)
		offs[k] = INFINITY;
	if (run->err.code)
		snprintf(check->why_not, sizeof(check->why_not), "%.1000s", run->err.text);
	else if (check_compare(base, &predicted, check, offs, rows) < 0)
		snprintf(check->why_not, sizeof(check->why_not), "out of memory");
	samples_finish(&predicted);
}

void check_file(const struct samples *measured, const char *cluster, struct check *check,
		FILE *rows)
{
	struct check_base base;
	struct run run = {0};

	if (check_begin(&base, measured) == 0 && forward_folder(run.folder, &run.err) == 0)
		start(&run, measured, cluster, false, false);
	compare(&run, &base, check, NULL, rows);
	check_end(&base);
}

/* --- several --- */

static void begin_candidate(struct run *run, const struct candidates *candidates,
			    const void *candidate)
{
	char path[PATH_MAX];
	FILE *file = NULL;

	run->err.code = 0;
	if (forward_folder(run->folder, &run->err))
		return;
	file = fopen(path_in(run, "cluster.yaml", path), "w");
	if (file)
		candidates->write(candidate, file);
	if (!file || fclose(file))
		util_error_errno(&run->err, errno, "cannot write %s", path);
	else
		start(run, candidates->measured, path, !candidates->repeats,
		      candidates->is_few && !candidates->repeats);
}

void candidates_run(struct candidates *candidates, const void *const *list, int n,
		    struct check *checks, double *offs)
{
	static struct run runs[JOBS];
	int begun = 0;

	for (int k = 0; k < n; k++) {
		for (; begun < n && begun < k + JOBS; begun++)
			begin_candidate(&runs[begun % JOBS], candidates, list[begun]);
		compare(&runs[k % JOBS], &candidates->base, &checks[k],
			offs ? offs + (ptrdiff_t)k * candidates->base.n : NULL, NULL);
	}
}
