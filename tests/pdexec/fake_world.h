/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PDEXEC_FAKE_WORLD_H
#define TESTS_PDEXEC_FAKE_WORLD_H

/*
 * A small world for tests of mpisim.h and computation steps: the engine and one or two ranks are real, the network model is replaced by one in which
 * a computation takes its work, and pd_fail by one that keeps the sentence. It defines what world.c and the model do otherwise: one file of a test includes it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpisim.h"
#include "pdexec/annotate.h"
#include "pdexec/compute.h"
#include "pdexec/device.h"
#include "pdexec/store.h"

#define N_RANKS 2
#define STACK_SIZE_B (256 * 1024)

struct pd_rank *pd_current;

static struct pd_world world;
static struct pd_program program;
static struct cluster cluster;
static struct pd_rank ranks[N_RANKS];
static char log_text[4096];
static char bench_path[64];
static void (*script)(struct pd_rank *rank);

_Noreturn void pd_fail(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
{
	va_list arguments;

	world.failure.kind = kind;
	world.failure.rank = rank->rank;
	va_start(arguments, format);
	vsnprintf(world.failure.text, sizeof(world.failure.text), format, arguments);
	va_end(arguments);
	for (;;)
		sim_task_block(&rank->task);
}

static inline void fire_compute(struct sim_event *event)
{
	struct net_compute *compute = (struct net_compute *)event;

	compute->done(compute);
}

static double drawn_B; /* by the last step */

void net_compute_start_on(struct net_model *model, struct net_compute *compute, const struct net_place *place,
			  double work_s, double memory_B, net_compute_fn done)
{
	drawn_B = memory_B;
	sim_event_init(&compute->event, fire_compute);
	compute->done = done;
	compute->begin = world.engine.now;
	compute->useful_s = work_s;
	compute->stolen_s = 0.5;
	compute->shared_s = 0.25;
	sim_engine_after(&world.engine, &compute->event, sim_time_from_s(work_s));
}

static inline void log_add(const char *format, ...)
{
	size_t length = strlen(log_text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(log_text + length, sizeof(log_text) - length, format, arguments);
	va_end(arguments);
}

static inline void log_compute(void *context, const struct sim_record_compute *record)
{
	log_add("%d computes %s %g-%g useful %g stolen %g shared %g\n", record->rank,
		record->kernel ? record->kernel : "-", sim_time_to_s(record->begin),
		sim_time_to_s(record->end), record->useful_s, record->stolen_s, record->shared_s);
}

static inline void log_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	log_add("%d %s %s %g\n", rank, is_begin ? "begins" : "ends", name, sim_time_to_s(now));
}

static inline void log_release(void *context, int rank, sim_time_ps now)
{
	log_add("%d releases %g\n", rank, sim_time_to_s(now));
}

static inline void before_resume(struct sim_task *task, void *context)
{
	pd_current = task->data;
}

static inline void rank_main(void *arg)
{
	struct pd_rank *rank = arg;

	pd_compute_begin(rank);
	script(rank);
	pd_compute_end(rank);
	pd_annotation_end(rank);
	world.n_running--;
}

/* An MPI call that does nothing. */
static inline void fake_call(const char *function)
{
	struct pd_rank *rank = pd_current;

	rank->function = function;
	pd_compute_end(rank);
	rank->function = NULL;
	pd_compute_begin(rank);
}

static inline void world_open(const struct pd_config *config, double host_to_target)
{
	struct util_error err;

	memset(&world, 0, sizeof(world));
	memset(&program, 0, sizeof(program));
	memset(ranks, 0, sizeof(ranks));
	memset(&cluster, 0, sizeof(cluster));
	log_text[0] = '\0';
	cluster.cpu.host_to_target = host_to_target;
	cluster.n_nodes = 1;
	world.config = *config;
	world.cluster = &cluster;
	sim_observers_add(&world.observers, &(struct sim_observer){
		.compute = log_compute, .phase = log_phase, .node_release = log_release});
	sim_engine_init(&world.engine);
	world.engine.before_resume = before_resume;
	if (pd_store_create(config, &program.store, &err) ||
	    sim_fiber_set_create(&world.fibers, N_RANKS, STACK_SIZE_B, &err))
		fail_msg("%s", err.text);
}

static inline void world_run(void (*run)(struct pd_rank *), int n_ranks)
{
	struct util_error err;

	script = run;
	world.n_running = n_ranks;
	for (int i = 0; i < n_ranks; i++) {
		struct sim_fiber *fiber;

		ranks[i] = (struct pd_rank){.rank = i, .program = &program, .world = &world};
		if (sim_fiber_create(world.fibers, (size_t)i, rank_main, &ranks[i], &fiber, &err))
			fail_msg("%s", err.text);
		ranks[i].task.data = &ranks[i];
		sim_task_start(&world.engine, &ranks[i].task, fiber);
	}
	while (!pd_world_is_over(&world) && sim_engine_step(&world.engine) != SIM_STEP_IDLE)
		;
	pd_current = NULL;
}

static inline void world_close(void)
{
	for (int i = 0; i < N_RANKS; i++) {
		pd_annotation_destroy(&ranks[i]);
		pd_streams_destroy(&ranks[i]);
	}
	net_devices_destroy(world.devices);
	sim_fiber_set_destroy(world.fibers);
	sim_engine_finish(&world.engine);
	pd_store_destroy(program.store);
}

/* A world with the models of one file; scales apply to f and to all. */
static inline void run_in(enum pd_compute_mode mode, void (*run)(struct pd_rank *), int n_ranks)
{
	static const char *const scales[] = {"f=0.5", "*=2"};
	struct pd_config config = {
		.mode = mode, .bench_in = bench_path, .n_scales = 2, .scales = scales};

	world_open(&config, 1);
	world_run(run, n_ranks);
}

static inline void assert_log(const char *wanted)
{
	assert_string_equal(world.failure.text, "");
	assert_string_equal(log_text, wanted);
	world_close();
}

static inline int make_bench(void **state)
{
	static const char models[] = "model,f,p1\nmodel,g,0.5*p1\n";
	int fd;

	strcpy(bench_path, "/tmp/mpisim-annotate-XXXXXX");
	fd = mkstemp(bench_path);
	if (fd < 0 || write(fd, models, strlen(models)) != (ssize_t)strlen(models))
		return -1;
	return close(fd);
}

static inline int remove_bench(void **state)
{
	return unlink(bench_path);
}

#endif
