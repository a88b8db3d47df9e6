/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpisim.h and computation steps inside a small world of the test's own: the engine and one or two ranks are real, the network model is replaced by one in which
 * a computation takes its work, and pd_fail by one that keeps the sentence.
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
#include "pdexec/store.h"

#define N_RANKS 2
#define STACK_SIZE_B (256 * 1024)

struct pd_rank *pd_current;

static struct pd_world world;
static struct net_cluster cluster;
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

static void fire_compute(struct sim_event *event)
{
	struct net_compute *compute = (struct net_compute *)event;

	compute->done(compute);
}

void net_compute_start(struct net_model *model, struct net_compute *compute, int node, double work_s,
		       net_compute_fn done)
{
	sim_event_init(&compute->event, fire_compute);
	compute->done = done;
	compute->useful_s = work_s;
	compute->stolen_s = 0.5;
	compute->shared_s = 0.25;
	sim_engine_after(&world.engine, &compute->event, sim_time_from_s(work_s));
}

static void log_add(const char *format, ...)
{
	size_t length = strlen(log_text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(log_text + length, sizeof(log_text) - length, format, arguments);
	va_end(arguments);
}

static void log_compute(void *context, const struct sim_record_compute *record)
{
	log_add("%d computes %s %g-%g useful %g stolen %g shared %g\n", record->rank,
		record->kernel ? record->kernel : "-", sim_time_to_s(record->begin),
		sim_time_to_s(record->end), record->useful_s, record->stolen_s, record->shared_s);
}

static void log_phase(void *context, int rank, const char *name, int is_begin, sim_time_ps now)
{
	log_add("%d %s %s %g\n", rank, is_begin ? "begins" : "ends", name, sim_time_to_s(now));
}

static void log_release(void *context, int rank, sim_time_ps now)
{
	log_add("%d releases %g\n", rank, sim_time_to_s(now));
}

static void before_resume(struct sim_task *task, void *context)
{
	pd_current = task->data;
}

static void rank_main(void *arg)
{
	struct pd_rank *rank = arg;

	pd_compute_begin(rank);
	script(rank);
	pd_compute_end(rank);
	pd_annotation_end(rank);
	world.n_running--;
}

/* An MPI call that does nothing. */
static void fake_call(const char *function)
{
	struct pd_rank *rank = pd_current;

	rank->function = function;
	pd_compute_end(rank);
	rank->function = NULL;
	pd_compute_begin(rank);
}

static void world_open(const struct pd_config *config, double host_to_target)
{
	struct util_error err;

	memset(&world, 0, sizeof(world));
	memset(ranks, 0, sizeof(ranks));
	memset(&cluster, 0, sizeof(cluster));
	log_text[0] = '\0';
	cluster.host_to_target = host_to_target;
	world.config = *config;
	world.cluster = &cluster;
	world.recorder = (struct sim_recorder){
		.compute = log_compute, .phase = log_phase, .node_release = log_release};
	sim_engine_init(&world.engine);
	world.engine.before_resume = before_resume;
	if (pd_store_create(config, &world.store, &err) ||
	    sim_fiber_set_create(&world.fibers, N_RANKS, STACK_SIZE_B, &err))
		fail_msg("%s", err.text);
}

static void world_run(void (*run)(struct pd_rank *), int n_ranks)
{
	struct util_error err;

	script = run;
	world.n_running = n_ranks;
	for (int i = 0; i < n_ranks; i++) {
		struct sim_fiber *fiber;

		ranks[i] = (struct pd_rank){.rank = i, .world = &world};
		if (sim_fiber_create(world.fibers, (size_t)i, rank_main, &ranks[i], &fiber, &err))
			fail_msg("%s", err.text);
		ranks[i].task.data = &ranks[i];
		sim_task_start(&world.engine, &ranks[i].task, fiber);
	}
	while (!pd_world_is_over(&world) && sim_engine_step(&world.engine) != SIM_STEP_IDLE)
		;
	pd_current = NULL;
}

static void world_close(void)
{
	for (int i = 0; i < N_RANKS; i++)
		pd_annotation_destroy(&ranks[i]);
	sim_fiber_set_destroy(world.fibers);
	sim_engine_finish(&world.engine);
	pd_store_destroy(world.store);
}

/* A world with the models of one file; scales apply to f and to all. */
static void run_in(enum pd_compute_mode mode, void (*run)(struct pd_rank *), int n_ranks)
{
	static const char *const scales[] = {"f=0.5", "*=2"};
	struct pd_config config = {
		.mode = mode, .bench_in = bench_path, .n_scales = 2, .scales = scales};

	world_open(&config, 1);
	world_run(run, n_ranks);
}

static void assert_log(const char *wanted)
{
	assert_string_equal(world.failure.text, "");
	assert_string_equal(log_text, wanted);
	world_close();
}

static void script_charges(struct pd_rank *rank)
{
	if (mpisim_kernel_begin("f", 1, (double[]){3}))
		log_add("f ran\n");
	mpisim_kernel_end();
	mpisim_add_compute_time(1);
	fake_call("MPI_Send");
	add_compute_time(-5);
	add_compute_time(2);
	fake_call("MPI_Send");
	add_compute_time(-1);
	add_compute_time(4);
	fake_call("MPI_Send");
	fake_call("MPI_Send");
}

static void steps_charge_kernels_and_added_time_with_their_scales(void **state)
{
	/* f(3) costs 3 s, scaled by 0.5 and 2; 1 s is scaled by 2: together 5. -5 + 2 gives no step; -1 + 4 gives 3·2. */
	run_in(PD_COMPUTE_MODELLED, script_charges, 1);
	assert_log("0 computes - 0-2 useful 2 stolen 0.2 shared 0.1\n"
		   "0 computes f 2-5 useful 3 stolen 0.3 shared 0.15\n"
		   "0 computes - 5-11 useful 6 stolen 0.5 shared 0.25\n");
}

static void script_shares(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){2});
	mpisim_kernel_end();
	mpisim_kernel_begin("g", 1, (double[]){1});
	mpisim_kernel_end();
	mpisim_kernel_begin("f", 1, (double[]){1});
	mpisim_kernel_end();
	mpisim_add_compute_time(-1);
}

