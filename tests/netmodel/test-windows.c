/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows of streams (docs/model.md §3): hand-derived for 1 MB/s. */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\nprotocol: {order: per_pair}\n"
#define PLAIN                                                                         \
	"network: {latency: 0, bandwidth: 1 MB/s, window: [{from: 0, size: 20 kB}], " \
	"window_against: 100 kB"
#define MB 1000000

/* 1 MB from node 0 to node 1 and, a tenth of a second later, as much back: when both have arrived.
 */
static void exchange(const char *cluster, uint64_t seed, double *out_there_s, double *out_back_s)
{
	struct net_stream there = {0}, back = {0};
	struct fixture f;
	struct mail a, b, clock;

	fixture_open(&f, cluster);
	net_model_vary(f.model, 0, 0, seed);
	mail_send_in_stream(&f, &there, &a, 0, 1, MB);
	mail_send(&f, &clock, 2, 3, MB / 10);
	while (clock.done_s < 0)
		assert_int_equal(sim_engine_step(&f.engine), SIM_STEP_EVENT);
	fixture_settle(&f);
	mail_send_in_stream(&f, &back, &b, 1, 0, MB);
	fixture_run(&f);
	*out_there_s = a.done_s;
	*out_back_s = b.done_s;
	fixture_close(&f);
}

/* From 0.1 to 1.1 s the first one has 20 kB on its way while its acknowledgements stand behind 100
 * kB: a fifth of its link. The rest, 0.7 MB, follows. */
static void acknowledgements_stand_behind_what_goes_the_other_way(void **state)
{
	double there_s, back_s;

	exchange(HEAD PLAIN "}\n", 0, &there_s, &back_s);
	assert_near(back_s, 1.1, 3 * ONE_PS);
	assert_near(there_s, 1.8, 3 * ONE_PS);
}

static void equal_windows_lose_nothing(void **state)
{
	double there_s, back_s;

	exchange(HEAD "network: {latency: 0, bandwidth: 1 MB/s, window: 20 kB}\n", 0, &there_s,
		 &back_s);
	assert_near(there_s, 1, 3 * ONE_PS);
	assert_near(back_s, 1.1, 3 * ONE_PS);
}

static void streams_that_meet_have_the_same_window(void **state)
{
	double there_s, back_s;

	exchange(HEAD PLAIN ", window_meeting: 101ms}\n", 0, &there_s, &back_s);
	assert_near(there_s, 1, 3 * ONE_PS);
	assert_near(back_s, 1.1, 3 * ONE_PS);
	exchange(HEAD PLAIN ", window_meeting: 101ms, window_spread: 0.5}\n", 0, &there_s, &back_s);
	assert_near(there_s, 1, 3 * ONE_PS);
	exchange(HEAD PLAIN ", window_meeting: 99ms}\n", 0, &there_s, &back_s);
	assert_near(there_s, 1.8, 3 * ONE_PS);
}

/* The later one's window is 50 to 150 kB: the first one gets 2/5 to 2/15 of its link. */
static void windows_spread(void **state)
{
	double there_s[3], back_s;

	for (int k = 0; k < 3; k++) {
		exchange(HEAD PLAIN ", window_spread: 0.5}\n", k == 2 ? 1 : (uint64_t)k,
			 &there_s[k], &back_s);
		assert_true(there_s[k] >= 1.6 && there_s[k] <= 2 - 2.0 / 15);
	}
	assert_true(there_s[0] != there_s[1]);
	assert_near(there_s[1], there_s[2], 0);
}

/* At 0.5 s the queue would hold 100 kB of the large one, but 20 kB are on their way: the small one
 * starts at 0.52 s and has half of the link. What the large one's stream has carried before lets 50
 * kB on the way. */
static void the_queue_holds_no_more_than_a_window(void **state)
{
	for (int is_used = 0; is_used < 2; is_used++) {
		struct net_stream stream = {.passed_B = is_used ? MB : 0};
		struct fixture f;
		struct mail large, small;

		fixture_open(&f,
			     HEAD "network: {latency: 500ms, bandwidth: 1 MB/s, queue: 100 kB, "
				  "window: [{from: 0, size: 20 kB}, {from: 1 MB, size: 50 kB}], "
				  "segments: [{from: 900 kB, latency: 0, bandwidth: 1 MB/s}]}\n");
		mail_send_in_stream(&f, &stream, &large, 0, 1, 900000);
		mail_send(&f, &small, 0, 2, 10000);
		fixture_run(&f);
		assert_near(small.done_s, is_used ? 0.57 : 0.54, 3 * ONE_PS);
		assert_near(large.done_s, 0.91, 3 * ONE_PS);
		assert_true(stream.passed_B == 900000 + (is_used ? MB : 0));
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(acknowledgements_stand_behind_what_goes_the_other_way),
	    cmocka_unit_test(equal_windows_lose_nothing),
	    cmocka_unit_test(streams_that_meet_have_the_same_window),
	    cmocka_unit_test(windows_spread),
	    cmocka_unit_test(the_queue_holds_no_more_than_a_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
