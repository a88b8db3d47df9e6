/* SPDX-License-Identifier: BSD-3-Clause */
#include "netmodel/model.h"

#include <math.h>
#include <stdlib.h>

#include "cluster/levels.h"
#include "netmodel/memory.h"
#include "netmodel/private.h"
#include "netmodel/topology.h"

/* Streams of the random numbers: transfers and computations vary independently of each other's
 * number. */
enum { STREAM_TRANSFERS = 0x7472, STREAM_COMPUTES = 0x636f, STREAM_ROUTES = 0x726f };

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

	model->method->solve(model);
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

static const struct net_method *method_of(const struct cluster *cluster)
{
	if (cluster->network.packet_payload_B > 0)
		return &net_packets;
	return cluster->network.model == CLUSTER_NETWORK_THESIS	    ? &net_thesis
	       : cluster->network.model == CLUSTER_NETWORK_UNSHARED ? &net_unshared
								    : &net_fluid;
}

static int out_of_memory(const struct cluster *cluster, struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for a model of %d nodes",
			      cluster->n_nodes);
}

static int allocate(struct net_model *model)
{
	size_t n_links = (size_t)model->n_links, n_nodes = (size_t)model->cluster->n_nodes;
	struct net_list *lists[] = {&model->dirty_links, &model->dirty_nodes, &model->region,
				    &model->touched, &model->visited};

	model->links = calloc(n_links, sizeof(*model->links));
	model->nodes = calloc(n_nodes, sizeof(*model->nodes));
	model->heap.entries = calloc(n_links, sizeof(*model->heap.entries));
	model->standings = calloc(n_links, sizeof(*model->standings));
	if (!model->links || !model->nodes || !model->heap.entries || !model->standings)
		return UTIL_ENOMEM;
	if (model->topology) {
		size_t longest = (size_t)model->topology->longest;

		util_pool_init(&model->paths, sizeof(struct net_path) +
						  longest * sizeof(struct net_crossing));
		model->route = calloc(longest, sizeof(*model->route));
		model->rival = calloc(longest, sizeof(*model->rival));
		model->uses = calloc(n_links, sizeof(*model->uses));
		if (!model->route || !model->rival || !model->uses)
			return UTIL_ENOMEM;
	}
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
	bool is_plain = model->may_announce && cluster->network.message_s == 0 &&
			cluster->network.segments.n == 0 && model->method == &net_fluid &&
			cluster->network.latency_s > 0 && model->transfer_amplitude == 0;

	model->plain_delay = is_plain ? sim_time_from_s(cluster->network.latency_s) : -1;
}

/* As many as a node has NICs, and what the links between switches have. */
static int set_link_capacities(struct net_model *model)
{
	const struct net_topology *topology = model->topology;
	int n_of_nodes = 2 * model->cluster->n_nodes, n_nics = model->cluster->network.n_nics;
	bool are_equal = true;
	double *capacities;

	if (!topology && n_nics <= 1)
		return 0;
	capacities = calloc((size_t)model->n_links, sizeof *capacities);
	if (!capacities)
		return UTIL_ENOMEM;
	for (int l = 0; l < model->n_links; l++) {
		capacities[l] = l < n_of_nodes ? n_nics : net_topology_capacity(topology, l);
		are_equal = are_equal && capacities[l] == 1;
	}
	model->most_rate = n_nics > 1 ? 1 : INFINITY;
	if (are_equal && !model->has_changes)
		free(capacities);
	else
		net_model_set_capacities(model, capacities);
	return 0;
}

int net_model_create(struct sim_engine *engine, const struct cluster *cluster,
		     struct net_model **out, struct util_error *err)
{
	struct net_topology *topology = NULL;
	int rc;

	if (cluster->network.topology.kind != CLUSTER_TOPOLOGY_STAR) {
		rc = net_topology_create(cluster, &topology, err);
		if (rc)
			return rc;
	}
	rc = net_model_create_on(engine, cluster, topology, out, err);
	if (rc) {
		net_topology_destroy(topology);
		return rc;
	}
	(*out)->own_topology = topology;
	if (topology)
		net_route_init(*out);
	if (!set_link_capacities(*out))
		return 0;
	net_model_destroy(*out);
	return out_of_memory(cluster, err);
}

int net_model_create_on(struct sim_engine *engine, const struct cluster *cluster,
			const struct net_topology *topology, struct net_model **out,
			struct util_error *err)
{
	struct net_model *model = calloc(1, sizeof(*model));

	if (!model)
		return out_of_memory(cluster, err);
	if (topology && method_of(cluster)->start != net_fluid.start) {
		free(model);
		return util_error_set(err, UTIL_EINPUT,
				      "found a network with more links than those of its nodes, "
				      "wanted model: fluid and no packets");
	}
	model->engine = engine;
	model->cluster = cluster;
	model->topology = topology;
	model->n_links = topology ? topology->n_links : 2 * cluster->n_nodes;
	model->method = method_of(cluster);
	model->most_rate = INFINITY;
	if (allocate(model) || net_bounds_create(model) || (model->method->create && model->method->create(model))) {
		net_model_destroy(model);
		return out_of_memory(cluster, err);
	}
	model->slice = sim_time_from_s(cluster->network.timeslice_s);
	model->burst_s = (double)cluster->network.burst_B / cluster->network.bandwidth_Bps;
	model->has_limits =
	    cluster->network.duplex_loss > 0 || cluster->network.sharing_losses.n > 0;
	model->has_cpu_cost = cluster_has_cpu_cost(cluster);
	model->may_announce = !model->slice && !model->has_limits && model->burst_s == 0 &&
			      !model->has_cpu_cost && model->method->solve && !topology;
	set_plain_delay(model);
	if (cluster_shares_memory(cluster) && net_memory_create(model)) {
		net_model_destroy(model);
		return out_of_memory(cluster, err);
	}
	model->hook.run = end_instant;
	sim_event_init(&model->tick, fire_tick);
	util_rng_init(&model->route_rng, 0, STREAM_ROUTES);
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
	for (int l = 0; model->links && l < model->n_links; l++)
		free(model->links[l].hops);
	if (model->method->destroy)
		model->method->destroy(model);
	free(model->links);
	free(model->nodes);
	if (model->topology)
		util_pool_finish(&model->paths);
	free(model->route);
	free(model->rival);
	free(model->ended);
	free(model->uses);
	net_topology_destroy(model->own_topology);
	net_memory_destroy(model->memory);
	free(model->heap.entries);
	free(model->standings);
	free(model->dirty_links.links);
	free(model->dirty_nodes.links);
	free(model->region.links);
	free(model->touched.links);
	free(model->visited.links);
	free(model->caps);
	free(model->capacities);
	free(model->bounds);
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
	util_rng_init(&model->route_rng, seed, STREAM_ROUTES);
}

struct net_stats net_model_stats(const struct net_model *model)
{
	return model->stats;
}

double net_model_link_load(const struct net_model *model, int node, int is_incoming)
{
	const struct net_link *link =
	    is_incoming ? net_node_in(model, node) : net_node_out(model, node);

	return model->method->load(model, link);
}
