/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "simcore/engine.h"
#include "simcore/fiber.h"

enum { STACK_B = 65536, MANY = 20000 };

/* What fiber i works on. Nothing is asserted on a fiber. */
struct job {
	struct sim_fiber *fiber;
	int index;
	long result;
};

/* More fibers than can have guard pages here: vm.max_map_count mappings would be twice too few. */
static size_t too_many_for_guards(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
	size_t count = 65530;

	if (file) {
		if (fscanf(file, "%zu", &count) != 1)
			count = 65530;
		fclose(file);
	}
	return count;
}

static void add_three_times(void *arg)
{
	struct job *job = arg;
	long sum = 0;

	for (int i = 1; i <= 3; i++) {
		sum += i * job->index;
		sim_fiber_yield(job->fiber);
	}
	job->result = sum;
}

/* Job i adds 1i + 2i + 3i = 6i over three yields; the fourth resume ends it. */
static void run_interleaved(size_t n, size_t stack_B)
{
	struct job *jobs = calloc(n, sizeof(*jobs));
	struct sim_fiber_set *set = NULL;

	assert_non_null(jobs);
	assert_int_equal(sim_fiber_set_create(&set, n, stack_B, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		jobs[i].index = (int)i;
		assert_int_equal(
		    sim_fiber_create(set, i, add_three_times, &jobs[i], &jobs[i].fiber, NULL), 0);
	}
	for (int round = 0; round < 4; round++) {
		for (size_t i = 0; i < n; i++) {
			assert_false(sim_fiber_has_ended(jobs[i].fiber));
			sim_fiber_resume(jobs[i].fiber);
		}
	}
	for (size_t i = 0; i < n; i++) {
		assert_true(sim_fiber_has_ended(jobs[i].fiber));
		assert_false(sim_fiber_overflowed(jobs[i].fiber));
		assert_int_equal(jobs[i].result, 6 * (long)i);
	}
	sim_fiber_set_destroy(set);
	free(jobs);
}

static void interleaved_fibers_keep_their_state(void **state)
{
	run_interleaved(100, STACK_B);
}

static void twenty_thousand_fibers_run(void **state)
{
	run_interleaved(MANY, 16384);
}

static void fill_the_stack(void *arg)
{
	struct job *job = arg;
	void *low;
	size_t size_B;
	char *here = (char *)&low;

	sim_fiber_stack(job->fiber, &low, &size_B);
	job->result = here >= (char *)low && here < (char *)low + size_B && size_B == STACK_B &&
		      here - (char *)low > STACK_B - 6144;
	/* half of it, which has to be there */
	memset((char *)low + STACK_B / 4, 0xaa, STACK_B / 2);
	sim_fiber_yield(job->fiber);
}

/* 6144: a page of the sanitizers' frames and 15 * 128 B of colouring. Stacks of neighbours do not
 * overlap. */
static void a_fiber_runs_at_the_top_of_its_own_stack(void **state)
{
	struct job jobs[20] = {0};
	struct sim_fiber_set *set = NULL;
	char *low_before = NULL;

	assert_int_equal(sim_fiber_set_create(&set, 20, STACK_B - 100, NULL), 0);
	for (size_t i = 0; i < 20; i++) {
		void *low;
		size_t size_B;

		assert_int_equal(
		    sim_fiber_create(set, i, fill_the_stack, &jobs[i], &jobs[i].fiber, NULL), 0);
		sim_fiber_resume(jobs[i].fiber);
		assert_int_equal(jobs[i].result, 1);
		sim_fiber_stack(jobs[i].fiber, &low, &size_B);
		assert_int_equal(size_B, STACK_B); /* rounded up to pages */
		assert_true(!low_before || (char *)low >= low_before + size_B);
		low_before = low;
	}
	sim_fiber_set_destroy(set); /* none of them ended */
}

static long resident_B(void)
{
	FILE *file = fopen("/proc/self/statm", "r");
	long size = 0, resident = 0;

	if (file) {
		if (fscanf(file, "%ld %ld", &size, &resident) != 2)
			resident = 0;
		fclose(file);
	}
	return resident * sysconf(_SC_PAGESIZE);
}

/*
 * A million fibers, of which a thousand run and stay suspended. Memory: at most 128 B for a fiber
 * that does not run, 16 KiB for one that does; 160 MB in all, where the stacks alone are 16 GB.
 */
static void a_million_fibers_take_memory_only_when_they_run(void **state)
{
	const size_t n = 1000000;
	static struct job jobs[1000];
	struct sim_fiber_set *set = NULL;
	struct sim_fiber *fiber;
	long before_B = resident_B();

	assert_int_equal(sim_fiber_set_create(&set, n, 16384, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		struct job *job = &jobs[i / 1000];

		assert_int_equal(sim_fiber_create(set, i, add_three_times, job, &fiber, NULL), 0);
		if (i % 1000)
			continue;
		job->fiber = fiber;
		job->index = (int)i;
		sim_fiber_resume(fiber);
	}
	assert_true(resident_B() - before_B < 160000000);
	for (int i = 0; i < 1000; i++) {
		for (int round = 0; round < 3; round++)
			sim_fiber_resume(jobs[i].fiber);
		assert_int_equal(jobs[i].result, 6000L * i);
	}
	sim_fiber_set_destroy(set);
}

static void wrong_sizes_are_refused(void **state)
{
	struct sim_fiber_set *set = (void *)1;
	struct util_error err = {0};

	assert_int_equal(sim_fiber_set_create(&set, 0, STACK_B, &err), UTIL_EINPUT);
	assert_string_equal(err.text, "0 fibers were asked for, wanted at least 1");
	assert_int_equal(sim_fiber_set_create(&set, 1, 16383, &err), UTIL_EINPUT);
	assert_string_equal(err.text, "a stack of 16383 bytes is too small, wanted at least 16384");
	assert_int_equal(sim_fiber_set_create(&set, 1, SIZE_MAX, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "too large"));
	assert_int_equal(sim_fiber_set_create(&set, SIZE_MAX / 4, STACK_B, &err), UTIL_EINPUT);
	assert_non_null(strstr(err.text, "too much"));
	/* 2^60 bytes: more than 47 or 48 bits of address space */
	assert_int_equal(sim_fiber_set_create(&set, (size_t)1 << 20, (size_t)1 << 40, &err),
			 UTIL_ENOMEM);
	assert_non_null(strstr(err.text, "no address space"));
	assert_ptr_equal(set, (void *)1);
	sim_fiber_set_destroy(NULL);
}

static void an_index_serves_once(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct sim_fiber *fiber = NULL, *other = (void *)1;
	struct util_error err = {0};

	assert_int_equal(sim_fiber_set_create(&set, 2, STACK_B, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 1, add_three_times, NULL, &fiber, &err), 0);
	assert_int_equal(sim_fiber_create(set, 1, add_three_times, NULL, &other, &err),
			 UTIL_EINPUT);
	assert_string_equal(err.text, "fiber 1 is in use already");
	assert_int_equal(sim_fiber_create(set, 2, add_three_times, NULL, &other, &err),
			 UTIL_EINPUT);
	assert_string_equal(err.text, "there is no fiber 2 of 2");
	assert_ptr_equal(other, (void *)1);
	sim_fiber_set_destroy(set);
}

/* Layout with guards: [guard 0][stack 0][guard 1][stack 1]… */
static void guards_are_told_from_stacks(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct sim_fiber *fiber;

	assert_int_equal(sim_fiber_set_create(&set, 10, STACK_B, NULL), 0);
	for (size_t i = 0; i < 10; i++) {
		void *low;
		size_t size_B;

		assert_int_equal(sim_fiber_create(set, i, add_three_times, NULL, &fiber, NULL), 0);
		sim_fiber_stack(fiber, &low, &size_B);
		assert_int_equal(sim_fiber_set_guard_hit(set, (char *)low - 1), (long)i);
		assert_int_equal(sim_fiber_set_guard_hit(set, (char *)low - 4096), (long)i);
		assert_int_equal(sim_fiber_set_guard_hit(set, low), -1);
		assert_int_equal(sim_fiber_set_guard_hit(set, (char *)low + size_B - 1), -1);
	}
	assert_int_equal(sim_fiber_set_guard_hit(set, NULL), -1);
	assert_int_equal(sim_fiber_set_guard_hit(set, &set), -1);
	sim_fiber_set_destroy(set);
}

/* Recursion until the frame lies below `bound`; every byte is written. Volatile: neither calls nor
 * frames may be optimised away. */
static volatile int sink;

__attribute__((noinline)) static int deeper(const char *bound)
{
	volatile char frame[256];

	for (int i = 0; i < 256; i++)
		frame[i] = 1;
	if ((const char *)frame > bound)
		sink = deeper(bound) + 1;
	return sink + frame[0] + frame[255];
}

static struct sim_fiber_set *hit_set;

static void report_hit(int signal, siginfo_t *info, void *context)
{
	_exit(40 + (int)sim_fiber_set_guard_hit(hit_set, info->si_addr));
}

static void overflow_for_good(void *arg)
{
	deeper(NULL);
}

/* In the child: overflow of fiber 3 of 8; the handler exits with 40 + the index it found. */
static void overflow_in_child(void)
{
	struct sigaction action = {.sa_sigaction = report_hit, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	struct rlimit no_core = {0, 0};
	struct sim_fiber *fiber;
	stack_t stack = {.ss_size = 65536};

	stack.ss_sp = malloc(stack.ss_size);
	setrlimit(RLIMIT_CORE, &no_core);
	if (!stack.ss_sp || sigaltstack(&stack, NULL) || sigaction(SIGSEGV, &action, NULL) ||
	    sim_fiber_set_create(&hit_set, 8, STACK_B, NULL) ||
	    sim_fiber_create(hit_set, 3, overflow_for_good, NULL, &fiber, NULL))
		_exit(1);
	sim_fiber_resume(fiber);
	_exit(2);
}

static void an_overflow_hits_the_guard_of_its_fiber(void **state)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0)
		overflow_in_child();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 43);
}

