/* SPDX-License-Identifier: BSD-3-Clause */
/* Computation steps: what the host measured and what annotations charge becomes work on the rank's node (docs/model.md §2). */
#include "pdexec/compute.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/annotate.h"
#include "pdexec/cores.h"
#include "pdexec/pages.h"
#include "pdexec/store.h"
#include "pdexec/threads.h"

#define CLOCK_COST_SAMPLES 200
#define NEGLIGIBLE_SHARE 1e-12 /* of a step's work: what rounding leaves */

static double host_clock_read(clockid_t clock)
{
	struct timespec now;

	/* Not clock_gettime: in the process of a simulated program that name is the simulated clock. */
	syscall(SYS_clock_gettime, clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double pd_host_cpu_s(void)
{
	return host_clock_read(CLOCK_THREAD_CPUTIME_ID);
}

double pd_host_clock_s(void)
{
	return host_clock_read(CLOCK_MONOTONIC);
}

/*
 * What an empty step measures: part of each reading falls between the two instants. The smallest of many, so that it never takes out
 * more than the reading costs.
 */
static double measure_clock_cost(void)
{
	double cost_s = 1.0;

	for (int sample = 0; sample < CLOCK_COST_SAMPLES; sample++) {
		double begin_s = pd_host_cpu_s(), elapsed_s = pd_host_cpu_s() - begin_s;

		if (elapsed_s < cost_s)
			cost_s = elapsed_s;
	}
	return cost_s;
}

/* Kernels beyond PD_MAX_PARTS in one step are put down to the last one: it matters to the report only. */
void pd_compute_charge(struct pd_rank *rank, const char *kernel, double seconds)
{
	int i = 0;

	rank->pending_s += seconds;
	rank->has_step = rank->is_measuring || rank->pending_s != 0;
	if (!kernel || seconds <= 0)
		return;
	while (i < rank->n_parts && rank->parts[i].kernel != kernel && i < PD_MAX_PARTS - 1)
		i++;
	if (i == rank->n_parts)
		rank->parts[rank->n_parts++] = (struct pd_part){.kernel = kernel};
	rank->parts[i].seconds += seconds;
}

void pd_compute_charge_memory(struct pd_rank *rank, const char *kernel, double memory_B)
{
	for (int i = 0; i < rank->n_parts; i++)
		if (rank->parts[i].kernel == kernel)
			rank->told |= 1u << i;
	rank->memory_B += memory_B;
}

void pd_compute_charge_threads(struct pd_rank *rank, double seconds)
{
	rank->memory_B += seconds * pd_store_scale_all(rank->program->store) *
			  rank->world->cluster->levels.computation_Bps;
}

/* What the step reads and writes: what its kernels say, and what the cluster says of the rest. */
static double memory_of_step(const struct pd_rank *rank)
{
	double rest_s = rank->pending_s, memory_B;

	for (int i = 0; i < rank->n_parts; i++)
		rest_s -= rank->told >> i & 1 ? rank->parts[i].seconds : 0;
	memory_B = rank->memory_B +
		   (rest_s > 0 ? rest_s : 0) * rank->world->cluster->levels.computation_Bps;
	return memory_B > 0 ? memory_B : 0;
}

void pd_compute_pause(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;
	double elapsed_s, beside_s = 0;

	if (!rank->is_measuring)
		return;
	elapsed_s = pd_host_cpu_s() - rank->host_mark_s - world->clock_cost_s;
	elapsed_s -= pd_pages_open(rank, elapsed_s);
	if (rank->threads) {
		rank->threads->main_s += elapsed_s;
		elapsed_s += rank->threads->extra_s;
		beside_s = rank->threads->beside_s - rank->threads->extra_s;
		rank->threads->beside_s = 0;
		rank->threads->extra_s = 0;
	}
	if (beside_s != 0 && !world->counts_clocks)
		pd_annotation_charge_threads(rank, beside_s * world->cluster->cpu.host_to_target);
	rank->is_measuring = false;
	rank->has_step = rank->pending_s != 0;
	if (elapsed_s > 0 && !world->counts_clocks) /* else the host decides nothing */
		pd_annotation_charge_measured(rank, elapsed_s * world->cluster->cpu.host_to_target);
}

void pd_compute_begin_measuring(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;

	if (world->clock_cost_s == 0)
		world->clock_cost_s = measure_clock_cost();
	rank->is_measuring = rank->has_step = true;
	rank->host_mark_s = pd_host_cpu_s();
	pd_pages_close(rank);
}

double pd_compute_take(struct pd_rank *rank)
{
	double seconds;

	if (rank->pending_s != 0 || rank->n_parts > 0)
		return 0;
	pd_compute_pause(rank);
	if (rank->n_parts > 0)
		return 0;
	seconds = rank->pending_s;
	rank->pending_s = 0;
	rank->has_step = false;
	return seconds;
}

void pd_compute_give_back(struct pd_rank *rank, double seconds)
{
	pd_compute_charge(rank, NULL, seconds);
}

static void compute_done(struct net_compute *compute)
{
	struct pd_rank *rank =
		(struct pd_rank *)((char *)compute - offsetof(struct pd_rank, compute));

	rank->is_computing = false;
	sim_task_wake(&rank->task);
}

/* One record for the share [from, to) of the step's work. */
static void record_share(struct pd_rank *rank, sim_time_ps begin, const char *kernel, double from,
			 double to)
{
	sim_time_ps now = rank->world->engine.now;
	double length_ps = (double)(now - begin);
	struct sim_record_compute record = {
		.rank = rank->rank,
		.kernel = kernel,
		.begin = begin + (sim_time_ps)(from * length_ps),
		.end = to < 1 ? begin + (sim_time_ps)(to * length_ps) : now,
		.useful_s = (to - from) * rank->compute.useful_s,
		.stolen_s = (to - from) * rank->compute.stolen_s,
		.shared_s = (to - from) * rank->compute.shared_s,
	};

	sim_tell_compute(&rank->world->observers, &record);
}

/*
 * Records the step that ended: what is not annotated first, then its kernels, each with its share of the time. Negative amounts may
 * have left less than the kernels were charged; then they share what is left.
 */
static void compute_record(struct pd_rank *rank, sim_time_ps begin)
{
	double kernels_s = 0, scale, from;

	if (!(rank->world->observers.wanted & SIM_OBSERVED_COMPUTE))
		return;
	for (int i = 0; i < rank->n_parts; i++)
		kernels_s += rank->parts[i].seconds;
	scale = 1 / (kernels_s > rank->pending_s ? kernels_s : rank->pending_s);
	from = 1 - kernels_s * scale;
	if (from < NEGLIGIBLE_SHARE)
		from = 0;
	if (from > 0)
		record_share(rank, begin, NULL, 0, rank->n_parts > 0 ? from : 1);
	for (int i = 0; i < rank->n_parts; i++) {
		double to = from + rank->parts[i].seconds * scale;

		record_share(rank, begin, rank->parts[i].kernel, from,
			     i == rank->n_parts - 1 ? 1 : to);
		from = to;
	}
}

void pd_compute_end_step(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;

	pd_compute_pause(rank);
	pd_annotation_check_call(rank);
	/* Only the sum is clamped: a negative amount takes out what was measured in the same step, before or after it. */
	if (rank->pending_s > 0) {
		struct net_place place = pd_cores_of(rank);

		rank->is_computing = true;
		net_compute_start_on(world->model, &rank->compute, &place, rank->pending_s,
				     memory_of_step(rank), compute_done);
		while (rank->is_computing)
			sim_task_block(&rank->task);
		compute_record(rank, rank->compute.begin);
	}
	rank->pending_s = rank->memory_B = 0;
	rank->told = 0;
	rank->n_parts = 0;
	rank->has_step = false;
}
