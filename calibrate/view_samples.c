/* SPDX-License-Identifier: BSD-3-Clause */
/* A calibration's own samples, as a search sees them: its probes are simulated. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"
#include "forward.h"
#include "replay_probes.h"

enum { ARGUMENT_B = 4200 };

struct probes {
	const struct samples *measured; /* borrowed */
	struct check_base base;
	char *replay; /* what it decides by, as a file */
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
	/* older samples do not say it */
	long long most_B = atoll(fact_or(samples, "max_size_B", "0"));
	int64_t n_transfers = samples_largest(samples, "compute_speed");

	if (most_B == 0)
		most_B = samples_largest(samples, "one_way");
	child_say(command, "--max-size=%lldB", most_B < 1024 ? 1024 : most_B);
	child_say(command, "--window=%ss", fact_or(samples, "window_s", "0.05"));
	if (samples_get_fact(samples, "cpus", 0))
		child_say(command, "--cores=%s", samples_get_fact(samples, "cpus", 0));
	if (n_transfers > 0)
		child_say(command, "--transfers=%lld", (long long)n_transfers);
	if (has_probe(samples, "spawn"))
		child_say(command, "--spawn");
}

static void say(void *context, int part, struct forward_run *run)
{
	const struct probes *probes = context;
	struct child_command *command = &run->command;
	FILE *file;

	child_say(command, "--compute=modelled");
	child_say(command, "--no-alloc");
	say_places(command, probes->measured);
	forward_say_program(run, "mpisim-calibrate.simulated");
	say_probes(command, probes);
	if (has_probe(probes->measured, "storage_latency"))
		child_say(command, "--storage=%s", run->folder);
	child_say(command, "--samples=%s/samples.csv", run->folder);
	child_say(command, "--replay=%s/replay.csv", run->folder);
	file = forward_open(run, "replay.csv", "w");
	if (file) {
		fputs(probes->replay, file);
		if (fclose(file))
			util_error_set(&run->err, UTIL_ESYSTEM, "cannot write in %s", run->folder);
	}
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
	probes->forward = (struct forward){.refused = "its probes cannot be simulated",
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
	probes->offs = NULL;
	if (replay_make(probes->measured, &probes->base, NULL, &probes->replay))
		snprintf(probes->check->why_not, sizeof(probes->check->why_not), "out of memory");
	else if (forward(&probes->forward, machine, 1, &err))
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
	free(probes.replay);
	check_end(&probes.base);
}

/* --- what a search may begin with: values to try, and sizes where lines may break --- */

/* That queues and sockets hold. */
static const double BYTES[] = {15e3, 30e3, 60e3, 120e3, 240e3, 480e3, 0};

/* 0: it was not measured. */
static double time_of(const struct fit *fit, const char *name, int where, int64_t x, int64_t y)
{
	return fit_value(fit->samples, name, where, x, y).value;
}

/* The difference of two probes' times of the same size, as bytes on a link. */
static double bytes_between(const struct fit *fit, const char *longer, const char *shorter)
{
	const struct sample_key *key = samples_next(fit->samples, shorter, -1);
	int w = fit->subject;

	if (!key)
		return 0;
	return (time_of(fit, longer, w, key->x, 0) - time_of(fit, shorter, w, key->x, 0)) *
	       fit->machine.value[w == WITHIN_NODE ? INNER_BANDWIDTH : BANDWIDTH];
}

/* How long the bytes take by which two measurements of so many flows differ, and one flow's: as if
 * nothing were lost, over that. */
static double efficiency(const struct fit *fit, const char *name, int n_flows, int n_shared)
{
	for (size_t i = 0; i < fit->samples->n; i++) {
		const struct sample_key *key = &fit->samples->list[i].key;
		int64_t half_B = key->y / 2;
		double whole, half, one, one_half;

		if (strcmp(key->name, name) || key->x != n_flows)
			continue;
		whole = time_of(fit, name, key->where, n_flows, key->y);
		half = time_of(fit, name, key->where, n_flows, half_B);
		one = time_of(fit, "many_to_one", key->where, 1, key->y);
		one_half = time_of(fit, "many_to_one", key->where, 1, half_B);
		if (half > 0 && whole > half && one_half > 0 && one > one_half)
			return n_shared * (one - one_half) / (whole - half);
	}
	return 0;
}

static void may_lose(const struct fit *fit, struct view *view)
{
	static const char *const parallel[] = {"both_ways", "sendrecv", "ring"};
	double best = 0;

	for (int k = 0; k < 3; k++)
		best = fmax(best, efficiency(fit, parallel[k], k < 2 ? 2 : 3, 1));
	if (best > 0) {
		view_may(view, DUPLEX, fmax(1 - best, PARAMETER[DUPLEX].low));
		view_may_all(view, DUPLEX, (const double[]){0.03, 0.12, 0.48, 0});
	}
	for (int n = 2; n < MACHINE_FLOWS + 2; n++) {
		double in = efficiency(fit, "many_to_one", n, n),
		       out = efficiency(fit, "one_to_many", n, n);

		if (in > 0 && out > 0)
			view_may(view, SHARING + n - 2,
				 fmax(1 - (in + out) / 2, PARAMETER[SHARING].low));
	}
}

/* What a byte waits for behind a large message, as bytes on a link. */
static double queued_B(const struct fit *fit)
{
	const struct sample_key *key = samples_next(fit->samples, "beside_bulk", -1);

	if (!key)
		return 0;
	return (time_of(fit, "beside_bulk", fit->subject, key->x, 0) -
		time_of(fit, "beside_nothing", fit->subject, 0, 0)) *
	       fit->machine.value[BANDWIDTH];
}

/* Those whose jumps are too small to be seen: of Ethernet. */
static void may_be_packets(const struct fit *fit, struct view *view)
{
	view_may(view, QUEUE, queued_B(fit));
	if (fit->machine.has[PAYLOAD])
		view_may(view, QUEUE,
			 queued_B(fit) * (1 + TCP_HEADER_B / fit->machine.value[PAYLOAD]));
	if (has_probe(fit->samples, "beside_bulk"))
		view_may_all(view, QUEUE, BYTES);
	view_may_all(view, HEADER, (const double[]){38, 54, 66, 78, TCP_HEADER_B, 104, 0});
	if (fit->machine.has[PAYLOAD]) {
		machine_set(&view->facts, PAYLOAD, fit->machine.value[PAYLOAD]);
		if (view->names_library) /* over TCP */
			machine_set(&view->facts, HEADER, TCP_HEADER_B);
		return;
	}
	view_may_all(view, PAYLOAD, (const double[]){1448, 8948, 0});
}

/* Of a message: more is all of it, and tells nothing. Of what smaller ones leave: less is the same. */
static const double MOST_LEFT = 0.9, MORE_LEFT = 1.15;

static void add_left(struct view *view, double size_B, double left_B)
{
	struct machine *left = &view->left;
	int n = 0;

	while (n < MACHINE_BUFFERS && left->has[BUFFER + n])
		n++;
	if (!(left_B > 0) || left_B >= MOST_LEFT * size_B || n == MACHINE_BUFFERS ||
	    (n > 0 && left_B < MORE_LEFT * left->value[BUFFER + n - 1]))
		return;
	machine_set(left, BUFFER + n, left_B);
	machine_set(left, BUFFER_FROM + n, n ? size_B : 0);
}

/* What travels with a request, and what sends leave to the system. */
static void may_leave(const struct fit *fit, struct view *view)
{
	const struct sample_key *key = NULL;
	double rate_Bps = fit->machine.value[BANDWIDTH], limit_B = fit->machine.value[THRESHOLD];

	view_may(view, REQUEST_DATA, bytes_between(fit, "one_way", "late_bulk"));
	for (int part = 2; part <= 32; part *= 2)
		view_may(view, REQUEST_DATA, limit_B / part);
	view_may(view, UNATTENDED, bytes_between(fit, "send_progress", "send_look"));
	view_may_all(view, UNATTENDED, BYTES);
	view_may(view, BUFFER, bytes_between(fit, "one_way", "send_return"));
	while ((key = samples_next(fit->samples, "send_buffer", key ? key->x : -1))) {
		double left_B = (time_of(fit, "send_buffer", fit->subject, key->x, 0) -
				 fit->empty[fit->subject].value) *
				rate_Bps;

		view_may(view, BUFFER, left_B);
		view_may(view, BUFFER_FROM, (double)key->x);
		add_left(view, (double)key->x, left_B);
	}
	view_may(view, BUFFER_WORD, 1);
}

static void may_be_words(const struct fit *fit, struct view *view)
{
	static const enum parameter_id words[] = {PROGRESS,    ORDER,	     END,
						  SYNCHRONOUS, LATE_ANSWERS, MODEL};

	for (size_t k = 0; k < sizeof(words) / sizeof(words[0]); k++) {
		char name[SAMPLES_NAME_B];
		const char *probes = PARAMETER[words[k]].probes;

		snprintf(name, sizeof(name), "%.*s", (int)strcspn(probes, " "), probes);
		if (has_probe(fit->samples, name))
			view_may(view, words[k], 1);
	}
}

/* Between sizes that are close, as bisection leaves them, times of a line grow by no more than sizes
 * do. A limit steps, too. */
static bool is_step(const struct fit *fit, double before_B, double before_s, double size_B,
		    double time_s)
{
	static const double CLOSE = 1.05, LEAST = 0.01;
	double grows = time_s / before_s;

	return before_B > 4 && before_B != fit->machine.value[THRESHOLD] &&
	       size_B <= fmax(CLOSE * before_B, before_B + 1) &&
	       (grows > size_B / before_B + LEAST || grows < 1 - LEAST);
}

static void add_times(const struct fit *fit, struct view *view, int where)
{
	const struct sample_key *key = NULL;
	double before_B = 0, before_s = 0;

	while ((key = fit_next_message(fit, where, key ? key->x : -1))) {
		double size_B = (double)key->x, time_s = time_of(fit, "one_way", where, key->x, 0);

		/* within a node nothing but lines bends times */
		view_add_time(view, where == WITHIN_NODE, size_B, time_s,
			      where == WITHIN_NODE ||
				  is_step(fit, before_B, before_s, size_B, time_s));
		before_B = size_B;
		before_s = time_s;
	}
}

static void begin_view(const struct fit *fit, struct view *view)
{
	double limit_B = fit->machine.value[THRESHOLD];

	machine_set(&view->facts, THRESHOLD, limit_B);
	add_times(fit, view, WITHIN_NODE);
	view->libraries = 1U << LIBRARY_PLAIN | 1U << LIBRARY_OPENMPI | 1U << LIBRARY_MPICH;
	if (fit->subject == WITHIN_NODE) {
		machine_set(&view->facts, LATENCY, fit->machine.value[LATENCY]);
		machine_set(&view->facts, BANDWIDTH, fit->machine.value[BANDWIDTH]);
		return;
	}
	view->names_library = fit->machine.library != LIBRARY_PLAIN;
	if (view->names_library)
		view->libraries |= 1U
				   << (fit->machine.library == LIBRARY_OPENMPI ? LIBRARY_OPENMPI_TCP
									       : LIBRARY_MPICH_TCP);
	add_times(fit, view, BETWEEN_NODES);
	may_be_words(fit, view);
	may_be_packets(fit, view);
	may_lose(fit, view);
	view_may(view, PER_BYTE, fit->machine.value[PER_BYTE]);
	for (double burst_B = 512; burst_B <= 131072; burst_B *= 2)
		view_may(view, BURST, burst_B);
	if (limit_B < PARAMETER[THRESHOLD].high)
		may_leave(fit, view);
}

/* --- the search --- */

static int predict(void *context, const struct machine *machines, int n, double *off,
		   struct util_error *err)
{
	struct probes *probes = context;

	for (int k = 0; k < n * probes->base.n; k++)
		off[k] = INFINITY;
	probes->offs = off;
	/* runs that fail, be it for the load of this machine, are candidates that are refused */
	return forward(&probes->forward, machines, n, err) ? (err->code = UTIL_EINPUT) : 0;
}

static bool tells(void *context, int observation, enum parameter_id id)
{
	const struct probes *probes = context;
	const struct sample_key *key = &probes->base.list[observation].key;

	if (key->where == BETWEEN_NODES && PARAMETER[id].block == INNER)
		return false;
	/* a library's protocol changes all */
	return id == THRESHOLD || is_probe_named(PARAMETER[id].probes, key->name);
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
		for (int k = 0; k < view.n; k++)
			view.scatter[k] = check_scatter(&probes.base.list[k]);
		replay_weights(fit->samples, &probes.base, view.weight);
		begin_view(fit, &view);
		if (replay_make(fit->samples, &probes.base, view.weight, &probes.replay) == 0 &&
		    search_run(&search, &err) == 0)
			fit->machine = search.machine;
		fit_set_outer(fit);
		check_one(&probes, &fit->machine);
		search_finish(&search);
	}
	view_end(&view);
	free(probes.replay);
	check_end(&probes.base);
}