static void kernels_share_a_step_by_what_they_were_charged(void **state)
{
	/* f: (2 + 1)·0.5·2 = 3 s, g: 0.5·2 = 1 s. 1·2 of these 4 s are taken out; f has 3/4 of the rest. */
	run_in(PD_COMPUTE_MODELLED, script_shares, 1);
	assert_log("0 computes f 0-1.5 useful 1.5 stolen 0.375 shared 0.1875\n"
		   "0 computes g 1.5-2 useful 0.5 stolen 0.125 shared 0.0625\n");
}

static void script_phases(struct pd_rank *rank)
{
	char name[8] = "outer"; /* reused by the program: the recorder keeps its own */

	mpisim_add_compute_time(1);
	mpisim_phase_begin(name);
	strcpy(name, "inner");
	mpisim_add_compute_time(rank->rank);
	mpisim_phase_begin(name);
	strcpy(name, "?");
	mpisim_phase_end();
	mpisim_phase_end();
	mpisim_node_release();
	mpisim_node_release();
}

static void phases_and_releases_come_after_what_was_computed(void **state)
{
	/* All computation is scaled by 2. Ranks take turns; rank 1 computes 2 s more between the phases. */
	run_in(PD_COMPUTE_MODELLED, script_phases, 2);
	assert_log("0 computes - 0-2 useful 2 stolen 0.5 shared 0.25\n"
		   "0 begins outer 2\n0 begins inner 2\n0 ends inner 2\n0 ends outer 2\n0 releases 2\n"
		   "1 computes - 0-2 useful 2 stolen 0.5 shared 0.25\n"
		   "1 begins outer 2\n"
		   "1 computes - 2-4 useful 2 stolen 0.5 shared 0.25\n"
		   "1 begins inner 4\n1 ends inner 4\n1 ends outer 4\n1 releases 4\n");
}

static volatile double sink;

static void work(void)
{
	for (int i = 0; i < 200000; i++)
		sink += 1e-9 * i;
}

static void script_work(struct pd_rank *rank)
{
	int run = mpisim_kernel_begin("unknown", 1, (double[]){1});

	log_add("run %d\n", run);
	if (run)
		work();
	mpisim_kernel_end();
	mpisim_add_compute_time(1000);
	rank->exit_code = rank->pending_s > 0 && rank->pending_s < 500;
}

