/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams of accelerators: when their work begins and ends, and what the rank spends (docs/model.md §12). */
#include "tests/pdexec/fake_world.h"

static void kernel(const char *name, double seconds, int stream)
{
	if (mpisim_stream_kernel_begin(name, 1, &seconds, stream))
		log_add("%s ran\n", name);
	mpisim_kernel_end();
}

static void script_follow(struct pd_rank *rank)
{
	cluster.accelerators = (struct cluster_accelerators){.per_node = 1, .launch_s = 0.25};
	kernel("f", 3, 1);
	kernel("g", 1, 2);
	mpisim_stream_synchronize(1);
	log_add("1 at %g\n", sim_time_to_s(world.engine.now));
	mpisim_stream_synchronize(1);
	mpisim_device_synchronize();
	log_add("all at %g\n", sim_time_to_s(world.engine.now));
}

static void kernels_of_a_device_follow_each_other(void **state)
{
	/* Launches take 0.25 s each. f runs from 0.25 to 3.25 s; g, ready at 0.5 s, until 4.25 s. */
	run_in(PD_COMPUTE_MODELLED, script_follow, 1);
	assert_log("0 computes (accelerator) 0-0.25 useful 0.25 stolen 0 shared 0\n"
		   "0 computes (accelerator) 0.25-0.5 useful 0.25 stolen 0 shared 0\n"
		   "0 computes (accelerator) 0.5-3.25 useful 2.75 stolen 0 shared 0\n"
		   "1 at 3.25\n"
		   "0 computes (accelerator) 3.25-4.25 useful 1 stolen 0 shared 0\n"
		   "all at 4.25\n");
}

static void script_overlap(struct pd_rank *rank)
{
	cluster.accelerators = (struct cluster_accelerators){.per_node = 1};
	mpisim_add_compute_time(0.5);
	kernel("f", 3, 0);
	mpisim_add_compute_time(1);
	mpisim_stream_synchronize(0);
	kernel("f", 1, 0);
	mpisim_add_compute_time(1);
	mpisim_stream_synchronize(0);
}

static void the_rank_computes_beside_its_device(void **state)
{
	/* Added times count twice. The kernel runs from 1 to 4 s, beside 2 s of computation; the second from 4 to 5 s, and is not waited for. */
	run_in(PD_COMPUTE_MODELLED, script_overlap, 1);
	assert_log("0 computes - 0-1 useful 1 stolen 0.5 shared 0.25\n"
		   "0 computes - 1-3 useful 2 stolen 0.5 shared 0.25\n"
		   "0 computes (accelerator) 3-4 useful 1 stolen 0 shared 0\n"
		   "0 computes - 4-6 useful 2 stolen 0.5 shared 0.25\n");
}

static void script_wait(struct pd_rank *rank)
{
	/* the second rank's device is another one */
	cluster.accelerators = (struct cluster_accelerators){.per_node = 2};
	rank->place = rank->rank;
	kernel("f", 2, 1);
	if (rank->rank == 1) {
		mpisim_stream_wait(2, 1);
		mpisim_stream_wait(3, 2);
	}
	kernel("g", 1, 3);
	kernel("g", 4, 1);
	mpisim_stream_synchronize(3);
	log_add("%d at %g\n", rank->rank, sim_time_to_s(world.engine.now));
	mpisim_stream_wait(3, 0);
	mpisim_device_synchronize();
	log_add("%d at %g\n", rank->rank, sim_time_to_s(world.engine.now));
}

static void a_stream_waits_for_what_another_had_then(void **state)
{
	/*
	 * f ends at 2 s. g(1) of rank 0 is ready at 0 s, and the first in the queue: it ends at 3 s, g(4), ready at 2 s, at 7 s. Of rank 1 it is
	 * ready at 2 s, behind g(4), which came at the same instant before it: 6 s, then 7 s.
	 */
	run_in(PD_COMPUTE_MODELLED, script_wait, 2);
	assert_non_null(strstr(log_text, "0 at 3\n"));
	assert_non_null(strstr(log_text, "0 at 7\n"));
	assert_non_null(strstr(log_text, "1 at 7\n"));
	assert_null(strstr(log_text, "1 at 6\n"));
	world_close();
}

