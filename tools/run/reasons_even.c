// SPDX-License-Identifier: BSD-3-Clause
/*
 * Computations that end at one call, the first of each rank, the second, and so on. Where work is
 * uneven each time, by a little, or in turns, so that no rank is to blame for all of it, they would
 * take the mean of the ranks; those of slow ranks take the median. Ranks come to a call on different
 * ways: where they come from does not count.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/run/reasons.h"
#include "tools/run/run.h"
#include "util/array.h"

struct reasons_times { /* of the computations that end at a call */
	struct of_rank {
		float *seconds;	  /* [n] */
		size_t n, n_done; /* n_done: in a replay */
	} * ranks;		  /* [n_ranks] */
	float *mean_s;		  /* [n] of the ranks that come there at all */
	float *median_s; /* [n] of those that compute there; NULL: nobody asked */
	size_t n;
	double most_s, all_s; /* sums of the longest, of the means */
};

/* Seconds are those of the rank's node. */
static double speed_of(const struct reasons *reasons, int rank)
{
	return reasons->run->cluster->cpu.speed[reasons->run->node_of[rank]];
}

/* Stands among the places, as one that is come to from nowhere. */
static int meeting(struct reasons *reasons, const struct replay_region *region)
{
	struct replay_region of = {.after = {UINT64_MAX, 0}, .before = region->before};

	return reasons_place(reasons, &of);
}

void reasons_even_note(struct reasons *reasons, int rank, const struct replay_region *region,
		       double seconds)
{
	int number = meeting(reasons, region);
	struct of_rank *of;

	if (number < 0 || reasons->n_times >= TRACE_MAX_DELAY_SPANS ||
	    !util_array_reach(&reasons->times, &reasons->n_meetings, number,
			      sizeof *reasons->times))
		return;
	if (!reasons->times[number])
		reasons->times[number] = calloc(1, sizeof **reasons->times);
	if (reasons->times[number] && !reasons->times[number]->ranks)
		reasons->times[number]->ranks = calloc((size_t)reasons->n_ranks, sizeof *of);
	if (!reasons->times[number] || !reasons->times[number]->ranks) {
		reasons->is_lost = true;
		return;
	}
	of = &reasons->times[number]->ranks[rank];
	if (!util_array_room(&of->seconds, of->n, sizeof *of->seconds)) {
		reasons->is_lost = true;
		return;
	}
	of->seconds[of->n++] = (float)(seconds / speed_of(reasons, rank));
	reasons->n_times++;
}

/* Ranks that come as often as each other, if they come, are taken to do the same each time. */
static size_t count_visits(const struct reasons *reasons, const struct reasons_times *times)
{
	size_t n = 0;

	for (int rank = 0; rank < reasons->n_ranks; rank++) {
		if (times->ranks[rank].n > 0 && n > 0 && times->ranks[rank].n != n)
			return 0;
		n = times->ranks[rank].n > 0 ? times->ranks[rank].n : n;
	}
	return n;
}

static bool find_means(struct reasons *reasons, struct reasons_times *times)
{
	if (times->mean_s)
		return true;
	times->n = count_visits(reasons, times);
	times->mean_s = times->n > 0 ? calloc(times->n, sizeof *times->mean_s) : NULL;
	for (size_t i = 0; times->mean_s && i < times->n; i++) {
		double sum_s = 0, most_s = 0;
		int n_there = 0;

		for (int rank = 0; rank < reasons->n_ranks; rank++) {
			const struct of_rank *of = &times->ranks[rank];
			double seconds = of->n > 0 ? of->seconds[i] : 0;

			sum_s += seconds;
			most_s = seconds > most_s ? seconds : most_s;
			n_there += of->n > 0;
		}
		times->mean_s[i] = (float)(sum_s / n_there);
		times->most_s += most_s;
		times->all_s += sum_s / n_there;
	}
	return times->mean_s != NULL;
}

/* The one candidate for all of it. */
static struct reasons_candidate *candidate_of(struct reasons *reasons)
{
	for (int i = 0; i < reasons->n_candidates; i++)
		if (reasons->candidates[i].evens &&
		    reasons->candidates[i].reason.kind == TRACE_REASON_IMBALANCE)
			return &reasons->candidates[i];
	return reasons_add(reasons, TRACE_REASON_IMBALANCE);
}

static void add_times(struct reasons_candidate *candidate, const struct reasons *reasons,
		      const struct reasons_times *times)
{
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		for (size_t i = 0; i < times->ranks[rank].n; i++)
			candidate->reason.time_s += times->ranks[rank].seconds[i];
}

/* All that come there. */
static void blame(struct reasons *reasons, struct trace_reason *reason,
		  const struct reasons_times *times)
{
	int *ranks = malloc((size_t)reasons->n_ranks * sizeof *ranks), n = 0;

	for (int rank = 0; ranks && rank < reasons->n_ranks; rank++)
		if (times->ranks[rank].n > 0)
			ranks[n++] = rank;
	if (ranks)
		reasons_blame(reasons, reason, ranks, n);
	reasons->is_lost = reasons->is_lost || !ranks;
	free(ranks);
}

