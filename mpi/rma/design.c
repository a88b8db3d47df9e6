/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/rma/design.h"

#include <stdlib.h>

#include "mpi/rma/host.h"
#include "mpi/rma/operation.h"

/* A helper or a copy engine of one rank: messages are served in the order in which they came. */
struct rma_engine {
	sim_time_ps cpu_free, last_end; /* the CPU has issued all; the last message is served */
	sim_time_ps channel_free[CLUSTER_RMA_MAX_CHANNELS];
};

struct service { /* a core of the target is taken, or given back, or a message is served */
	struct sim_event event;
	struct mpi_rank *target;
	int n_cores;
	struct rma_op *op; /* NULL: none */
};

static const struct cluster_rma *costs_of(const struct mpi_rank *me)
{
	return &me->world->pd->cluster->rma;
}

bool rma_is_served_in_mpi(const struct mpi_rank *me)
{
	const struct cluster_rma *costs = costs_of(me);

	return costs->design == CLUSTER_RMA_AS_PROGRESS ? costs->progress == CLUSTER_RMA_IN_MPI
							: costs->design == CLUSTER_RMA_ONLOAD;
}

/* Bytes that somebody copies at the target. */
static int64_t copied_B(const struct rma_op *op)
{
	return op->kind <= RMA_COMPARE_AND_SWAP ? op->size_B : 0;
}

static int64_t pages_of(int64_t size_B)
{
	return (size_B + CLUSTER_RMA_PAGE_B - 1) / CLUSTER_RMA_PAGE_B;
}

static sim_time_ps later(sim_time_ps a, sim_time_ps b)
{
	return a > b ? a : b;
}

/* --- what happens at some time --- */

static void happen(struct sim_event *event)
{
	struct service service = *(struct service *)event;

	free(event);
	if (service.n_cores)
		net_node_take(service.target->world->pd->model, service.target->pd->node,
			      service.n_cores);
	if (service.op)
		rma_op_serve(service.op);
}

static void plan(struct mpi_rank *target, int n_cores, struct rma_op *op, sim_time_ps time)
{
	struct service *service = calloc(1, sizeof *service);

	if (!service) {
		sim_engine_fail_memory(&target->world->pd->engine);
		return;
	}
	service->target = target;
	service->n_cores = n_cores;
	service->op = op;
	sim_event_init(&service->event, happen);
	sim_engine_at(&target->world->pd->engine, &service->event, time);
}

static void take_core(struct mpi_rank *target, sim_time_ps begin, sim_time_ps end)
{
	if (end <= begin)
		return;
	plan(target, 1, NULL, begin);
	plan(target, -1, NULL, end);
}

/* --- a thread beside the target --- */

/* It looks for messages at fixed times. */
static sim_time_ps next_look(const struct cluster_rma *costs, sim_time_ps time)
{
	sim_time_ps interval = sim_time_from_s(costs->helper_interval_s);

	return interval > 0 ? (time + interval - 1) / interval * interval : time;
}

static sim_time_ps serve_by_helper(struct mpi_rank *target, struct rma_engine *engine,
				   const struct rma_op *op, sim_time_ps now)
{
	const struct cluster_rma *costs = costs_of(target);
	sim_time_ps begin = engine->last_end > now ? engine->last_end : next_look(costs, now);
	double copy_s = (double)copied_B(op) / costs->copy_Bps;
	sim_time_ps end = begin + sim_time_from_s(copy_s);

	take_core(target, begin, end + sim_time_from_s(copy_s * costs->pollution));
	return end;
}

/* --- a copy engine --- */

static sim_time_ps *free_channel(struct rma_engine *engine, int n)
{
	int first = 0;

	for (int i = 1; i < n; i++)
		if (engine->channel_free[i] < engine->channel_free[first])
			first = i;
	return &engine->channel_free[first];
}

/* The CPU issues page after page, behind a system call for all that come while it does; a channel copies
 * them; the CPU sees the end. */
static sim_time_ps serve_by_dma(struct mpi_rank *target, struct rma_engine *engine,
				const struct rma_op *op, sim_time_ps now)
{
	const struct cluster_rma *costs = costs_of(target);
	int64_t size_B = copied_B(op), n_pages = pages_of(size_B);
	int64_t last_B = size_B - (n_pages - 1) * CLUSTER_RMA_PAGE_B;
	sim_time_ps issue = sim_time_from_s(costs->dma_issue_s),
		    poll = sim_time_from_s(costs->dma_poll_s);
	sim_time_ps begin = later(now, engine->cpu_free), issued, end,
		    *channel = free_channel(engine, costs->dma_channels);

	if (size_B == 0)
		return later(now, engine->last_end);
	if (engine->last_end <= now)
		begin += sim_time_from_s(costs->dma_system_call_s);
	issued = begin + n_pages * issue;
	end = later(begin + issue, *channel) + sim_time_from_s((double)size_B / costs->dma_Bps);
	end = later(end, issued + sim_time_from_s((double)last_B / costs->dma_Bps));
	*channel = end;
	take_core(target, later(now, engine->cpu_free), issued);
	take_core(target, end, end + poll);
	engine->cpu_free = issued;
	return end + poll;
}

/* --- between the files --- */

static struct rma_engine *engine_of(struct mpi_rank *target)
{
	struct rma_host *host = target->rma;

	if (!host->engine)
		host->engine = calloc(1, sizeof *host->engine);
	return host->engine;
}

bool rma_design_takes(struct rma_op *op)
{
	struct mpi_rank *target = op->target->owner;
	enum cluster_rma_design design = costs_of(target)->design;
	sim_time_ps now = target->world->pd->engine.now, end;
	struct rma_engine *engine;

	if (design != CLUSTER_RMA_HELPER && design != CLUSTER_RMA_DMA)
		return false;
	engine = engine_of(target);
	if (!engine) {
		sim_engine_fail_memory(&target->world->pd->engine);
		return true;
	}
	end = design == CLUSTER_RMA_HELPER ? serve_by_helper(target, engine, op, now)
					   : serve_by_dma(target, engine, op, now);
	engine->last_end = end = later(end, engine->last_end);
	if (end <= now)
		return false;
	rma_keep_operand(op);
	rma_op_complete_locally(op);
	plan(target, 0, op, end);
	return true;
}

void rma_design_copy(struct mpi_rank *me, const struct rma_op *op)
{
	const struct cluster_rma *costs = costs_of(me);
	sim_time_ps copy = sim_time_from_s((double)copied_B(op) / costs->copy_Bps), now;

	if (costs->design != CLUSTER_RMA_ONLOAD || copy <= 0)
		return;
	sim_task_sleep(&me->pd->task, copy);
	now = me->world->pd->engine.now;
	take_core(me, now, now + (sim_time_ps)((double)copy * costs->pollution));
}

void rma_design_register(struct mpi_rank *me, const struct rma_op *op)
{
	const struct cluster_rma *costs = costs_of(me);
	double time_s = costs->registration_s * (double)pages_of(copied_B(op));

	if (costs->design == CLUSTER_RMA_NIC_DESIGN && time_s > 0)
		sim_task_sleep(&me->pd->task, sim_time_from_s(time_s));
}

void rma_design_begin(struct mpi_rank *me)
{
	const struct cluster_rma *costs = costs_of(me);

	if (costs->design == CLUSTER_RMA_HELPER && costs->helper_start_s > 0)
		sim_task_sleep(&me->pd->task, sim_time_from_s(costs->helper_start_s));
}
