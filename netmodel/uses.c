/* SPDX-License-Identifier: BSD-3-Clause */
/* What the links of a fabric carry, and how long they hold transfers back; the star counts nothing. */
#include "netmodel/private.h"
#include "netmodel/topology.h"

/* Its transfers that get less than they could take, because of this link, since the rates changed. */
static void charge(struct net_model *model, int l)
{
	const struct net_link *link = &model->links[l];
	struct net_use *use = &model->uses[l];
	sim_time_ps now = model->engine->now;

	use->lost_s += use->losing * sim_time_to_s(now - use->since);
	use->since = now;
	use->losing = 0;
	if (link->level >= 1)
		return;
	for (int i = 0; i < link->n; i++)
		if (net_rate_same(net_hop_rate(&link->hops[i]), link->level))
			use->losing += 1 - link->level;
}

void net_uses_charge(struct net_model *model, const struct net_list *links)
{
	for (int i = 0; i < links->n; i++)
		charge(model, links->links[i]);
}

/* Nobody else asks for n_routed. */
static bool is_adaptive(const struct net_model *model)
{
	return model->cluster->network.topology.routing == CLUSTER_ROUTING_ADAPTIVE;
}

void net_uses_begin(struct net_transfer *transfer, const int links[], int n)
{
	struct net_use *uses = transfer->model->uses;

	for (int k = 0; k < n; k++)
		uses[links[k]].carried_B += (double)transfer->size_B;
	if (n > 2 && is_adaptive(transfer->model))
		for (int k = 0; k < n; k++)
			uses[links[k]].n_routed++;
}

void net_uses_end(struct net_transfer *transfer)
{
	if (is_adaptive(transfer->model))
		for (int k = 0; k < transfer->n_links; k++)
			transfer->model->uses[transfer->path->at[k].link].n_routed--;
}

void net_uses_mark(struct net_model *model)
{
	for (int l = 0; model->uses && l < model->n_links; l++) {
		model->uses[l].marked_B = model->uses[l].carried_B;
		model->uses[l].marked_s = model->uses[l].lost_s;
	}
}

void net_uses_repeat(struct net_model *model, uint64_t n)
{
	for (int l = 0; model->uses && l < model->n_links; l++) {
		struct net_use *use = &model->uses[l];

		use->carried_B += (double)n * (use->carried_B - use->marked_B);
		use->lost_s += (double)n * (use->lost_s - use->marked_s);
	}
}

const struct net_topology *net_model_topology(const struct net_model *model)
{
	return model->topology;
}

struct net_link_use net_model_link_use(const struct net_model *model, int link)
{
	const struct net_use *use = &model->uses[link];
	double capacity = model->capacities ? model->capacities[link] : 1;
	sim_time_ps passed = model->engine->now - use->since;

	if (model->has_changes && link >= model->topology->class_begin[0])
		capacity = net_topology_mean_capacity(model->topology, link,
						      sim_time_to_s(model->engine->now));
	return (struct net_link_use){
	    .carried_B = use->carried_B,
	    .bandwidth_Bps = capacity * model->cluster->network.bandwidth_Bps,
	    .lost_s = use->lost_s + use->losing * sim_time_to_s(passed),
	};
}
