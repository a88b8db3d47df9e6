// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tools/run/deadlock.h"

#define ALL(...)                                                     \
	{                                                            \
		.state = RUN_BLOCKED, .peers = (int[]){__VA_ARGS__}, \
		.n_peers = sizeof(int[]){__VA_ARGS__} / sizeof(int)  \
	}
#define ANY(...)                                                                  \
	{                                                                         \
		.state = RUN_BLOCKED, .any = true, .peers = (int[]){__VA_ARGS__}, \
		.n_peers = sizeof(int[]){__VA_ARGS__} / sizeof(int)               \
	}

static void check_cycle(int n_ranks, const struct run_waits waits[], int n_wanted,
			const int wanted[])
{
	int cycle[16] = {-1};

	assert_int_equal(run_find_cycle(n_ranks, waits, cycle), n_wanted);
	for (int i = 0; i < n_wanted; i++)
		assert_int_equal(cycle[i], wanted[i]);
}

static void two_that_wait_for_each_other_are_a_cycle(void **state)
{
	const struct run_waits waits[] = {ALL(1), ALL(0)};

	check_cycle(2, waits, 2, (int[]){0, 1});
}

static void rank_that_waits_for_itself_is_a_cycle(void **state)
{
	const struct run_waits waits[] = {{.state = RUN_ENDED}, ALL(1)};

	check_cycle(2, waits, 1, (int[]){1});
}

static void cycle_leaves_out_who_only_hangs_on_it(void **state)
{
	/* 0 → 1 → 2 → 3 → 1: rank 0 waits for the cycle but is not of it. */
	const struct run_waits waits[] = {ALL(1), ALL(2), ALL(3), ALL(1)};

	check_cycle(4, waits, 3, (int[]){1, 2, 3});
}

static void cycle_starts_at_its_lowest_rank(void **state)
{
	/* Reached from 0 at 3: 3 → 1 → 2 → 3. */
	const struct run_waits waits[] = {ALL(3), ALL(2), ALL(3), ALL(1)};

	check_cycle(4, waits, 3, (int[]){1, 2, 3});
}

static void wait_for_a_rank_that_ended_is_no_cycle(void **state)
{
	const struct run_waits waits[] = {ALL(1), {.state = RUN_ENDED}};

	check_cycle(2, waits, 0, NULL);
}

static void dead_ends_are_left_again(void **state)
{
	/* 0 waits for all of 1 (→ 4, ended) and 2 (→ 3 → 2). */
	const struct run_waits waits[] = {ALL(1, 2), ALL(4), ALL(3), ALL(2), {.state = RUN_ENDED}};

	/* The same, but 2 waits for 1 too, which has been left by then. */
	const struct run_waits again[] = {ALL(1, 2), ALL(4), ALL(1, 3), ALL(2), {.state = RUN_ENDED}};

	check_cycle(5, waits, 2, (int[]){2, 3});
	check_cycle(5, again, 2, (int[]){2, 3});
}

static void any_of_several_is_stuck_only_when_all_are(void **state)
{
	/* 0 waits for any of 1, 2; 1 waits for 0; 2 goes on: so 0 does, and then 1. */
	const struct run_waits free_by_one[] = {ANY(1, 2), ALL(0), {.state = RUN_GOES_ON}};
	const struct run_waits all_stuck[] = {ANY(1, 2), ALL(0), ALL(0)};

	check_cycle(3, free_by_one, 0, NULL);
	check_cycle(3, all_stuck, 2, (int[]){0, 1});
}

static void all_of_several_is_stuck_when_one_is(void **state)
{
	/* As above, but 0 waits for both: 1 waits for 0, which never comes. */
	const struct run_waits waits[] = {ALL(1, 2), ALL(0), {.state = RUN_GOES_ON}};

	check_cycle(3, waits, 2, (int[]){0, 1});
}

static void any_source_without_a_list_means_every_other_rank(void **state)
{
	const struct run_waits waits[] = {
		{.state = RUN_BLOCKED, .any = true, .n_peers = 3},
		{.state = RUN_BLOCKED, .any = true, .n_peers = 3},
		{.state = RUN_ENDED},
	};

	check_cycle(3, waits, 2, (int[]){0, 1});
}

static void rank_blocked_on_nobody_is_stuck_without_a_cycle(void **state)
{
	const struct run_waits waits[] = {{.state = RUN_BLOCKED}, ALL(0)};

	check_cycle(2, waits, 0, NULL);
}

static void long_ring_is_found_whole(void **state)
{
	enum { N = 20000 };
	struct run_waits *waits = calloc(N, sizeof *waits);
	int *next = calloc(N, sizeof *next), *cycle = calloc(N, sizeof *cycle);

	for (int i = 0; i < N; i++) {
		next[i] = (i + 1) % N;
		waits[i] =
			(struct run_waits){.state = RUN_BLOCKED, .peers = &next[i], .n_peers = 1};
	}
	assert_int_equal(run_find_cycle(N, waits, cycle), N);
	assert_int_equal(cycle[0], 0);
	assert_int_equal(cycle[N - 1], N - 1);
	free(waits);
	free(next);
	free(cycle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_that_wait_for_each_other_are_a_cycle),
		cmocka_unit_test(rank_that_waits_for_itself_is_a_cycle),
		cmocka_unit_test(cycle_leaves_out_who_only_hangs_on_it),
		cmocka_unit_test(cycle_starts_at_its_lowest_rank),
		cmocka_unit_test(wait_for_a_rank_that_ended_is_no_cycle),
		cmocka_unit_test(dead_ends_are_left_again),
		cmocka_unit_test(any_of_several_is_stuck_only_when_all_are),
		cmocka_unit_test(all_of_several_is_stuck_when_one_is),
		cmocka_unit_test(any_source_without_a_list_means_every_other_rank),
		cmocka_unit_test(rank_blocked_on_nobody_is_stuck_without_a_cycle),
		cmocka_unit_test(long_ring_is_found_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