static void direct_measures_and_does_not_add(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT};
	struct pd_kernel_info info;

	world_open(&config, 1);
	world_run(script_work, 1);
	assert_string_equal(world.failure.text, "");
	assert_non_null(strstr(log_text, "run 1\n"));
	assert_non_null(strstr(log_text, "0 computes unknown "));
	assert_int_equal(ranks[0].exit_code, 1);
	assert_true(pd_store_kernel(world.store, 0, &info));
	assert_int_equal(info.n_executed, 1);
	assert_true(info.charged_s > 0);
	world_close();
}

static void measured_time_is_scaled_to_the_target(void **state)
{
	/* With 0 s on the target for each second here nothing is left to compute. */
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT};

	world_open(&config, 0);
	world_run(script_work, 1);
	assert_log("run 1\n");
}

static void collect_appends_what_it_measured(void **state)
{
	char path[] = "/tmp/mpisim-collect-XXXXXX", line[256];
	int fd = mkstemp(path);
	struct pd_config config = {.mode = PD_COMPUTE_COLLECT, .bench_out = path};
	FILE *file;
	int n_lines = 0;

	assert_true(fd >= 0);
	world_open(&config, 1);
	world_run(script_work, 2);
	world_close();
	file = fdopen(fd, "r");
	while (fgets(line, sizeof(line), file))
		n_lines += !strncmp(line, "unknown,1,,,,", 13);
	assert_int_equal(n_lines, 2);
	fclose(file);
	unlink(path);
}

static void script_partial(struct pd_rank *rank)
{
	double charged_s;

	if (mpisim_kernel_begin("f", 1, (double[]){3}))
		log_add("f ran\n");
	charged_s = rank->pending_s;
	work();
	mpisim_kernel_end();
	/* f(3)·0.5·2; what runs within a skipped kernel is not counted twice. */
	rank->exit_code = charged_s >= 3 && rank->pending_s == charged_s;
	work();
	mpisim_add_compute_time(1);
	rank->exit_code += rank->pending_s > 5;
}

static void partial_adds_what_is_measured_between_kernels(void **state)
{
	run_in(PD_COMPUTE_PARTIAL, script_partial, 1);
	assert_int_equal(ranks[0].exit_code, 2);
	assert_string_equal(world.failure.text, "");
	assert_null(strstr(log_text, "f ran"));
	world_close();
}

static void script_first_n(struct pd_rank *rank)
{
	for (int i = 0; i < 4; i++) {
		if (mpisim_kernel_begin("f", 1, (double[]){1}))
			log_add("ran %d\n", i);
		mpisim_kernel_end();
	}
}

static void first_n_counts_over_all_ranks(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT, .first_n = 3};

	world_open(&config, 0);
	world_run(script_first_n, 2);
	assert_log("ran 0\nran 1\nran 2\n");
}

static void script_kernel_time(struct pd_rank *rank)
{
	log_add("%g %g %d\n", mpisim_kernel_time("f", 1, (double[]){7}),
		mpisim_kernel_time("h", 0, NULL), mpisim_is_simulated());
}

static void kernel_time_tells_what_the_model_says(void **state)
{
	run_in(PD_COMPUTE_MODELLED, script_kernel_time, 1);
	assert_log("7 -1 1\n");
}

static void script_clock_in_kernel(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	work();
	fake_call("MPI_Wtime");
	mpisim_kernel_end();
}

static void clocks_may_be_read_in_kernels(void **state)
{
	run_in(PD_COMPUTE_DIRECT, script_clock_in_kernel, 1);
	assert_string_equal(world.failure.text, "");
	world_close();
}

/* --- wrong uses --- */

static void wrong_nested(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	mpisim_kernel_begin("g", 0, NULL);
}

static void wrong_end(struct pd_rank *rank)
{
	mpisim_kernel_end();
}

static void wrong_five(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 5, (double[]){1, 2, 3, 4, 5});
}

static void wrong_unknown(struct pd_rank *rank)
{
	mpisim_kernel_begin("h", 0, NULL);
}

static void wrong_missing_end(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
}

static void wrong_call(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	fake_call("MPI_Send");
}

