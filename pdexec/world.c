/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a world and of its ranks. */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pdexec/annotate.h"
#include "pdexec/arch.h"
#include "pdexec/image.h"
#include "pdexec/noalloc.h"
#include "pdexec/process.h"
#include "pdexec/rank.h"
#include "pdexec/signals.h"
#include "pdexec/blas.h"
#include "pdexec/store.h"

struct pd_rank *pd_current;

struct pd_rank *pd_rank_here(void)
{
	struct pd_rank *rank = pd_current;

	if (!rank || rank->task.state != SIM_TASK_RUNNING ||
	    rank->world->thread != pd_arch_thread_pointer())
		return NULL;
	return rank;
}

void *pd_rank_memory(const struct pd_rank *rank, const void *address)
{
	return pd_swap_find(&rank->world->image->swap, rank->rank, (char *)(uintptr_t)address);
}

/*
 * As large as a process has by default while there are few; with many ranks neighbouring stacks
 * share pages of the page table, so less address space per rank is less memory.
 */
static size_t choose_stack_size(int n_ranks)
{
	if (n_ranks <= 1024)
		return (size_t)8 << 20;
	return n_ranks <= 8192 ? (size_t)1 << 20 : (size_t)256 << 10;
}

static void swap_in(struct sim_task *task, void *context)
{
	struct pd_world *world = context;
	struct pd_rank *rank = task->data, *before = pd_current;

	pd_swap_to(&world->image->swap, rank->rank);
	pd_process_switch(before ? before->process : world->outside, rank->process);
	pd_current = rank;
}

static void rank_main(void *arg)
{
	pd_process_run(arg);
}

static int create_ranks(struct pd_world *world, struct util_error *err)
{
	int rc = 0;

	world->ranks = calloc((size_t)world->n_ranks, sizeof(*world->ranks));
	if (!world->ranks)
		return util_error_set(err, UTIL_ENOMEM, "no memory for %d ranks", world->n_ranks);
	for (int i = 0; i < world->n_ranks && !rc; i++) {
		struct pd_rank *rank = &world->ranks[i];
		struct pd_process *process;

		rank->rank = i;
		rank->node = world->config.node_of[i];
		rank->world = world;
		rank->task.data = rank;
		rc = pd_process_create(&process, err);
		if (!rc)
			rank->process = process;
		if (!rc)
			rc = sim_fiber_create(world->fibers, (size_t)i, rank_main, rank,
					      &rank->task.fiber, err);
	}
	return rc;
}

static int create_parts(struct pd_world *world, struct util_error *err)
{
	const struct pd_config *config = &world->config;
	size_t stack_size_B =
	    config->stack_size_B ? config->stack_size_B : choose_stack_size(config->n_ranks);
	int rc = pd_store_create(config, &world->store, err);

	if (!rc && config->blas_model)
		rc = pd_blas_create(&world->blas, err);
	if (!rc && config->no_alloc)
		rc = pd_noalloc_create(&world->noalloc, err);
	if (!rc)
		rc = net_model_create(&world->engine, world->cluster, &world->model, err);
	if (!rc)
		net_model_vary(world->model, config->vary_transfer, config->vary_compute,
			       config->seed);
	if (!rc)
		rc = pd_image_create(config, world->blas, &world->image, err);
	if (!rc)
		rc = sim_fiber_set_create(&world->fibers, (size_t)config->n_ranks, stack_size_B,
					  err);
	if (!rc)
		rc = pd_process_create(&world->outside, err);
	if (!rc)
		rc = create_ranks(world, err);
	return rc ? rc : pd_signals_create(world, &world->signals, err);
}

/* A child of fork() is a process of its own: nothing there is a rank. */
static void forget_rank(void)
{
	pd_current = NULL;
}

