// SPDX-License-Identifier: BSD-3-Clause
#include "traces/summary.h"

#include <stdlib.h>
#include <string.h>

#include "traces/phases.h"
#include "util/array.h"

static void see_time(struct trace_summary *summary, struct trace_rank *rank, sim_time_ps now)
{
	if (now > rank->sums.last)
		rank->sums.last = now;
	if (now > summary->end)
		summary->end = now;
}

/* The sums of a name; NULL when memory ran out. */
static inline struct sim_total *total_of(struct trace_summary *summary, struct trace_names *names,
					 const char *name, struct sim_total **totals, int *capacity)
{
	int id = trace_names_id(names, name);

	if (id < 0 || !util_array_reach(totals, capacity, id, sizeof **totals)) {
		summary->out_of_memory = true;
		return NULL;
	}
	return &(*totals)[id];
}

static void record_compute(void *context, const struct sim_record_compute *record)
{
	struct trace_summary *summary = context;
	struct trace_rank *rank = &summary->ranks[record->rank];
	struct sim_total *kernel =
	    total_of(summary, &summary->kernel_names, record->kernel ? record->kernel : "",
		     &summary->kernels, &summary->kernels_capacity);

	rank->computing += record->end - record->begin;
	rank->useful_s += record->useful_s;
	rank->accelerator_s += record->is_offloaded ? record->useful_s : 0;
	rank->stolen_s += record->stolen_s;
	rank->shared_s += record->shared_s;
	summary->useful_s += record->useful_s;
	trace_curve_add(&summary->useful, record->begin, record->end, record->useful_s);
	trace_phases_compute(summary, record);
	if (kernel) {
		kernel->n++;
		kernel->time_s += sim_time_to_s(record->end - record->begin);
		kernel->useful_s += record->useful_s;
	}
	see_time(summary, rank, record->end);
}

static void record_offloaded(void *context, const struct sim_record_offloaded *record)
{
	struct trace_summary *summary = context;
	struct sim_total *kernel =
	    total_of(summary, &summary->offloaded_names, record->kernel, &summary->offloaded,
		     &summary->offloaded_capacity);

	if (!kernel)
		return;
	kernel->n++;
	kernel->time_s += sim_time_to_s(record->end - record->begin);
}

static struct sim_total *find_call(void *context, const char *function)
{
	struct trace_summary *summary = context;
	int capacity = summary->calls_capacity;
	unsigned int place = sim_tally_place(function);
	struct sim_total *call = total_of(summary, &summary->call_names, function, &summary->calls,
					  &summary->calls_capacity);

	if (summary->calls_capacity != capacity) /* the others have moved */
		memset(summary->tally.recent, 0, sizeof summary->tally.recent);
	if (!call)
		return &summary->unknown;
	summary->tally.recent[place].function = function;
	summary->tally.recent[place].total = call;
	return call;
}

static struct sim_tally_rank *find_rank(void *context, int rank)
{
	struct trace_summary *summary = context;

	return &summary->ranks[rank].sums;
}

static void record_call(void *context, const struct sim_record_call *record)
{
	struct trace_summary *summary = context;

	sim_tally_add_call(&summary->tally, &summary->ranks[record->rank].sums, record->function,
			   record->begin, record->end, record->waiting);
}

static void record_message(void *context, const struct sim_record_message *record)
{
	struct trace_summary *summary = context;

	sim_tally_add_message(&summary->ranks[record->source].sums,
			      &summary->ranks[record->dest].sums, record->size_B,
			      record->in_collective != 0);
}

static void record_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	struct trace_summary *summary = context;

	see_time(summary, &summary->ranks[rank], now);
	if (is_begin)
		trace_phases_begin(summary, rank, name, now);
	else
		trace_phases_end(summary, rank, now);
}

static void begin_hold(struct trace_node *node, sim_time_ps now)
{
	if (node->n_holding++ == 0)
		node->since = now;
}

static void end_hold(struct trace_summary *summary, struct trace_node *node, sim_time_ps now)
{
	node->released = now;
	if (!util_array_room(&node->holds, (size_t)node->n_holds, sizeof *node->holds)) {
		summary->out_of_memory = true;
		return;
	}
	node->holds[node->n_holds++] = (struct trace_hold){node->since, now};
}

void trace_summary_place(struct trace_summary *summary, int rank, int node, sim_time_ps now)
{
	summary->ranks[rank].node = node;
	summary->nodes[node].n_ranks++;
	begin_hold(&summary->nodes[node], now);
}

static void record_node_release(void *context, int rank, sim_time_ps now)
{
	struct trace_summary *summary = context;
	struct trace_rank *r = &summary->ranks[rank];
	struct trace_node *node = &summary->nodes[r->node];

	see_time(summary, r, now);
	if (r->has_released)
		return;
	r->has_released = true;
	if (--node->n_holding == 0)
		end_hold(summary, node, now);
}

