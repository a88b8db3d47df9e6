// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/delays.h"

#include <stdlib.h>

#include "util/array.h"
#include "util/error.h"
#include "util/map.h"

enum { MAX_WALK = 100000, MAX_TABLE = 1 << 22 };

struct span {
	sim_time_ps begin, end;
	int region; /* that it computes at; negative: -1 - place in `waits` */
};

struct wait {
	sim_time_ps begin, end, since; /* since: both were together */
	int rank, by;
	double inherited_s;
};

struct row {
	struct span *spans; /* [n] in order of time */
	int n, region;
};

struct trace_delays {
	int n_ranks;
	struct row *rows; /* [n_ranks] */
	struct wait *waits;
	int n_waits, n_spans;
	struct util_map together; /* two ranks: the last wait of one for the other, + 1 */
	struct trace_delay_region *regions;
	int n_regions;
	double *amount_s; /* [n_regions] of the wait at hand */
	double rest_s;
	bool is_lost;
};

int trace_delays_create(int n_ranks, struct trace_delays **out)
{
	struct trace_delays *delays = calloc(1, sizeof *delays);

	if (delays)
		delays->rows = calloc((size_t)n_ranks, sizeof *delays->rows);
	if (!delays || !delays->rows) {
		free(delays);
		return UTIL_ENOMEM;
	}
	delays->n_ranks = n_ranks;
	*out = delays;
	return 0;
}

void trace_delays_destroy(struct trace_delays *delays)
{
	if (!delays)
		return;
	for (int rank = 0; rank < delays->n_ranks; rank++)
		free(delays->rows[rank].spans);
	for (int i = 0; i < delays->n_regions; i++) {
		free(delays->regions[i].useful_s);
		free(delays->regions[i].cost_s);
	}
	util_map_finish(&delays->together);
	free(delays->rows);
	free(delays->waits);
	free(delays->regions);
	free(delays->amount_s);
	free(delays);
}

void trace_delays_enter(struct trace_delays *delays, int rank, int region)
{
	delays->rows[rank].region = region;
}

static bool append(struct trace_delays *delays, int rank, struct span span)
{
	struct row *row = &delays->rows[rank];

	delays->is_lost |= delays->n_spans == TRACE_MAX_DELAY_SPANS ||
			   !util_array_room(&row->spans, (size_t)row->n, sizeof *row->spans);
	if (delays->is_lost)
		return false;
	row->spans[row->n++] = span;
	delays->n_spans++;
	return true;
}

static struct trace_delay_region *region_at(struct trace_delays *delays, int number)
{
	struct trace_delay_region *region;

	if (!util_array_reach(&delays->regions, &delays->n_regions, number,
			      sizeof *delays->regions))
		return NULL;
	region = &delays->regions[number];
	if (region->useful_s)
		return region;
	if ((int64_t)delays->n_regions * delays->n_ranks > MAX_TABLE)
		return NULL;
	region->useful_s = calloc((size_t)delays->n_ranks, sizeof *region->useful_s);
	region->cost_s = calloc((size_t)delays->n_ranks, sizeof *region->cost_s);
	return region->useful_s && region->cost_s ? region : NULL;
}

/* The kernel that has more than half, if there is one, is the one that is left. */
static void vote(struct trace_delay_region *region, const char *kernel, double useful_s)
{
	if (kernel == region->kernel) {
		region->kernel_s += useful_s;
		return;
	}
	region->kernel_s -= useful_s;
	if (region->kernel_s < 0) {
		region->kernel = kernel;
		region->kernel_s = -region->kernel_s;
	}
}

void trace_delays_compute(struct trace_delays *delays, const struct sim_record_compute *record)
{
	int number = delays->rows[record->rank].region;
	struct trace_delay_region *region = delays->is_lost ? NULL : region_at(delays, number);

	if (!region) {
		delays->is_lost = true;
		return;
	}
	region->useful_s[record->rank] += record->useful_s;
	region->total_s += record->useful_s;
	vote(region, record->kernel, record->useful_s);
	append(delays, record->rank, (struct span){record->begin, record->end, number});
}

/* The wait of one of the two for the other before this one; notes this one. */
static sim_time_ps together_since(struct trace_delays *delays, int rank, int by)
{
	uint64_t low = (uint64_t)(rank < by ? rank : by), high = (uint64_t)(rank < by ? by : rank);
	struct util_map_slot *slot = util_map_find(&delays->together, high << 32 | low);
	sim_time_ps since = slot ? delays->waits[slot->number - 1].end : 0;

	if (!slot)
		slot = util_map_add(&delays->together, high << 32 | low);
	if (slot)
		slot->number = (uintptr_t)delays->n_waits + 1;
	delays->is_lost |= !slot;
	return since;
}