/* Nor is what other ranks have written so far the child's to write again. */
static void flush_output(void)
{
	if (pd_rank_here())
		fflush(NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(flush_output, NULL, forget_rank);
}

int pd_world_create(const struct pd_config *config, const struct net_cluster *cluster,
		    const struct sim_recorder *recorder, struct pd_world **out,
		    struct util_error *err)
{
	struct pd_world *world;
	int rc;

	if (config->n_ranks < 1)
		return util_error_set(err, UTIL_EINPUT,
				      "%d ranks were asked for, wanted at least 1",
				      config->n_ranks);
	world = calloc(1, sizeof(*world));
	if (!world)
		return util_error_set(err, UTIL_ENOMEM, "no memory for a run");
	world->config = *config;
	world->cluster = cluster;
	if (recorder)
		world->recorder = *recorder;
	world->n_ranks = config->n_ranks;
	world->n_running = config->n_ranks;
	world->thread = pd_arch_thread_pointer();
	world->process_id = getpid();
	sim_engine_init(&world->engine);
	world->engine.before_resume = swap_in;
	world->engine.context = world;
	rc = create_parts(world, err);
	if (rc) {
		pd_world_destroy(world);
		return rc;
	}
	*out = world;
	return 0;
}

void pd_world_destroy(struct pd_world *world)
{
	if (!world)
		return;
	fflush(stdout);
	if (pd_current && pd_current->world == world) {
		pd_process_switch(pd_current->process, world->outside);
		pd_current = NULL;
	}
	pd_signals_destroy(world->signals);
	for (int i = 0; world->ranks && i < world->n_ranks; i++) {
		pd_annotation_destroy(&world->ranks[i]);
		pd_process_destroy(world->ranks[i].process);
	}
	free(world->ranks);
	pd_process_destroy(world->outside);
	sim_fiber_set_destroy(world->fibers);
	pd_image_destroy(world->image);
	pd_blas_destroy(world->blas);
	net_model_destroy(world->model);
	pd_noalloc_destroy(world->noalloc);
	pd_store_destroy(world->store);
	sim_engine_finish(&world->engine);
	free(world);
}

void pd_world_start(struct pd_world *world)
{
	for (int i = 0; i < world->n_ranks; i++)
		sim_task_start(&world->engine, &world->ranks[i].task, world->ranks[i].task.fiber);
}

enum sim_step pd_world_step(struct pd_world *world)
{
	enum sim_step step = sim_engine_step(&world->engine);
	struct pd_failure *failure = &world->failure;

	if (step != SIM_STEP_NO_MEMORY && step != SIM_STEP_OVERFLOW)
		return step;
	*failure =
	    (struct pd_failure){.kind = PD_FAILURE_MEMORY, .rank = -1, .time = world->engine.now};
	snprintf(failure->text, sizeof(failure->text), "the simulator ran out of memory");
	if (step == SIM_STEP_OVERFLOW) {
		const struct pd_rank *rank = world->engine.resumed_last->data;

		failure->kind = PD_FAILURE_OVERFLOW;
		failure->rank = rank->rank;
		failure->function = rank->function;
		failure->site = rank->site;
		pd_signals_describe_overflow(rank, failure->text, sizeof(failure->text));
	}
	return step;
}

_Noreturn void pd_fail(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
{
	struct pd_failure *failure = &rank->world->failure;
	int exit_code = failure->exit_code; /* MPI_Abort sets it beforehand */
	va_list args;

	if (failure->kind == PD_FAILURE_NONE) {
		*failure = (struct pd_failure){.kind = kind,
					       .rank = rank->rank,
					       .function = rank->function,
					       .site = rank->site,
					       .time = rank->world->engine.now,
					       .exit_code = exit_code};
		va_start(args, format);
		vsnprintf(failure->text, sizeof(failure->text), format, args);
		va_end(args);
	}
	fflush(stdout);
	/* after a crash the rank's own environment may be overwritten: it lies on the stack */
	pd_process_switch(rank->process, rank->world->outside);
	for (;;)
		sim_task_block(&rank->task);
}

_Noreturn void pd_rank_leave(struct pd_rank *rank, int code)
{
	struct pd_world *world = rank->world;

	rank->exit_code = code & 0xff;
	if (world->mpi_rank_end)
		world->mpi_rank_end(rank);
	pd_annotation_end(rank);
	pd_compute_end(rank);
	rank->has_ended = true;
	world->n_ended_badly += rank->exit_code != 0;
	if (world->recorder.rank_end)
		world->recorder.rank_end(world->recorder.context, rank->rank, world->engine.now);
	if (--world->n_running == 0)
		fflush(stdout);
	/* the rank's own environment lies on its stack, which is about to go */
	pd_process_switch(rank->process, world->outside);
	pd_process_leave(rank);
}

_Noreturn void pd_rank_exit(struct pd_rank *rank, int code)
{
	struct pd_process *process = rank->process;

	process->exit_code = code;
	pd_process_run_exit(rank);
	pd_rank_leave(rank, process->exit_code);
}
