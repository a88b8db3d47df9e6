/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Max-min fairness, incrementally (docs/model.md §3).
 *
 * Every link l has a level: INFINITY when it is not full, else the most that a transfer gets on it.
 * A transfer gets the lowest level of its links, and no more than its NIC, where nodes have several, nor
 * than `segments` give one stream of its size. The
 * allocation is max-min fair exactly if every full
 * link satisfies
 *
 *     sum over its transfers of min(level of l, levels of its other links) = limit of l
 *
 * and every other link's sum stays below its limit (1, or less: docs/model.md §3). So a change
 * concerns the links that it touched (the region) and, of their neighbours, only those for which a
 * term of that sum became another. The region is solved exactly with the levels around it as caps;
 * neighbours whose equation broke join it, until none does.
 *
 * In most routes, and in all of the star, a transfer has one other link, which stands in its hop. What
 * longer routes need stands apart, in functions of their own.
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

/* `rate`, or the most that the transfer gets of any link; loops ask once for `has_bounds`. */
static inline double bounded(const struct net_model *model, bool has_bounds,
			     const struct net_transfer *transfer, double rate)
{
	return __builtin_expect(has_bounds, 0) ? lower(net_most_rate(model, transfer), rate) : rate;
}

static inline bool is_in_region(const struct net_model *model, int l)
{
	return model->standings[l] != NET_OUTSIDE;
}

static void join_region(struct net_model *model, int l)
{
	struct net_link *link = &model->links[l];

	if (is_in_region(model, l))
		return;
	model->standings[l] = NET_INSIDE;
	link->old_level = link->level;
	model->region.links[model->region.n++] = l;
}

/* --- transfers of more than two links --- */

static inline bool is_long(const struct net_hop *hop)
{
	return __builtin_expect(hop->other < 0, 0);
}

/* The lowest level of its n links outside the region; INFINITY: none is full. */
static double cap_of(const struct net_model *model, const struct net_path *path, int n)
{
	double cap = net_most_rate(model, path->transfer);

	for (int k = 0; k < n; k++)
		if (!is_in_region(model, path->at[k].link))
			cap = lower(cap, model->links[path->at[k].link].level);
	return cap;
}

/* The lowest level, or the lowest before the region was solved. */
static inline double level_of(const struct net_model *model, const struct net_path *path, int n,
			      bool is_old)
{
	double level = net_most_rate(model, path->transfer);

	for (int k = 0; k < n; k++) {
		int l = path->at[k].link;
		const struct net_link *link = &model->links[l];

		level = lower(level,
			      is_old && is_in_region(model, l) ? link->old_level : link->level);
	}
	return level;
}

/* A transfer of `link` that `cap` does not hold back any more: where the link has taken it out for
 * that, it comes back. */
