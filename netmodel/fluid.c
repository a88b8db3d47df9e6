/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers as a fluid (docs/model.md §3): after its delay a transfer enters its links, and leaves
 * them when its work is done. In a stream only the first one is on its links. A position in a stream
 * is a number of bytes from its begin; in the first transfer, of `first_s` seconds of work and size_B
 * bytes, the work that lies behind position x is
 *
 *     first_s · (end - x) / size_B, not more than first_s, not less than 0.
 */
#include <math.h>

#include "netmodel/private.h"
#include "netmodel/topology.h"

/* Work that is left out of a comparison: rounding of sums of parts. */
#define NOTHING_S 1e-13

static double behind(const struct net_stream *stream, int64_t position_B)
{
	int64_t size_B = stream->first->size_B;
	int64_t behind_B = stream->arrived_B + size_B - position_B;

	if (behind_B <= 0)
		return 0;
	return behind_B >= size_B ? stream->first_s
				  : stream->first_s * (double)behind_B / (double)size_B;
}

/* What is left of a transfer on its links, the work after its mark included. */
static double whole(const struct net_transfer *transfer)
{
	return transfer->remaining_s + (transfer->mark ? transfer->last_s : 0);
}

/* … and at this instant. */
static double whole_now(const struct net_transfer *transfer)
{
	sim_time_ps now = transfer->model->engine->now;

	return transfer->stage == NET_STAGE_SHARED
		   ? whole(transfer) - transfer->rate * sim_time_to_s(now - transfer->updated)
		   : whole(transfer);
}

double net_fluid_stream_left(const struct net_transfer *first)
{
	const struct net_stream *stream = first->stream;
	double left_s;

	if (!stream->is_held && !stream->is_closed)
		return first->remaining_s;
	left_s = whole(first) - behind(stream, net_stream_limit(stream));
	return fmax(fmin(left_s, first->remaining_s), 0);
}

double net_fluid_stream_next(const struct net_transfer *first)
{
	const struct net_stream *stream = first->stream;
	double left_s = net_fluid_stream_left(first);

	if (!stream->tell)
		return left_s;
	return fmax(fmin(left_s, whole(first) - behind(stream, stream->tell_B)), 0);
}

/* Nothing of it passes before more is handed over. */
static bool is_stopped(const struct net_transfer *first)
{
	double left_s = net_fluid_stream_left(first);

	return left_s <= NOTHING_S && first->remaining_s - left_s > NOTHING_S;
}

int64_t net_fluid_arrived_of_first(const struct net_stream *stream)
{
	const struct net_transfer *first = stream->first;
	double part;

	if (first->stage < NET_STAGE_SHARED || stream->first_s <= 0)
		return 0;
	part = 1 - whole_now(first) / stream->first_s;
	return (int64_t)floor(fmax(part, 0) * (double)first->size_B + 1e-3);
}

/* What the transfer on its links has done since its rate was set. */
static void settle(struct net_transfer *transfer)
{
	sim_time_ps now = transfer->model->engine->now;
	double passed_s = transfer->rate * sim_time_to_s(now - transfer->updated);

	transfer->remaining_s = fmax(transfer->remaining_s - passed_s, 0);
	transfer->updated = now;
}

void net_fluid_go(struct net_stream *stream)
{
	struct net_transfer *first = stream->first;
	struct net_model *model = first->model;

	if (first->stage == NET_STAGE_STALLED && !is_stopped(first)) {
		net_links_enter(first);
	} else if (first->stage == NET_STAGE_SHARED && first->rate > 0) {
		settle(first);
		sim_engine_at(model->engine, &first->event,
			      net_model_due(model, net_fluid_next(first) / first->rate));
	}
}

/* Whoever is first and ready goes on; what has no bytes to share ends there. */
static void advance(struct net_stream *stream)
{
	struct net_transfer *first;

	while ((first = stream->first) && first->is_ready && first->stage == NET_STAGE_QUEUED) {
		stream->first_s = whole(first);
		if (is_stopped(first)) {
			first->stage = NET_STAGE_STALLED;
			return;
		}
		if (first->remaining_s > 0 || first->mark) {
			net_links_enter(first);
			return;
		}
		net_stream_remove_first(stream);
		first->done(first);
	}
}

/* No more of its stream may pass: the transfer leaves its links until it may. */
static void stall(struct net_transfer *first)
{
	net_links_leave(first);
	first->rate = 0;
	first->stage = NET_STAGE_STALLED;
}

/* The event of a stream's first transfer is due: it stalls, or it told somebody and goes on. False: it
 * ends, or passes its mark. */
