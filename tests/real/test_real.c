/* SPDX-License-Identifier: BSD-3-Clause */
/* libmpisim-real without MPI. Its state is made once per process, so every case runs in a child of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpisim.h"
#include "pdexec/store.h"

#define N_PROCESSES 8
#define N_ROWS 200

static char folder[64];

static const char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

/* Runs `body` in a child with its stderr in "stderr"; its exit code. */
static int in_child(int (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		if (!freopen(path_of("stderr"), "a", stderr))
			_exit(99);
		setvbuf(stderr, NULL, _IONBF, 0);
		_exit(body());
	}
	assert_true(child > 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int count_lines(const char *path, const char *begin)
{
	FILE *file = fopen(path, "r");
	char line[512];
	int n = 0;

	if (!file)
		return -1;
	while (fgets(line, sizeof(line), file))
		n += !strncmp(line, begin, strlen(begin));
	fclose(file);
	return n;
}

static int collect_some(void)
{
	for (int i = 0; i < N_ROWS; i++) {
		if (!mpisim_kernel_begin("f", 2, (double[]){i, 0.5}))
			return 1;
		mpisim_kernel_end();
	}
	return 0;
}

static int collect_in_processes(void)
{
	int failed = 0, status;

	for (int i = 0; i < N_PROCESSES; i++) {
		if (fork() == 0)
			_exit(collect_some());
	}
	for (int i = 0; i < N_PROCESSES; i++) {
		wait(&status);
		failed |= status;
	}
	return failed != 0;
}

static void processes_share_a_store_that_the_simulator_reads(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_MODELLED, .bench_in = path_of("shared.csv")};
	struct pd_kernel_info info;
	struct pd_store *store;
	struct util_error err;

	setenv("MPISIM_BENCH_OUT", config.bench_in, 1);
	assert_int_equal(in_child(collect_in_processes), 0);
	assert_int_equal(count_lines(config.bench_in, "# mpisim-bench 1"), 1);
	if (pd_store_create(&config, &store, &err))
		fail_msg("%s", err.text);
	assert_true(pd_store_kernel(store, 0, &info));
	assert_string_equal(info.name, "f");
	assert_int_equal(info.n_measurements, N_PROCESSES * N_ROWS);
	pd_store_destroy(store);
}

static void the_rank_may_stand_in_the_file_name(void **state)
{
	setenv("MPISIM_BENCH_OUT", path_of("rank-%r.csv"), 1);
	setenv("OMPI_COMM_WORLD_RANK", "7", 1);
	assert_int_equal(in_child(collect_some), 0);
	assert_int_equal(count_lines(path_of("rank-7.csv"), "f,"), N_ROWS);
	unsetenv("OMPI_COMM_WORLD_RANK");
	setenv("PMI_RANK", "8", 1);
	assert_int_equal(in_child(collect_some), 0);
	assert_int_equal(count_lines(path_of("rank-8.csv"), "f,"), N_ROWS);
	unsetenv("PMI_RANK");
	unsetenv("MPISIM_BENCH_OUT");
}

static int sleep_a_little(void)
{
	double begin = mpisim_real_time();

	mpisim_add_compute_time(-1);
	add_compute_time(0.05);
	return mpisim_real_time() - begin >= 0.05 ? 0 : 3;
}

static void added_time_sleeps_on_request(void **state)
{
	unsetenv("MPISIM_REAL_SLEEP");
	assert_int_equal(in_child(sleep_a_little), 3);
	setenv("MPISIM_REAL_SLEEP", "1", 1);
	assert_int_equal(in_child(sleep_a_little), 0);
	unsetenv("MPISIM_REAL_SLEEP");
}

static int replay_some(void)
{
	double begin = mpisim_real_time(), elapsed_s;

	for (int i = 0; i < 10; i++) {
		if (mpisim_kernel_begin("f", 1, (double[]){i}))
			return 3;
		mpisim_kernel_end();
	}
	elapsed_s = mpisim_real_time() - begin;
	/* f takes 1 ms × (0 + … + 9): not less, but for what sleeps that end late were shortened by; an unknown kernel runs */
	if (elapsed_s < 0.0449 || mpisim_kernel_time("f", 1, (double[]){5}) != 0.005)
		return 4;
	return mpisim_kernel_begin("unknown", 0, NULL) == 1 ? 0 : 5;
}

static void a_model_takes_the_place_of_kernels(void **state)
{
	FILE *file = fopen(path_of("model.bench"), "w");

	assert_non_null(file);
	fputs("# mpisim-bench 1\nmodel,f,1e-3*p1\n", file);
	fclose(file);
	setenv("MPISIM_REAL_MODEL", path_of("model.bench"), 1);
	assert_int_equal(in_child(replay_some), 0);
	assert_int_equal(count_lines(path_of("stderr"), "mpisim-real: kernel \"unknown\""), 1);
	setenv("MPISIM_REAL_MODEL", path_of("missing.bench"), 1);
	assert_int_equal(in_child(replay_some), 3);
	unsetenv("MPISIM_REAL_MODEL");
}

static int mark_phases(void)
{
	mpisim_phase_begin("outer");
	mpisim_phase_begin("inner");
	mpisim_phase_end();
	mpisim_phase_end();
	mpisim_phase_begin("a, \"b\"");
	mpisim_phase_end();
	return 0;
}

static void phases_are_logged(void **state)
{
	setenv("MPISIM_PHASE_LOG", path_of("phases"), 1);
	assert_int_equal(in_child(mark_phases), 0);
	unsetenv("MPISIM_PHASE_LOG");
	assert_int_equal(count_lines(path_of("phases"), "0,outer,begin,"), 1);
	assert_int_equal(count_lines(path_of("phases"), "0,inner,end,"), 1);
	assert_int_equal(count_lines(path_of("phases"), "0,\"a, \"\"b\"\"\",begin,"), 1);
	assert_int_equal(count_lines(path_of("phases"), ""), 6);
}

static int misuse(void)
{
	mpisim_kernel_end();
	mpisim_kernel_begin("f", 9, NULL);
	mpisim_kernel_end();
	mpisim_kernel_begin("g", 0, NULL);
	mpisim_kernel_end();
	return 0;
}

static void misuse_is_told_once_and_does_not_stop_the_program(void **state)
{
	setenv("MPISIM_BENCH_OUT", path_of("misuse.csv"), 1);
	assert_int_equal(in_child(misuse), 0);
	assert_int_equal(count_lines(path_of("misuse.csv"), "g,"), 1);
	assert_int_equal(count_lines(path_of("misuse.csv"), "f,"), 0);
	assert_int_equal(count_lines(path_of("stderr"), "mpisim-real: a kernel ends"), 1);
	setenv("MPISIM_BENCH_OUT", path_of("missing/store.csv"), 1);
	assert_int_equal(in_child(collect_some), 0);
	assert_int_equal(count_lines(path_of("stderr"), "mpisim-real: "), 2);
	unsetenv("MPISIM_BENCH_OUT");
}

static void memory_is_real_and_nothing_is_simulated(void **state)
{
	char *buf = mpisim_alloc(100);

	assert_non_null(buf);
	memset(buf, 1, 100);
	mpisim_free(buf);
	mpisim_free(mpisim_alloc(0));
	mpisim_node_release();
	mpisim_state("buf", buf, 100, 0); /* nobody looks */
	assert_int_equal(mpisim_is_simulated(), 0);
	assert_true(mpisim_kernel_time("f", 0, NULL) < 0);
}

static int collect_of_streams(void)
{
	char *device = mpisim_device_alloc(4), host[4] = "abc", back[4] = "";
	int n_failed;

	if (!mpisim_stream_kernel_begin("f", 1, (double[]){7}, 1))
		return 1;
	mpisim_kernel_end();
	mpisim_stream_wait(0, 1);
	mpisim_stream_copy(device, host, 4, 0);
	mpisim_stream_copy(back, device, 4, 0);
	mpisim_stream_synchronize(0);
	mpisim_device_synchronize();
	n_failed = strcmp(back, "abc") != 0;
	mpisim_device_free(device);
	return n_failed;
}

static void streams_do_all_at_once(void **state)
{
	setenv("MPISIM_BENCH_OUT", path_of("streams.csv"), 1);
	assert_int_equal(in_child(collect_of_streams), 0);
	assert_int_equal(count_lines(path_of("streams.csv"), "f,"), 1);
	unsetenv("MPISIM_BENCH_OUT");
}

static int make_folder(void **state)
{
	strcpy(folder, "/tmp/mpisim-real-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	static const char *const names[] = {"shared.csv", "rank-7.csv", "rank-8.csv",
					    "phases",     "misuse.csv", "stderr",
					    "model.bench", "streams.csv"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(processes_share_a_store_that_the_simulator_reads),
		cmocka_unit_test(the_rank_may_stand_in_the_file_name),
		cmocka_unit_test(added_time_sleeps_on_request),
		cmocka_unit_test(phases_are_logged),
		cmocka_unit_test(misuse_is_told_once_and_does_not_stop_the_program),
		cmocka_unit_test(a_model_takes_the_place_of_kernels),
		cmocka_unit_test(streams_do_all_at_once),
		cmocka_unit_test(memory_is_real_and_nothing_is_simulated),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
