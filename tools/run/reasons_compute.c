// SPDX-License-Identifier: BSD-3-Clause
/* Computation that made others wait: who does it, how much longer than others. */
#include <stdlib.h>
#include <string.h>

#include "tools/run/reasons.h"
#include "tools/run/run.h"
#include "util/array.h"

#define NEGLIGIBLE 1e-4	  /* of the running time, over all ranks: computing that counts nowhere */
#define LEAST_COST 0.005  /* of the ranks' time: less is not worth a replay */
#define AT_HOME 0.1	  /* of the longest: it comes to a call on this way */
#define LONGER 1.1	  /* than the median: to blame */
#define MOSTLY 0.7	  /* of the cost is of the few: they are slow */
#define CHANCE 0.5	  /* of what the longest takes more than the median */
#define ONE_AT_A_TIME 0.4 /* of the others wait on average while one computes */

/* --- who is to blame --- */

/*
 * A place. Ranks that come to the same call from different ones, each rank on its own way, compute
 * at the same place: libraries call more functions of MPI on some ranks than on others.
 */
struct judged {
	int *numbers; /* [n_numbers] of its ways, the most costly first */
	int n_numbers;
	struct trace_delay_region *region; /* of all of them */
	double median_s, most_s;
	int *ranks; /* [n] to blame */
	int n, n_computing;
};

static int few_of(int n)
{
	return n / 4 > 1 ? n / 4 : 1;
}

/* Of the ranks that compute there. */
static bool find_median(const struct reasons *reasons, struct judged *place)
{
	const double *useful_s = place->region->useful_s;
	double *sorted = malloc((size_t)reasons->n_ranks * sizeof *sorted);

	for (int rank = 0; rank < reasons->n_ranks; rank++)
		place->most_s = useful_s[rank] > place->most_s ? useful_s[rank] : place->most_s;
	for (int rank = 0; sorted && rank < reasons->n_ranks; rank++)
		if (useful_s[rank] > REASONS_NOTHING * place->most_s)
			sorted[place->n_computing++] = useful_s[rank];
	if (place->n_computing > 0) {
		qsort(sorted, (size_t)place->n_computing, sizeof *sorted, util_compare_doubles);
		place->median_s = sorted[(place->n_computing - 1) / 2];
	}
	free(sorted);
	return place->n_computing > 0;
}

/* Who computes longer than the median, or, where only a few compute at all, they. */
static bool judge(const struct reasons *reasons, struct judged *out)
{
	const double *useful_s = out->region->useful_s;
	bool is_serial;

	out->ranks = malloc((size_t)reasons->n_ranks * sizeof *out->ranks);
	if (!out->ranks || !find_median(reasons, out))
		return false;
	is_serial = out->n_computing <= few_of(reasons->n_ranks);
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (useful_s[rank] > (is_serial ? REASONS_NOTHING * out->most_s : LONGER * out->median_s))
			out->ranks[out->n++] = rank;
	return true;
}

static double *put_factor(struct reasons *reasons, struct reasons_candidate *candidate, int number)
{
	if (!candidate->factors) {
		candidate->factors =
		    calloc((size_t)reasons->n_places + 1, sizeof *candidate->factors);
		candidate->n_factors = reasons->n_places;
	}
	if (candidate->factors && !candidate->factors[number])
		candidate->factors[number] =
		    malloc((size_t)reasons->n_ranks * sizeof *candidate->factors[number]);
	if (!candidate->factors || !candidate->factors[number]) {
		reasons->is_lost = true;
		return NULL;
	}
	return candidate->factors[number];
}

/* What remains of the rank's computing at the place. */
static void set_factor(struct reasons_candidate *candidate, const struct judged *place, int rank,
		       double factor)
{
	for (int i = 0; i < place->n_numbers; i++)
		candidate->factors[place->numbers[i]][rank] = factor;
}

/* 1 for all ranks. */
static bool put_factors(struct reasons *reasons, struct reasons_candidate *candidate,
			const struct judged *place)
{
	for (int i = 0; i < place->n_numbers; i++)
		if (!put_factor(reasons, candidate, place->numbers[i]))
			return false;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		set_factor(candidate, place, rank, 1);
	return true;
}

