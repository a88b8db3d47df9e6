/* SPDX-License-Identifier: BSD-3-Clause */
/* The forward model of a calibration: the simulated calibration, run on a cluster file by the
 * mpisim-run that lies beside this program. */
#include "check.h"
#include "child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENT_B = 4200 };

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

/* The ranks of each node, as the samples name their hosts; files without them have a rank a node,
 * and the others on the first. */
static void say_places(struct child_command *command, const struct samples *samples)
{
	int n_nodes = atoi(fact_or(samples, "nodes", "1")),
	    n_ranks = atoi(fact_or(samples, "ranks", "2")), left = n_ranks - n_nodes;
	char text[ARGUMENT_B] = "";
	size_t at = 0;

	for (int node = 0; node < n_nodes && at < sizeof(text) - 32; node++) {
		const char *host = samples_get_fact(samples, "host", node),
			   *count = host ? strrchr(host, ',') : NULL;
		int here = count ? atoi(count + 1) : 1 + (node == 0 ? left : 0);

		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%d*%d", node ? "," : "",
				       node, here < 1 ? 1 : here);
	}
	command->is_short |= at >= sizeof(text) - 32;
	child_say(command, "--set");
	child_say(command, "nodes=%d", n_nodes);
	child_say(command, "--set");
	child_say(command, "run.placement=\"%s\"", text);
	child_say(command, "-n");
	child_say(command, "%d", n_ranks);
}

static void say_probes(struct child_command *command, const struct samples *samples)
{
	long long most_B = largest(samples, "one_way");
	int64_t n_transfers = largest(samples, "compute_speed");

	/* as long as the other one: windows grow by what a connection has carried before */
	child_say(command, "--budget=%ss", fact_or(samples, "budget_s", "300"));
	child_say(command, "--max-size=%lldB", most_B < 1024 ? 1024 : most_B);
	child_say(command, "--window=%ss", fact_or(samples, "window_s", "0.05"));
	if (samples_get_fact(samples, "cpus", 0))
		child_say(command, "--cores=%s", samples_get_fact(samples, "cpus", 0));
	if (n_transfers > 0)
		child_say(command, "--transfers=%lld", (long long)n_transfers);
	if (has_probe(samples, "spawn"))
		child_say(command, "--spawn");
}

static int make_command(struct child_command *command, const struct samples *samples,
			const char *cluster, const char *folder, struct util_error *err)
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
	say_probes(command, samples);
	if (has_probe(samples, "storage_latency"))
		child_say(command, "--storage=%s", folder);
	child_say(command, "--samples=%s/samples.csv", folder);
	if (command->is_short)
		return util_error_set(err, UTIL_ESYSTEM, "out of memory, or too many nodes");
	return 0;
}

static int simulate(const struct samples *measured, const char *cluster, const char *folder,
		    struct samples *predicted, struct util_error *err)
{
	char log[PATH_MAX], path[PATH_MAX], error[SAMPLES_ERROR_B];
	struct child_command command = {0};
	int failed = make_command(&command, measured, cluster, folder, err);
	pid_t child;

	snprintf(log, sizeof(log), "%s/log.txt", folder);
	snprintf(path, sizeof(path), "%s/samples.csv", folder);
	if (!failed)
		failed = child_start(&command, NULL, log, &child, err);
	if (!failed && child_wait(child, log, err))
		failed = util_error_prepend(err, "its probes cannot be simulated");
	child_forget(&command);
	if (!failed && samples_read(predicted, path, error) < 0)
		failed = util_error_set(err, UTIL_ESYSTEM, "%s", error);
	unlink(log);
	unlink(path);
	return failed;
}

int forward_folder(char folder[FORWARD_FOLDER_B], struct util_error *err)
{
	const char *place = getenv("TMPDIR");

	snprintf(folder, FORWARD_FOLDER_B, "%s/mpisim-calibrate.XXXXXX",
		 place && *place ? place : "/tmp");
	return mkdtemp(folder) ? 0 : util_error_errno(err, errno, "cannot make %s", folder);
}

/* The probes on that cluster file; *predicted is the caller's, to be finished. 0 or negative: the
 * simulator is not there, or refuses. */
static int run_probes(const struct samples *measured, const char *cluster,
		      struct samples *predicted, struct util_error *err)
{
	char folder[FORWARD_FOLDER_B];
	int failed = forward_folder(folder, err);

	if (failed)
		return failed;
	failed = simulate(measured, cluster, folder, predicted, err);
	rmdir(folder);
	return failed;
}

void check_file(const struct samples *measured, const char *cluster, struct check *check,
		FILE *rows)
{
	struct samples predicted = {0};
	struct util_error err;

	*check = (struct check){0};
	if (run_probes(measured, cluster, &predicted, &err)) {
		snprintf(check->why_not, sizeof(check->why_not), "%.1000s", err.text);
		return;
	}
	if (check_compare(measured, &predicted, check, rows) < 0)
		snprintf(check->why_not, sizeof(check->why_not), "out of memory");
	samples_finish(&predicted);
}
