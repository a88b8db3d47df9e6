/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

bool net_rate_same(double a, double b)
{
	/* Relative to the smaller: INFINITY is like nothing else. */
	return a == b || fabs(a - b) <= NET_SAME * (fabs(a) < fabs(b) ? fabs(a) : fabs(b));
}

static struct net_link *out_link(const struct net_transfer *transfer)
{
	return &transfer->model->links[transfer->source_node];
}

static struct net_link *in_link(const struct net_transfer *transfer)
{
	return &transfer->model->links[transfer->model->cluster->n_nodes + transfer->dest_node];
}

void net_transfer_set_rate(struct net_model *model, struct net_transfer *transfer, double rate)
{
	sim_time_ps now = model->engine->now;

	model->stats.n_rate_updates++;
	if (net_rate_same(rate, transfer->rate))
		return;
	model->stats.n_rate_changes++;
	transfer->remaining_s -= transfer->rate * sim_time_to_s(now - transfer->updated);
	if (transfer->remaining_s < 0)
		transfer->remaining_s = 0;
	out_link(transfer)->load += rate - transfer->rate;
	in_link(transfer)->load += rate - transfer->rate;
	transfer->updated = now;
	transfer->rate = rate;
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, transfer->remaining_s / rate));
}

static void touch_link(struct net_model *model, struct net_link *link)
{
	if (link->dirty)
		return;
	link->dirty = true;
	model->dirty_links.links[model->dirty_links.n++] = (int)(link - model->links);
	net_model_ask(model);
}

static void touch(struct net_model *model, const struct net_transfer *transfer)
{
	touch_link(model, out_link(transfer));
	touch_link(model, in_link(transfer));
}

/* More or fewer transfers on its nodes: communication may cost another fraction of their CPUs. */
static void touch_cpus(struct net_model *model, const struct net_transfer *transfer)
{
	if (!model->cluster->cpu_cost.fraction)
		return;
	if (model->nodes[transfer->source_node].n_computes)
		net_node_touch(model, transfer->source_node);
	if (model->nodes[transfer->dest_node].n_computes)
		net_node_touch(model, transfer->dest_node);
}

/* Room for one more transfer. */
static int reserve_hop(struct net_link *link)
{
	int capacity = link->capacity ? 2 * link->capacity : 4;
	struct net_hop *hops;

	if (link->n < link->capacity)
		return 0;
	hops = realloc(link->hops, (size_t)capacity * sizeof(*hops));
	if (!hops)
		return UTIL_ENOMEM;
	link->hops = hops;
	link->capacity = capacity;
	return 0;
}

static void set_alone(struct net_link *link, double level, double share, double load, int n)
{
	link->level = level;
	link->share = share;
	link->load = load;
	link->n_before = n;
}

static bool is_quiet(const struct net_model *model, const struct net_transfer *transfer)
{
	return !out_link(transfer)->dirty && !in_link(transfer)->dirty &&
	       net_model_at_boundary(model);
}

static void enter_links(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = out_link(transfer), *in = in_link(transfer);

	transfer->stage = NET_STAGE_SHARED;
	transfer->updated = model->engine->now;
	if (reserve_hop(out) || reserve_hop(in)) {
		net_model_out_of_memory(model);
		return;
	}
	transfer->out_place = out->n++;
	transfer->in_place = in->n++;
	out->hops[transfer->out_place] = (struct net_hop){transfer, (int)(in - model->links)};
	in->hops[transfer->in_place] = (struct net_hop){transfer, (int)(out - model->links)};
	touch_cpus(model, transfer);
	if (out->n == 1 && in->n == 1 && is_quiet(model, transfer)) {
		/* Alone: what solving would give, without it. */
		net_transfer_set_rate(model, transfer, 1);
		set_alone(out, 1, 1, 1, 1);
		set_alone(in, 1, INFINITY, 1, 1);
	} else {
		touch(model, transfer);
	}
}

static void leave_links(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = out_link(transfer), *in = in_link(transfer);
	struct net_hop last;

	out->load -= transfer->rate;
	in->load -= transfer->rate;
	last = out->hops[--out->n];
	out->hops[transfer->out_place] = last;
	last.transfer->out_place = transfer->out_place;
	last = in->hops[--in->n];
	in->hops[transfer->in_place] = last;
	last.transfer->in_place = transfer->in_place;
	touch_cpus(model, transfer);
	if (out->n == 0 && in->n == 0 && is_quiet(model, transfer)) {
		set_alone(out, INFINITY, INFINITY, 0, 0);
		set_alone(in, INFINITY, INFINITY, 0, 0);
	} else {
		touch(model, transfer);
	}
}

static void fire_transfer(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;

	if (transfer->stage == NET_STAGE_LATENCY) {
		enter_links(transfer->model, transfer);
		return;
	}
	if (transfer->stage == NET_STAGE_SHARED)
		leave_links(transfer->model, transfer);
	transfer->done(transfer);
}

void net_transfer_start(struct net_model *model, struct net_transfer *transfer, int source_node,
			int dest_node, int64_t size_B, net_transfer_fn done)
{
	const struct net_cluster *cluster = model->cluster;
	double factor = net_model_vary_factor(&model->transfer_rng, model->transfer_amplitude),
	       delay_s;

	*transfer = (struct net_transfer){.model = model,
					  .done = done,
					  .size_B = size_B,
					  .source_node = source_node,
					  .dest_node = dest_node,
					  .stage = NET_STAGE_DIRECT};
	sim_event_init(&transfer->event, fire_transfer);
	model->stats.n_transfers++;
	if (source_node == dest_node) {
		delay_s = cluster->intra_latency_s + (double)size_B / cluster->intra_bandwidth_Bps;
	} else {
		delay_s = cluster->latency_s;
		transfer->remaining_s = (double)size_B / cluster->bandwidth_Bps * factor;
		if (cluster->latency_model == NET_LATENCY_SHARED) {
			delay_s = 0;
			transfer->remaining_s += cluster->latency_s * factor;
		}
	}
	if (transfer->remaining_s > 0 && delay_s == 0) {
		enter_links(model, transfer);
		return;
	}
	if (transfer->remaining_s > 0)
		transfer->stage = NET_STAGE_LATENCY;
	sim_engine_after(model->engine, &transfer->event, sim_time_from_s(delay_s * factor));
}