static void sum_up(struct trace_reason *reason, const struct judged *place)
{
	for (int i = 0; i < reason->n_ranks; i++) {
		reason->time_s += place->region->useful_s[reason->ranks[i]];
		reason->waiting_s += place->region->cost_s[reason->ranks[i]];
	}
}

static bool is_same_ranks(const struct trace_reason *reason, const struct judged *place)
{
	return reason->n_ranks == place->n &&
	       memcmp(reason->ranks, place->ranks, (size_t)place->n * sizeof *place->ranks) == 0;
}

/* Whether they are all ranks of their nodes, several on one, or the cluster says that the nodes are
 * slower. Returns the node of the first; -1: no. */
static int whole_node(const struct reasons *reasons, const struct trace_reason *reason)
{
	const struct run *run = reasons->run;
	const double *speed = run->cluster->cpu.speed;
	int node = run->node_of[reason->ranks[0]], n = 0;

	for (int i = 0; i < reason->n_ranks; i++)
		if (run->node_of[reason->ranks[i]] != node)
			return -1;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		n += run->node_of[rank] == node;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (n == reason->n_ranks && (n > 1 || speed[run->node_of[rank]] > speed[node]))
			return node;
	return -1;
}

static struct reasons_candidate *find_slow(struct reasons *reasons, const struct judged *place)
{
	for (int i = 0; i < reasons->n_candidates; i++)
		if (reasons->candidates[i].reason.kind <= TRACE_REASON_SLOW_NODE &&
		    is_same_ranks(&reasons->candidates[i].reason, place))
			return &reasons->candidates[i];
	return NULL;
}

static void say_slow(struct reasons *reasons, struct trace_reason *reason,
		     const struct judged *place)
{
	double ratio = reason->time_s / reason->n_ranks / place->median_s;
	char ranks[96];
	int node = whole_node(reasons, reason);

	reasons_ranks(reason, ranks, sizeof ranks);
	if (node >= 0) {
		reason->kind = TRACE_REASON_SLOW_NODE;
		snprintf(reason->text, sizeof reason->text,
			 "node %d is slow: %s compute%s %.1f times as long as others", node, ranks,
			 reason->n_ranks == 1 ? "s" : "", ratio);
		snprintf(reason->remedy, sizeof reason->remedy, "if it were as fast as the others");
		return;
	}
	snprintf(reason->text, sizeof reason->text, "%s compute%s %.1f times as long as others",
		 ranks, reason->n_ranks == 1 ? "s" : "", ratio);
	snprintf(reason->remedy, sizeof reason->remedy, "if %s as fast as the others",
		 reason->n_ranks == 1 ? "it were" : "they were");
}

/* A few take longer than the others: at each such place, for the same ranks, it is one cause. */
static void add_slow(struct reasons *reasons, const struct judged *place)
{
	struct reasons_candidate *candidate = find_slow(reasons, place);
	bool is_first = !candidate;

	if (!candidate)
		candidate = reasons_add(reasons, TRACE_REASON_SLOW_RANKS);
	if (!candidate || !put_factors(reasons, candidate, place))
		return;
	for (int i = 0; i < place->n; i++)
		set_factor(candidate, place, place->ranks[i],
			   place->median_s / place->region->useful_s[place->ranks[i]]);
	reasons_even_slow(reasons, candidate, place->numbers[0]);
	candidate->weight += place->region->total_cost_s;
	if (is_first) {
		reasons_blame(reasons, &candidate->reason, place->ranks, place->n);
		candidate->place = place->numbers[0];
	}
	sum_up(&candidate->reason, place);
	if (is_first)
		say_slow(reasons, &candidate->reason, place);
}

