/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

/* Part of its callers, so that what is constant there costs nothing: every message passes here. */
#define HOT inline __attribute__((always_inline))

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
		      net_model_due(model, net_transfer_next(transfer) / rate));
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

static void set_alone(struct net_link *link, double level, double share, double load, int n)
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
	set_alone(out, 1, 1, 1, 1);
	set_alone(in, 1, INFINITY, 1, 1);
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_transfer_next(transfer)));
}

/* Puts it behind those that are on its links; false when there is no memory. */
static inline bool join_links(struct net_transfer *transfer, struct net_link *out,
			      struct net_link *in)
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

/* --- transfers that are announced: one event instead of two --- */

static void fire_transfer(struct sim_event *event);

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
	struct net_link *out = &model->links[source_node];
	struct net_link *in = &model->links[model->cluster->n_nodes + dest_node];
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

/* Another transfer comes to a link for which this one is announced: it is on its links from the
 * time at which it entered them, or its delay is not over and it comes like any other. */
static __attribute__((noinline)) void call_in(struct net_model *model,
					      struct net_transfer *transfer)
{
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);

	withdraw(transfer, out);
	withdraw(transfer, in);
	transfer->event.fire = fire_transfer;
	if (transfer->updated > model->engine->now) {
		transfer->stage = NET_STAGE_LATENCY;
		model->stats.n_rate_updates--;
		model->stats.n_rate_changes--;
		sim_engine_at(model->engine, &transfer->event, transfer->updated);
		return;
	}
	if (!join_links(transfer, out, in))
		return;
	transfer->rate = 1;
	set_alone(out, 1, 1, 1, 1);
	set_alone(in, 1, INFINITY, 1, 1);
}

void net_transfer_enter_links(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);

	if (out->announced)
		call_in(model, out->announced);
	if (in->announced)
		call_in(model, in->announced);
	if (model->queue_s > 0 && net_transfer_waits_behind(model, transfer))
		return;
	if (model->burst_s > 0)
		net_transfer_pass_burst(model, transfer);
	transfer->updated = model->engine->now;
	if (!join_links(transfer, out, in))
		return;
	touch_cpus(model, transfer);
	if (out->n == 1 && in->n == 1 && is_quiet(model, out, in))
		go_alone(model, transfer, out, in);
	else if (model->has_limits)
		net_transfer_change_limits(model, transfer);
	else
		touch(model, transfer);
}

