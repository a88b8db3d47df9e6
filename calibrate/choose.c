/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration's own probes, simulated: the machine on which they take what the real ones did. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "forward.h"

enum { ARGUMENT_B = 4200, JOBS = 2 };

struct probes {
	const struct samples *measured; /* borrowed */
	struct check_base base;
	bool repeats; /* each measurement as often as it was; else once */
	bool is_few;  /* what --few leaves out tells no more */
	struct forward forward;
	/* what is made of them: [n][base.n] of each machine; of the last one */
	double *offs;
	struct check *check;
	FILE *rows;
};

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

static void say_probes(struct child_command *command, const struct probes *probes)
{
	const struct samples *samples = probes->measured;
	long long most_B = largest(samples, "one_way");
	int64_t n_transfers = largest(samples, "compute_speed");

	/* as long as the other one: windows grow by what a connection has carried before */
	child_say(command, "--budget=%ss", fact_or(samples, "budget_s", "300"));
	if (!probes->repeats)
		child_say(command, "--once");
	if (!probes->repeats && probes->is_few)
		child_say(command, "--few");
	child_say(command, "--max-size=%lldB", most_B < 1024 ? 1024 : most_B);
	child_say(command, "--window=%ss", fact_or(samples, "window_s", "0.05"));
	if (samples_get_fact(samples, "cpus", 0))
		child_say(command, "--cores=%s", samples_get_fact(samples, "cpus", 0));
	if (n_transfers > 0) /* nothing that is searched for depends on more than one */
		child_say(command, "--transfers=%lld",
			  probes->repeats ? (long long)n_transfers : 1);
	if (has_probe(samples, "spawn"))
		child_say(command, "--spawn");
}

static void say(void *context, int part, struct forward_run *run)
{
	const struct probes *probes = context;
	struct child_command *command = &run->command;

	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	say_places(command, probes->measured);
	forward_say_program(run, "mpisim-calibrate.simulated");
	say_probes(command, probes);
	if (has_probe(probes->measured, "storage_latency"))
		child_say(command, "--storage=%s", run->folder);
	child_say(command, "--samples=%s/samples.csv", run->folder);
}

/* --- what they say --- */

static void compare(void *context, int machine, int part, struct forward_run *run)
{
	const struct probes *probes = context;
	struct samples predicted = {0};
	char path[PATH_MAX + 32], error[SAMPLES_ERROR_B];

	snprintf(path, sizeof(path), "%s/samples.csv", run->folder);
	if (samples_read(&predicted, path, error) < 0)
		util_error_set(&run->err, UTIL_ESYSTEM, "%s", error);
	else if (check_compare(&probes->base, &predicted, probes->check,
			       probes->offs ? probes->offs + (ptrdiff_t)machine * probes->base.n
					    : NULL,
			       probes->rows) < 0)
		util_error_set(&run->err, UTIL_ENOMEM, "out of memory");
	samples_finish(&predicted);
}

static int begin(struct probes *probes, const struct samples *measured, struct check *check)
{
	*probes = (struct probes){.measured = measured, .check = check};
	probes->forward = (struct forward){.what = "probes",
					   .n_jobs = JOBS,
					   .n_parts = 1,
					   .say = say,
					   .read = compare,
					   .context = probes};
	*check = (struct check){.why_not = "out of memory"};
	return check_begin(&probes->base, measured);
}

/* As they were measured, on one machine, with what the check says of it. */
static void check_one(struct probes *probes, const struct machine *machine)
{
	struct util_error err;

	*probes->check = (struct check){0};
	probes->repeats = true;
	probes->offs = NULL;
	if (forward(&probes->forward, machine, 1, &err))
		snprintf(probes->check->why_not, sizeof(probes->check->why_not), "%.1000s",
			 err.text);
}

void check_file(const struct samples *measured, const char *cluster, struct check *check,
		FILE *rows)
{
	struct probes probes;

	if (begin(&probes, measured, check) == 0) {
		probes.forward.cluster = cluster;
		probes.rows = rows;
		check_one(&probes, NULL);
	}
	check_end(&probes.base);
}

/* --- the search --- */

static int predict(void *context, const struct machine *machines, int n, double *off,
		   struct util_error *err)
{
	struct probes *probes = context;

	for (int k = 0; k < n * probes->base.n; k++)
		off[k] = INFINITY;
	probes->offs = off;
	return forward(&probes->forward, machines, n, err);
}

static bool tells(void *context, int observation, enum parameter_id id)
{
	const struct probes *probes = context;
	const struct sample_key *key = &probes->base.list[observation].key;
	const char *group = PARAMETER[id].group;

	if (key->where == BETWEEN_NODES && group && !strcmp(group, "intra_node"))
		return false;
	/* a library's protocol changes all */
	return id == THRESHOLD || is_probe_named(PARAMETER[id].probes, key->name);
}

/* Of a probe, so many tell all that it has to say: messages by size carry most of a prediction. */
static const double ENOUGH = 8, ENOUGH_MESSAGES = 24;

/* 0: what --few leaves out. */
static double weight_of(const struct probes *probes, int k)
{
	const struct check_base *base = &probes->base;
	const struct sample_key *key = &base->list[k].key;
	bool is_flows = !strcmp(key->name, "many_to_one") || !strcmp(key->name, "one_to_many");
	int n = 0;

	if (probes->is_few && key->x > 4 << 20 && !strcmp(key->name, "one_way"))
		return 0;
	if (probes->is_few && is_flows && key->x > 2 &&
	    key->x < largest(probes->measured, "many_to_one"))
		return 0;
	for (int j = 0; j < base->n; j++)
		n += !strcmp(base->list[j].key.name, key->name) &&
		     base->list[j].key.where == key->where;
	return fmin(1, (strcmp(key->name, "one_way") ? ENOUGH : ENOUGH_MESSAGES) / n);
}

void fit_choose(struct fit *fit, struct check *check)
{
	struct probes probes;
	struct view view = {.predict = predict, .tells = tells, .context = &probes};
	struct search search = {.view = &view, .machine = fit->machine};
	struct util_error err;

	if (begin(&probes, fit->samples, check) == 0 &&
	    view_begin(&view, probes.base.n, &err) == 0) {
		probes.forward.known = fit->known;
		probes.is_few = fit->machine.has[PAYLOAD]; /* nothing differs by their number */
		for (int k = 0; k < view.n; k++) {
			view.scatter[k] = check_scatter(&probes.base.list[k]);
			view.weight[k] = weight_of(&probes, k);
		}
		fit_view(fit, &view);
		if (search_run(&search, &err) == 0)
			fit->machine = search.machine;
		fit_set_outer(fit);
		check_one(&probes, &fit->machine);
		search_finish(&search);
	}
	view_end(&view);
	check_end(&probes.base);
}
