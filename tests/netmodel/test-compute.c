/* SPDX-License-Identifier: BSD-3-Clause */
/* Computations on nodes: cores, speeds, CPU cost of communication (docs/model.md §4), times derived
 * by hand. */
#include "tests/netmodel/fixture.h"

#define MB 1000000
#define NET "network: {latency: 0, bandwidth: 1 MB/s}\n"

static void computations_share_the_cores_of_their_node(void **state)
{
	struct fixture f;
	struct work works[4], elsewhere;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\ncores: 2\n" NET);
	/*
	 * Two cores, works of 1, 2, 3, 4 s. Four run at 1/2 until t = 2 (the first did 1 s); three
	 * at 2/3: the second has 1 s left: t = 3.5; then two with 3 - 2 = 1 s and 4 - 2 = 2 s left,
	 * on a core each: t = 4.5 and t = 5.5.
	 */
	for (int k = 0; k < 4; k++)
		work_begin(&f, &works[k], 0, k + 1);
	work_begin(&f, &elsewhere, 1, 2.5);
	assert_true(elsewhere.done_s < 0);
	fixture_run(&f);
	assert_near(works[0].done_s, 2, ONE_PS);
	assert_near(works[1].done_s, 3.5, 2 * ONE_PS);
	assert_near(works[2].done_s, 4.5, 3 * ONE_PS);
	assert_near(works[3].done_s, 5.5, 4 * ONE_PS);
	assert_near(elsewhere.done_s, 2.5, ONE_PS);
	for (int k = 0; k < 4; k++) {
		assert_true(works[k].compute.useful_s == k + 1);
		assert_true(works[k].compute.stolen_s == 0);
		assert_near(works[k].compute.shared_s, works[k].done_s - (k + 1), 1e-11);
	}
	assert_true(elsewhere.compute.shared_s == 0);
	fixture_close(&f);
}

static void a_slow_node_takes_longer(void **state)
{
	struct fixture f;
	struct work works[2];

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\ncpu: {speed: [1, 0.5]}\n" NET);
	work_begin(&f, &works[0], 0, 3);
	work_begin(&f, &works[1], 1, 3);
	fixture_run(&f);
	assert_near(works[0].done_s, 3, ONE_PS);
	assert_near(works[1].done_s, 6, ONE_PS);
	/* Useful is what it takes on an idle core of its own node: nothing was lost. */
	assert_near(works[1].compute.useful_s, 6, 1e-15);
	assert_true(works[1].compute.shared_s == 0 && works[1].compute.stolen_s == 0);
	fixture_close(&f);
}

static void a_change_of_speed_holds_for_what_is_under_way(void **state)
{
	struct fixture f;
	struct work works[2], elsewhere;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\ncpu: {speed: [2, 1], speed_changes: "
			 "[{node: 0, at: 3s, speed: 4}, {node: 0, at: 1s, speed: 1}]}\n" NET);
	/*
	 * One core, works of 3 and 9 s on the reference CPU. Speed 2 until t = 1: each has done 1 s.
	 * Speed 1 until t = 3: each has done 1 s more. Speed 4: each gets 2 s per s, the first has 1 s
	 * left: t = 3.5; the second has 9 - 3 = 6 s left, at 4: t = 5.
	 * Useful on an otherwise idle core: half of the time until 3.5, all of it after: 1.75, and
	 * 1.75 + 1.5. Node 1 has one speed.
	 */
	work_begin(&f, &works[0], 0, 3);
	work_begin(&f, &works[1], 0, 9);
	work_begin(&f, &elsewhere, 1, 4);
	fixture_run(&f);
	assert_near(works[0].done_s, 3.5, 2 * ONE_PS);
	assert_near(works[1].done_s, 5, 3 * ONE_PS);
	assert_near(works[0].compute.useful_s, 1.75, 1e-11);
	assert_near(works[1].compute.useful_s, 3.25, 1e-11);
	assert_near(works[1].compute.shared_s, 1.75, 1e-11);
	assert_near(elsewhere.done_s, 4, ONE_PS);
	assert_near(elsewhere.compute.useful_s, 4, 1e-15);
	fixture_close(&f);
}

static void a_change_of_speed_moves_no_clock(void **state)
{
	struct fixture f;
	struct work work;

	/* 1 s before the change at 10 s: the run is over then. */
	fixture_open(&f, "mpisim_cluster: 1\nnodes: 1\ncpu: {speed_changes: "
			 "[{node: 0, at: 10s, speed: 0.5}]}\n" NET);
	work_begin(&f, &work, 0, 1);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 1, ONE_PS);
	fixture_close(&f);
}