static void overflow_a_little(void *arg)
{
	struct job *job = arg;
	void *low;
	size_t size_B;

	sim_fiber_stack(job->fiber, &low, &size_B);
	job->result = deeper(low);
	sim_fiber_yield(job->fiber);
}

static void stay_within(void *arg)
{
	struct job *job = arg;
	void *low;
	size_t size_B;

	sim_fiber_stack(job->fiber, &low, &size_B);
	job->result = deeper((char *)low + 1024);
	sim_fiber_yield(job->fiber);
}

/* Every fourth or fifth fiber has a guard. Fiber 21 runs to below its stack, fiber 7 to 1 KiB above
 * its end. */
static void without_guards_an_overflow_is_seen_at_the_yield(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct job bad = {0}, good = {0};

	assert_int_equal(sim_fiber_set_create(&set, too_many_for_guards(), 16384, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 21, overflow_a_little, &bad, &bad.fiber, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 7, stay_within, &good, &good.fiber, NULL), 0);
	sim_fiber_resume(good.fiber);
	assert_false(sim_fiber_overflowed(good.fiber));
	assert_false(sim_fiber_overflowed(bad.fiber));
	sim_fiber_resume(bad.fiber);
	assert_true(sim_fiber_overflowed(bad.fiber));
	assert_false(sim_fiber_overflowed(good.fiber));
	sim_fiber_set_destroy(set);
}