static void wrong_phase_in_kernel(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	mpisim_phase_begin("p");
}

static void wrong_phase_end(struct pd_rank *rank)
{
	mpisim_phase_end();
}

static void wrong_phase_open(struct pd_rank *rank)
{
	mpisim_phase_begin("p");
}

static void wrong_phase_name(struct pd_rank *rank)
{
	mpisim_phase_begin(NULL);
}

static void wrong_phase_depth(struct pd_rank *rank)
{
	for (int i = 0; i < 100; i++)
		mpisim_phase_begin("p");
}

static void wrong_time(struct pd_rank *rank)
{
	mpisim_add_compute_time(1.0 / (rank->rank * 0.0));
}

static void wrong_uses_end_the_run_with_a_sentence(void **state)
{
	static const struct {
		void (*run)(struct pd_rank *);
		const char *wanted;
	} cases[] = {
		{wrong_nested, "kernel \"g\" begins within kernel \"f\""},
		{wrong_end, "wanted mpisim_kernel_begin before it"},
		{wrong_five, "5 parameters, wanted 0 to 4"},
		{wrong_unknown, "kernel \"h\" was never measured"},
		{wrong_missing_end, "ended within kernel \"f\""},
		{wrong_call, "MPI_Send was called within kernel \"f\""},
		{wrong_phase_in_kernel, "mpisim_phase_begin was called within kernel \"f\""},
		{wrong_phase_end, "wanted mpisim_phase_begin before it"},
		{wrong_phase_open, "ended within phase \"p\""},
		{wrong_phase_name, "without a name"},
		{wrong_phase_depth, "within 64 others"},
		{wrong_time, "finite"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_in(PD_COMPUTE_MODELLED, cases[i].run, 1);
		assert_int_equal(world.failure.kind, PD_FAILURE_ANNOTATION);
		if (!strstr(world.failure.text, cases[i].wanted))
			fail_msg("\"%s\" does not say \"%s\"", world.failure.text, cases[i].wanted);
		world_close();
	}
}

static void kernels_do_not_run_on_memory_that_is_not_there(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT, .no_alloc = true};

	world_open(&config, 1);
	world_run(wrong_missing_end, 1);
	assert_non_null(strstr(world.failure.text, "--no-alloc"));
	world_close();
}

static void annotations_outside_ranks_mean_nothing(void **state)
{
	mpisim_add_compute_time(1);
	assert_int_equal(mpisim_kernel_begin("f", 0, NULL), 1);
	mpisim_kernel_end();
	mpisim_phase_begin("p");
	mpisim_phase_end();
	mpisim_node_release();
	assert_true(mpisim_kernel_time("f", 0, NULL) < 0);
	assert_true(mpisim_real_time() > 0);
}

static int make_bench(void **state)
{
	static const char models[] = "model,f,p1\nmodel,g,0.5*p1\n";
	int fd;

	strcpy(bench_path, "/tmp/mpisim-annotate-XXXXXX");
	fd = mkstemp(bench_path);
	if (fd < 0 || write(fd, models, strlen(models)) != (ssize_t)strlen(models))
		return -1;
	return close(fd);
}

static int remove_bench(void **state)
{
	return unlink(bench_path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_charge_kernels_and_added_time_with_their_scales),
		cmocka_unit_test(kernels_share_a_step_by_what_they_were_charged),
		cmocka_unit_test(phases_and_releases_come_after_what_was_computed),
		cmocka_unit_test(direct_measures_and_does_not_add),
		cmocka_unit_test(measured_time_is_scaled_to_the_target),
		cmocka_unit_test(collect_appends_what_it_measured),
		cmocka_unit_test(partial_adds_what_is_measured_between_kernels),
		cmocka_unit_test(first_n_counts_over_all_ranks),
		cmocka_unit_test(kernel_time_tells_what_the_model_says),
		cmocka_unit_test(clocks_may_be_read_in_kernels),
		cmocka_unit_test(wrong_uses_end_the_run_with_a_sentence),
		cmocka_unit_test(kernels_do_not_run_on_memory_that_is_not_there),
		cmocka_unit_test(annotations_outside_ranks_mean_nothing),
	};

	return cmocka_run_group_tests(tests, make_bench, remove_bench);
}
