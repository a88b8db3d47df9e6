// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/whatif/change.h"
#include "util/array.h"

static int apply_parts(struct whatif_change *change, const char *name, struct util_error *err)
{
	char *parts = strdup(name), *rest = parts, *part;
	int failed = 0;

	if (!parts)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	while (!failed && (part = strsep(&rest, "+")))
		failed = *part ? whatif_change_apply(change, part, err)
			       : util_refuse(err,
					     "scenario \"%s\": found nothing beside '+', wanted a "
					     "change on each side",
					     name);
	free(parts);
	return failed;
}

int whatif_scenarios_add(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			 const char *name, struct util_error *err)
{
	struct whatif_scenario scenario = {0};
	struct whatif_change change;
	int failed;

	for (int i = 0; i < scenarios->n; i++)
		if (strcmp(scenarios->list[i].name, name) == 0)
			return 0;
	if (!util_array_room(&scenarios->list, (size_t)scenarios->n, sizeof scenario))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	failed = whatif_change_init(&change, base, err);
	if (!failed)
		failed = apply_parts(&change, name, err);
	scenario.name = strdup(name);
	if (!failed)
		failed = whatif_change_words(&change, &scenario.words, &scenario.n_words, err);
	if (!failed && !scenario.name)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	whatif_change_finish(&change);
	scenarios->list[scenarios->n++] = scenario;
	return failed;
}

int whatif_scenarios_add_pair(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			      const char *pair, struct util_error *err)
{
	char *parts = strdup(pair), *rest = parts, *part;
	int failed = 0;

	if (!parts)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	if (!strchr(pair, '+'))
		failed = util_refuse(err, "--pair: found \"%s\", wanted two scenarios: A+B", pair);
	while (!failed && (part = strsep(&rest, "+")))
		failed = whatif_scenarios_add(scenarios, base, part, err);
	free(parts);
	return failed ? failed : whatif_scenarios_add(scenarios, base, pair, err);
}

static int add_list(struct whatif_scenarios *scenarios, const struct whatif_base *base,
		    const char *const names[], struct util_error *err)
{
	int failed = 0;

	for (int i = 0; names[i] && !failed; i++)
		failed = whatif_scenarios_add(scenarios, base, names[i], err);
	return failed;
}

static int add_kernels(struct whatif_scenarios *scenarios, const struct whatif_base *base,
		       struct util_error *err)
{
	const json_t *kernels = json_object_get(base->result, "kernels"), *kernel;
	int failed = 0;
	size_t i;

	json_array_foreach(kernels, i, kernel)
	{
		const char *name = json_string_value(json_object_get(kernel, "name"));
		char text[300];

		if (failed || !name || !*name || strchr(name, '+') ||
		    !(json_number_value(json_object_get(kernel, "time_s")) > 0))
			continue;
		snprintf(text, sizeof text, "kernel:%s*0.9", name);
		failed = whatif_scenarios_add(scenarios, base, text, err);
	}
	return failed;
}

static int add_nodes(struct whatif_scenarios *scenarios, const struct whatif_base *base,
		     struct util_error *err)
{
	int busiest = whatif_base_busiest(base), n_computing = 0, failed;
	char slow[64], later[64];
	const char *const names[] = {slow, later, "cores*2", NULL};

	for (int node = 0; node < base->cluster->n_nodes; node++)
		n_computing += whatif_base_useful_s(base, node) > 0;
	snprintf(slow, sizeof slow, "node:%d/2", busiest);
	snprintf(later, sizeof later, "node:%d/2@50%%", busiest);
	failed = add_list(scenarios, base, names, err);
	if (!failed && n_computing > 1)
		failed = whatif_scenarios_add(scenarios, base, "balanced-load", err);
	return failed;
}

int whatif_scenarios_add_usual(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			       struct util_error *err)
{
	static const char *const latencies[] = {"latency/2", "latency/10", "latency/100",
						"latency/1000", NULL};
	static const char *const bandwidths[] = {"bandwidth*2", "bandwidth*10", "bandwidth*100",
						 NULL};
	const struct cluster *c = base->cluster;
	int failed = whatif_scenarios_add(scenarios, base, "ideal-network", err);

	if (!failed && c->network.latency_s > 0)
		failed = add_list(scenarios, base, latencies, err);
	if (!failed && c->network.bandwidth_Bps < 1e300)
		failed = add_list(scenarios, base, bandwidths, err);
	if (!failed &&
	    (c->protocol.send_overhead_s > 0 || c->protocol.recv_overhead_s > 0 ||
	     c->protocol.recv_overhead_per_B_s > 0))
		failed = whatif_scenarios_add(scenarios, base, "overhead/2", err);
	if (!failed && cluster_has_cpu_cost(c) && c->cpu.cost.scale > 0)
		failed = whatif_scenarios_add(scenarios, base, "cpu-cost/4", err);
	if (!failed)
		failed = add_kernels(scenarios, base, err);
	if (!failed)
		failed = whatif_scenarios_add(scenarios, base, "computation/4", err);
	return failed ? failed : add_nodes(scenarios, base, err);
}

void whatif_scenarios_finish(struct whatif_scenarios *scenarios)
{
	for (int i = 0; i < scenarios->n; i++) {
		struct whatif_scenario *s = &scenarios->list[i];

		for (int k = 0; k < s->n_words; k++)
			free(s->words[k]);
		free(s->words);
		free(s->name);
		free(s->error);
	}
	free(scenarios->list);
	*scenarios = (struct whatif_scenarios){0};
}