void reasons_even_add(struct reasons *reasons, int place, double cost_s)
{
	int number = meeting(reasons, &reasons->places[place]);
	struct reasons_times *times =
	    number >= 0 && number < reasons->n_meetings ? reasons->times[number] : NULL;
	struct reasons_candidate *candidate;
	bool is_first;

	if (!times || !find_means(reasons, times) || !(candidate = candidate_of(reasons)))
		return;
	is_first = candidate->place < 0;
	candidate->weight += cost_s;
	candidate->reason.waiting_s += cost_s;
	if (!util_array_reach(&candidate->evens, &candidate->n_evens, number,
			      sizeof *candidate->evens)) {
		reasons->is_lost = true;
		return;
	}
	if (!candidate->evens[number])
		add_times(candidate, reasons, times);
	candidate->evens[number] = true;
	if (!is_first)
		return;
	candidate->place = place;
	blame(reasons, &candidate->reason, times);
	snprintf(candidate->reason.text, sizeof candidate->reason.text,
		 "work is uneven, by a little or in turns: the longest rank takes %.2f times the "
		 "mean each time",
		 times->most_s / times->all_s);
	snprintf(candidate->reason.remedy, sizeof candidate->reason.remedy,
		 "if all ranks took the mean each time");
}

static double sum_of(const struct of_rank *of)
{
	double sum_s = 0;

	for (size_t i = 0; i < of->n; i++)
		sum_s += of->seconds[i];
	return sum_s;
}

/* Of the ranks that compute there at all: their numbers go to `there`. */
static int find_computing(const struct reasons *reasons, const struct reasons_times *times,
			  int there[])
{
	double most_s = 0;
	int n = 0;

	for (int rank = 0; rank < reasons->n_ranks; rank++)
		most_s = fmax(most_s, sum_of(&times->ranks[rank]));
	for (int rank = 0; rank < reasons->n_ranks; rank++)
		if (sum_of(&times->ranks[rank]) > REASONS_NOTHING * most_s)
			there[n++] = rank;
	return n;
}

static bool find_medians(struct reasons *reasons, struct reasons_times *times)
{
	int *there = malloc((size_t)reasons->n_ranks * sizeof *there), n_there;
	double *sorted = malloc((size_t)reasons->n_ranks * sizeof *sorted);

	times->n = count_visits(reasons, times);
	times->median_s = times->n > 0 ? calloc(times->n, sizeof *times->median_s) : NULL;
	n_there = there ? find_computing(reasons, times, there) : 0;
	for (size_t i = 0; sorted && n_there > 0 && times->median_s && i < times->n; i++) {
		for (int k = 0; k < n_there; k++)
			sorted[k] = times->ranks[there[k]].seconds[i];
		qsort(sorted, (size_t)n_there, sizeof *sorted, util_compare_doubles);
		times->median_s[i] = (float)sorted[(n_there - 1) / 2];
	}
	reasons->is_lost = reasons->is_lost || !sorted || !there;
	free(sorted);
	free(there);
	return times->median_s != NULL;
}

void reasons_even_slow(struct reasons *reasons, struct reasons_candidate *candidate, int place)
{
	int number = meeting(reasons, &reasons->places[place]);
	struct reasons_times *times =
	    number >= 0 && number < reasons->n_meetings ? reasons->times[number] : NULL;

	if (!times || (!times->median_s && !find_medians(reasons, times)))
		return;
	if (util_array_reach(&candidate->evens, &candidate->n_evens, number,
			     sizeof *candidate->evens))
		candidate->evens[number] = true;
	else
		reasons->is_lost = true;
}

void reasons_even_begin(struct reasons *reasons)
{
	for (int i = 0; i < reasons->n_meetings; i++)
		for (int rank = 0; reasons->times[i] && rank < reasons->n_ranks; rank++)
			reasons->times[i]->ranks[rank].n_done = 0;
}

static bool is_to_blame(const struct trace_reason *reason, int rank)
{
	int i = 0;

	while (i < reason->n_ranks && reason->ranks[i] != rank)
		i++;
	return i < reason->n_ranks;
}

bool reasons_even_factor(struct reasons *reasons, const struct reasons_candidate *candidate,
			 int rank, const struct replay_region *region, double seconds,
			 double *out)
{
	bool is_slow = candidate->reason.kind != TRACE_REASON_IMBALANCE;
	int number = candidate->n_evens > 0 ? meeting(reasons, region) : -1;
	const struct reasons_times *times;
	struct of_rank *of;

	if (number < 0 || number >= candidate->n_evens || !candidate->evens[number])
		return false;
	times = reasons->times[number];
	of = &times->ranks[rank];
	*out = 1;
	if (of->n_done < of->n && (!is_slow || is_to_blame(&candidate->reason, rank)))
		*out = (is_slow ? times->median_s : times->mean_s)[of->n_done++] *
		       speed_of(reasons, rank) / seconds;
	return true;
}

void reasons_even_finish(struct reasons *reasons)
{
	for (int i = 0; i < reasons->n_meetings; i++) {
		struct reasons_times *times = reasons->times[i];

		for (int rank = 0; times && times->ranks && rank < reasons->n_ranks; rank++)
			free(times->ranks[rank].seconds);
		if (times) {
			free(times->ranks);
			free(times->mean_s);
			free(times->median_s);
		}
		free(times);
	}
	free(reasons->times);
}