void trace_delays_wait(struct trace_delays *delays, int rank, int by, sim_time_ps begin,
		       sim_time_ps end)
{
	struct wait wait = {.begin = begin, .end = end, .rank = rank, .by = by};

	if (by < 0 || by == rank || end <= begin || delays->is_lost)
		return;
	if (!util_array_room(&delays->waits, (size_t)delays->n_waits, sizeof *delays->waits)) {
		delays->is_lost = true;
		return;
	}
	wait.since = together_since(delays, rank, by);
	delays->waits[delays->n_waits] = wait;
	if (append(delays, rank, (struct span){begin, end, -1 - delays->n_waits}))
		delays->n_waits++;
}

/* --- what both did --- */

static bool ends_up_to(const void *span, const void *time)
{
	return ((const struct span *)span)->end <= *(const sim_time_ps *)time;
}

/* The first span of the rank that ends later than `time`. */
static int first_after(const struct row *row, sim_time_ps time)
{
	return (int)util_count_before(row->spans, (size_t)row->n, sizeof *row->spans, ends_up_to,
				      &time);
}

static double within_s(const struct span *span, sim_time_ps from, sim_time_ps until)
{
	sim_time_ps begin = span->begin > from ? span->begin : from;
	sim_time_ps end = span->end < until ? span->end : until;

	return end > begin ? sim_time_to_s(end - begin) : 0;
}

/* Adds `sign` times what the rank computed from `from` until `until`, by region. Returns what it
 * waited. */
static double add_amounts(struct trace_delays *delays, int rank, sim_time_ps from,
			  sim_time_ps until, double sign)
{
	const struct row *row = &delays->rows[rank];
	double waited_s = 0;

	for (int i = first_after(row, from), n = 0;
	     i < row->n && row->spans[i].begin < until && n < MAX_WALK; i++, n++) {
		const struct span *span = &row->spans[i];

		if (span->region < 0)
			waited_s += within_s(span, from, until);
		else
			delays->amount_s[span->region] += sign * within_s(span, from, until);
	}
	return waited_s;
}

/* The waits of the late rank inherit their share of the cost. */
static void hand_on(struct trace_delays *delays, const struct wait *wait, double factor)
{
	const struct row *row = &delays->rows[wait->by];

	for (int i = first_after(row, wait->since), n = 0;
	     i < row->n && row->spans[i].begin < wait->end && n < MAX_WALK; i++, n++)
		if (row->spans[i].region < 0)
			delays->waits[-1 - row->spans[i].region].inherited_s +=
			    factor * within_s(&row->spans[i], wait->since, wait->end);
}

static void blame(struct trace_delays *delays, const struct wait *wait)
{
	double cost_s = sim_time_to_s(wait->end - wait->begin) + wait->inherited_s;
	double all_s, factor;

	all_s = add_amounts(delays, wait->by, wait->since, wait->end, 1);
	add_amounts(delays, wait->rank, wait->since, wait->begin, -1);
	for (int i = 0; i < delays->n_regions; i++)
		all_s += delays->amount_s[i] > 0 ? delays->amount_s[i] : 0;
	factor = all_s > 0 ? cost_s / all_s : 0;
	delays->rest_s += all_s > 0 ? 0 : cost_s;
	for (int i = 0; i < delays->n_regions; i++) {
		double delay_s = factor * delays->amount_s[i];

		delays->amount_s[i] = 0;
		if (delay_s <= 0)
			continue;
		delays->regions[i].cost_s[wait->by] += delay_s;
		delays->regions[i].total_cost_s += delay_s;
	}
	hand_on(delays, wait, factor);
}

/* Later waits first: what a wait inherits comes from later ones. */
static int compare_ends(const void *a, const void *b, void *context)
{
	const struct wait *waits = context;
	int i = *(const int *)a, j = *(const int *)b;

	if (waits[i].end != waits[j].end)
		return waits[i].end < waits[j].end ? 1 : -1;
	return i < j ? 1 : -1;
}

int trace_delays_settle(struct trace_delays *delays)
{
	int *order = malloc(((size_t)delays->n_waits + 1) * sizeof *order);

	delays->amount_s = calloc((size_t)delays->n_regions + 1, sizeof *delays->amount_s);
	if (delays->is_lost || !order || !delays->amount_s) {
		free(order);
		return UTIL_ENOMEM;
	}
	for (int i = 0; i < delays->n_waits; i++)
		order[i] = i;
	qsort_r(order, (size_t)delays->n_waits, sizeof *order, compare_ends, delays->waits);
	for (int i = 0; i < delays->n_waits; i++)
		blame(delays, &delays->waits[order[i]]);
	free(order);
	return 0;
}

const struct trace_delay_region *trace_delays_regions(const struct trace_delays *delays, int *out_n)
{
	*out_n = delays->n_regions;
	return delays->regions;
}

double trace_delays_rest_s(const struct trace_delays *delays)
{
	return delays->rest_s;
}
