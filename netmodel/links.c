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

/*
 * What is said of the links of a route is said once, of n of them: `two` are those of a route of two,
 * for which n is a constant, so that it costs nothing; otherwise they stand in the transfer.
 */
#define EACH(k, n) _Pragma("GCC unroll 2") for (int k = 0; k < (n); k++)
#define INLINE inline __attribute__((always_inline))

static INLINE struct net_link *link_at(const struct net_transfer *transfer,
				       struct net_link *const two[2], int k, int n)
{
	return n == 2 ? two[k] : &transfer->model->links[transfer->path->at[k].link];
}

static INLINE int *place_at(struct net_transfer *transfer, int k, int n)
{
	return n == 2 ? &transfer->places[k] : &transfer->path->at[k].place;
}

/* On its links, and in its path. */
static INLINE void change_rate(struct net_transfer *transfer, double rate)
{
	double more = rate - transfer->rate;

	transfer->rate = rate;
	if (__builtin_expect(transfer->n_links == 2, 1)) {
		net_out_link(transfer)->load += more;
		net_in_link(transfer)->load += more;
		return;
	}
	transfer->path->rate = rate;
	for (int k = 0; k < transfer->n_links; k++)
		transfer->model->links[transfer->path->at[k].link].load += more;
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
	change_rate(transfer, rate);
	transfer->updated = now;
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_fluid_next(transfer) / rate));
}

static inline void touch_cpus(struct net_model *model, const struct net_transfer *transfer)
{
	if (!model->has_cpu_cost)
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

/* It is alone on its links, and nothing has to be solved for links that carry one transfer, or none. */
static INLINE bool is_quiet(const struct net_transfer *transfer, struct net_link *const two[2],
			    int n)
{
	const struct net_model *model = transfer->model;

	EACH(k, n)
	{
		const struct net_link *link = link_at(transfer, two, k, n);

		if (link->n != 1 || link->dirty)
			return false;
	}
	return !model->has_limits && transfer->bound == 0 && net_model_at_boundary(model);
}

static INLINE void set_alone(struct net_link *link, double level, double share, double load, int n)
{
	link->level = level;
	link->share = share;
	link->load = load;
	link->n_before = n;
}

/* What solving would give a transfer that is alone on its links, without it. */
static INLINE void go_alone(struct net_transfer *transfer, struct net_link *const two[2], int n)
{
	transfer->rate = 1;
	if (n > 2)
		transfer->path->rate = 1;
	EACH(k, n)
	set_alone(link_at(transfer, two, k, n), 1, k == 0 ? 1 : INFINITY, 1, 1);
}

/* Puts it behind those that are on its links; false when there is no memory. */
static INLINE bool join(struct net_transfer *transfer, struct net_link *const two[2], int n)
{
	struct net_model *model = transfer->model;

	EACH(k, n)
	{
		struct net_link *link = link_at(transfer, two, k, n);

		if (link->n == link->capacity && reserve_hop(link)) {
			net_model_out_of_memory(model);
			return false;
		}
	}
	transfer->stage = NET_STAGE_SHARED;
	if (n > 2)
		transfer->path->rate = transfer->rate;
	EACH(k, n)
	{
		struct net_link *link = link_at(transfer, two, k, n);
		int place = link->n++;

		*place_at(transfer, k, n) = place;
		link->hops[place] = n == 2
			? (struct net_hop){.transfer = transfer,
					   .other = (int)(two[1 - k] - model->links)}
			: (struct net_hop){
				  .path = transfer->path, .other = -1 - k, .n_links = n};
	}
	return true;
}

/* The k-th link of a transfer, where it has a place. */
static INLINE void take_off(struct net_link *link, int k, int place)
{
	struct net_hop last = link->hops[--link->n];

	link->hops[place] = last;
	if (__builtin_expect(last.other < 0, 0))
		last.path->at[-1 - last.other].place = place;
	else /* of a route of two, it is the first link of all its transfers, or the last one */
		last.transfer->places[k > 0] = place;
}

static INLINE void changed(struct net_transfer *transfer, struct net_link *const two[2], int n)
{
	struct net_model *model = transfer->model;

	EACH(k, n)
	net_link_touch(model, link_at(transfer, two, k, n));
	if (model->has_limits)
		net_transfer_change_limits(model, transfer);
}

static INLINE void enter(struct net_transfer *transfer, struct net_link *const two[2], int n)
{
	struct net_model *model = transfer->model;

	EACH(k, n)
	if (link_at(transfer, two, k, n)->announced)
		net_fast_call_in(link_at(transfer, two, k, n)->announced);
	if (model->burst_s > 0)
		net_transfer_pass_burst(model, transfer);
	transfer->updated = model->engine->now;
	if (!join(transfer, two, n))
		return;
	touch_cpus(model, transfer);
	if (!is_quiet(transfer, two, n)) {
		changed(transfer, two, n);
		return;
	}
	model->stats.n_rate_updates++;
	model->stats.n_rate_changes++;
	go_alone(transfer, two, n);
	sim_engine_at(model->engine, &transfer->event,
		      net_model_due(model, net_fluid_next(transfer)));
}

static INLINE void leave(struct net_transfer *transfer, struct net_link *const two[2], int n)
{
	struct net_model *model = transfer->model;
	bool was_quiet = is_quiet(transfer, two, n);

	EACH(k, n)
	{
		struct net_link *link = link_at(transfer, two, k, n);

		link->load -= transfer->rate;
		take_off(link, k, *place_at(transfer, k, n));
		if (link->n == 0)
			link->idle_since = model->engine->now;
		if (was_quiet)
			set_alone(link, INFINITY, INFINITY, 0, 0);
	}
	touch_cpus(model, transfer);
	if (!was_quiet)
		changed(transfer, two, n);
}

static __attribute__((noinline)) void enter_long(struct net_transfer *transfer)
{
	enter(transfer, NULL, transfer->n_links);
}

static __attribute__((noinline)) void leave_long(struct net_transfer *transfer)
{
	leave(transfer, NULL, transfer->n_links);
}

void net_links_enter(struct net_transfer *transfer)
{
	struct net_link *const two[] = {net_out_link(transfer), net_in_link(transfer)};

	if (__builtin_expect(transfer->n_links > 2, 0))
		enter_long(transfer);
	else
		enter(transfer, two, 2);
}

void net_links_leave(struct net_transfer *transfer)
{
	struct net_link *const two[] = {net_out_link(transfer), net_in_link(transfer)};

	if (__builtin_expect(transfer->n_links > 2, 0))
		leave_long(transfer);
	else
		leave(transfer, two, 2);
}

void net_links_begin_alone(struct net_transfer *transfer)
{
	struct net_link *const two[] = {net_out_link(transfer), net_in_link(transfer)};

	if (join(transfer, two, 2))
		go_alone(transfer, two, 2);
}
