/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The thesis' model: a fluid whose transfers share their whole minimal duration, the latency
 * included, at the rates of Algorithm 1 (docs/model.md §3).
 *
 * Links are processed in the order (most transfers first, then index). A link's share is what the
 * transfers of earlier links leave of it, divided among its other transfers; a transfer's rate is
 * the share of the earlier of its two links. So shares depend on earlier links only: a change is
 * carried from the links that it touched to later ones, in that order, each link once, as long as
 * shares change.
 *
 * Taken literally this can fail: non-positive shares, or a link that carries more than it has. Then
 * the whole connected component (links joined by transfers) takes the max-min allocation instead.
 * Only components that this instant's changes touch can fail or recover, also when they merge or
 * split: the links of a transfer that came or went are all in dirty_links.
 */
#include <math.h>

#include "netmodel/private.h"

static bool is_before(int n_a, int a, int n_b, int b)
{
	return n_a > n_b || (n_a == n_b && a < b);
}

static bool link_is_before(const struct net_model *model, int a, int b)
{
	return is_before(model->links[a].n, a, model->links[b].n, b);
}

static void queue_link(struct net_model *model, int l)
{
	if (model->links[l].queued)
		return;
	model->links[l].queued = true;
	net_heap_push(&model->heap, -(double)model->links[l].n, l);
}

/* A link whose number of transfers changed may have changed places with a neighbour: then the
 * neighbour's share changes, too. */
static void queue_overtaken(struct net_model *model, int l)
{
	struct net_link *link = &model->links[l];

	if (link->n == link->n_before)
		return;
	for (int i = 0; i < link->n; i++) {
		int o = link->hops[i].other;
		const struct net_link *other = &model->links[o];

		if (is_before(link->n_before, l, other->n_before, o) != link_is_before(model, l, o))
			queue_link(model, o);
	}
}

static void set_bad(struct net_model *model, struct net_link *link, bool bad)
{
	model->n_bad += bad - link->bad;
	link->bad = bad;
}

/* Computes a link's share from the earlier links'; queues the later links that it concerns when it
 * changed. */
static void process_link(struct net_model *model, int l)
{
	struct net_link *link = &model->links[l];
	double taken = 0, share = INFINITY;
	int n_left = 0;

	for (int i = 0; i < link->n; i++) {
		int o = link->hops[i].other;

		if (link_is_before(model, o, l))
			taken += model->links[o].share;
		else
			n_left++;
	}
	if (n_left)
		share = (link->limit - taken) / n_left;
	set_bad(model, link,
		n_left ? link->limit - taken <= NET_FULL : taken > link->limit + NET_FULL);
	if (net_rate_same(share, link->share))
		return;
	link->share = share;
	if (!link->touched) {
		link->touched = true;
		model->touched.links[model->touched.n++] = l;
	}
	for (int i = 0; i < link->n; i++)
		if (link_is_before(model, l, link->hops[i].other))
			queue_link(model, link->hops[i].other);
}

static void apply_literal(struct net_model *model, int l)
{
	struct net_link *link = &model->links[l];

	for (int i = 0; i < link->n; i++) {
		int o = link->hops[i].other;
		const struct net_link *first =
		    link_is_before(model, l, o) ? link : &model->links[o];

		net_transfer_set_rate(model, link->hops[i].transfer, first->share);
	}
}

static void visit(struct net_model *model, int l)
{
	if (model->links[l].visited)
		return;
	model->links[l].visited = true;
	model->visited.links[model->visited.n++] = l;
}

/* Appends the component of link l to model->visited; true when Algorithm 1 fails somewhere in it.
 */
static bool visit_component(struct net_model *model, int l)
{
	int at = model->visited.n;
	bool bad = false;

	visit(model, l);
	for (; at < model->visited.n; at++) {
		const struct net_link *link = &model->links[model->visited.links[at]];

		bad |= link->bad;
		for (int k = 0; k < link->n; k++)
			visit(model, link->hops[k].other);
	}
	return bad;
}

static void solve_component(struct net_model *model, const int links[], int n, bool bad)
{
	for (int i = 0; i < n; i++) {
		struct net_link *link = &model->links[links[i]];

		model->n_maxmin_links += bad - link->is_maxmin;
		link->is_maxmin = bad;
		if (bad) {
			link->dirty =
			    true; /* its rates must be set whatever its level was before */
			model->region.links[model->region.n++] = links[i];
		}
	}
	if (bad)
		net_maxmin_solve(model);
	for (int i = 0; i < n; i++) {
		model->links[links[i]].dirty = false;
		if (!bad)
			apply_literal(model, links[i]);
	}
}

/* Somewhere max-min rules or must rule: looks at each component that was touched as a whole. */
static void solve_components(struct net_model *model)
{
	bool any_bad = false;

	for (int i = 0; i < model->dirty_links.n; i++) {
		int start = model->visited.n;
		bool bad;

		if (model->links[model->dirty_links.links[i]].visited)
			continue;
		bad = visit_component(model, model->dirty_links.links[i]);
		solve_component(model, model->visited.links + start, model->visited.n - start, bad);
		any_bad |= bad;
	}
	for (int i = 0; i < model->visited.n; i++)
		model->links[model->visited.links[i]].visited = false;
	model->visited.n = 0;
	model->stats.n_algorithm1_infeasible += any_bad;
}

static void forget_touched(struct net_model *model)
{
	for (int i = 0; i < model->touched.n; i++)
		model->links[model->touched.links[i]].touched = false;
	model->touched.n = 0;
}

static void apply_changed(struct net_model *model)
{
	for (int i = 0; i < model->dirty_links.n; i++)
		apply_literal(model, model->dirty_links.links[i]);
	for (int i = 0; i < model->touched.n; i++)
		if (!model->links[model->touched.links[i]].dirty)
			apply_literal(model, model->touched.links[i]);
}

static void solve(struct net_model *model)
{
	for (int i = 0; i < model->dirty_links.n; i++) {
		queue_link(model, model->dirty_links.links[i]);
		queue_overtaken(model, model->dirty_links.links[i]);
	}
	while (model->heap.n) {
		int l = net_heap_pop(&model->heap).link;

		model->links[l].queued = false;
		process_link(model, l);
	}
	if (model->n_bad || model->n_maxmin_links) {
		forget_touched(model); /* max-min uses the list, too */
		solve_components(model);
	} else {
		apply_changed(model);
		forget_touched(model);
	}
}

static void start(struct net_transfer *transfer, struct net_duration d, int64_t last_B,
		  double factor)
{
	d.work_s += d.delay_s;
	d.delay_s = 0;
	d.is_shared = d.work_s > 0;
	net_fluid_start(transfer, d, last_B, factor);
}

const struct net_method net_thesis = {
    .start = start,
    .go = net_fluid_go,
    .arrived_of_first = net_fluid_arrived_of_first,
    .load = net_fluid_load,
    .solve = solve,
};
