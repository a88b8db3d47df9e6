/* SPDX-License-Identifier: BSD-3-Clause */
/* Which route a transfer takes over a fabric, and links that become slow or fail meanwhile. */
#include <stdlib.h>

#include "netmodel/private.h"
#include "netmodel/topology.h"

/* The most transfers that cross one of a route's links between switches. */
static int busiest_of(const struct net_model *model, const int links[], int n)
{
	int most = 0;

	for (int k = 1; k < n - 1; k++)
		if (model->uses[links[k]].n_routed > most)
			most = model->uses[links[k]].n_routed;
	return most;
}

/* The least busy of some routes, detours among them; of equal ones the shortest, then the first. */
static int choose_adaptively(struct net_model *model, int source, int dest)
{
	const struct net_topology *topology = model->topology;
	int n = 0, busiest = 0;

	for (int i = 0; i < NET_ROUTES_TRIED; i++) {
		bool is_detour = topology->has_detours && i % 2 == 1;
		int n_rival =
		    net_topology_route(topology, source, dest, util_rng_next(&model->route_rng),
				       is_detour, model->rival);
		int rival_busiest = busiest_of(model, model->rival, n_rival);

		if (i == 0 || rival_busiest < busiest ||
		    (rival_busiest == busiest && n_rival < n)) {
			int *links = model->route;

			model->route = model->rival;
			model->rival = links;
			n = n_rival;
			busiest = rival_busiest;
		}
		if (n == 2)
			break;
	}
	return n;
}

/* A number that is the same for each message between two nodes. */
static uint64_t hash_of(int source, int dest)
{
	struct util_rng rng;

	util_rng_init(&rng, (uint64_t)source, (uint64_t)dest);
	return util_rng_next(&rng);
}

static int choose_route(struct net_model *model, int source, int dest)
{
	const struct net_topology *topology = model->topology;
	enum cluster_routing routing = model->cluster->network.topology.routing;
	uint64_t choice = (uint64_t)dest;

	if (routing == CLUSTER_ROUTING_ADAPTIVE)
		return choose_adaptively(model, source, dest);
	if (routing == CLUSTER_ROUTING_ECMP)
		choice = hash_of(source, dest);
	else if (routing == CLUSTER_ROUTING_VALIANT)
		choice = util_rng_next(&model->route_rng);
	return net_topology_route(topology, source, dest, choice,
				  routing == CLUSTER_ROUTING_VALIANT, model->route);
}

/* --- links that become slow, fail or come back --- */

/* Of a link that fails, what is under way goes on as it was. */
static void set_capacities(struct net_model *model)
{
	for (int l = model->topology->class_begin[0]; l < model->n_links; l++) {
		double capacity = net_topology_capacity(model->topology, l);

		if (capacity == 0 || capacity == model->capacities[l])
			continue;
		model->capacities[l] = capacity;
		net_link_change_limit(model, l);
	}
}

/* Now, and again when something changes. */
static void keep_up(struct net_model *model)
{
	if (net_topology_go_on(model->own_topology, model->engine->now))
		set_capacities(model);
	if (net_topology_next(model->topology) < SIM_TIME_MAX)
		sim_engine_at(model->engine, &model->change, net_topology_next(model->topology));
}

static void fire_change(struct sim_event *event)
{
	keep_up((struct net_model *)((char *)event - offsetof(struct net_model, change)));
}

void net_route_init(struct net_model *model)
{
	sim_event_init(&model->change, fire_change);
	model->has_changes = net_topology_next(model->topology) < SIM_TIME_MAX;
}

/* --- */

bool net_route_take(struct net_transfer *transfer)
{
	struct net_model *model = transfer->model;
	const int *links;
	int n;

	if (model->has_changes)
		keep_up(model);
	n = choose_route(model, transfer->source_node, transfer->dest_node);
	links = model->route;
	net_uses_begin(transfer, links, n);
	if (n == 2)
		return true;
	transfer->path = util_pool_get(&model->paths);
	if (!transfer->path) {
		net_model_out_of_memory(model);
		return false;
	}
	transfer->path->transfer = transfer;
	for (int k = 0; k < n; k++)
		transfer->path->at[k].link = links[k];
	transfer->n_links = (short)n;
	model->n_routed++;
	return true;
}

bool net_model_keep_routes(struct net_model *model)
{
	if (model->topology && !model->ended)
		model->ended = calloc((size_t)model->topology->longest, sizeof *model->ended);
	return model->ended != NULL;
}

static void keep_ended(struct net_model *model, const struct net_transfer *transfer)
{
	model->n_ended = transfer->n_links - 2;
	for (int k = 0; k < model->n_ended; k++)
		model->ended[k] = transfer->path->at[k + 1].link;
}

int net_model_ended_link(const struct net_model *model, int k)
{
	return model->ended && k < model->n_ended ? model->ended[k] : -1;
}

void net_route_return(struct net_transfer *transfer)
{
	struct net_model *model = transfer->model;

	net_uses_end(transfer);
	if (model->ended)
		keep_ended(model, transfer);
	util_pool_put(&model->paths, transfer->path);
	transfer->n_links = 2;
	/* nobody waits for what happens to links that nobody uses */
	if (--model->n_routed == 0 && model->has_changes)
		sim_engine_cancel(model->engine, &model->change);
}