/* Four times as many fibers as can have guards (rounded): every fourth or fifth has one, the lowest
 * always. Half the mappings of the process, two for each guard, are enough for them. */
static void beyond_the_limit_some_stacks_have_guards(void **state)
{
	size_t n = too_many_for_guards(), n_guards = 0;
	struct sim_fiber_set *set = NULL;

	assert_int_equal(sim_fiber_set_create(&set, n, 16384, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		struct sim_fiber *fiber;
		void *low;
		size_t size_B;
		long hit;

		assert_int_equal(sim_fiber_create(set, i, add_three_times, NULL, &fiber, NULL), 0);
		sim_fiber_stack(fiber, &low, &size_B);
		hit = sim_fiber_set_guard_hit(set, (char *)low - 1);
		assert_int_equal(sim_fiber_set_guard_hit(set, low), -1);
		assert_true(hit == (long)i || (hit == -1 && i > 0));
		n_guards += hit >= 0;
	}
	assert_in_range(n_guards, n / 5, n / 4);
	sim_fiber_set_destroy(set);
}

/* A stack pointer that ran out of its stack lies among the others; one outside of the set is that
 * of a stack that the program made. */
static void a_fiber_that_left_its_stack_has_strayed(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct sim_fiber *fiber, *next;
	void *low, *next_low;
	size_t size_B;

	assert_int_equal(sim_fiber_set_create(&set, 3, STACK_B, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 1, add_three_times, NULL, &fiber, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 2, add_three_times, NULL, &next, NULL), 0);
	sim_fiber_stack(fiber, &low, &size_B);
	sim_fiber_stack(next, &next_low, &size_B);
	assert_false(sim_fiber_strayed(fiber, low));
	assert_false(sim_fiber_strayed(fiber, (char *)low + size_B));
	assert_true(sim_fiber_strayed(fiber, (char *)low - 1));
	assert_true(sim_fiber_strayed(fiber, (char *)low - size_B));
	assert_true(sim_fiber_strayed(fiber, next_low));
	assert_false(sim_fiber_strayed(next, next_low));
	assert_false(sim_fiber_strayed(fiber, &low));
	assert_false(sim_fiber_strayed(fiber, NULL));
	sim_fiber_set_destroy(set);
}

static void the_engine_reports_an_overflow(void **state)
{
	struct sim_fiber_set *set = NULL;
	struct sim_engine engine;
	struct sim_task task;
	struct job job = {0};

	sim_engine_init(&engine);
	assert_int_equal(sim_fiber_set_create(&set, too_many_for_guards(), 16384, NULL), 0);
	assert_int_equal(sim_fiber_create(set, 21, overflow_a_little, &job, &job.fiber, NULL), 0);
	sim_task_start(&engine, &task, job.fiber);
	assert_int_equal(sim_engine_step(&engine), SIM_STEP_OVERFLOW);
	assert_ptr_equal(engine.resumed_last, &task);
	sim_engine_finish(&engine);
	sim_fiber_set_destroy(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(interleaved_fibers_keep_their_state),
	    cmocka_unit_test(twenty_thousand_fibers_run),
	    cmocka_unit_test(a_fiber_runs_at_the_top_of_its_own_stack),
	    cmocka_unit_test(a_million_fibers_take_memory_only_when_they_run),
	    cmocka_unit_test(wrong_sizes_are_refused),
	    cmocka_unit_test(an_index_serves_once),
	    cmocka_unit_test(guards_are_told_from_stacks),
	    cmocka_unit_test(an_overflow_hits_the_guard_of_its_fiber),
	    cmocka_unit_test(without_guards_an_overflow_is_seen_at_the_yield),
	    cmocka_unit_test(beyond_the_limit_some_stacks_have_guards),
	    cmocka_unit_test(a_fiber_that_left_its_stack_has_strayed),
	    cmocka_unit_test(the_engine_reports_an_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
