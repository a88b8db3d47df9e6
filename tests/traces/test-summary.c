// SPDX-License-Identifier: BSD-3-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/traces/stream.h"

/* Picoseconds round a time, doubles a sum: far below a microsecond for runs of seconds. */
#define TOLERANCE_S 1e-9

static struct trace_summary *summary_of(int n_ranks, const int node_of[], struct cluster *cluster,
					struct sim_observers *out)
{
	struct trace_summary *summary = NULL;

	assert_int_equal(trace_summary_create(n_ranks, node_of, cluster, &summary, NULL), 0);
	observe(out, trace_summary_observer(summary));
	return summary;
}

/* Rank 0: [0,4] computing, [4,10] MPI_Recv of which 5 waiting. Rank 1: [0,8] computing (6 useful, 1
 * stolen, 1 shared), [8,10] MPI_Send. */
static void two_ranks(struct sim_observers *to)
{
	compute(to, 0, "lu", 0, 4, 4, 0);
	compute(to, 1, "lu", 0, 8, 6, 1);
	call(to, 0, "MPI_Recv", 4, 10, 5);
	call(to, 1, "MPI_Send", 8, 10, 0);
	message(to, 1, 0, 1000, 0);
	end_rank(to, 0, 10);
	end_rank(to, 1, 10);
}

