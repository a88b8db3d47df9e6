// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/traces/stream.h"

#define TOLERANCE 1e-9

static struct cluster cluster = {.n_nodes = 2, .cores = 1};

static struct trace_summary *summary_of_two(struct sim_observers *out)
{
	struct trace_summary *summary = NULL;

	assert_int_equal(trace_summary_create(2, (int[]){0, 1}, &cluster, &summary, NULL), 0);
	observe(out, trace_summary_observer(summary));
	return summary;
}

static void window_counts_steps_that_are_under_way_at_its_bounds(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);
	const struct trace_phase *p;

	/*
	 * Rank 0 is in the phase during [2,6] and computes all of it. Rank 1, outside any phase,
	 * computes [0,8] at half speed: 2 s of its 4 s lie in the window. (4 + 2) / (2 cores × 4 s)
	 * = 0.75; inside the phase itself 4 s are done.
	 */
	phase(&to, 0, "a", 1, 2);
	compute(&to, 0, NULL, 2, 6, 4, 0);
	phase(&to, 0, "a", 0, 6);
	compute(&to, 1, NULL, 0, 8, 4, 4);
	trace_summary_close(summary, at(8));
	assert_int_equal(summary->phases.n, 1);
	p = summary->phases.of[0];
	assert_int_equal(p->begin, at(2));
	assert_int_equal(p->end, at(6));
	assert_near(p->useful_s, 4, TOLERANCE);
	assert_near(trace_phase_efficiency(summary, p), 0.75, TOLERANCE);
	trace_summary_destroy(summary);
}

static void phase_lasts_from_its_first_begin_to_its_last_end(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);
	const struct trace_phase *p;

	/*
	 * Rank 0 [0,3] computing all of it, rank 1 [1,5] computing [1,5]. Window [0,5]: (3 + 4) /
	 * (2 × 5); both ranks' time: 3 + 4. While rank 1's step is under way the end is first at 3,
	 * then moves to 5: nothing may be counted twice.
	 */
	phase(&to, 0, "a", 1, 0);
	phase(&to, 1, "a", 1, 1);
	compute(&to, 0, NULL, 0, 3, 3, 0);
	phase(&to, 0, "a", 0, 3);
	compute(&to, 1, NULL, 1, 5, 4, 0);
	phase(&to, 1, "a", 0, 5);
	compute(&to, 0, NULL, 3, 8, 5, 0);
	trace_summary_close(summary, at(8));
	p = summary->phases.of[0];
	assert_int_equal(p->n_ranks, 2);
	assert_int_equal(p->end, at(5));
	assert_near(p->time_s, 7, TOLERANCE);
	assert_near(p->useful_s, 7, TOLERANCE);
	/* Rank 0's later step lies in [3,8]: 2 s of it before 5. */
	assert_near(trace_phase_efficiency(summary, p), (3 + 4 + 2) / 10.0, TOLERANCE);
	trace_summary_destroy(summary);
}

static void occurrences_of_a_name_are_numbered_per_rank(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);

	/* Rank 1 is two iterations behind rank 0 when it begins its first. */
	for (int i = 0; i < 3; i++) {
		phase(&to, 0, "iteration", 1, i);
		phase(&to, 0, "iteration", 0, i + 1);
	}
	for (int i = 0; i < 3; i++) {
		phase(&to, 1, "iteration", 1, 10 + i);
		phase(&to, 1, "iteration", 0, 11 + i);
	}
	trace_summary_close(summary, at(13));
	assert_int_equal(summary->phases.n, 3);
	for (int i = 0; i < 3; i++) {
		const struct trace_phase *p = summary->phases.of[i];

		assert_int_equal(p->index, i);
		assert_int_equal(p->n_ranks, 2);
		assert_int_equal(p->begin, at(i));
		assert_int_equal(p->end, at(11 + i));
	}
	trace_summary_destroy(summary);
}

static void nested_phases_know_what_is_around_them(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);
	const struct trace_phase *outer, *inner;

	phase(&to, 0, "outer", 1, 0);
	compute(&to, 0, NULL, 0, 1, 1, 0);
	phase(&to, 0, "inner", 1, 1);
	call(&to, 0, "MPI_Recv", 1, 4, 2);
	phase(&to, 0, "inner", 0, 4);
	phase(&to, 0, "outer", 0, 5);
	trace_summary_close(summary, at(5));
	outer = summary->phases.of[0];
	inner = summary->phases.of[1];
	assert_int_equal(outer->parent, -1);
	assert_int_equal(inner->parent, outer->name);
	assert_near(inner->communicating_s, 1, TOLERANCE);
	assert_near(inner->waiting_s, 2, TOLERANCE);
	assert_true(inner->useful_s == 0);
	assert_near(outer->communicating_s, 1, TOLERANCE);
	assert_near(outer->useful_s, 1, TOLERANCE);
	assert_near(outer->time_s, 5, TOLERANCE);
	trace_summary_destroy(summary);
}

static void open_phases_end_with_the_observation(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);

	phase(&to, 0, "outer", 1, 1);
	phase(&to, 0, "inner", 1, 2);
	trace_summary_close(summary, at(9));
	assert_int_equal(summary->phases.of[0]->end, at(9));
	assert_int_equal(summary->phases.of[1]->end, at(9));
	assert_near(summary->phases.of[1]->time_s, 7, TOLERANCE);
	phase(&to, 0, "inner", 0, 9); /* without a begin: nothing happens */
	trace_summary_destroy(summary);
}

static void phases_beyond_the_limit_are_counted_not_kept(void **state)
{
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of_two(&to);

	for (int i = 0; i < TRACE_MAX_PHASES + 10; i++)
		for (int rank = 0; rank < 2; rank++) {
			phase(&to, rank, "p", 1, i);
			phase(&to, rank, "p", 0, i);
		}
	assert_int_equal(summary->phases.n, TRACE_MAX_PHASES);
	assert_int_equal(summary->n_phases_dropped, 20);
	assert_int_equal(summary->phases.of[TRACE_MAX_PHASES - 1]->n_ranks, 2);
	trace_summary_destroy(summary);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(window_counts_steps_that_are_under_way_at_its_bounds),
	    cmocka_unit_test(phase_lasts_from_its_first_begin_to_its_last_end),
	    cmocka_unit_test(occurrences_of_a_name_are_numbered_per_rank),
	    cmocka_unit_test(nested_phases_know_what_is_around_them),
	    cmocka_unit_test(open_phases_end_with_the_observation),
	    cmocka_unit_test(phases_beyond_the_limit_are_counted_not_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
