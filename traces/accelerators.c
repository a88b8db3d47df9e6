// SPDX-License-Identifier: BSD-3-Clause
#include "traces/accelerators.h"

#include "netmodel/device.h"
#include "traces/json.h"
#include "util/units.h"

static const struct server {
	const char *title, *key;
} servers[NET_DEVICE_N_SERVERS] = {
    [NET_DEVICE_KERNELS] = {"kernels", "kernels_s"},
    [NET_DEVICE_IN] = {"copies in", "copies_in_s"},
    [NET_DEVICE_OUT] = {"copies out", "copies_out_s"},
};

struct use { /* of one accelerator */
	double busy_s;
	int node, number;
};

struct uses { /* of all */
	int n, n_idle;
	double sum_s;
	struct use least, most;
};

static double busy_s(const struct trace_run *run, int node, int number,
		     enum net_device_server server)
{
	return sim_time_to_s(
	    net_devices_busy(run->devices, node, number, server, run->summary->end));
}

static void add(struct uses *uses, struct use one)
{
	if (uses->n == 0 || one.busy_s < uses->least.busy_s)
		uses->least = one;
	if (uses->n == 0 || one.busy_s > uses->most.busy_s)
		uses->most = one;
	uses->sum_s += one.busy_s;
	uses->n++;
	uses->n_idle += one.busy_s == 0;
}

/* Of servers from `first` to `last`, together. */
static struct uses uses_of(const struct trace_run *run, enum net_device_server first,
			   enum net_device_server last)
{
	const struct trace_summary *summary = run->summary;
	int per_node = summary->cluster->accelerators.per_node;
	struct uses uses = {0};

	for (int i = 0; i < summary->n_nodes * per_node; i++) {
		struct use one = {.node = i / per_node, .number = i % per_node};

		if (summary->nodes[one.node].n_ranks == 0)
			continue;
		for (enum net_device_server server = first; server <= last; server++)
			one.busy_s += busy_s(run, one.node, one.number, server);
		add(&uses, one);
	}
	return uses;
}

static double percent(const struct trace_run *run, const struct uses *uses)
{
	double all_s = uses->n * sim_time_to_s(run->summary->end);

	return all_s > 0 ? 100 * uses->sum_s / all_s : 0;
}

static const char *use_text(char text[64], struct use use)
{
	snprintf(text, 64, "%s (%d:%d)", util_time_text(use.busy_s).text, use.node, use.number);
	return text;
}

void trace_accelerators_text(const struct trace_run *run, FILE *file)
{
	if (!run->devices)
		return;
	fprintf(file, "\nwhat accelerators did         each    share   least (node:number)   most "
		      "(node:number)\n");
	for (int i = 0; i < NET_DEVICE_N_SERVERS; i++) {
		struct uses uses = uses_of(run, i, i);
		char least[64], most[64];

		fprintf(file, "  %-22s %10s  %5.1f %%   %-20s  %s\n", servers[i].title,
			util_time_text(uses.sum_s / uses.n).text, percent(run, &uses),
			use_text(least, uses.least), use_text(most, uses.most));
	}
}

void trace_accelerators_brief(const struct trace_run *run, FILE *file)
{
	struct uses all;

	if (!run->devices)
		return;
	all = uses_of(run, 0, NET_DEVICE_N_SERVERS - 1);
	fprintf(file, "%d accelerator%s", all.n, all.n == 1 ? "" : "s");
	if (all.n_idle > 0)
		fprintf(file, ", %d without work", all.n_idle);
	for (int i = 0; i < NET_DEVICE_N_SERVERS; i++) {
		struct uses uses = uses_of(run, i, i);

		fprintf(file, "%s %s %.1f %%", i == 0 ? ":" : ",", servers[i].title,
			percent(run, &uses));
	}
	fputc('\n', file);
}

json_t *trace_accelerators_json(const struct trace_run *run, int node)
{
	json_t *array = json_array();

	for (int i = 0; i < run->summary->cluster->accelerators.per_node; i++) {
		json_t *object = json_object();

		for (int s = 0; s < NET_DEVICE_N_SERVERS; s++)
			json_object_set_new(object, servers[s].key,
					    trace_json_number(busy_s(run, node, i, s)));
		json_array_append_new(array, object);
	}
	return array;
}
