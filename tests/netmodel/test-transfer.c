/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers on the star switch: hand-derived times and rates (docs/model.md §3). */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 12\n"
/* 1 MB takes 1 s, without latency. */
#define PLAIN "network: {latency: 0, bandwidth: 1 MB/s}\n"
#define LITERAL "network: {latency: 0, bandwidth: 1 MB/s, model: thesis}\n"
#define MB 1000000

enum { A, B, C, D, E, P, Q, X };

static void one_transfer_takes_latency_plus_size_over_bandwidth(void **state)
{
	static const char *const models[] = {"fluid", "thesis"};

	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail mail;
		char yaml[256];

		snprintf(yaml, sizeof(yaml),
			 HEAD
			 "network: {latency: 1350us, bandwidth: 11.85 MB/s, model: %s}\n",
			 models[k]);
		fixture_open(&f, yaml);
		mail_send(&f, &mail, 0, 1, 10000);
		assert_true(mail.done_s < 0); /* never from within start */
		fixture_run(&f);
		/* 1350 us + 10000 B / 11.85 MB/s = 1350 us + 843.88185654 us */
		assert_near(mail.done_s, 1350e-6 + 10000 / 11.85e6, ONE_PS);
		fixture_close(&f);
	}
}

static void latency_is_shared_or_not_as_the_model_says(void **state)
{
	static const struct {
		const char *model;
		double both_s;
	} cases[] = {
	    /* a delay: 1 s of latency side by side, then 2 × 1 s of bytes on one link */
	    {"fluid", 3},
	    /* shared: twice (1 s + 1 s) on one link */
	    {"thesis", 4},
	};

	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail mails[2];
		char yaml[256];

		snprintf(yaml, sizeof(yaml),
			 HEAD "network: {latency: 1s, bandwidth: 1 MB/s, model: %s}\n",
			 cases[k].model);
		fixture_open(&f, yaml);
		mail_send(&f, &mails[0], A, C, MB);
		mail_send(&f, &mails[1], B, C, MB);
		fixture_run(&f);
		assert_near(mails[0].done_s, cases[k].both_s, 2 * ONE_PS);
		assert_near(mails[1].done_s, cases[k].both_s, 2 * ONE_PS);
		fixture_close(&f);
	}
}

static void transfers_to_one_node_share_its_link(void **state)
{
	static const char *const yaml[] = {HEAD PLAIN, HEAD LITERAL};

	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail ac, bc, dc, bd;

		fixture_open(&f, yaml[k]);
		mail_send(&f, &ac, A, C, MB);
		mail_send(&f, &bc, B, C, MB);
		mail_send(&f, &dc, D, C, MB);
		fixture_settle(&f);
		/* C's incoming link carries three. */
		assert_near(ac.transfer.rate, 1.0 / 3, 1e-12);
		assert_near(bc.transfer.rate, 1.0 / 3, 1e-12);
		assert_near(dc.transfer.rate, 1.0 / 3, 1e-12);
		mail_send(&f, &bd, B, D, MB);
		fixture_settle(&f);
		/* B's outgoing link has 1 - 1/3 left. */
		assert_near(bd.transfer.rate, 2.0 / 3, 1e-12);
		assert_near(bc.transfer.rate, 1.0 / 3, 1e-12);
		fixture_run(&f);
		/* bd ends after 1.5 s; the others never notice. */
		assert_near(bd.done_s, 1.5, 4 * ONE_PS);
		assert_near(ac.done_s, 3, 4 * ONE_PS);
		assert_near(bc.done_s, 3, 4 * ONE_PS);
		assert_near(dc.done_s, 3, 4 * ONE_PS);
		fixture_close(&f);
	}
}

/* A … E each send to P and Q; A and B also send to X. */
static void send_twelve(struct fixture *f, struct mail mails[12])
{
	int n = 0;

	for (int from = A; from <= E; from++) {
		mail_send(f, &mails[n++], from, P, MB);
		mail_send(f, &mails[n++], from, Q, MB);
	}
	mail_send(f, &mails[n++], A, X, MB);
	mail_send(f, &mails[n++], B, X, MB);
}