static void breakdown_adds_up_to_the_running_time(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 1}, &cluster, &to);
	struct trace_breakdown b;

	two_ranks(&to);
	trace_summary_close(summary, at(10));
	b = trace_rank_breakdown(summary, 0);
	assert_near(b.useful_s, 4, TOLERANCE_S);
	assert_near(b.communicating_s, 1, TOLERANCE_S);
	assert_near(b.waiting_s, 5, TOLERANCE_S);
	b = trace_rank_breakdown(summary, 1);
	assert_near(b.useful_s, 6, TOLERANCE_S);
	assert_near(b.stolen_s, 1, TOLERANCE_S);
	assert_near(b.shared_s, 1, TOLERANCE_S);
	assert_near(b.communicating_s, 2, TOLERANCE_S);
	assert_near(b.waiting_s + b.ended_s + b.other_s, 0, TOLERANCE_S);
	b = trace_mean_breakdown(summary);
	assert_near(b.useful_s, 5, TOLERANCE_S);
	assert_near(b.waiting_s, 2.5, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void ended_and_sleeping_time_is_told_apart(void **state)
{
	struct cluster cluster = {.n_nodes = 1, .cores = 2};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 0}, &cluster, &to);
	struct trace_breakdown b;

	/* Rank 0 computes 1 s, sleeps 2 s, ends at 3. Rank 1 computes 10 s. */
	compute(&to, 0, NULL, 0, 1, 1, 0);
	end_rank(&to, 0, 3);
	compute(&to, 1, NULL, 0, 10, 10, 0);
	end_rank(&to, 1, 10);
	trace_summary_close(summary, at(10));
	b = trace_rank_breakdown(summary, 0);
	assert_near(b.ended_s, 7, TOLERANCE_S);
	assert_near(b.other_s, 2, TOLERANCE_S);
	/* 11 s of computation on 2 cores held for 10 s. */
	assert_near(trace_efficiency(summary), 11.0 / 20, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void efficiency_counts_only_nodes_that_carry_ranks(void **state)
{
	struct cluster cluster = {.n_nodes = 8, .cores = 4};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){2, 5}, &cluster, &to);

	two_ranks(&to);
	trace_summary_close(summary, at(10));
	/* 10 s useful; 2 nodes × 4 cores × 10 s. */
	assert_near(trace_efficiency(summary), 10.0 / 80, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void released_node_stops_counting(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 1}, &cluster, &to);

	/* Each computes 4 s, rank 1 releases its node at 5, rank 0 goes on to 10: 8 / (10 + 5). */
	compute(&to, 0, NULL, 0, 4, 4, 0);
	compute(&to, 1, NULL, 0, 4, 4, 0);
	release(&to, 1, 5);
	release(&to, 1, 6); /* twice is once */
	trace_summary_close(summary, at(10));
	assert_near(trace_efficiency(summary), 8.0 / 15, TOLERANCE_S);
	assert_near(trace_held_core_s(summary, at(4), at(6)), 3, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void acquired_node_counts_again(void **state)
{
	struct cluster cluster = {.n_nodes = 1, .cores = 2};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(1, (int[]){0}, &cluster, &to);

	/* Held from 0 to 2, from 5 to 6 and from 8 to 10: 5 s with 2 cores; of [1, 9] 1 + 1 + 1. */
	acquire(&to, 0, 1); /* it holds it already */
	release(&to, 0, 2);
	acquire(&to, 0, 5);
	release(&to, 0, 6);
	acquire(&to, 0, 8);
	trace_summary_close(summary, at(10));
	assert_near(trace_held_core_s(summary, 0, at(10)), 10, TOLERANCE_S);
	assert_near(trace_held_core_s(summary, at(1), at(9)), 6, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void node_is_held_until_its_last_rank_releases_it(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(3, (int[]){0, 1, 1}, &cluster, &to);

	release(&to, 1, 2);
	release(&to, 1, 3); /* again: does not stand for rank 2 */
	compute(&to, 2, NULL, 0, 7, 7, 0);
	release(&to, 2, 7);
	trace_summary_close(summary, at(10));
	/* Node 0 for 10 s, node 1 for 7 s. */
	assert_near(trace_held_core_s(summary, 0, at(10)), 17, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void rank_that_ends_does_not_release_its_node(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 1}, &cluster, &to);

	end_rank(&to, 1, 1);
	trace_summary_close(summary, at(10));
	assert_near(trace_held_core_s(summary, 0, at(10)), 20, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void empty_run_has_efficiency_0(void **state)
{
	struct cluster cluster = {.n_nodes = 1, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(1, (int[]){0}, &cluster, &to);

	trace_summary_close(summary, 0);
	assert_true(trace_efficiency(summary) == 0);
	trace_summary_destroy(summary);
}

static void totals_are_kept_by_name_whatever_the_address(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 1}, &cluster, &to);
	char other_address[] = "MPI_Send";

	call(&to, 0, "MPI_Recv", 0, 3, 1);
	call(&to, 1, "MPI_Send", 0, 1, 0);
	call(&to, 1, other_address, 1, 3, 1);
	compute(&to, 0, "dgemm", 3, 5, 2, 0);
	compute(&to, 1, "dgemm", 3, 5, 1, 1);
	compute(&to, 1, NULL, 5, 6, 1, 0);
	trace_summary_close(summary, at(6));
	assert_int_equal(summary->call_names.n, 2);
	assert_string_equal(summary->call_names.text[1], "MPI_Send");
	assert_int_equal(summary->calls[1].n, 2);
	assert_near(summary->calls[1].time_s, 3, TOLERANCE_S);
	assert_near(summary->calls[1].waiting_s, 1, TOLERANCE_S);
	assert_int_equal(summary->kernel_names.n, 2);
	assert_int_equal(summary->kernels[0].n, 2);
	assert_near(summary->kernels[0].time_s, 4, TOLERANCE_S);
	assert_near(summary->kernels[0].useful_s, 3, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void sums_over_many_ranks_do_not_overflow(void **state)
{
	enum { N = 200 };
	struct cluster cluster = {.n_nodes = 1, .cores = 1};
	struct sim_observers to = {.n = 0};
	int node_of[N] = {0};
	struct trace_summary *summary = summary_of(N, node_of, &cluster, &to);

	/* 200 ranks, 100 000 s each: 2e19 ps, more than 63 bits hold. */
	for (int rank = 0; rank < N; rank++) {
		phase(&to, rank, "a", 1, 0);
		compute(&to, rank, "k", 0, 1e5, 1e5 / N, 0);
		call(&to, rank, "MPI_Recv", 1e5, 2e5, 1e5);
		phase(&to, rank, "a", 0, 2e5);
	}
	trace_summary_close(summary, at(2e5));
	assert_near(summary->kernels[0].time_s, 2e7, 1);
	assert_near(summary->calls[0].waiting_s, 2e7, 1);
	assert_near(summary->phases.of[0]->time_s, 4e7, 1);
	assert_near(summary->phases.of[0]->waiting_s, 2e7, 1);
	trace_summary_destroy(summary);
}

static void messages_are_counted_at_both_ends(void **state)
{
	struct cluster cluster = {.n_nodes = 1, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(2, (int[]){0, 0}, &cluster, &to);

	message(&to, 0, 1, 100, 0);
	message(&to, 0, 1, 20, 1);
	message(&to, 1, 0, 3, 1);
	trace_summary_close(summary, at(1));
	assert_int_equal(summary->n_messages, 3);
	assert_int_equal(summary->n_bytes, 123);
	assert_int_equal(summary->n_collective_messages, 2);
	assert_int_equal(summary->n_collective_bytes, 23);
	assert_int_equal(summary->ranks[0].sums.n_sent, 2);
	assert_int_equal(summary->ranks[0].sums.sent_B, 120);
	assert_int_equal(summary->ranks[0].sums.received_B[1], 3);
	assert_int_equal(summary->ranks[1].sums.n_received[0] + summary->ranks[1].sums.n_received[1], 2);
	trace_summary_destroy(summary);
}

static void curve_keeps_what_it_is_given(void **state)
{
	struct cluster cluster = {.n_nodes = 1, .cores = 1};
	struct sim_observers to = {.n = 0};
	struct trace_summary *summary = summary_of(1, (int[]){0}, &cluster, &to);
	struct trace_window windows[64];
	double sum_s = 0, held_s = 0;
	int n;

	/* Useful at rate 1 during [0,2], 0 during [2,6], 0.5 during [6,8]. */
	compute(&to, 0, NULL, 0, 2, 2, 0);
	compute(&to, 0, NULL, 6, 8, 1, 1);
	trace_summary_close(summary, at(8));
	n = trace_efficiency_curve(summary, 64, windows);
	assert_in_range(n, 16, 64);
	assert_true(windows[0].begin_s == 0);
	assert_near(windows[n - 1].end_s, 8, TOLERANCE_S);
	for (int i = 0; i < n; i++) {
		const struct trace_window *w = &windows[i];

		assert_true(i == 0 || w->begin_s == windows[i - 1].end_s);
		sum_s += w->useful_s;
		held_s += w->held_core_s;
		if (w->end_s <= 2)
			assert_near(w->efficiency, 1, 1e-6);
		else if (w->begin_s >= 2 && w->end_s <= 6)
			assert_near(w->efficiency, 0, 1e-6);
		else if (w->begin_s >= 6)
			assert_near(w->efficiency, 0.5, 1e-6);
	}
	assert_near(sum_s, 3, TOLERANCE_S);
	assert_near(held_s, 8, TOLERANCE_S);
	assert_int_equal(trace_efficiency_curve(summary, 1, windows), 1);
	assert_near(windows[0].efficiency, 3.0 / 8, TOLERANCE_S);
	trace_summary_destroy(summary);
}

static void curve_survives_long_and_tiny_times(void **state)
{
	struct trace_curve curve;
	double sum = 0;

	trace_curve_init(&curve);
	trace_curve_add(&curve, 0, 0, 1);
	trace_curve_add(&curve, 5, 7, 1);
	trace_curve_add(&curve, 3, SIM_TIME_MAX - 1, 1);
	trace_curve_add(&curve, SIM_TIME_MAX - 1, SIM_TIME_MAX - 1, 1);
	for (int i = 0; i < TRACE_CURVE_BINS; i++)
		sum += curve.amount[i];
	assert_near(sum, 4, 1e-6);
	assert_in_range(trace_curve_n(&curve, SIM_TIME_MAX - 1), 1, TRACE_CURVE_BINS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(breakdown_adds_up_to_the_running_time),
	    cmocka_unit_test(ended_and_sleeping_time_is_told_apart),
	    cmocka_unit_test(efficiency_counts_only_nodes_that_carry_ranks),
	    cmocka_unit_test(released_node_stops_counting),
	    cmocka_unit_test(acquired_node_counts_again),
	    cmocka_unit_test(node_is_held_until_its_last_rank_releases_it),
	    cmocka_unit_test(rank_that_ends_does_not_release_its_node),
	    cmocka_unit_test(empty_run_has_efficiency_0),
	    cmocka_unit_test(totals_are_kept_by_name_whatever_the_address),
	    cmocka_unit_test(sums_over_many_ranks_do_not_overflow),
	    cmocka_unit_test(messages_are_counted_at_both_ends),
	    cmocka_unit_test(curve_keeps_what_it_is_given),
	    cmocka_unit_test(curve_survives_long_and_tiny_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
