/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of a world and of its ranks. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cluster/levels.h"
#include "pdexec/annotate.h"
#include "pdexec/arch.h"
#include "pdexec/cores.h"
#include "pdexec/device.h"
#include "pdexec/directory.h"
#include "pdexec/estimate.h"
#include "pdexec/image.h"
#include "pdexec/noalloc.h"
#include "pdexec/private.h"
#include "pdexec/process.h"
#include "pdexec/rank.h"
#include "pdexec/signals.h"
#include "pdexec/blas.h"
#include "pdexec/store.h"
#include "pdexec/threads.h"

struct pd_rank *pd_current;

bool pd_is_own_thread(const struct pd_world *world)
{
	return world->thread == pd_arch_thread_pointer();
}

struct pd_rank *pd_rank_here(void)
{
	struct pd_rank *rank = pd_current;

	if (!rank || rank->task.state != SIM_TASK_RUNNING ||
	    rank->world->thread != pd_arch_thread_pointer())
		return NULL;
	return rank;
}

bool pd_rank_memory_stays(const struct pd_rank *rank, const void *address)
{
	const struct pd_program *program = rank->program;

	return !program->image || !pd_swap_covers(&program->image->swap, address);
}

void *pd_rank_memory_aside(const struct pd_rank *rank, const void *address)
{
	const struct pd_program *program = rank->program;

	return pd_swap_find(&program->image->swap, rank->rank - program->first_rank,
			    (char *)(uintptr_t)address);
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

static inline void exchange_memory(struct pd_rank *from, struct pd_rank *to)
{
	if (__builtin_expect(from && from->program != to->program, 0))
		pd_swap_leave(&from->program->image->swap);
	pd_swap_to(&to->program->image->swap, to->rank - to->program->first_rank);
}

void pd_rank_memory_exchange(struct pd_rank *from, struct pd_rank *to)
{
	exchange_memory(from, to);
}

static void swap_in(struct sim_task *task, void *context)
{
	struct pd_world *world = context;
	struct pd_rank *rank = task->data, *before = pd_current;

	exchange_memory(before, rank);
	pd_process_switch(world->error, before ? before->process : world->outside, rank->process);
	pd_current = rank;
}

static void set_current(struct sim_task *task, void *context)
{
	pd_current = task->data;
}

static void rank_main_builtin(void *arg)
{
	struct pd_rank *rank = arg;

	rank->program->config.builtin(rank);
}

static void rank_main(void *arg)
{
	pd_process_run(arg);
}

/* The `i`-th rank of the program. */
static int create_rank(struct pd_world *world, struct pd_program *program, int i, int node,
		       struct util_error *err)
{
	struct pd_rank *rank = &world->ranks[program->first_rank + i];
	struct sim_fiber_set *fibers = program->fibers ? program->fibers : world->fibers;
	struct pd_process *process = NULL;
	int rc = world->is_builtin ? 0 : pd_process_create(&process, world->outside, err);
	int place = world->n_on[node]++;

	if (!rc && program->config.directory)
		rc = pd_directory_set(world->directories, process, program->config.directory, err);
	*rank = (struct pd_rank){
	    .rank = program->first_rank + i,
	    .node = node,
	    .core = cluster_core_of(world->cluster, place, program->n_cpus),
	    .place = place,
	    .program = program,
	    .world = world,
	    .task.data = rank,
	    .process = process,
	};
	if (rc)
		return rc;
	return sim_fiber_create(fibers, (size_t)(program->fibers ? i : rank->rank),
				world->is_builtin ? rank_main_builtin : rank_main, rank,
				&rank->task.fiber, err);
}

/* Programs of a job share its nodes. */
static int share_of_job(const struct pd_world *world, const struct pd_program *program,
			const int node_of[])
{
	const struct pd_config *config = &world->config;
	int first = 0, n = 0;

	if (program - world->programs >= config->n_programs) /* spawned */
		return pd_cores_share(world, node_of, program->config.n_ranks);
	for (int i = 0; i < config->n_programs; i++) {
		first += config->programs[i].job < program->config.job ? config->programs[i].n_ranks : 0;
		n += config->programs[i].job == program->config.job ? config->programs[i].n_ranks : 0;
	}
	return pd_cores_share(world, config->node_of + first, n);
}

static int create_program(struct pd_world *world, struct pd_program *program, const int node_of[],
			  struct util_error *err)
{
	struct pd_config config = world->config;
	int rc;

	program->n_cpus = config.cpus_per_rank = share_of_job(world, program, node_of);
	if (program->config.bench_in)
		config.bench_in = program->config.bench_in;
	if (world->is_builtin)
		config.mode = PD_COMPUTE_MODELLED;
	rc = pd_store_create(&config, &program->store, err);
	if (!rc && !world->is_builtin)
		rc = pd_image_create(&config, &program->config, world->blas, &program->image, err);
	if (!rc && !world->is_builtin)
		rc = pd_private_take(world->private, program->image, -1, err);
	if (program->image)
		program->swap = &program->image->swap;
	if (!rc && program->image)
		world->needed_B += pd_estimate_variables_B(program->image);
	for (int i = 0; i < program->config.n_ranks && !rc; i++)
		rc = create_rank(world, program, i, node_of[i], err);
	return rc;
}

static void destroy_program(struct pd_world *world, struct pd_program *program)
{
	bool is_running = false; /* threads, in the program's code and on its stacks */

	for (int i = 0; i < program->config.n_ranks; i++) {
		struct pd_rank *rank = &world->ranks[program->first_rank + i];

		pd_annotation_destroy(rank);
		pd_streams_destroy(rank);
		is_running = !pd_threads_destroy(rank) || is_running;
		pd_process_destroy(rank->process);
		*rank = (struct pd_rank){.rank = rank->rank};
	}
	pd_store_destroy(program->store);
	if (is_running) {
		world->fibers = NULL;
		return;
	}
	sim_fiber_set_destroy(program->fibers);
	pd_image_destroy(program->image);
}

static int create_programs(struct pd_world *world, struct util_error *err)
{
	/* of what is never used no page is touched */
	size_t max_spawned = (size_t)world->config.max_spawned;
	int rc = 0;

	world->ranks = calloc((size_t)world->n_ranks + max_spawned, sizeof(*world->ranks));
	world->programs =
	    calloc((size_t)world->config.n_programs + max_spawned, sizeof(*world->programs));
	world->n_on = calloc((size_t)world->cluster->n_nodes, sizeof *world->n_on);
	if (!world->ranks || !world->programs || !world->n_on)
		return util_error_set(err, UTIL_ENOMEM, "no memory for %d ranks", world->n_ranks);
	for (int first = 0; world->n_programs < world->config.n_programs && !rc;) {
		struct pd_program *program = &world->programs[world->n_programs];

		program->config = world->config.programs[world->n_programs++];
		program->first_rank = first;
		first += program->config.n_ranks;
		rc = create_program(world, program, &world->config.node_of[program->first_rank],
				    err);
	}
	return rc;
}

static size_t stack_size(const struct pd_world *world, int n_ranks)
{
	return world->config.stack_size_B ? world->config.stack_size_B : choose_stack_size(n_ranks);
}

static int add_program(struct pd_world *world, struct pd_program *program, const int node_of[],
		       struct util_error *err)
{
	int rc = sim_fiber_set_create(&program->fibers, (size_t)program->config.n_ranks,
				      stack_size(world, world->n_ranks), err);

	return rc ? rc : create_program(world, program, node_of, err);
}

int pd_world_add(struct pd_world *world, const struct pd_program_config programs[], int n,
		 const int node_of[], struct util_error *err)
{
	int n_there = world->n_ranks, n_before = world->n_programs, rc = 0, left;

	for (int i = 0; i < world->config.n_programs; i++)
		n_there -= world->config.programs[i].n_ranks;
	left = world->config.max_spawned - n_there; /* that may still be added */
	for (int i = 0; i < n; i++)
		left = programs[i].n_ranks > left ? -1 : left - programs[i].n_ranks;
	if (left < 0)
		return util_refuse(err,
				   "found %d processes spawned already, wanted at most %d in all",
				   n_there, world->config.max_spawned);
	for (int i = 0; i < n && !rc; i++) {
		struct pd_program *program = &world->programs[world->n_programs++];

		*program = (struct pd_program){.config = programs[i], .first_rank = world->n_ranks};
		world->n_ranks += programs[i].n_ranks;
		rc = add_program(world, program, node_of, err);
		node_of += programs[i].n_ranks;
	}
	while (rc && world->n_programs > n_before) {
		struct pd_program *program = &world->programs[--world->n_programs];

		destroy_program(world, program);
		world->n_ranks -= program->config.n_ranks;
	}
	for (int i = 0; i < n && !rc; i++)
		world->n_running += programs[i].n_ranks;
	return rc;
}

static int create_parts(struct pd_world *world, struct util_error *err)
{
	const struct pd_config *config = &world->config;
	int rc = 0;

	if (config->blas_model)
		rc = pd_blas_create(&world->blas, err);
	if (!rc && config->no_alloc)
		rc = pd_noalloc_create(&world->noalloc, err);
	if (!rc)
		rc = net_model_create(&world->engine, world->cluster, &world->model, err);
	if (!rc)
		net_model_vary(world->model, config->vary_transfer, config->vary_compute,
			       config->seed);
	if (!rc)
		rc = sim_fiber_set_create(&world->fibers, (size_t)world->n_ranks,
					  stack_size(world, world->n_ranks), err);
	if (!rc && !world->is_builtin)
		rc = pd_directories_create(&world->directories, err);
	if (!rc && !world->is_builtin)
		rc = pd_private_create(config->n_private_libraries, config->private_libraries,
				       config->substitute, &world->private, err);
	if (!rc && !world->is_builtin)
		rc = pd_process_create(&world->outside, NULL, err);
	if (!rc)
		rc = create_programs(world, err);
	return rc || world->is_builtin ? rc : pd_signals_create(world, &world->signals, err);
}

/* In a child of fork(): the rank that it comes from. */
static struct pd_rank *parent_of_child;

struct pd_rank *pd_rank_before_fork(void)
{
	return parent_of_child;
}

/* A child of fork() is a process of its own: nothing there is a rank. */
static void forget_rank(void)
{
	parent_of_child = pd_rank_here();
	if (pd_current && pd_current->world->fault) /* nobody does, when the child writes */
		pd_current->world->fault(pd_current->world, NULL, SIZE_MAX, NULL);
	pd_current = NULL;
}

/* Nor is what others have written so far the child's to write again. */
static void flush_output(void)
{
	if (pd_current)
		fflush(NULL);
}

__attribute__((constructor)) static void watch_forks(void)
{
	pthread_atfork(flush_output, NULL, forget_rank);
}

int pd_world_create(const struct pd_config *config, const struct cluster *cluster,
		    const struct sim_observers *observers, struct pd_world **out,
		    struct util_error *err)
{
	struct pd_world *world;
	int n_ranks = 0, rc;

	for (int i = 0; i < config->n_programs; i++) {
		int n = config->programs[i].n_ranks;

		if (n < 1 || n > INT_MAX - n_ranks)
			return util_refuse(
			    err, "%d ranks were asked for, wanted at least 1 and at most %d", n,
			    INT_MAX - n_ranks);
		n_ranks += n;
	}
	world = calloc(1, sizeof(*world));
	if (!world)
		return util_error_set(err, UTIL_ENOMEM, "no memory for a run");
	world->config = *config;
	world->cluster = cluster;
	if (observers)
		sim_observers_copy(&world->observers, observers);
	world->n_ranks = n_ranks;
	world->n_running = n_ranks;
	world->needed_B = pd_estimate_ranks_B(n_ranks);
	world->thread = pd_arch_thread_pointer();
	world->error = &errno;
	world->process_id = getpid();
	sim_engine_init(&world->engine);
	world->is_builtin = config->programs[0].builtin != NULL;
	world->engine.before_resume = world->is_builtin ? set_current : swap_in;
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
		if (!world->is_builtin)
			pd_process_switch(world->error, pd_current->process, world->outside);
		pd_current = NULL;
	}
	pd_signals_destroy(world->signals);
	for (int i = 0; world->ranks && world->programs && i < world->n_programs; i++)
		destroy_program(world, &world->programs[i]);
	free(world->ranks);
	pd_process_destroy(world->outside);
	if (world->no_input)
		fclose(world->no_input);
	pd_directories_destroy(world->directories);
	pd_private_destroy(world->private);
	sim_fiber_set_destroy(world->fibers);
	free(world->programs);
	free(world->n_on);
	pd_blas_destroy(world->blas);
	net_model_destroy(world->model);
	pd_noalloc_destroy(world->noalloc);
	net_devices_destroy(world->devices);
	sim_engine_finish(&world->engine);
	free(world);
}