static void algorithm1_gives_way_to_maxmin_where_it_overfills_a_link(void **state)
{
	struct fixture f;
	struct mail mails[12];

	fixture_open(&f, HEAD LITERAL);
	send_twelve(&f, mails);
	fixture_settle(&f);
	/*
	 * Literally: P and Q carry five each, 1/5 per transfer; A and B have 1 - 2/5 = 0.6 left for
	 * X, whose link would carry 1.2. Max-min: the ten get 1/5; X's link gives 1/2 to each, and
	 * A's needs 2/5 + 1/2 < 1.
	 */
	for (int k = 0; k < 10; k++)
		assert_near(mails[k].transfer.rate, 0.2, 1e-12);
	assert_near(mails[10].transfer.rate, 0.5, 1e-12);
	assert_near(mails[11].transfer.rate, 0.5, 1e-12);
	assert_int_equal(net_model_stats(f.model).n_algorithm1_infeasible, 1);
	assert_near(net_model_link_load(f.model, X, 1), 1, 1e-12);
	fixture_run(&f);
	assert_near(mails[10].done_s, 2, 4 * ONE_PS);
	/* Nothing speeds up the ten: P and Q stay full until their end. When the two ended,
	 * Algorithm 1 was feasible again. */
	assert_near(mails[0].done_s, 5, 4 * ONE_PS);
	assert_int_equal(net_model_stats(f.model).n_algorithm1_infeasible, 1);
	fixture_close(&f);
}

static void algorithm1_and_maxmin_differ_where_both_are_feasible(void **state)
{
	struct fixture f;
	struct mail ap, bp, cp, aq, bq;

	/*
	 * P: 3, A: 2, B: 2, Q: 2. Literally: P gives 1/3; A (first by index) gives its rest 2/3 to
	 * Q; so does B: Q carries 4/3, infeasible: max-min gives 1/2 on Q. With C -> Q as well Q
	 * carries 3: literally P and Q give 1/3 each, feasible.
	 */
	fixture_open(&f, HEAD LITERAL);
	mail_send(&f, &ap, A, P, MB);
	mail_send(&f, &bp, B, P, MB);
	mail_send(&f, &cp, C, P, MB);
	mail_send(&f, &aq, A, Q, MB);
	mail_send(&f, &bq, B, Q, MB);
	fixture_settle(&f);
	assert_near(aq.transfer.rate, 0.5, 1e-12);
	assert_int_equal(net_model_stats(f.model).n_algorithm1_infeasible, 1);
	fixture_close(&f);

	/*
	 * A -> P, Q, X; B -> P, Q; C -> P. A: 3, P: 3, the others fewer. A is first: 1/3 each. P:
	 * its other two share 2/3: 1/3 each. B has 1 - 1/3 left for Q: 2/3; Q carries 1/3 + 2/3.
	 */
	fixture_open(&f, HEAD LITERAL);
	struct mail m[6];
	static const int pairs[6][2] = {{A, P}, {A, Q}, {A, X}, {B, P}, {B, Q}, {C, P}};
	static const double rates[6] = {1. / 3, 1. / 3, 1. / 3, 1. / 3, 2. / 3, 1. / 3};

	for (int k = 0; k < 6; k++)
		mail_send(&f, &m[k], pairs[k][0], pairs[k][1], MB);
	fixture_settle(&f);
	for (int k = 0; k < 6; k++)
		assert_near(m[k].transfer.rate, rates[k], 1e-12);
	assert_int_equal(net_model_stats(f.model).n_algorithm1_infeasible, 0);
	fixture_close(&f);
}

static void infeasible_component_leaves_others_literal_until_they_merge(void **state)
{
	struct fixture f;
	struct mail mails[12], alone, bridge;

	fixture_open(&f, HEAD LITERAL);
	send_twelve(&f, mails);
	mail_send(&f, &alone, 8, 9, 10 * MB);
	fixture_settle(&f);
	assert_near(mails[10].transfer.rate, 0.5, 1e-12);
	assert_near(alone.transfer.rate, 1, 1e-12);
	/* A transfer in the other component: the first is not looked at. */
	mail_send(&f, &bridge, 8, 10, MB);
	fixture_settle(&f);
	assert_near(alone.transfer.rate, 0.5, 1e-12);
	assert_int_equal(net_model_stats(f.model).n_algorithm1_infeasible, 1);
	fixture_run(&f);
	/* alone: 10 MB, of which it sent 1 MB in the 2 s that it shared with bridge. */
	assert_near(bridge.done_s, 2, 4 * ONE_PS);
	assert_near(alone.done_s, 11, 4 * ONE_PS);
	fixture_close(&f);
}

