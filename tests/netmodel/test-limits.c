/* SPDX-License-Identifier: BSD-3-Clause */
/* Links that carry less the more transfers they have, or while both directions carry some
 * (docs/model.md §3): hand-derived, and as a property of random traffic. */
#include "tests/netmodel/fixture.h"

#include "util/rng.h"

#define HEAD "mpisim_cluster: 1\nnodes: 8\n"
#define MB 1000000

enum { A, B, C, D, E };
static const char *const rules[] = {"fluid", "thesis"};

static void open_with(struct fixture *f, const char *rule, const char *keys)
{
	char yaml[512];

	snprintf(yaml, sizeof(yaml),
		 HEAD "network: {latency: 0, bandwidth: 1 MB/s, model: %s, %s}\n", rule, keys);
	fixture_open(f, yaml);
}

static void a_node_that_sends_and_receives_loses_the_penalty_both_ways(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail ab, ba;

		open_with(&f, rules[k], "losses: {duplex: 0.1}");
		mail_send(&f, &ab, A, B, MB);
		fixture_run(&f);
		assert_near(ab.done_s, 1, ONE_PS); /* one way: nothing is lost */
		mail_send(&f, &ab, A, B, MB);
		mail_send(&f, &ba, B, A, MB);
		fixture_run(&f);
		assert_near(ab.done_s, 1 + 1 / 0.9, 2 * ONE_PS);
		assert_near(ba.done_s, 1 + 1 / 0.9, 2 * ONE_PS);
		fixture_close(&f);
	}
}

static void the_penalty_lasts_while_both_directions_carry_transfers(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail ab, ca, again;

		/* A sends to B and receives from C: both at 0.9, though B and C go one way only. C→A's
		 * 0.45 MB are there after 0.5 s; A→B has 0.55 MB left and goes on at full speed. */
		open_with(&f, rules[k], "losses: {duplex: 0.1}");
		mail_send(&f, &ab, A, B, MB);
		mail_send(&f, &ca, C, A, 450000);
		fixture_settle(&f);
		assert_near(ab.transfer.rate, 0.9, 1e-12);
		assert_near(ca.transfer.rate, 0.9, 1e-12);
		fixture_run(&f);
		assert_near(ca.done_s, 0.5, 2 * ONE_PS);
		assert_near(ab.done_s, 0.5 + 0.55, 2 * ONE_PS);
		mail_send(&f, &again, B, A, MB);
		fixture_run(&f);
		assert_near(again.done_s, 1.05 + 1, 3 * ONE_PS);
		fixture_close(&f);
	}
}

static void a_link_has_the_efficiency_of_its_number_of_transfers(void **state)
{
	static const double total[] = {1, 0.9, 0.75, 0.75, 0.75}; /* of 1 … 5: the last one holds */

	for (int k = 0; k < 2; k++) {
		for (int n = 1; n <= 5; n++) {
			struct fixture f;
			struct mail mails[5];

			open_with(&f, rules[k], "losses: {sharing: [0, 0.1, 0.25]}");
			for (int i = 0; i < n; i++)
				mail_send(&f, &mails[i], i, 7, MB);
			fixture_settle(&f);
			assert_near(net_model_link_load(f.model, 7, 1), total[n - 1], 1e-12);
			fixture_run(&f);
			for (int i = 0; i < n; i++)
				assert_near(mails[i].done_s, n / total[n - 1], 4 * ONE_PS);
			fixture_close(&f);
		}
	}
}

