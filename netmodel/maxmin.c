/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Max-min fairness, incrementally (docs/model.md §3).
 *
 * Every link l has a level: INFINITY when it is not full, else the most that a transfer gets on it.
 * A transfer gets the lower level of its two links. The allocation is max-min fair exactly if every
 * full link satisfies
 *
 *     sum over its transfers of min(level of l, level of the other link) = limit of l
 *
 * and every other link's sum stays below its limit (1, or less: docs/model.md §3). So a change
 * concerns the links that it touched (the region) and, of their neighbours, only those for which a
 * term of that sum became another. The region is solved exactly with the levels around it as caps;
 * neighbours whose equation broke join it, until none does.
 */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"

/* After so many rounds whole neighbourhoods join, so that a wave that runs far needs few rounds. */
#define PATIENT_ROUNDS 4

static double lower(double a, double b)
{
	return a < b ? a : b;
}

static void join_region(struct net_model *model, int l)
{
	struct net_link *link = &model->links[l];

	if (link->in_region)
		return;
	link->in_region = true;
	link->old_level = link->level;
	model->region.links[model->region.n++] = l;
}

/*
 * What each unsettled transfer of `link` gets if all share its room equally but for those that a
 * cap holds lower. Caps below the result are taken out of room for good: the result only grows
 * while the region is solved. INFINITY: no transfer can use the room.
 */
static double equal_share(struct net_link *link)
{
	double share = link->n_unsettled ? link->room / link->n_unsettled : INFINITY;

	while (link->n_unsettled && link->min_cap < share * (1 - NET_SAME)) {
		int n_left = 0;

		link->min_cap = INFINITY;
		for (int i = 0; i < link->n_caps; i++) {
			double cap = link->caps[i];

			if (cap < share * (1 - NET_SAME)) {
				link->room -= cap;
				link->n_unsettled--;
			} else {
				link->caps[n_left++] = cap;
				link->min_cap = lower(link->min_cap, cap);
			}
		}
		link->n_caps = n_left;
		share = link->n_unsettled ? link->room / link->n_unsettled : INFINITY;
	}
	return share;
}

static void take_out_settling(struct net_link *link)
{
	/* One product, not n_settling subtractions: equal links must come out equal to the last bit
	 * or nearly. */
	link->room -= link->n_settling * link->settling_level;
	link->n_unsettled -= link->n_settling;
	link->n_settling = 0;
	link->key_is_old = true;
}

static double *prepare_link(struct net_model *model, struct net_link *link, double *caps,
			    double *out_share)
{
	link->settled = false;
	link->room = link->limit;
	link->n_unsettled = link->n;
	link->n_settling = 0;
	link->key_is_old = false;
	link->caps = caps;
	link->n_caps = 0;
	link->min_cap = INFINITY;
	for (int i = 0; i < link->n; i++) {
		const struct net_link *other = &model->links[link->hops[i].other];

		if (other->in_region || other->level == INFINITY)
			continue;
		link->caps[link->n_caps++] = other->level;
		link->min_cap = lower(link->min_cap, other->level);
	}
	*out_share = equal_share(link);
	return caps + link->n;
}

static int reserve_caps(struct net_model *model)
{
	size_t needed = 0;
	double *caps;

	for (int i = 0; i < model->region.n; i++)
		needed += (size_t)model->links[model->region.links[i]].n;
	if (needed <= model->caps_capacity)
		return 0;
	needed += needed / 2;
	caps = realloc(model->caps, needed * sizeof(*caps));
	if (!caps)
		return UTIL_ENOMEM;
	model->caps = caps;
	model->caps_capacity = needed;
	return 0;
}

static void settle_link(struct net_model *model, struct net_link *link, double level)
{
	link->settled = true;
	link->level = level;
	for (int i = 0; i < link->n; i++) {
		struct net_link *other = &model->links[link->hops[i].other];

		if (!other->in_region || other->settled)
			continue;
		if (other->n_settling && other->settling_level != level)
			take_out_settling(other);
		other->settling_level = level;
		other->n_settling++;
	}
}

/* After the filling: what came out as it was but for rounding stays as it was. */
static void keep_levels(struct net_model *model)
{
	for (int i = 0; i < model->region.n; i++) {
		struct net_link *link = &model->links[model->region.links[i]];

		if (net_rate_same(link->level, link->old_level))
			link->level = link->old_level;
	}
}

/* Puts the region's links in the heap by their shares. True: all shares are equal, and the levels
 * are set, for nobody leaves anything to others. */