static void forget_cap(struct net_link *link, double cap)
{
	int i = 0;

	if (cap == INFINITY)
		return;
	while (i < link->n_caps && link->caps[i] != cap)
		i++;
	if (i == link->n_caps) {
		link->room += cap;
		link->n_unsettled++;
		link->key_is_old = true;
		return;
	}
	link->caps[i] = link->caps[--link->n_caps];
	link->min_cap = INFINITY;
	for (i = 0; i < link->n_caps; i++)
		link->min_cap = lower(link->min_cap, link->caps[i]);
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

static inline double cap_elsewhere(const struct net_model *model, bool has_bounds,
				   const struct net_hop *hop)
{
	if (is_long(hop))
		return cap_of(model, hop->path, hop->n_links);
	return bounded(model, has_bounds, hop->transfer,
		       is_in_region(model, hop->other) ? INFINITY : model->links[hop->other].level);
}

static double *prepare_link(struct net_model *model, int l, double *caps, double *out_share)
{
	struct net_link *link = &model->links[l];
	bool has_bounds = model->has_bounds;

	model->standings[l] = NET_INSIDE;
	link->room = link->limit;
	link->n_unsettled = link->n;
	link->n_settling = 0;
	link->key_is_old = false;
	link->caps = caps;
	link->n_caps = 0;
	link->min_cap = INFINITY;
	for (int i = 0; i < link->n; i++) {
		double cap = cap_elsewhere(model, has_bounds, &link->hops[i]);

		if (cap == INFINITY)
			continue;
		link->caps[link->n_caps++] = cap;
		link->min_cap = lower(link->min_cap, cap);
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

/* One more transfer of `link` has its rate, from another of its links. */
static inline void settle_transfer(struct net_link *link, double level)
{
	if (link->n_settling && link->settling_level != level)
		take_out_settling(link);
	link->settling_level = level;
	link->n_settling++;
}

/* A transfer of link l, which is settled at `level`: unless it has its rate from a link that was settled
 * before, or from one outside the region. */
static void settle_long(struct net_model *model, int l, const struct net_hop *hop, double level)
{
	const struct net_path *path = hop->path;
	double cap;

	for (int k = 0; k < hop->n_links; k++)
		if (path->at[k].link != l && model->standings[path->at[k].link] == NET_SETTLED)
			return;
	cap = cap_of(model, path, hop->n_links);
	if (cap < level * (1 - NET_SAME))
		return;
	for (int k = 0; k < hop->n_links; k++) {
		int other = path->at[k].link;

		if (other == l || !is_in_region(model, other))
			continue;
		forget_cap(&model->links[other], cap);
		settle_transfer(&model->links[other], level);
	}
}

static void settle_link(struct net_model *model, int l, double level)
{
	struct net_link *link = &model->links[l];
	bool has_bounds = model->has_bounds;

	model->standings[l] = NET_SETTLED;
	link->level = level;
	if (level == INFINITY) /* all of its transfers have their rates */
		return;
	for (int i = 0; i < link->n; i++) {
		const struct net_hop *hop = &link->hops[i];

		if (is_long(hop)) {
			settle_long(model, l, hop, level);
			continue;
		}
		if (model->standings[hop->other] != NET_INSIDE)
			continue;
		if (has_bounds) {
			double most = net_most_rate(model, hop->transfer);

			if (level > most * (1 + NET_SAME)) /* its NIC or its size holds it back */
				continue;
			forget_cap(&model->links[hop->other], most);
		}
		settle_transfer(&model->links[hop->other], level);
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

		caps = prepare_link(model, model->region.links[i], caps, &share);
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
		settle_link(model, entry.link, floor);
	}
	keep_levels(model);
	return 0;
}

/* Does it break the equation of link `o` that a transfer gets `is` where it got `was`? Of a full one at
 * once; of others when all that they gain is known. */
static inline void check_neighbour(struct net_model *model, int o, double was, double is)
{
	struct net_link *other = &model->links[o];

	if (is_in_region(model, o) || was == is)
		return;
	if (other->level != INFINITY) {
		join_region(model, o);
		return;
	}
	if (!other->touched) {
		other->touched = true;
		other->extra = 0;
		model->touched.links[model->touched.n++] = o;
	}
	other->extra += is - was;
}

static bool has_neighbour(const struct net_model *model, const struct net_path *path, int n)
{
	for (int k = 0; k < n; k++)
		if (!is_in_region(model, path->at[k].link))
			return true;
	return false;
}

/* Each transfer once: from the first of its links whose level is new. */
static void check_long(struct net_model *model, int l, const struct net_path *path, int n)
{
	double was, is;

	if (!has_neighbour(model, path, n))
		return;
	for (int k = 0; path->at[k].link != l; k++) {
		const struct net_link *before = &model->links[path->at[k].link];

		if (is_in_region(model, path->at[k].link) && before->level != before->old_level)
			return;
	}
	was = level_of(model, path, n, true);
	is = level_of(model, path, n, false);
	for (int k = 0; k < n; k++)
		check_neighbour(model, path->at[k].link, was, is);
}

/* Which neighbours of link l does its new level break? */
static void check_neighbours(struct net_model *model, int l)
{
	const struct net_link *link = &model->links[l];
	bool has_bounds = model->has_bounds;

	for (int i = 0; i < link->n; i++) {
		const struct net_hop *hop = &link->hops[i];
		double other;

		if (is_long(hop)) {
			check_long(model, l, hop->path, hop->n_links);
			continue;
		}
		other = bounded(model, has_bounds, hop->transfer, model->links[hop->other].level);
		check_neighbour(model, hop->other, lower(link->old_level, other),
				lower(link->level, other));
	}
}

static void join_neighbours(struct net_model *model, int from)
{
	int n = model->region.n;

	for (int i = from; i < n; i++) {
		const struct net_link *link = &model->links[model->region.links[i]];

		for (int h = 0; h < link->n; h++) {
			struct net_transfer *transfer = net_hop_transfer(&link->hops[h]);

			for (int k = 0; k < transfer->n_links; k++)
				join_region(model, net_crossed(transfer, k));
		}
	}
}

/* Lets the neighbours join whose equation broke; false when there is none. */
static bool grow_region(struct net_model *model, int round)
{
	int n = model->region.n;

	for (int i = 0; i < n; i++) {
		const struct net_link *link = &model->links[model->region.links[i]];

		if (link->level != link->old_level)
			check_neighbours(model, model->region.links[i]);
	}
	for (int i = 0; i < model->touched.n; i++) {
		struct net_link *link = &model->links[model->touched.links[i]];

		link->touched = false;
		if (!is_in_region(model, model->touched.links[i]) &&
		    link->load + link->extra > link->limit - NET_FULL)
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
	bool has_bounds = model->has_bounds;

	for (int i = 0; i < link->n; i++) {
		const struct net_hop *hop = &link->hops[i];
		double rate = is_long(hop)
				  ? level_of(model, hop->path, hop->n_links, false)
				  : bounded(model, has_bounds, hop->transfer,
					    lower(link->level, model->links[hop->other].level));

		load += rate;
		if (is_long(hop) && rate == hop->path->rate) /* it has it from another link */
			model->stats.n_rate_updates++;
		else
			net_transfer_set_rate(model, net_hop_transfer(hop), rate);
	}
	link->load = load;
}

void net_maxmin_solve(struct net_model *model)
{
	struct net_list *region = &model->region;

	model->has_bounds = model->bounds || model->most_rate != INFINITY;
	for (int i = 0; i < region->n; i++) {
		struct net_link *link = &model->links[region->links[i]];

		model->standings[region->links[i]] = NET_INSIDE;
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
	if (model->uses)
		net_uses_charge(model, region);
	for (int i = 0; i < region->n; i++)
		model->standings[region->links[i]] = NET_OUTSIDE;
	region->n = 0;
}
