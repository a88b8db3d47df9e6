// SPDX-License-Identifier: BSD-3-Clause
/* Phases, by rank and on the ideal clocks. */
#include <stdlib.h>
#include <string.h>

#include "traces/analysis/internal.h"
#include "traces/phases.h" /* open phases */
#include "util/array.h"

static int reserve(struct trace_analysis *analysis, int place)
{
	return util_array_reach(&analysis->regions, &analysis->regions_capacity, place,
				sizeof *analysis->regions)
		   ? 0
		   : -1;
}

/* Side 0: begin, 1: end. Ranks may have been added since. */
static void note_useful(struct trace_analysis *analysis, struct trace_region *region, int side)
{
	size_t n = (size_t)analysis->n_ranks, size_B = n * sizeof *region->useful_s[side];
	double *noted = NULL;

	if (side == 1 && !region->useful_s[0])
		return;
	if (region->n_known[side] == analysis->n_ranks)
		noted = region->useful_s[side];
	else if (analysis->regions_B + size_B <= TRACE_MAX_REGION_B)
		noted = realloc(region->useful_s[side], size_B);
	if (!noted)
		return;
	if (region->n_known[side] != analysis->n_ranks)
		analysis->regions_B += size_B;
	memcpy(noted, analysis->useful_s, size_B);
	region->useful_s[side] = noted;
	region->n_known[side] = analysis->n_ranks;
}

static void add_region(struct trace_analysis *analysis, const struct trace_analysis_rank *rank)
{
	struct trace_region *region = &analysis->regions[analysis->n_regions++];

	*region = (struct trace_region){
	    .job = rank->job, .ideal_begin = rank->ideal, .ideal_end = rank->ideal};
	note_useful(analysis, region, 0);
	note_useful(analysis, region, 1);
}

/* The place of the phase that the rank has begun last, or (0) has just ended. */
static int place_of(const struct trace_analysis *analysis, int rank, int is_begin)
{
	const struct trace_rank *r = &analysis->summary->ranks[rank];
	const struct trace_phase *phase = NULL;

	if (!is_begin && r->open)
		phase = r->open[r->n_open].phase; /* its slot keeps it until the next begins */
	else if (r->n_open > 0)
		phase = r->open[r->n_open - 1].phase;
	return phase ? phase->place : -1;
}

void trace_regions_begin(struct trace_analysis *analysis, int rank)
{
	int place = place_of(analysis, rank, 1);
	int64_t ideal = analysis->ranks[rank].ideal;

	if (place < 0)
		return;
	if (reserve(analysis, place)) {
		analysis->out_of_memory = true;
		return;
	}
	while (analysis->n_regions <= place)
		add_region(analysis, &analysis->ranks[rank]);
	analysis->regions[place].has_ended = false;
	if (ideal < analysis->regions[place].ideal_begin)
		analysis->regions[place].ideal_begin = ideal;
}

void trace_regions_end(struct trace_analysis *analysis, int rank)
{
	int place = place_of(analysis, rank, 0);
	int64_t ideal = analysis->ranks[rank].ideal;
	struct trace_region *region;

	if (place < 0 || place >= analysis->n_regions)
		return;
	region = &analysis->regions[place];
	if (ideal > region->ideal_end)
		region->ideal_end = ideal;
	if (analysis->summary->phases.of[place]->n_open > 0)
		return;
	region->has_ended = true;
	note_useful(analysis, region, 1);
}

/* What of the step was done before bounds that lie within it, as trace_phases_compute has it. */
void trace_regions_compute(struct trace_analysis *analysis, const struct sim_record_compute *record)
{
	const struct trace_bound *bound = analysis->summary->bounds.last;
	double length = (double)(record->end - record->begin);
	int rank = record->rank;

	analysis->useful_s[rank] += record->useful_s;
	trace_curves_add(&analysis->useful_over_time, rank, record->begin, record->end,
			 record->useful_s);
	for (; bound && bound->time > record->begin; bound = bound->link.prev) {
		const struct trace_phase *phase = analysis->summary->phases.of[bound->place];
		struct trace_region *region;
		double done = (double)(bound->time - record->begin);
		int side = bound == &phase->bound[1];

		if (bound->place >= analysis->n_regions)
			continue;
		region = &analysis->regions[bound->place];
		if (rank < region->n_known[side])
			region->useful_s[side][rank] +=
			    done < length ? record->useful_s * (done / length) : record->useful_s;
	}
}

void trace_regions_finish(struct trace_analysis *analysis)
{
	for (int i = 0; i < analysis->n_regions; i++)
		for (int side = 0; side < 2; side++)
			free(analysis->regions[i].useful_s[side]);
	free(analysis->regions);
}