static void add_serial(struct reasons *reasons, const struct judged *place, int n_at_once)
{
	struct reasons_candidate *candidate = reasons_add(reasons, TRACE_REASON_SERIAL);
	struct trace_reason *reason;
	char ranks[96];

	if (!candidate || !put_factors(reasons, candidate, place))
		return;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		set_factor(candidate, place, rank, (double)n_at_once / reasons->n_ranks);
	reason = &candidate->reason;
	candidate->weight = place->region->total_cost_s;
	reasons_blame(reasons, reason, place->ranks, place->n);
	candidate->place = place->numbers[0];
	sum_up(reason, place);
	reasons_ranks(reason, ranks, sizeof ranks);
	snprintf(reason->text, sizeof reason->text, "%s compute%s while the others wait%s", ranks,
		 place->n == 1 ? "s" : "", place->n > n_at_once ? ", one after the other" : "");
	snprintf(reason->remedy, sizeof reason->remedy, "if all %d ranks shared it",
		 reasons->n_ranks);
}

static void add_imbalance(struct reasons *reasons, const struct judged *place)
{
	struct reasons_candidate *candidate = reasons_add(reasons, TRACE_REASON_IMBALANCE);
	double mean_s = place->region->total_s / place->n_computing;
	struct trace_reason *reason;
	char ranks[96];

	if (!candidate || !put_factors(reasons, candidate, place))
		return;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (place->region->useful_s[rank] > 0)
			set_factor(candidate, place, rank, mean_s / place->region->useful_s[rank]);
	reason = &candidate->reason;
	candidate->weight = place->region->total_cost_s;
	reasons_blame(reasons, reason, place->ranks, place->n);
	candidate->place = place->numbers[0];
	sum_up(reason, place);
	reasons_ranks(reason, ranks, sizeof ranks);
	snprintf(reason->text, sizeof reason->text,
		 "work is uneven: %s take%s up to %.1f times the mean", ranks,
		 place->n == 1 ? "s" : "", place->most_s / mean_s);
	snprintf(reason->remedy, sizeof reason->remedy, "if all ranks took the mean");
}

static void all_ranks(const struct reasons *reasons, struct judged *place)
{
	place->n = 0;
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (place->region->useful_s[rank] > REASONS_NOTHING * place->most_s)
			place->ranks[place->n++] = rank;
}

/* The part of the place's cost that is of those to blame. */
static double share_of_cost(const struct judged *place)
{
	double cost_s = 0;

	for (int i = 0; i < place->n; i++)
		cost_s += place->region->cost_s[place->ranks[i]];
	return cost_s / place->region->total_cost_s;
}

/* Those that are longer by chance, beside one that is much longer, are not slow: nobody waits for them. */
static void keep_slowest(struct judged *place)
{
	const double *useful_s = place->region->useful_s;
	double least_s = place->median_s + CHANCE * (place->most_s - place->median_s);
	int n = 0;

	for (int i = 0; i < place->n; i++)
		if (useful_s[place->ranks[i]] > least_s)
			place->ranks[n++] = place->ranks[i];
	place->n = n;
}

static void add_place(struct reasons *reasons, struct judged *place)
{
	double n_waiting = place->region->total_cost_s / place->region->total_s;

	if (!judge(reasons, place)) {
		reasons->is_lost = true;
		return;
	}
	if (place->n_computing <= few_of(reasons->n_ranks))
		add_serial(reasons, place, place->n_computing);
	else if (place->n > 0 && place->n <= few_of(place->n_computing) &&
		 share_of_cost(place) > MOSTLY) {
		keep_slowest(place);
		add_slow(reasons, place);
	} else if (n_waiting > ONE_AT_A_TIME * (reasons->n_ranks - 1)) {
		all_ranks(reasons, place);
		add_serial(reasons, place, 1);
	} else if (place->n > 0)
		add_imbalance(reasons, place);
	else
		reasons_even_add(reasons, place->numbers[0], place->region->total_cost_s);
	free(place->ranks);
}

/* --- the places --- */

static bool is_on_own_ways(const struct reasons *reasons, const struct trace_delay_region *a,
			   const struct trace_delay_region *b)
{
	double most_a = 0, most_b = 0;

	for (int rank = 0; rank < reasons->n_ranks; rank++) {
		most_a = a->useful_s[rank] > most_a ? a->useful_s[rank] : most_a;
		most_b = b->useful_s[rank] > most_b ? b->useful_s[rank] : most_b;
	}
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (a->useful_s[rank] > AT_HOME * most_a && b->useful_s[rank] > AT_HOME * most_b)
			return false;
	return true;
}

