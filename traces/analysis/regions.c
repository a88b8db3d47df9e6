// SPDX-License-Identifier: BSD-3-Clause
/* Phases, by processing unit and on the ideal clocks. */
#include <stdlib.h>
#include <string.h>

#include "traces/analysis/internal.h"
#include "traces/phases.h" /* open phases */

static int reserve(struct trace_analysis *analysis, int place)
{
	int n = analysis->regions_capacity ? 2 * analysis->regions_capacity : 64;
	struct trace_region *grown;

	if (place < analysis->regions_capacity)
		return 0;
	while (n <= place)
		n *= 2;
	grown = realloc(analysis->regions, (size_t)n * sizeof *grown);
	if (!grown)
		return -1;
	analysis->regions = grown;
	analysis->regions_capacity = n;
	return 0;
}

/* Side 0: begin, 1: end. */
static void note_useful(const struct trace_analysis *analysis, struct trace_region *region,
			int side)
{
	size_t n = (size_t)analysis->n_units;

	if (region->useful_s)
		memcpy(region->useful_s + (size_t)side * n, analysis->useful_s,
		       n * sizeof *region->useful_s);
}

static void add_region(struct trace_analysis *analysis, int64_t ideal)
{
	struct trace_region *region = &analysis->regions[analysis->n_regions++];
	size_t size_B = 2 * (size_t)analysis->n_units * sizeof *region->useful_s;

	*region = (struct trace_region){.ideal_begin = ideal, .ideal_end = ideal};
	if (analysis->regions_B + size_B > TRACE_MAX_REGION_B)
		return;
	region->useful_s = malloc(size_B);
	analysis->regions_B += size_B;
	note_useful(analysis, region, 0);
	note_useful(analysis, region, 1);
}

int trace_regions_place(const struct trace_analysis *analysis, int rank)
{
	const struct trace_rank *r = &analysis->summary->ranks[rank];
	const struct trace_phase *phase = r->n_open > 0 ? r->open[r->n_open - 1].phase : NULL;

	return phase ? phase->place : -1;
}

void trace_regions_begin(struct trace_analysis *analysis, int rank)
{
	int place = trace_regions_place(analysis, rank);
	int64_t ideal = analysis->ranks[rank].ideal;

	if (place < 0)
		return;
	if (reserve(analysis, place)) {
		analysis->out_of_memory = true;
		return;
	}
	while (analysis->n_regions <= place)
		add_region(analysis, ideal);
	analysis->regions[place].has_ended = false;
	if (ideal < analysis->regions[place].ideal_begin)
		analysis->regions[place].ideal_begin = ideal;
}

void trace_regions_end(struct trace_analysis *analysis, int rank, int place)
{
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
	const struct trace_bound *bounds = &analysis->summary->bounds;
	const struct trace_bound *bound = bounds->prev;
	double length = (double)(record->end - record->begin);
	int unit = analysis->unit_of[record->rank];

	analysis->useful_s[unit] += record->useful_s;
	trace_curves_add(&analysis->useful_over_time, unit, record->begin, record->end,
			 record->useful_s);
	for (; bound != bounds && bound->time > record->begin; bound = bound->prev) {
		const struct trace_phase *phase = analysis->summary->phases.of[bound->place];
		struct trace_region *region;
		double done = (double)(bound->time - record->begin);

		if (bound->place >= analysis->n_regions)
			continue;
		region = &analysis->regions[bound->place];
		if (region->useful_s)
			region->useful_s[(bound == &phase->bound[1] ? analysis->n_units : 0) +
					 unit] +=
			    done < length ? record->useful_s * (done / length) : record->useful_s;
	}
}

void trace_regions_finish(struct trace_analysis *analysis)
{
	for (int i = 0; i < analysis->n_regions; i++)
		free(analysis->regions[i].useful_s);
	free(analysis->regions);
}