static void a_transfer_joins_two_components_and_its_end_parts_them(void **state)
{
	struct fixture f;
	struct mail mails[12], alone, bridge;

	fixture_open(&f, HEAD LITERAL);
	mail_send(&f, &alone, 8, 9, 100 * MB);
	fixture_settle(&f);
	send_twelve(&f, mails);
	mail_send(&f, &bridge, 8, X, MB / 10);
	fixture_settle(&f);
	/* X carries three now; A, B (3 each) are first after P, Q: 0.6 each for X: infeasible.
	 * Max-min: 1/3 each, alone gets 2/3. */
	assert_near(mails[10].transfer.rate, 1. / 3, 1e-12);
	assert_near(bridge.transfer.rate, 1. / 3, 1e-12);
	assert_near(alone.transfer.rate, 2. / 3, 1e-12);
	while (bridge.done_s < 0)
		sim_engine_step(&f.engine);
	fixture_settle(&f);
	assert_near(bridge.done_s, 0.3, ONE_PS);
	assert_near(alone.transfer.rate, 1, 1e-12);
	assert_near(mails[10].transfer.rate, 0.5, 1e-12);
	fixture_close(&f);
}

static void intra_node_transfers_share_nothing(void **state)
{
	struct fixture f;
	struct mail inside, inside2, outside;

	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s, "
			      "intra_node: {latency: 1ms, bandwidth: 10 MB/s}}\n");
	mail_send(&f, &inside, A, A, MB);
	mail_send(&f, &inside2, A, A, MB);
	mail_send(&f, &outside, A, B, MB);
	fixture_run(&f);
	assert_near(inside.done_s, 0.101, ONE_PS);
	assert_near(inside2.done_s, 0.101, ONE_PS);
	assert_near(outside.done_s, 1, ONE_PS);
	fixture_close(&f);
}

static void zero_work_completes_now_but_not_inside_start(void **state)
{
	struct fixture f;
	struct mail empty, instant;

	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: inf}\n");
	mail_send(&f, &empty, A, B, 0);
	mail_send(&f, &instant, A, B, MB);
	assert_true(empty.done_s < 0);
	fixture_run(&f);
	assert_true(empty.done_s == 0);
	assert_true(instant.done_s == 0);
	fixture_close(&f);
}

struct chain {
	struct mail mail; /* first */
	int n_left;
};

static void chain_next(struct net_transfer *transfer)
{
	struct chain *chain = (struct chain *)transfer;

	if (chain->n_left-- > 0)
		net_transfer_start(transfer->model, transfer, A, B, 1, chain_next);
}

static void a_transfer_object_can_be_started_again_in_done(void **state)
{
	struct fixture f;
	struct chain chain = {.n_left = 999};

	fixture_open(&f, HEAD "network: {latency: 1us, bandwidth: 1 MB/s}\n");
	net_transfer_start(f.model, &chain.mail.transfer, A, B, 1, chain_next);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 1000 * 2e-6, 1e-15);
	fixture_close(&f);
}

static void variation_is_reproducible_and_within_its_amplitude(void **state)
{
	double first[50];

	for (int run = 0; run < 3; run++) {
		struct fixture f;
		struct mail mails[50];
		int n_different = 0;

		fixture_open(&f, "mpisim_cluster: 1\nnodes: 100\n" PLAIN);
		net_model_vary(f.model, 0.1, 0.5, run < 2 ? 7 : 8);
		for (int k = 0; k < 50; k++)
			mail_send(&f, &mails[k], k, 50 + k, MB);
		fixture_run(&f);
		for (int k = 0; k < 50; k++) {
			assert_true(mails[k].done_s >= 0.9 && mails[k].done_s <= 1.1);
			if (run == 1)
				assert_true(mails[k].done_s == first[k]);
			n_different += mails[k].done_s != first[k];
			if (run == 0)
				first[k] = mails[k].done_s;
		}
		if (run == 2)
			assert_true(n_different > 40);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(one_transfer_takes_latency_plus_size_over_bandwidth),
	    cmocka_unit_test(latency_is_shared_or_not_as_the_model_says),
	    cmocka_unit_test(transfers_to_one_node_share_its_link),
	    cmocka_unit_test(algorithm1_gives_way_to_maxmin_where_it_overfills_a_link),
	    cmocka_unit_test(algorithm1_and_maxmin_differ_where_both_are_feasible),
	    cmocka_unit_test(infeasible_component_leaves_others_literal_until_they_merge),
	    cmocka_unit_test(a_transfer_joins_two_components_and_its_end_parts_them),
	    cmocka_unit_test(intra_node_transfers_share_nothing),
	    cmocka_unit_test(zero_work_completes_now_but_not_inside_start),
	    cmocka_unit_test(a_transfer_object_can_be_started_again_in_done),
	    cmocka_unit_test(variation_is_reproducible_and_within_its_amplitude),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
