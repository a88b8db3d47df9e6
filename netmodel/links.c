/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers of a fluid on their links: they come, get a rate, and go. */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

bool net_rate_same(double a, double b)
{
	/* Relative to the smaller: INFINITY is like nothing else. */
	return a == b || fabs(a - b) <= NET_SAME * (fabs(a) < fabs(b) ? fabs(a) : fabs(b));
}

void net_transfer_set_rate(struct net_model *model, struct net_transfer *transfer, double rate)
{
	sim_time_ps now = model->engine->now;
	double passed_s;

	model->stats.n_rate_updates++;
	if (net_rate_same(rate, transfer->rate))
		return;
	model->stats.n_rate_changes++;
	passed_s = transfer->rate * sim_time_to_s(now - transfer->updated);
	transfer->remaining_s -= passed_s;
	if (transfer->remaining_s < 0)
		transfer->remaining_s = 0;
	net_out_link(transfer)->load += rate - transfer->rate;
	net_in_link(transfer)->load += rate - transfer->rate;
	transfer->updated = now;
	transfer->rate = rate;
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_fluid_next(transfer) / rate));
}

static void touch(struct net_model *model, const struct net_transfer *transfer)
{
	net_link_touch(model, net_out_link(transfer));
	net_link_touch(model, net_in_link(transfer));
}

static inline void touch_cpus(struct net_model *model, const struct net_transfer *transfer)
{
	if (!model->cluster->cpu.cost.fraction)
		return;
	if (model->nodes[transfer->source_node].n_computes)
		net_node_touch(model, transfer->source_node);
	if (model->nodes[transfer->dest_node].n_computes)
		net_node_touch(model, transfer->dest_node);
}

void net_transfer_touch_cpus(struct net_model *model, const struct net_transfer *transfer)
{
	touch_cpus(model, transfer);
}

/* Room for more transfers. */
static __attribute__((noinline)) int reserve_hop(struct net_link *link)
{
	int capacity = link->capacity ? 2 * link->capacity : 4;
	struct net_hop *hops = realloc(link->hops, (size_t)capacity * sizeof(*hops));
	if (!hops)
		return UTIL_ENOMEM;
	link->hops = hops;
	link->capacity = capacity;
	return 0;
}

void net_link_set_alone(struct net_link *link, double level, double share, double load, int n)
{
	link->level = level;
	link->share = share;
	link->load = load;
	link->n_before = n;
}

/* Nothing has to be solved for two links that carry one transfer, or none. */
static inline bool is_quiet(const struct net_model *model, const struct net_link *out,
			    const struct net_link *in)
{
	return !out->dirty && !in->dirty && !model->has_limits && net_model_at_boundary(model);
}

/* What solving would give a transfer that is alone on its links, without it. */
static inline void go_alone(struct net_model *model, struct net_transfer *transfer,
			    struct net_link *out, struct net_link *in)
{
	model->stats.n_rate_updates++;
	model->stats.n_rate_changes++;
	transfer->rate = 1;
	net_link_set_alone(out, 1, 1, 1, 1);
	net_link_set_alone(in, 1, INFINITY, 1, 1);
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_fluid_next(transfer)));
}

/* Puts it behind those that are on its links; false when there is no memory. */
bool net_links_join(struct net_transfer *transfer, struct net_link *out, struct net_link *in)
{
	struct net_model *model = transfer->model;

	if ((out->n == out->capacity && reserve_hop(out)) ||
	    (in->n == in->capacity && reserve_hop(in))) {
		net_model_out_of_memory(model);
		return false;
	}
	transfer->stage = NET_STAGE_SHARED;
	transfer->out_place = out->n++;
	transfer->in_place = in->n++;
	out->hops[transfer->out_place] = (struct net_hop){transfer, (int)(in - model->links)};
	in->hops[transfer->in_place] = (struct net_hop){transfer, (int)(out - model->links)};
	return true;
}

void net_links_enter(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);

	if (out->announced)
		net_fast_call_in(out->announced);
	if (in->announced)
		net_fast_call_in(in->announced);
	if (model->queue_s > 0 && net_transfer_waits_behind(model, transfer))
		return;
	if (model->burst_s > 0)
		net_transfer_pass_burst(model, transfer);
	transfer->updated = model->engine->now;
	if (!net_links_join(transfer, out, in))
		return;
	touch_cpus(model, transfer);
	if (out->n == 1 && in->n == 1 && is_quiet(model, out, in))
		go_alone(model, transfer, out, in);
	else if (model->has_limits)
		net_transfer_change_limits(model, transfer);
	else
		touch(model, transfer);
}

void net_links_leave(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);
	struct net_hop last;

	if (out->n == 1 && in->n == 1 && is_quiet(model, out, in)) {
		out->n = in->n = 0;
		out->idle_since = in->idle_since = model->engine->now;
		net_link_set_alone(out, INFINITY, INFINITY, 0, 0);
		net_link_set_alone(in, INFINITY, INFINITY, 0, 0);
		touch_cpus(model, transfer);
		return;
	}
	out->load -= transfer->rate;
	in->load -= transfer->rate;
	last = out->hops[--out->n];
	out->hops[transfer->out_place] = last;
	last.transfer->out_place = transfer->out_place;
	last = in->hops[--in->n];
	in->hops[transfer->in_place] = last;
	last.transfer->in_place = transfer->in_place;
	if (out->n == 0)
		out->idle_since = model->engine->now;
	if (in->n == 0)
		in->idle_since = model->engine->now;
	touch_cpus(model, transfer);
	if (model->has_limits)
		net_transfer_change_limits(model, transfer);
	else
		touch(model, transfer);
}