static void what_one_link_cannot_use_goes_to_others(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail ad, bd, cd, ae;

		/* D receives three, 0.25 each; A sends two, which may have 0.9 together: A→E gets
		 * 0.9 - 0.25. */
		open_with(&f, rules[k], "losses: {sharing: [0, 0.1, 0.25]}");
		mail_send(&f, &ad, A, D, MB);
		mail_send(&f, &bd, B, D, MB);
		mail_send(&f, &cd, C, D, MB);
		mail_send(&f, &ae, A, E, MB);
		fixture_settle(&f);
		assert_near(ad.transfer.rate, 0.25, 1e-12);
		assert_near(bd.transfer.rate, 0.25, 1e-12);
		assert_near(cd.transfer.rate, 0.25, 1e-12);
		assert_near(ae.transfer.rate, 0.65, 1e-12);
		fixture_run(&f);
		/* A→E: 1 / 0.65 s. Then A sends one, D still limits: 0.25 each until all end at 4 s. */
		assert_near(ae.done_s, 1 / 0.65, 2 * ONE_PS);
		assert_near(ad.done_s, 4, 4 * ONE_PS);
		fixture_close(&f);
	}
}

#define N_NODES 8
#define N_MAILS 60

static double limit(const int n[], int at, int opposite)
{
	static const double efficiency[] = {0.98, 0.9, 0.85, 0.7};
	int count = n[at] < 4 ? n[at] : 4;

	return (count ? efficiency[count - 1] : 1) * (n[at] && n[opposite] ? 0.8 : 1);
}

/* Max-min: every transfer crosses a link that is full and gives nobody more. */
static int check_bottlenecks(const struct mail mails[])
{
	int n[2 * N_NODES] = {0}, n_wrong = 0;
	double load[2 * N_NODES] = {0}, most[2 * N_NODES] = {0};

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < N_MAILS; i++) {
			const struct net_transfer *t = &mails[i].transfer;
			int ends[2] = {t->source_node, N_NODES + t->dest_node}, n_bottlenecks = 0;

			if (mails[i].done_s >= 0 || !t->rate)
				continue;
			for (int e = 0; e < 2; e++) {
				int l = ends[e], opposite = (l + N_NODES) % (2 * N_NODES);

				if (!pass) {
					n[l]++;
					load[l] += t->rate;
					most[l] = fmax(most[l], t->rate);
				} else {
					double room = limit(n, l, opposite) - load[l];

					n_wrong += room < -1e-9;
					n_bottlenecks += room < 1e-9 && t->rate > most[l] - 1e-9;
				}
			}
			n_wrong += pass && !n_bottlenecks;
		}
	}
	return n_wrong;
}

static void every_transfer_has_its_bottleneck_at_every_instant(void **state)
{
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct fixture f;
		struct mail mails[N_MAILS];
		struct util_rng rng;
		int n_wrong = 0;

		util_rng_init(&rng, seed, 0);
		open_with(&f, "fluid",
			  "losses: {duplex: 0.2, sharing: [0.02, 0.1, 0.15, 0.3]}");
		for (int i = 0; i < N_MAILS; i++) {
			int from = (int)(util_rng_uniform(&rng) * N_NODES);
			int to = (from + 1 + (int)(util_rng_uniform(&rng) * (N_NODES - 1))) % N_NODES;

			mail_send(&f, &mails[i], from, to, 1000 + (int64_t)(util_rng_uniform(&rng) * MB));
		}
		do {
			fixture_settle(&f);
			n_wrong += check_bottlenecks(mails);
		} while (sim_engine_step(&f.engine) != SIM_STEP_IDLE);
		if (n_wrong)
			fail_msg("seed %llu: %d rates are not max-min fair", (unsigned long long)seed, n_wrong);
		for (int i = 0; i < N_MAILS; i++)
			assert_true(mails[i].done_s > 0);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_node_that_sends_and_receives_loses_the_penalty_both_ways),
	    cmocka_unit_test(the_penalty_lasts_while_both_directions_carry_transfers),
	    cmocka_unit_test(a_link_has_the_efficiency_of_its_number_of_transfers),
	    cmocka_unit_test(what_one_link_cannot_use_goes_to_others),
	    cmocka_unit_test(every_transfer_has_its_bottleneck_at_every_instant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