void net_transfer_leave_links(struct net_model *model, struct net_transfer *transfer)
{
	struct net_link *out = net_out_link(transfer), *in = net_in_link(transfer);
	struct net_hop last;

	if (out->n == 1 && in->n == 1 && is_quiet(model, out, in)) {
		out->n = in->n = 0;
		out->idle_since = in->idle_since = model->engine->now;
		set_alone(out, INFINITY, INFINITY, 0, 0);
		set_alone(in, INFINITY, INFINITY, 0, 0);
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

/* All but the last bytes are there: the rest follows at the rate that it has. */
static __attribute__((cold, noinline)) void pass_mark(struct net_transfer *transfer)
{
	struct net_model *model = transfer->model;
	net_transfer_fn mark = transfer->mark;

	transfer->mark = NULL;
	if (transfer->stage == NET_STAGE_SHARED) {
		transfer->remaining_s = transfer->last_s;
		transfer->updated = model->engine->now;
		sim_engine_at(model->engine, &transfer->event,
			      net_model_due(model, net_transfer_next(transfer) / transfer->rate));
	} else {
		sim_engine_after(model->engine, &transfer->event,
				 sim_time_from_s(transfer->last_s));
	}
	mark(transfer);
}

static __attribute__((cold, noinline)) void make_ready(struct net_transfer *transfer)
{
	transfer->is_ready = true;
	net_stream_advance(transfer->stream);
}

static void fire_transfer(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;
	struct net_stream *stream = transfer->stream;

	if (transfer->stage == NET_STAGE_QUEUED) {
		make_ready(transfer);
		return;
	}

	if (transfer->stage == NET_STAGE_LATENCY || transfer->stage == NET_STAGE_BEHIND) {
		net_transfer_enter_links(transfer->model, transfer);
		return;
	}
	if (stream && net_stream_stops(transfer))
		return;
	if (transfer->mark) {
		pass_mark(transfer);
		return;
	}
	if (transfer->stage == NET_STAGE_SHARED)
		net_transfer_leave_links(transfer->model, transfer);
	if (stream)
		net_stream_remove_first(stream);
	transfer->done(transfer);
	if (stream)
		net_stream_advance(stream);
}

/* The parts of a minimal duration: what occupies nothing, and what links share. */
struct duration {
	double delay_s, work_s;
	double bandwidth_Bps;
	bool is_shared; /* there is work, though it may lie after the mark, or a queue to wait in */
};

static const struct cluster_segment *find_segment(const struct cluster_segments *segments,
						  int64_t size_B)
{
	const struct cluster_segment *segment = NULL;

	for (int i = 0; i < segments->n && segments->list[i].from_B <= size_B; i++)
		segment = &segments->list[i];
	return segment;
}

static HOT struct duration duration_between(const struct cluster *cluster, int64_t size_B,
					    double factor)
{
	const struct cluster_segment *segment =
	    cluster->network.segments.n ? find_segment(&cluster->network.segments, size_B) : NULL;
	double latency_s = segment ? segment->latency_s : cluster->network.latency_s;
	struct duration d = {.bandwidth_Bps =
				 segment ? segment->bandwidth_Bps : cluster->network.bandwidth_Bps};

	d.delay_s = latency_s * factor;
	d.work_s = (double)size_B / d.bandwidth_Bps * factor;
	/* A negative intercept is bytes that pass at once: less work, no delay. */
	if (cluster->network.latency_model == CLUSTER_LATENCY_SHARED || latency_s < 0) {
		d.work_s += d.delay_s;
		d.delay_s = 0;
	}
	d.is_shared = d.work_s > 0;
	return d;
}

static struct duration duration_within(const struct cluster *cluster, int64_t size_B, double factor)
{
	const struct cluster_segment *segment =
	    cluster->network.intra_segments.n
		? find_segment(&cluster->network.intra_segments, size_B)
		: NULL;
	double latency_s = segment ? segment->latency_s : cluster->network.intra_latency_s;
	struct duration d = {.bandwidth_Bps = segment ? segment->bandwidth_Bps
						      : cluster->network.intra_bandwidth_Bps};

	d.delay_s = (latency_s + (double)size_B / d.bandwidth_Bps) * factor;
	return d;
}

struct net_minimum net_transfer_minimum(const struct cluster *cluster, int is_within_node,
					int64_t size_B)
{
	struct duration d = is_within_node ? duration_within(cluster, size_B, 1)
					   : duration_between(cluster, size_B, 1);
	double bandwidth_s = (double)size_B / d.bandwidth_Bps;
	double all_s = d.delay_s + d.work_s;

	if (bandwidth_s > all_s) /* a negative intercept: bytes that pass at once */
		bandwidth_s = all_s;
	return (struct net_minimum){.latency_s = all_s - bandwidth_s,
				    .bandwidth_s = bandwidth_s,
				    .is_delay = d.delay_s > 0};
}

/* Moves what comes after the mark, `last_s` at most, out of the duration. */
static void set_mark(struct net_transfer *transfer, struct duration *d, double last_s)
{
	double *part = d->is_shared ? &d->work_s : &d->delay_s;

	transfer->last_s = last_s < *part ? last_s : *part;
	*part -= transfer->last_s;
}

static HOT void set_up(struct net_model *model, struct net_transfer *transfer, int source_node,
		       int dest_node, int64_t size_B, net_transfer_fn done)
{
	/* one by one: compilers clear a structure of this size by a loop */
	transfer->event.place = 0;
	transfer->event.fire = fire_transfer;
	transfer->model = model;
	transfer->done = done;
	transfer->mark = NULL;
	transfer->last_s = 0;
	transfer->size_B = size_B;
	transfer->source_node = source_node;
	transfer->dest_node = dest_node;
	transfer->remaining_s = transfer->rate = 0;
	transfer->updated = 0;
	transfer->stage = NET_STAGE_DIRECT;
	transfer->is_ready = false;
	transfer->stream = NULL;
	transfer->next = NULL;
	model->stats.n_transfers++;
}

/* Without a mark, which is the hot case, nothing of the mark is left. */
static HOT void start(struct net_model *model, struct net_transfer *transfer, int source_node,
		      int dest_node, int64_t size_B, int64_t last_B, net_transfer_fn mark,
		      net_transfer_fn done, struct net_stream *stream)
{
	const struct cluster *cluster = model->cluster;
	double factor = net_model_vary_factor(&model->transfer_rng, model->transfer_amplitude);
	struct duration d;

	if (source_node == dest_node)
		d = duration_within(cluster, size_B, factor);
	else
		d = duration_between(cluster, size_B, factor);
	/* also what has no bytes comes behind what its node has in its queue */
	d.is_shared = d.is_shared || (model->queue_s > 0 && source_node != dest_node);
	set_up(model, transfer, source_node, dest_node, size_B, done);
	transfer->mark = mark;
	transfer->stream = stream;
	if (model->has_packets && source_node != dest_node) {
		net_packets_start(transfer, stream, d.delay_s, last_B, factor);
		return;
	}
	if (mark)
		set_mark(transfer, &d, (double)last_B / d.bandwidth_Bps * factor);
	transfer->remaining_s = d.work_s;
	if (stream) {
		transfer->stage = NET_STAGE_QUEUED;
		net_stream_append(stream, transfer);
		sim_engine_after(model->engine, &transfer->event, sim_time_from_s(d.delay_s));
		return;
	}
	if (d.is_shared && d.delay_s == 0) {
		net_transfer_enter_links(model, transfer);
		return;
	}
	if (d.is_shared && !mark && model->may_announce &&
	    announce(model, transfer, source_node, dest_node, sim_time_from_s(d.delay_s)))
		return;
	if (d.is_shared)
		transfer->stage = NET_STAGE_LATENCY;
	sim_engine_after(model->engine, &transfer->event, sim_time_from_s(d.delay_s));
}

void net_transfer_start_marked(struct net_model *model, struct net_transfer *transfer,
			       int source_node, int dest_node, int64_t size_B, int64_t last_B,
			       net_transfer_fn mark, net_transfer_fn done)
{
	start(model, transfer, source_node, dest_node, size_B, last_B, mark, done, NULL);
}

void net_transfer_start_in_stream(struct net_model *model, struct net_stream *stream,
				  struct net_transfer *transfer, int source_node, int dest_node,
				  int64_t size_B, int64_t last_B, net_transfer_fn mark,
				  net_transfer_fn done)
{
	start(model, transfer, source_node, dest_node, size_B, last_B, mark, done, stream);
}

static __attribute__((noinline)) void start_unmarked(struct net_model *model,
						     struct net_transfer *transfer, int source_node,
						     int dest_node, int64_t size_B,
						     net_transfer_fn done)
{
	start(model, transfer, source_node, dest_node, size_B, 0, NULL, done, NULL);
}

/* With the plain delay, on links that are not idle. */
static __attribute__((noinline)) void start_delayed(struct net_model *model,
						    struct net_transfer *transfer)
{
	transfer->stage = NET_STAGE_LATENCY;
	sim_engine_after(model->engine, &transfer->event, model->plain_delay);
}

void net_transfer_start(struct net_model *model, struct net_transfer *transfer, int source_node,
			int dest_node, int64_t size_B, net_transfer_fn done)
{
	if (__builtin_expect(model->plain_delay < 0 || source_node == dest_node || size_B <= 0,
			     0)) {
		start_unmarked(model, transfer, source_node, dest_node, size_B, done);
		return;
	}
	set_up(model, transfer, source_node, dest_node, size_B, done);
	transfer->remaining_s = (double)size_B / model->cluster->network.bandwidth_Bps;
	if (!announce(model, transfer, source_node, dest_node, model->plain_delay))
		start_delayed(model, transfer);
}