static bool prepare_region(struct net_model *model)
{
	double *caps = model->caps, share, first = 0;
	bool are_equal = true;

	for (int i = 0; i < model->region.n; i++) {
		struct net_link *link = &model->links[model->region.links[i]];

		caps = prepare_link(model, link, caps, &share);
		link->level = share;
		if (link->n == 0) /* asks for nothing */
			continue;
		first = first == 0 ? share : first;
		are_equal = are_equal && share == first;
	}
	for (int i = 0; i < model->region.n && !are_equal; i++) {
		int l = model->region.links[i];

		net_heap_push(&model->heap, model->links[l].level, l);
	}
	if (are_equal)
		keep_levels(model);
	return are_equal;
}

/* Progressive filling of the region: the links in the order of their levels, lowest first. */
static int fill_region(struct net_model *model)
{
	double share, floor = 0;

	if (reserve_caps(model))
		return UTIL_ENOMEM;
	if (prepare_region(model))
		return 0;
	while (model->heap.n) {
		struct net_heap_entry entry = net_heap_pop(&model->heap);
		struct net_link *link = &model->links[entry.link];

		/* Transfers that were settled at just this link's share leave the share of the
		 * others as it is. */
		if (link->n_settling && link->settling_level < entry.key * (1 - NET_SAME))
			take_out_settling(link);
		if (link->key_is_old) {
			share = equal_share(link);
			link->key_is_old = false;
			if (share > entry.key) {
				net_heap_push(&model->heap, share, entry.link);
				continue;
			}
		}
		floor = entry.key > floor ? entry.key : floor;
		settle_link(model, link, floor);
	}
	keep_levels(model);
	return 0;
}

/* Which neighbours of `link` does its new level break? Full ones at once; others when all that they
 * gain is known. */
static void check_neighbours(struct net_model *model, const struct net_link *link)
{
	for (int i = 0; i < link->n; i++) {
		int o = link->hops[i].other;
		struct net_link *other = &model->links[o];
		double was = lower(link->old_level, other->level),
		       is = lower(link->level, other->level);

		if (other->in_region || was == is)
			continue;
		if (other->level != INFINITY) {
			join_region(model, o);
		} else {
			if (!other->touched) {
				other->touched = true;
				other->extra = 0;
				model->touched.links[model->touched.n++] = o;
			}
			other->extra += is - was;
		}
	}
}

static void join_neighbours(struct net_model *model, int from)
{
	int n = model->region.n;

	for (int i = from; i < n; i++) {
		const struct net_link *link = &model->links[model->region.links[i]];

		for (int k = 0; k < link->n; k++)
			join_region(model, link->hops[k].other);
	}
}

/* Lets the neighbours join whose equation broke; false when there is none. */
static bool grow_region(struct net_model *model, int round)
{
	int n = model->region.n;

	for (int i = 0; i < n; i++) {
		const struct net_link *link = &model->links[model->region.links[i]];

		if (link->level != link->old_level)
			check_neighbours(model, link);
	}
	for (int i = 0; i < model->touched.n; i++) {
		struct net_link *link = &model->links[model->touched.links[i]];

		link->touched = false;
		if (!link->in_region && link->load + link->extra > link->limit - NET_FULL)
			join_region(model, model->touched.links[i]);
	}
	model->touched.n = 0;
	if (model->region.n == n)
		return false;
	if (round >= PATIENT_ROUNDS)
		join_neighbours(model, n);
	return true;
}

/* Sets the rates of a link's transfers and sums them up afresh, so that rounding does not pile up
 * in `load`. */
static void apply_link(struct net_model *model, struct net_link *link)
{
	double load = 0;

	for (int i = 0; i < link->n; i++) {
		const struct net_link *other = &model->links[link->hops[i].other];
		double rate = lower(link->level, other->level);

		load += rate;
		net_transfer_set_rate(model, link->hops[i].transfer, rate);
	}
	link->load = load;
}

void net_maxmin_solve(struct net_model *model)
{
	struct net_list *region = &model->region;

	for (int i = 0; i < region->n; i++) {
		struct net_link *link = &model->links[region->links[i]];

		link->in_region = true;
		link->old_level = link->level;
	}
	for (int round = 0;; round++) {
		if (fill_region(model)) {
			net_model_out_of_memory(model);
			break;
		}
		if (!grow_region(model, round))
			break;
	}
	for (int i = 0; i < region->n; i++) {
		struct net_link *link = &model->links[region->links[i]];

		if (link->level != link->old_level || link->dirty)
			apply_link(model, link);
	}
	for (int i = 0; i < region->n; i++)
		model->links[region->links[i]].in_region = false;
	region->n = 0;
}
