/* SPDX-License-Identifier: BSD-3-Clause */
/* A transfer that stays alone on its links, of the star: one event instead of two, and one test. */
#include "netmodel/private.h"

/* Part of its callers, so that what is constant there costs nothing: every message passes here. */
#define HOT inline __attribute__((always_inline))

static inline void withdraw(const struct net_transfer *transfer, struct net_link *link)
{
	if (link->announced == transfer)
		link->announced = NULL;
}

static void fire_announced(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);

	withdraw(transfer, out);
	withdraw(transfer, in);
	transfer->done(transfer);
}

/* Also with one that ends at this instant: the next one may take its place, and it is on the link
 * for no time any more. */
static inline bool is_idle(const struct net_model *model, const struct net_link *link)
{
	return !link->n && !link->dirty &&
	       (!link->announced || link->announced->event.time == model->engine->now);
}

/*
 * Announces a transfer whose links are idle: its event is its end, as it is when it stays alone on
 * them. Whoever comes to one of them before calls it in. False: they are not idle, or its end is
 * out of reach.
 */
static HOT bool announce(struct net_model *model, struct net_transfer *transfer, int source_node,
			 int dest_node, sim_time_ps delay)
{
	struct net_link *out = net_node_out(model, source_node);
	struct net_link *in = net_node_in(model, dest_node);
	sim_time_ps enters = sim_time_add(model->engine->now, delay);
	sim_time_ps due = sim_time_add(enters, sim_time_from_s(transfer->remaining_s));

	if (!is_idle(model, out) || !is_idle(model, in) || due == SIM_TIME_MAX)
		return false;
	model->stats.n_rate_updates++;
	model->stats.n_rate_changes++;
	transfer->event.fire = fire_announced;
	transfer->updated = enters;
	out->announced = in->announced = transfer;
	sim_engine_at(model->engine, &transfer->event, due);
	return true;
}

bool net_fast_announce(struct net_transfer *transfer, sim_time_ps delay)
{
	return announce(transfer->model, transfer, transfer->source_node, transfer->dest_node,
			delay);
}

void net_fast_call_in(struct net_transfer *transfer)
{
	struct net_model *model = transfer->model;
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);

	withdraw(transfer, out);
	withdraw(transfer, in);
	transfer->n_links = 2;
	transfer->event.fire = net_fluid_fire;
	if (transfer->updated > model->engine->now) {
		transfer->stage = NET_STAGE_LATENCY;
		model->stats.n_rate_updates--;
		model->stats.n_rate_changes--;
		sim_engine_at(model->engine, &transfer->event, transfer->updated);
		return;
	}
	net_links_begin_alone(transfer);
}

/* With the plain delay, on links that are not idle. */
static __attribute__((noinline)) void start_delayed(struct net_model *model,
						    struct net_transfer *transfer)
{
	transfer->n_links = 2;
	transfer->event.fire = net_fluid_fire;
	transfer->stage = NET_STAGE_LATENCY;
	sim_engine_after(model->engine, &transfer->event, model->plain_delay);
}

void net_transfer_start(struct net_model *model, struct net_transfer *transfer, int source_node,
			int dest_node, int64_t size_B, net_transfer_fn done)
{
	if (__builtin_expect(model->plain_delay < 0 || source_node == dest_node || size_B <= 0,
			     0)) {
		net_transfer_start_marked(model, transfer, source_node, dest_node, size_B, 0, NULL,
					  done);
		return;
	}
	net_transfer_set_up(model, transfer, source_node, dest_node, size_B, done);
	transfer->remaining_s = (double)size_B / model->cluster->network.bandwidth_Bps;
	if (!announce(model, transfer, source_node, dest_node, model->plain_delay))
		start_delayed(model, transfer);
}