static void computations_that_share_memory_slow_each_other_down(void **state)
{
	struct fixture f;
	struct work works[3], alone;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\ncores: 2\ncpu: {contention: [1, 0.8]}\n" NET);
	/*
	 * Works of 1, 2 and 4 s on two cores, each core at 0.8. Three run at 0.8·2/3 = 8/15 until t = 15/8; two at 0.8, the
	 * second with 1 s left: t = 15/8 + 5/4 = 25/8; the last one alone has 4 - 2 = 2 s left: t = 41/8.
	 */
	for (int k = 0; k < 3; k++)
		work_begin(&f, &works[k], 0, 1 << k);
	work_begin(&f, &alone, 1, 2.5);
	fixture_run(&f);
	assert_near(works[0].done_s, 15.0 / 8, 2 * ONE_PS);
	assert_near(works[1].done_s, 25.0 / 8, 3 * ONE_PS);
	assert_near(works[2].done_s, 41.0 / 8, 4 * ONE_PS);
	assert_near(alone.done_s, 2.5, ONE_PS);
	/* It is lost to the others on the node, not to communication. */
	assert_near(works[2].compute.shared_s, 41.0 / 8 - 4, 1e-11);
	assert_true(works[2].compute.stolen_s == 0 && works[2].compute.useful_s == 4);
	fixture_close(&f);
}

/* 0.1 per outgoing, 0.2 per incoming transfer; beyond two the last row or column holds. */
#define COST "cpu: {communication_cost: {table: [[0, .2, .4], [.1, .3, .5], [.2, .4, .6]]}}\n"

static void communication_steals_from_computation(void **state)
{
	struct fixture f;
	struct work sender, receiver;
	struct mail mail;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\n" COST NET);
	/*
	 * A transfer of 1 s. The sender computes at 0.9 in the first second; 2 s of work end at 1 +
	 * (2 - 0.9) = 2.1. The receiver at 0.8: 2.2.
	 */
	work_begin(&f, &sender, 0, 2);
	work_begin(&f, &receiver, 1, 2);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(mail.done_s, 1, ONE_PS);
	assert_near(sender.done_s, 2.1, 2 * ONE_PS);
	assert_near(receiver.done_s, 2.2, 2 * ONE_PS);
	assert_near(sender.compute.stolen_s, 0.1, 1e-12);
	assert_near(receiver.compute.stolen_s, 0.2, 1e-12);
	assert_true(sender.compute.shared_s == 0);
	fixture_close(&f);
}

static void beyond_the_table_its_last_row_and_column_hold(void **state)
{
	struct fixture f;
	struct work sender;
	struct mail mails[5];

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 6\n" COST NET);
	work_begin(&f, &sender, 0, 10);
	for (int k = 0; k < 5; k++)
		mail_send(&f, &mails[k], 0, 1 + k, MB); /* five outgoing for 5 s, as two: 0.2 */
	fixture_run(&f);
	assert_near(mails[4].done_s, 5, 4 * ONE_PS);
	assert_near(sender.done_s, 11, 4 * ONE_PS);
	assert_near(cluster_cpu_cost(f.cluster, 5, 1), 0.4, 1e-15);
	assert_near(cluster_cpu_cost(f.cluster, 1, 9), 0.5, 1e-15);
	fixture_close(&f);
}

static void sharing_and_stealing_are_told_apart(void **state)
{
	struct fixture f;
	struct work works[2];
	struct mail mail;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 2\n" COST NET);
	/*
	 * Two of 1 s on one core that loses 0.2 for 1 s: each does 0.4 in the first second, then
	 * 0.5 per second: 0.6/0.5 = 1.2 s more. Of the 2.2 s: 1 useful; shared (1 - 1/2) × 2.2
	 * = 1.1; stolen (1/2 - 0.4) × 1 = 0.1.
	 */
	work_begin(&f, &works[0], 1, 1);
	work_begin(&f, &works[1], 1, 1);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	for (int k = 0; k < 2; k++) {
		assert_near(works[k].done_s, 2.2, 3 * ONE_PS);
		assert_near(works[k].compute.shared_s, 1.1, 1e-11);
		assert_near(works[k].compute.stolen_s, 0.1, 1e-11);
	}
	fixture_close(&f);
}

static void idle_cores_pay_for_communication_first(void **state)
{
	struct fixture f;
	struct work works[2];
	struct mail mail;

	/* Two cores, cost 0.5: one computation loses nothing, min(1, (2 - 0.5)/1) = 1. */
	fixture_open(&f, "mpisim_cluster: 1\nnodes: 3\ncores: 2\n"
			 "cpu: {communication_cost: {incoming: 0.5, outgoing: 0.5}}\n" NET);
	work_begin(&f, &works[0], 0, 1);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(works[0].done_s, 1, ONE_PS);
	assert_true(works[0].compute.stolen_s == 0);
	/* Two get 0.75 each for a second, then 1: 1.25 s. */
	work_begin(&f, &works[0], 0, 1);
	work_begin(&f, &works[1], 0, 1);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(works[0].done_s, 1 + 1.25, 4 * ONE_PS);
	fixture_close(&f);
	/* Cost 1.5 leaves half a core to one computation: 0.5 in the first second, then 0.5 s more.
	 */
	fixture_open(&f, "mpisim_cluster: 1\nnodes: 3\ncores: 2\n"
			 "cpu: {communication_cost: {outgoing: 1.5, maximum: 2}}\n" NET);
	work_begin(&f, &works[0], 0, 1);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(works[0].done_s, 1.5, 2 * ONE_PS);
	assert_near(works[0].compute.stolen_s, 0.5, 1e-12);
	fixture_close(&f);
}