static void script_share(struct pd_rank *rank)
{
	cluster.accelerators = (struct cluster_accelerators){.per_node = 2};
	rank->place = 2 * rank->rank;
	kernel("f", 1, 0);
	mpisim_device_synchronize();
	log_add("%d at %g\n", rank->rank, sim_time_to_s(world.engine.now));
}

static void ranks_share_a_device_round_robin(void **state)
{
	run_in(PD_COMPUTE_MODELLED, script_share, 2);
	assert_non_null(strstr(log_text, "0 at 1\n"));
	assert_non_null(strstr(log_text, "1 at 2\n"));
	world_close();
}

static void script_direct(struct pd_rank *rank)
{
	double until_s = pd_host_cpu_s() + 0.002;

	cluster.accelerators = (struct cluster_accelerators){.per_node = 1};
	fake_call("MPI_Send");
	log_text[0] = '\0';
	if (mpisim_stream_kernel_begin("h", 0, NULL, 0))
		while (pd_host_cpu_s() < until_s)
			;
	mpisim_kernel_end();
	log_add("ran\n");
	mpisim_device_synchronize();
}

static void a_kernel_that_runs_takes_its_stream_what_it_was_measured(void **state)
{
	run_in(PD_COMPUTE_DIRECT, script_direct, 1);
	assert_string_equal(world.failure.text, "");
	assert_non_null(strstr(log_text, "ran\n"));
	assert_non_null(strstr(log_text, "(accelerator)"));
	assert_true(sim_time_to_s(world.engine.now) > 0.001);
	world_close();
}

static void scripts_wrong(struct pd_rank *rank)
{
	const char *what = world.config.bench_out; /* names the case */

	cluster.accelerators = (struct cluster_accelerators){.per_node = strcmp(what, "none") != 0};
	if (!strcmp(what, "none"))
		mpisim_stream_synchronize(0);
	if (!strcmp(what, "stream"))
		kernel("f", 1, 32);
	if (!strcmp(what, "negative"))
		kernel("f", 1, -1);
	if (!strcmp(what, "unknown"))
		kernel("h", 1, 0);
	mpisim_stream_kernel_begin("f", 1, (double[]){1}, 0);
	if (!strcmp(what, "memory"))
		mpisim_kernel_memory(1);
	if (!strcmp(what, "within"))
		mpisim_stream_wait(1, 0);
	if (!strcmp(what, "call"))
		fake_call("MPI_Barrier");
	mpisim_kernel_end();
	mpisim_stream_synchronize(0);
	if (!strcmp(what, "left"))
		kernel("f", 1, 31);
}

static void wrong_uses_end_the_run(void **state)
{
	static const char *const cases[][2] = {
		{"none", "the cluster has no accelerators: wanted accelerators.per_node in its file"},
		{"stream", "found stream 32, wanted 0 to 31"},
		{"negative", "found stream -1, wanted 0 to 31"},
		{"unknown", "kernel \"h\" (p1=1) was never measured"},
		{"left", "the rank ended while stream 31 has work"},
		{"memory", "a kernel of a stream tells what memory it reads and writes"},
		{"within", "mpisim_stream_wait was called within kernel \"f\""},
		{"call", "MPI_Barrier was called within kernel \"f\": kernels call no MPI"},
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct pd_config config = {.mode = PD_COMPUTE_MODELLED, .bench_in = bench_path};

		world_open(&config, 1);
		world.config.bench_out = cases[i][0];
		world_run(scripts_wrong, 1);
		assert_int_equal(world.failure.kind, PD_FAILURE_ANNOTATION);
		if (!strstr(world.failure.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], world.failure.text);
		world_close();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernels_of_a_device_follow_each_other),
		cmocka_unit_test(the_rank_computes_beside_its_device),
		cmocka_unit_test(a_stream_waits_for_what_another_had_then),
		cmocka_unit_test(ranks_share_a_device_round_robin),
		cmocka_unit_test(a_kernel_that_runs_takes_its_stream_what_it_was_measured),
		cmocka_unit_test(wrong_uses_end_the_run),
	};

	return cmocka_run_group_tests(tests, make_bench, remove_bench);
}