static bool is_same_end(const struct reasons *reasons, int a, int b)
{
	return memcmp(&reasons->places[a].before, &reasons->places[b].before,
		      sizeof reasons->places[a].before) == 0;
}

static bool add_way(struct reasons *reasons, struct judged *place, int number,
		    const struct trace_delay_region *way)
{
	struct trace_delay_region *region = place->region;

	if (!util_array_room(&place->numbers, (size_t)place->n_numbers, sizeof *place->numbers))
		return false;
	place->numbers[place->n_numbers++] = number;
	if (!region) {
		size_t n = (size_t)reasons->n_ranks;

		region = place->region = calloc(1, sizeof *region);
		if (!region || !(region->useful_s = calloc(2 * n, sizeof *region->useful_s)))
			return false;
		region->cost_s = region->useful_s + n;
	}
	for (int rank = 0; rank < reasons->n_ranks; rank++) {
		region->useful_s[rank] += way->useful_s[rank];
		region->cost_s[rank] += way->cost_s[rank];
	}
	region->total_s += way->total_s;
	region->total_cost_s += way->total_cost_s;
	return true;
}

/* The place that the way belongs to; else a new one. NULL: out of memory. */
static struct judged *place_of(const struct reasons *reasons, struct judged **places, int *n,
			       int number, const struct trace_delay_region *way)
{
	for (int i = 0; i < *n; i++)
		if (is_same_end(reasons, (*places)[i].numbers[0], number) &&
		    is_on_own_ways(reasons, (*places)[i].region, way))
			return &(*places)[i];
	if (!util_array_room(places, (size_t)*n, sizeof **places))
		return NULL;
	(*places)[*n] = (struct judged){.n = 0};
	return &(*places)[(*n)++];
}

static int compare_costs(const void *a, const void *b, void *context)
{
	const struct trace_delay_region *regions = context;
	double x = regions[*(const int *)a].total_cost_s, y = regions[*(const int *)b].total_cost_s;

	return x != y ? (x < y ? 1 : -1) : *(const int *)a - *(const int *)b;
}

static int compare_places(const void *a, const void *b)
{
	const struct judged *x = a, *y = b;
	double costs_s[2] = {x->region->total_cost_s, y->region->total_cost_s};

	return costs_s[0] != costs_s[1] ? (costs_s[0] < costs_s[1] ? 1 : -1)
					: x->numbers[0] - y->numbers[0];
}

static void find_places(struct reasons *reasons, struct judged **places, int *n_places)
{
	int n;
	const struct trace_delay_region *regions = trace_delays_regions(reasons->delays, &n);
	int *order = malloc(((size_t)n + 1) * sizeof *order);

	reasons->is_lost = reasons->is_lost || !order;
	for (int i = 0; order && i < n; i++)
		order[i] = i;
	if (order)
		qsort_r(order, (size_t)n, sizeof *order, compare_costs, (void *)(uintptr_t)regions);
	for (int i = 0; i < n && !reasons->is_lost; i++) {
		const struct trace_delay_region *way = &regions[order[i]];
		struct judged *place;

		if (way->total_s <= 0 || way->total_s < NEGLIGIBLE * reasons->time_s)
			continue;
		place = place_of(reasons, places, n_places, order[i], way);
		reasons->is_lost = !place || !add_way(reasons, place, order[i], way);
	}
	free(order);
}

void reasons_add_computation(struct reasons *reasons)
{
	struct judged *places = NULL;
	int n = 0;

	find_places(reasons, &places, &n);
	if (n > 0 && !reasons->is_lost)
		qsort(places, (size_t)n, sizeof *places, compare_places);
	for (int i = 0; i < n; i++) {
		if (!reasons->is_lost &&
		    places[i].region->total_cost_s > LEAST_COST * reasons->time_s)
			add_place(reasons, &places[i]);
		free(places[i].numbers);
		if (places[i].region)
			free(places[i].region->useful_s);
		free(places[i].region);
	}
	free(places);
}
