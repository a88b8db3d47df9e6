/* SPDX-License-Identifier: BSD-3-Clause */
/* Computation steps: what the host measured and what annotations charge becomes work on the rank's node (docs/model.md §2). */
#include "pdexec/compute.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "pdexec/annotate.h"
#include "pdexec/store.h"

#define CLOCK_COST_SAMPLES 200

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

static bool mode_measures(const struct pd_world *world)
{
	return world->config.mode != PD_COMPUTE_MODELLED;
}

void pd_compute_charge(struct pd_rank *rank, const char *kernel, double seconds)
{
	rank->pending_s += seconds;
	if (kernel)
		rank->pending_kernel = kernel;
}

void pd_compute_pause(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;
	double elapsed_s;

	if (!rank->is_measuring)
		return;
	elapsed_s = pd_host_cpu_s() - rank->host_mark_s - world->clock_cost_s;
	rank->is_measuring = false;
	if (elapsed_s > 0)
		pd_annotation_charge_measured(rank, elapsed_s * world->cluster->host_to_target);
}

void pd_compute_begin(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;

	if (!mode_measures(world))
		return;
	if (world->clock_cost_s == 0)
		world->clock_cost_s = measure_clock_cost();
	rank->is_measuring = true;
	rank->host_mark_s = pd_host_cpu_s();
}

static void compute_done(struct net_compute *compute)
{
	struct pd_rank *rank =
		(struct pd_rank *)((char *)compute - offsetof(struct pd_rank, compute));

	rank->is_computing = false;
	sim_task_wake(&rank->task);
}

static void compute_record(struct pd_rank *rank, sim_time_ps begin)
{
	const struct sim_recorder *recorder = &rank->world->recorder;
	struct sim_record_compute record = {
		.rank = rank->rank,
		.kernel = rank->pending_kernel,
		.begin = begin,
		.end = rank->world->engine.now,
		.useful_s = rank->compute.useful_s,
		.stolen_s = rank->compute.stolen_s,
		.shared_s = rank->compute.shared_s,
	};

	if (recorder->compute)
		recorder->compute(recorder->context, &record);
}

void pd_compute_end(struct pd_rank *rank)
{
	struct pd_world *world = rank->world;
	sim_time_ps begin = world->engine.now;

	if (!rank->is_measuring && rank->pending_s == 0)
		return;
	pd_compute_pause(rank);
	pd_annotation_check_call(rank);
	/* Only the sum is clamped: a negative amount takes out what was measured in the same step, before or after it. */
	if (rank->pending_s > 0) {
		rank->is_computing = true;
		net_compute_start(world->model, &rank->compute, rank->node, rank->pending_s,
				  compute_done);
		while (rank->is_computing)
			sim_task_block(&rank->task);
		compute_record(rank, begin);
	}
	rank->pending_s = 0;
	rank->pending_kernel = NULL;
}