static void communication_that_takes_all_only_delays(void **state)
{
	struct fixture f;
	struct work work;
	struct mail mail;

	fixture_open(
	    &f,
	    "mpisim_cluster: 1\nnodes: 2\ncpu: {communication_cost: {incoming: 1, outgoing: 1, "
	    "scale: 7}}\n" NET);
	work_begin(&f, &work, 0, 1);
	mail_send(&f, &mail, 0, 1, 3 * MB);
	fixture_run(&f);
	assert_near(work.done_s, 4, 3 * ONE_PS); /* 3 s at rate 0, then 1 s */
	assert_near(work.compute.stolen_s, 3, 1e-11);
	fixture_close(&f);
}

static void zero_work_ends_now_but_not_inside_start(void **state)
{
	struct fixture f;
	struct work zero, other;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 1\n" NET);
	work_begin(&f, &other, 0, 1);
	work_begin(&f, &zero, 0, 0);
	assert_true(zero.done_s < 0);
	fixture_run(&f);
	assert_true(zero.done_s == 0);
	assert_near(other.done_s, 1, ONE_PS); /* it never shared */
	fixture_close(&f);
}

static int order[64], n_ordered;

static void note_order(struct net_compute *compute)
{
	order[n_ordered++] = (int)(compute->work_s * 1000) % 1000;
}

static void many_computations_end_in_the_order_of_their_work(void **state)
{
	struct fixture f;
	struct net_compute computes[64];
	double total = 0;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 1\n" NET);
	n_ordered = 0;
	for (int k = 0; k < 64; k++) {
		int place = (k * 37) % 64;

		net_compute_start(f.model, &computes[k], 0, place * 0.001 + 0.0005 + 1, note_order);
		total += place * 0.001 + 0.0005 + 1;
	}
	fixture_run(&f);
	assert_int_equal(n_ordered, 64);
	for (int k = 0; k < 64; k++)
		assert_int_equal(order[k], k);
	/* The core was busy throughout. */
	assert_near(sim_time_to_s(f.engine.now), total, 64 * ONE_PS);
	fixture_close(&f);
}

struct repeat {
	struct net_compute compute;
	int n_left;
};

static void repeat_work(struct net_compute *compute)
{
	struct repeat *repeat = (struct repeat *)compute;

	if (repeat->n_left-- > 0)
		net_compute_start(compute->model, compute, 0, 0.25, repeat_work);
}

static void a_computation_object_can_be_started_again_in_done(void **state)
{
	struct fixture f;
	struct repeat repeats[3];

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 1\n" NET);
	for (int k = 0; k < 3; k++) {
		repeats[k].n_left = 99;
		net_compute_start(f.model, &repeats[k].compute, 0, 0.25, repeat_work);
	}
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 3 * 100 * 0.25, 300 * ONE_PS);
	fixture_close(&f);
}

static void variation_of_work_is_within_its_amplitude(void **state)
{
	struct fixture f;
	struct work works[100];
	double lowest = 2, highest = 0;

	fixture_open(&f, "mpisim_cluster: 1\nnodes: 100\n" NET);
	net_model_vary(f.model, 0, 0.25, 3);
	for (int k = 0; k < 100; k++)
		work_begin(&f, &works[k], k, 1);
	fixture_run(&f);
	for (int k = 0; k < 100; k++) {
		lowest = works[k].done_s < lowest ? works[k].done_s : lowest;
		highest = works[k].done_s > highest ? works[k].done_s : highest;
	}
	assert_true(lowest >= 0.75 && lowest < 0.8);
	assert_true(highest <= 1.25 && highest > 1.2);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(computations_share_the_cores_of_their_node),
	    cmocka_unit_test(a_slow_node_takes_longer),
		cmocka_unit_test(a_change_of_speed_holds_for_what_is_under_way),
		cmocka_unit_test(a_change_of_speed_moves_no_clock),
	    cmocka_unit_test(computations_that_share_memory_slow_each_other_down),
	    cmocka_unit_test(communication_steals_from_computation),
	    cmocka_unit_test(beyond_the_table_its_last_row_and_column_hold),
	    cmocka_unit_test(sharing_and_stealing_are_told_apart),
	    cmocka_unit_test(idle_cores_pay_for_communication_first),
	    cmocka_unit_test(communication_that_takes_all_only_delays),
	    cmocka_unit_test(zero_work_ends_now_but_not_inside_start),
	    cmocka_unit_test(many_computations_end_in_the_order_of_their_work),
	    cmocka_unit_test(a_computation_object_can_be_started_again_in_done),
	    cmocka_unit_test(variation_of_work_is_within_its_amplitude),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
