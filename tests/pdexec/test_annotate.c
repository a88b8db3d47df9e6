/* SPDX-License-Identifier: BSD-3-Clause */
/* What annotations charge, collect and record, in each compute mode. */
#include "tests/pdexec/fake_world.h"

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

static void script_memory(struct pd_rank *rank)
{
	cluster.levels.computation_Bps = 10;
	mpisim_kernel_begin("f", 1, (double[]){3});
	mpisim_kernel_memory(12);
	mpisim_kernel_end();
	mpisim_kernel_begin("f", 1, (double[]){3});
	mpisim_kernel_memory(8);
	mpisim_kernel_memory(1);
	mpisim_kernel_end();
	mpisim_kernel_begin("g", 1, (double[]){1});
	mpisim_kernel_end();
	mpisim_add_compute_time(1);
	fake_call("MPI_Send");
	log_add("%g B\n", drawn_B);
	mpisim_add_compute_time(1);
	fake_call("MPI_Send");
	log_add("%g B\n", drawn_B);
	mpisim_kernel_begin("f", 1, (double[]){3});
	mpisim_kernel_memory(0);
	mpisim_kernel_end();
	fake_call("MPI_Send");
	log_add("in caches: %g B\n", drawn_B);
	cluster.levels.computation_Bps = 0;
}

static void kernels_draw_what_they_say_and_the_rest_what_the_cluster_says(void **state)
{
	/* f says 12 + 9 B; g takes 0.5·2 s and the added time 1·2, with 10 B in each second; then 2 s alone; f again, in caches. */
	run_in(PD_COMPUTE_MODELLED, script_memory, 1);
	assert_non_null(strstr(log_text, "\n51 B\n"));
	assert_non_null(strstr(log_text, "\n20 B\n"));
	assert_non_null(strstr(log_text, "\nin caches: 0 B\n"));
	world_close();
}

static void script_phases(struct pd_rank *rank)
{
	char name[8] = "outer"; /* reused by the program: what observers are told stays */

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
	assert_true(pd_store_kernel(program.store, 0, &info));
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_charge_kernels_and_added_time_with_their_scales),
		cmocka_unit_test(kernels_share_a_step_by_what_they_were_charged),
		cmocka_unit_test(kernels_draw_what_they_say_and_the_rest_what_the_cluster_says),
		cmocka_unit_test(phases_and_releases_come_after_what_was_computed),
		cmocka_unit_test(direct_measures_and_does_not_add),
		cmocka_unit_test(measured_time_is_scaled_to_the_target),
		cmocka_unit_test(collect_appends_what_it_measured),
		cmocka_unit_test(partial_adds_what_is_measured_between_kernels),
		cmocka_unit_test(first_n_counts_over_all_ranks),
		cmocka_unit_test(kernel_time_tells_what_the_model_says),
		cmocka_unit_test(clocks_may_be_read_in_kernels),
		cmocka_unit_test(annotations_outside_ranks_mean_nothing),
	};

	return cmocka_run_group_tests(tests, make_bench, remove_bench);
}