static void record_node_acquire(void *context, int rank, sim_time_ps now)
{
	struct trace_summary *summary = context;
	struct trace_rank *r = &summary->ranks[rank];

	see_time(summary, r, now);
	if (!r->has_released)
		return;
	r->has_released = false;
	begin_hold(&summary->nodes[r->node], now);
}

static void record_rank_end(void *context, int rank, sim_time_ps now)
{
	struct trace_summary *summary = context;

	see_time(summary, &summary->ranks[rank], now);
	summary->ranks[rank].has_ended = true;
	/* others of its job may still run: the node has been got for them one by one */
	if (summary->ranks[rank].was_spawned)
		record_node_release(context, rank, now);
}

static void record_rank_begin(void *context, int rank, int parent, int node, sim_time_ps now)
{
	struct trace_summary *summary = context;

	(void)parent;
	summary->ranks[rank] =
	    (struct trace_rank){.was_spawned = true, .begin = now, .sums.last = now};
	summary->n_ranks++;
	summary->n_spawned++;
	trace_summary_place(summary, rank, node, now);
}

struct sim_observer trace_summary_observer(struct trace_summary *summary)
{
	return (struct sim_observer){
	    .context = summary,
	    .compute = record_compute,
	    .offloaded = record_offloaded,
	    .call = record_call,
	    .message = record_message,
	    .phase = record_phase,
	    .node_release = record_node_release,
	    .node_acquire = record_node_acquire,
	    .rank_end = record_rank_end,
	    .rank_begin = record_rank_begin,
	    .tally = &summary->tally,
	};
}

int trace_summary_create(int n_ranks, const int node_of[], const struct cluster *cluster,
			 struct trace_summary **out, struct util_error *err)
{
	struct trace_summary *summary = calloc(1, sizeof *summary);

	if (!summary)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	summary->cluster = cluster;
	summary->n_ranks = n_ranks;
	summary->max_ranks = n_ranks + cluster->spawn.max_processes;
	summary->n_nodes = cluster->n_nodes;
	trace_names_init(&summary->kernel_names);
	trace_names_init(&summary->offloaded_names);
	trace_names_init(&summary->call_names);
	trace_names_init(&summary->phase_names);
	trace_curve_init(&summary->useful);
	summary->tally =
	    (struct sim_tally){.context = summary, .rank = find_rank, .find = find_call};
	summary->ranks = calloc((size_t)summary->max_ranks, sizeof *summary->ranks);
	summary->nodes = calloc((size_t)cluster->n_nodes, sizeof *summary->nodes);
	if (!summary->ranks || !summary->nodes) {
		trace_summary_destroy(summary);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the summary of %d ranks",
				      n_ranks);
	}
	for (int rank = 0; rank < n_ranks; rank++) {
		summary->ranks[rank].node = -1;
		if (node_of)
			trace_summary_place(summary, rank, node_of[rank], 0);
	}
	*out = summary;
	return 0;
}

void trace_summary_destroy(struct trace_summary *summary)
{
	if (!summary)
		return;
	for (int rank = 0; summary->ranks && rank < summary->n_ranks; rank++) {
		free(summary->ranks[rank].open);
		free(summary->ranks[rank].n_phases);
	}
	for (int i = 0; i < summary->phases.n; i++)
		free(summary->phases.of[i]);
	for (int i = 0; i < summary->n_phase_lists; i++)
		free(summary->phases_of_name[i].of);
	free(summary->phases_of_name);
	free(summary->phases.of);
	for (int node = 0; summary->nodes && node < summary->n_nodes; node++)
		free(summary->nodes[node].holds);
	free(summary->ranks);
	free(summary->nodes);
	free(summary->kernels);
	free(summary->offloaded);
	free(summary->calls);
	trace_names_finish(&summary->kernel_names);
	trace_names_finish(&summary->offloaded_names);
	trace_names_finish(&summary->call_names);
	trace_names_finish(&summary->phase_names);
	free(summary);
}

/* What is over all ranks. */
static void sum_up(struct trace_summary *summary)
{
	summary->n_messages = summary->n_bytes = 0;
	summary->n_collective_messages = summary->n_collective_bytes = 0;
	for (int rank = 0; rank < summary->n_ranks; rank++) {
		const struct sim_tally_rank *sums = &summary->ranks[rank].sums;

		summary->n_messages += sums->n_received[0] + sums->n_received[1];
		summary->n_bytes += sums->received_B[0] + sums->received_B[1];
		summary->n_collective_messages += sums->n_received[1];
		summary->n_collective_bytes += sums->received_B[1];
		if (sums->last > summary->end)
			summary->end = sums->last;
	}
}

void trace_summary_close(struct trace_summary *summary, sim_time_ps now)
{
	if (now > summary->end)
		summary->end = now;
	sum_up(summary);
	for (int rank = 0; rank < summary->n_ranks; rank++)
		while (summary->ranks[rank].n_open > 0)
			trace_phases_end(summary, rank, summary->end);
}