void pd_program_start(struct pd_world *world, struct pd_program *program)
{
	struct pd_rank *first = &world->ranks[program->first_rank];

	for (int i = 0; i < program->config.n_ranks; i++)
		sim_task_start(&world->engine, &first[i].task, first[i].task.fiber);
}

void pd_world_start(struct pd_world *world)
{
	for (int i = 0; i < world->n_programs; i++)
		pd_program_start(world, &world->programs[i]);
}

void pd_rank_end(struct pd_rank *rank, int code)
{
	struct pd_world *world = rank->world;

	rank->exit_code = code & 0xff;
	if (world->mpi_rank_end)
		world->mpi_rank_end(rank);
	pd_annotation_end(rank);
	pd_threads_end(rank);
	pd_compute_end(rank);
	rank->has_ended = true;
	world->n_ended_badly += rank->exit_code != 0;
	sim_tell_rank_end(&world->observers, rank->rank, world->engine.now);
	if (world->broker.rank_ended)
		world->broker.rank_ended(world->broker.context, rank);
	if (--world->n_running == 0)
		fflush(stdout);
}

_Noreturn void pd_rank_leave(struct pd_rank *rank, int code)
{
	pd_rank_end(rank, code);
	/* the rank's own environment lies on its stack, which is about to go */
	pd_process_switch(rank->world->error, rank->process, rank->world->outside);
	pd_directory_leave(rank->process); /* as the one that runs next will find it */
	pd_process_leave(rank);
}

_Noreturn void pd_rank_exit(struct pd_rank *rank, int code)
{
	struct pd_process *process = rank->process;

	process->exit_code = code;
	pd_process_run_exit(rank);
	pd_rank_leave(rank, process->exit_code);
}
