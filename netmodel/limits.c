/* SPDX-License-Identifier: BSD-3-Clause */
/* What switches do beside sharing (docs/model.md §3): links that carry less the more transfers they
 * have, bursts after a rest, transfers that get no more than a part of a link. */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

/* What `link`'s transfers get together, by their number and by whether the node's other link
 * carries some, too; NULL: it is no node's. */
static double limit_of(const struct net_model *model, const struct net_link *link,
		       const struct net_link *opposite)
{
	const struct cluster_sharing_losses *losses = &model->cluster->network.sharing_losses;
	double capacity = model->capacities ? model->capacities[link - model->links] : 1;
	double limit = capacity;

	if (losses->n && link->n > 0)
		limit = capacity *
			(1 - losses->fraction[(link->n < losses->n ? link->n : losses->n) - 1]);
	if (link->n > 0 && opposite && opposite->n > 0)
		limit *= 1 - model->cluster->network.duplex_loss;
	return limit;
}

static void update_limit(struct net_model *model, struct net_link *link,
			 const struct net_link *opposite)
{
	double limit = limit_of(model, link, opposite);

	if (link->limit != limit)
		net_link_touch(model, link);
	link->limit = limit;
}

static void update_limits(struct net_model *model, int node)
{
	struct net_link *out = net_node_out(model, node), *in = net_node_in(model, node);

	update_limit(model, out, in);
	update_limit(model, in, out);
}

/* After one more or one fewer transfer on its links. */
void net_transfer_change_limits(struct net_model *model, const struct net_transfer *transfer)
{
	update_limits(model, transfer->source_node);
	update_limits(model, transfer->dest_node);
	for (int k = 1; k < transfer->n_links - 1; k++)
		update_limit(model, &model->links[net_crossed(transfer, k)], NULL);
}

void net_link_change_limit(struct net_model *model, int link)
{
	update_limit(model, &model->links[link], NULL);
}

int net_bounds_create(struct net_model *model)
{
	const struct cluster_segments *segments = &model->cluster->network.segments;
	bool is_bounded = false;

	for (int i = 0; i < segments->n; i++)
		is_bounded |= segments->list[i].stream_Bps < segments->list[i].bandwidth_Bps;
	if (!is_bounded)
		return 0;
	model->bounds = calloc((size_t)segments->n, sizeof *model->bounds);
	if (!model->bounds)
		return UTIL_ENOMEM;
	for (int i = 0; i < segments->n; i++)
		model->bounds[i] = segments->list[i].stream_Bps / segments->list[i].bandwidth_Bps;
	return 0;
}

static double credit_of(const struct net_model *model, const struct net_link *link)
{
	double idle_s = link->n ? 0 : sim_time_to_s(model->engine->now - link->idle_since);

	return fmin(link->credit_s + idle_s, model->burst_s);
}

/* Bytes that its links let through at once, because they have been idle. */
void net_transfer_pass_burst(struct net_model *model, struct net_transfer *transfer)
{
	double passed_s = net_fluid_left(transfer);

	for (int k = 0; k < transfer->n_links; k++)
		passed_s =
		    fmin(passed_s, credit_of(model, &model->links[net_crossed(transfer, k)]));
	transfer->remaining_s -= passed_s;
	for (int k = 0; k < transfer->n_links; k++) {
		struct net_link *link = &model->links[net_crossed(transfer, k)];

		link->credit_s = credit_of(model, link) - passed_s;
	}
}
