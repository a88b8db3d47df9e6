/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/model.h"

#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

/* Streams of the random numbers: transfers and computations vary independently of each other's
 * number. */
enum { STREAM_TRANSFERS = 0x7472, STREAM_COMPUTES = 0x636f };

void net_model_out_of_memory(struct net_model *model)
{
	sim_engine_fail_memory(model->engine);
}

sim_time_ps net_model_next_boundary(const struct net_model *model)
{
	return sim_time_add(model->engine->now - model->engine->now % model->slice, model->slice);
}

sim_time_ps net_model_due_on_boundary(const struct net_model *model, sim_time_ps due)
{
	/* What ends on a boundary but for rounding ends there and not a slice later. */
	sim_time_ps slack = 2 + model->slice / 1000000, early = due > slack ? due - slack : 0;

	due = early / model->slice * model->slice;
	return due == early ? due : sim_time_add(due, model->slice);
}

static void solve_links(struct net_model *model)
{
	struct net_list *dirty = &model->dirty_links;

	if (model->cluster->network.sharing == CLUSTER_SHARING_ALGORITHM1) {
		net_algorithm1_solve(model);
	} else {
		for (int i = 0; i < dirty->n; i++)
			model->region.links[i] = dirty->links[i];
		model->region.n = dirty->n;
		net_maxmin_solve(model);
	}
	for (int i = 0; i < dirty->n; i++) {
		struct net_link *link = &model->links[dirty->links[i]];

		link->dirty = false;
		link->n_before = link->n;
	}
	dirty->n = 0;
}

static void end_instant(struct sim_instant_hook *hook)
{
	struct net_model *model =
	    (struct net_model *)((char *)hook - offsetof(struct net_model, hook));

	if (model->dirty_links.n)
		solve_links(model);
	for (int i = 0; i < model->dirty_nodes.n; i++) {
		struct net_node *node = &model->nodes[model->dirty_nodes.links[i]];

		node->dirty = false;
		net_node_update(model, node);
	}
	model->dirty_nodes.n = 0;
}

static void fire_tick(struct sim_event *event)
{
	struct net_model *model =
	    (struct net_model *)((char *)event - offsetof(struct net_model, tick));

	sim_engine_at_instant_end(model->engine, &model->hook);
}

void net_model_ask(struct net_model *model)
{
	if (net_model_at_boundary(model))
		sim_engine_at_instant_end(model->engine, &model->hook);
	else if (!sim_event_is_queued(&model->tick))
		sim_engine_at(model->engine, &model->tick, net_model_next_boundary(model));
}

static int allocate(struct net_model *model, size_t n_nodes)
{
	size_t n_links = 2 * n_nodes;
	struct net_list *lists[] = {&model->dirty_links, &model->dirty_nodes, &model->region,
				    &model->touched, &model->visited};

	model->links = calloc(n_links, sizeof(*model->links));
	model->nodes = calloc(n_nodes, sizeof(*model->nodes));
	model->heap.entries = calloc(n_links, sizeof(*model->heap.entries));
	if (!model->links || !model->nodes || !model->heap.entries)
		return UTIL_ENOMEM;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		lists[i]->links = calloc(n_links, sizeof(int));
		if (!lists[i]->links)
			return UTIL_ENOMEM;
	}
	return 0;
}

static void set_plain_delay(struct net_model *model)
{
	const struct cluster *cluster = model->cluster;
	bool is_plain = model->may_announce && cluster->network.segments.n == 0 &&
			cluster->network.latency_model == CLUSTER_LATENCY_DELAY &&
			cluster->network.latency_s > 0 && model->transfer_amplitude == 0;

	model->plain_delay = is_plain ? sim_time_from_s(cluster->network.latency_s) : -1;
}

int net_model_create(struct sim_engine *engine, const struct cluster *cluster,
		     struct net_model **out, struct util_error *err)
{
	struct net_model *model = calloc(1, sizeof(*model));

	if (!model || allocate(model, (size_t)cluster->n_nodes)) {
		net_model_destroy(model);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a model of %d nodes",
				      cluster->n_nodes);
	}
	model->engine = engine;
	model->cluster = cluster;
	model->n_links = 2 * cluster->n_nodes;
	model->slice = sim_time_from_s(cluster->network.timeslice_s);
	model->queue_s = (double)cluster->network.queue_B / cluster->network.bandwidth_Bps;
	model->burst_s = (double)cluster->network.burst_B / cluster->network.bandwidth_Bps;
	model->has_limits =
	    cluster->network.duplex_penalty > 0 || cluster->network.sharing_efficiency.n > 0;
	net_packets_init(model);
	model->may_announce = !model->slice && !model->has_limits && model->queue_s == 0 &&
			      model->burst_s == 0 && !cluster->cpu.cost.fraction &&
			      !model->has_packets;
	set_plain_delay(model);
	model->hook.run = end_instant;
	sim_event_init(&model->tick, fire_tick);
	for (int l = 0; l < model->n_links; l++) {
		model->links[l].level = model->links[l].share = INFINITY;
		model->links[l].limit = 1;
		model->links[l].credit_s = model->burst_s;
	}
	for (int n = 0; n < cluster->n_nodes; n++)
		net_node_init(&model->nodes[n], model);
	*out = model;
	return 0;
}

void net_model_set_capacities(struct net_model *model, double *capacities)
{
	model->capacities = capacities;
	model->has_limits = true;
	model->may_announce = false;
	model->plain_delay = -1;
}

void net_model_destroy(struct net_model *model)
{
	if (!model)
		return;
	for (int l = 0; l < model->n_links; l++)
		free(model->links[l].hops);
	net_packets_finish(model);
	free(model->links);
	free(model->nodes);
	free(model->heap.entries);
	free(model->dirty_links.links);
	free(model->dirty_nodes.links);
	free(model->region.links);
	free(model->touched.links);
	free(model->visited.links);
	free(model->caps);
	free(model->capacities);
	free(model);
}

void net_model_vary(struct net_model *model, double transfer_amplitude, double compute_amplitude,
		    uint64_t seed)
{
	model->transfer_amplitude = transfer_amplitude;
	model->compute_amplitude = compute_amplitude;
	set_plain_delay(model);
	util_rng_init(&model->transfer_rng, seed, STREAM_TRANSFERS);
	util_rng_init(&model->compute_rng, seed, STREAM_COMPUTES);
}

struct net_stats net_model_stats(const struct net_model *model)
{
	return model->stats;
}

double net_model_link_load(const struct net_model *model, int node, int is_incoming)
{
	const struct net_link *link =
	    &model->links[is_incoming ? model->cluster->n_nodes + node : node];
	double load = link->announced && link->announced->updated <= model->engine->now;

	if (model->has_packets)
		return link->busy_until > model->engine->now;
	for (int i = 0; i < link->n; i++)
		load += link->hops[i].transfer->rate;
	return load;
}
