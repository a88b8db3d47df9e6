// SPDX-License-Identifier: BSD-3-Clause
#include "traces/phases.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

/*
 * The efficiency of a phase needs U(t), the useful computation of the whole run up to t, at its two
 * bounds. When a bound is set at time t, U is known but for the steps that are under way; each of
 * them adds its part when it ends. An end moves when a further rank leaves the phase.
 */
static void bound_set(struct trace_summary *summary, struct trace_bound *bound, sim_time_ps now)
{
	struct trace_bound *before = summary->bounds.last;

	while (before && before->time > now)
		before = before->link.prev;
	bound->time = now;
	*bound->useful_until = summary->useful_s;
	util_list_insert(&summary->bounds, bound, before,
			 before ? before->link.next : summary->bounds.first);
}

void trace_phases_compute(struct trace_summary *summary, const struct sim_record_compute *record)
{
	struct trace_bound *bound = summary->bounds.last;
	double length = (double)(record->end - record->begin);

	for (; bound && bound->time > record->begin; bound = bound->link.prev) {
		double done = (double)(bound->time - record->begin);

		*bound->useful_until +=
		    done < length ? record->useful_s * (done / length) : record->useful_s;
	}
}

static struct trace_phase_list *list_of_name(struct trace_summary *summary, int name)
{
	if (!util_array_reach(&summary->phases_of_name, &summary->n_phase_lists, name,
			      sizeof *summary->phases_of_name))
		return NULL;
	return &summary->phases_of_name[name];
}

static struct trace_phase *phase_new(struct trace_summary *summary,
				     struct trace_phase_list *same_name, sim_time_ps now)
{
	struct trace_phase *phase;

	if (!util_array_room(&same_name->of, (size_t)same_name->n, sizeof *same_name->of) ||
	    !util_array_room(&summary->phases.of, (size_t)summary->phases.n,
			     sizeof *summary->phases.of))
		return NULL;
	phase = calloc(1, sizeof *phase);
	if (!phase)
		return NULL;
	phase->index = same_name->n;
	phase->place = summary->phases.n;
	phase->begin = phase->end = now;
	for (int i = 0; i < 2; i++) {
		phase->bound[i].useful_until = &phase->useful_until[i];
		phase->bound[i].place = phase->place;
		bound_set(summary, &phase->bound[i], now);
	}
	same_name->of[same_name->n++] = phase;
	summary->phases.of[summary->phases.n++] = phase;
	return phase;
}

/* The occurrence `index` of phase `name`; NULL when it is not kept. A rank that begins its k-th has
 * begun all before, so they come in order. */
static struct trace_phase *phase_get(struct trace_summary *summary, int name, int index, int parent,
				     sim_time_ps now)
{
	struct trace_phase_list *same_name = list_of_name(summary, name);
	struct trace_phase *phase;

	if (same_name && index < same_name->n)
		return same_name->of[index];
	if (summary->phases.n >= TRACE_MAX_PHASES) {
		summary->n_phases_dropped++;
		return NULL;
	}
	phase = same_name && index == same_name->n ? phase_new(summary, same_name, now) : NULL;
	if (!phase) {
		summary->out_of_memory = true;
		return NULL;
	}
	phase->name = name;
	phase->parent = parent;
	return phase;
}

/* Which occurrence of the phase this is on the rank; -1 when out of memory. */
static int count_phase(struct trace_rank *rank, int name)
{
	if (!util_array_reach(&rank->n_phases, &rank->n_phases_known, name, sizeof *rank->n_phases))
		return -1;
	return rank->n_phases[name]++;
}

void trace_phases_begin(struct trace_summary *summary, int rank, const char *name, sim_time_ps now)
{
	struct trace_rank *r = &summary->ranks[rank];
	int id = trace_names_id(&summary->phase_names, name);
	int index = id < 0 ? -1 : count_phase(r, id);
	struct trace_phase *around, *phase;

	if (index < 0 || !util_array_room(&r->open, (size_t)r->n_open, sizeof *r->open)) {
		summary->out_of_memory = true;
		return;
	}
	around = r->n_open > 0 ? r->open[r->n_open - 1].phase : NULL;
	phase = phase_get(summary, id, index, around ? around->name : -1, now);
	if (phase) {
		phase->n_ranks++;
		phase->n_open++;
	}
	r->open[r->n_open++] = (struct trace_open_phase){
	    .phase = phase,
	    .begin = now,
	    .in_calls = r->sums.in_calls,
	    .waiting = r->sums.waiting,
	    .useful_s = r->useful_s,
	};
}

void trace_phases_end(struct trace_summary *summary, int rank, sim_time_ps now)
{
	struct trace_rank *r = &summary->ranks[rank];
	struct trace_open_phase *open;
	struct trace_phase *phase;
	sim_time_ps waiting;

	if (r->n_open == 0)
		return;
	open = &r->open[--r->n_open];
	phase = open->phase;
	if (!phase)
		return;
	phase->n_open--;
	waiting = r->sums.waiting - open->waiting;
	phase->time_s += sim_time_to_s(now - open->begin);
	phase->communicating_s += sim_time_to_s(r->sums.in_calls - open->in_calls - waiting);
	phase->waiting_s += sim_time_to_s(waiting);
	phase->useful_s += r->useful_s - open->useful_s;
	if (now >= phase->end) {
		phase->end = now;
		util_list_remove(&summary->bounds, &phase->bound[1]);
		bound_set(summary, &phase->bound[1], now);
	}
}