static bool stops(struct net_transfer *first)
{
	struct net_stream *stream = first->stream;
	double left_s = net_fluid_stream_left(first), next_s = net_fluid_next(first);
	bool tells = stream->tell && left_s - next_s > NOTHING_S;

	if (first->stage != NET_STAGE_SHARED ||
	    (!tells && first->remaining_s - left_s <= NOTHING_S))
		return false;
	first->remaining_s -= next_s;
	first->updated = first->model->engine->now;
	if (!tells)
		stall(first);
	net_stream_tell(stream, tells ? stream->tell_B : net_stream_arrived(stream));
	if (stream->first)
		net_fluid_go(stream);
	return true;
}

/* All but the last bytes are there: the rest follows at the rate that it has. */
static __attribute__((cold, noinline)) void pass_mark(struct net_transfer *transfer)
{
	struct net_model *model = transfer->model;
	net_transfer_fn mark = transfer->mark;

	transfer->mark = NULL;
	transfer->remaining_s = transfer->last_s;
	transfer->updated = model->engine->now;
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_fluid_next(transfer) / transfer->rate));
	mark(transfer);
}

void net_fluid_fire(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;
	struct net_stream *stream = transfer->stream;
	struct net_model *model = transfer->model;

	if (transfer->stage == NET_STAGE_QUEUED) {
		transfer->is_ready = true;
		advance(stream);
	} else if (transfer->stage != NET_STAGE_SHARED) {
		net_links_enter(transfer);
	} else if (stream && stops(transfer)) {
		return;
	} else if (transfer->mark) {
		pass_mark(transfer);
	} else {
		net_links_leave(transfer);
		if (transfer->n_links > 2)
			net_route_return(transfer);
		if (stream)
			net_stream_remove_first(stream);
		transfer->done(transfer);
		model->n_ended = 0;
		if (stream)
			advance(stream);
	}
}

/* Its route, where it has work for links, and the time of the links between switches. False: no
 * memory. */
static bool add_hops(struct net_transfer *transfer, struct net_duration *d)
{
	const struct net_model *model = transfer->model;

	if (!net_route_take(transfer))
		return false;
	d->delay_s += net_topology_hops_s(model->topology, &model->cluster->network.topology,
					  model->route, transfer->n_links);
	if (!d->is_shared && transfer->n_links > 2)
		net_route_return(transfer);
	transfer->model->n_ended = 0;
	return true;
}

void net_fluid_start(struct net_transfer *transfer, struct net_duration d, int64_t last_B,
		     double factor)
{
	struct net_model *model = transfer->model;

	transfer->n_links = 2;
	if (model->topology && !add_hops(transfer, &d))
		return;
	if (transfer->mark)
		net_transfer_set_mark(transfer, &d, (double)last_B / d.bandwidth_Bps * factor);
	transfer->remaining_s = d.work_s;
	transfer->bound = d.bound;
	if (transfer->stream) {
		transfer->stage = NET_STAGE_QUEUED;
		net_stream_append(transfer->stream, transfer);
	} else if (d.is_shared && d.delay_s == 0) {
		transfer->event.fire = net_fluid_fire;
		net_links_enter(transfer);
		return;
	} else if (d.is_shared && !transfer->mark && !d.bound && model->may_announce &&
		   net_fast_announce(transfer, sim_time_from_s(d.delay_s))) {
		return;
	} else if (d.is_shared) {
		transfer->stage = NET_STAGE_LATENCY;
	}
	if (transfer->stage != NET_STAGE_DIRECT)
		transfer->event.fire = net_fluid_fire;
	sim_engine_after(model->engine, &transfer->event, sim_time_from_s(d.delay_s));
}

double net_fluid_load(const struct net_model *model, const struct net_link *link)
{
	double load = link->announced && link->announced->updated <= model->engine->now;

	for (int i = 0; i < link->n; i++)
		load += net_hop_transfer(&link->hops[i])->rate;
	return load;
}

static void solve(struct net_model *model)
{
	const struct net_list *dirty = &model->dirty_links;

	for (int i = 0; i < dirty->n; i++)
		model->region.links[i] = dirty->links[i];
	model->region.n = dirty->n;
	net_maxmin_solve(model);
}

const struct net_method net_fluid = {
    .start = net_fluid_start,
    .go = net_fluid_go,
    .arrived_of_first = net_fluid_arrived_of_first,
    .load = net_fluid_load,
    .solve = solve,
};

static void solve_unshared(struct net_model *model)
{
	for (int l = 0; l < model->dirty_links.n; l++) {
		const struct net_link *link = &model->links[model->dirty_links.links[l]];

		for (int i = 0; i < link->n; i++) {
			struct net_transfer *transfer = net_hop_transfer(&link->hops[i]);

			net_transfer_set_rate(model, transfer,
					      fmin(1, net_most_rate(model, transfer)));
		}
	}
}

const struct net_method net_unshared = {
    .start = net_fluid_start,
    .go = net_fluid_go,
    .arrived_of_first = net_fluid_arrived_of_first,
    .load = net_fluid_load,
    .solve = solve_unshared,
};
