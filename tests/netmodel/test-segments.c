/* SPDX-License-Identifier: BSD-3-Clause */
/* Times by size of the transfer, and marks on the way (docs/model.md §3): hand-derived. */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\n"
#define MB 1000000

static void a_transfer_takes_its_segments_latency_and_bandwidth(void **state)
{
	static const struct {
		int64_t size_B;
		double ms;
	} cases[] = {
	    {0, 1},		 /* below the segments: the plain 1 ms … */
	    {999, 1 + 0.999},	 /* … and 1 MB/s */
	    {1000, 2 + 0.5},	 /* 2 ms, 2 MB/s from 1000 B on */
	    {9999, 2 + 4.9995},
	    {10000, 0},		 /* -1 ms + 10000 B / 10 MB/s: all of it passes at once */
	    {20000, 1},
	    {MB, 99},
	};
	struct fixture f;
	struct mail mail;

	fixture_open(&f, HEAD "network: {latency: 1ms, bandwidth: 1 MB/s, segments: ["
			      "{from: 1000, latency: 2ms, bandwidth: 2 MB/s}, "
			      "{from: 10 kB, latency: -1ms, bandwidth: 10 MB/s}]}\n");
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		double begin_s = sim_time_to_s(f.engine.now);

		mail_send(&f, &mail, 0, 1, cases[k].size_B);
		fixture_run(&f);
		assert_near(mail.done_s - begin_s, cases[k].ms * 1e-3, ONE_PS);
	}
	fixture_close(&f);
}

static void links_share_the_time_of_each_segment(void **state)
{
	struct fixture f;
	struct mail a, b;

	/* 20000 B need 1 ms of the link, 1000 B half a millisecond after 2 ms: then the first one
	 * has left. */
	fixture_open(&f, HEAD "network: {latency: 1ms, bandwidth: 1 MB/s, segments: ["
			      "{from: 1000, latency: 2ms, bandwidth: 2 MB/s}, "
			      "{from: 10 kB, latency: -1ms, bandwidth: 10 MB/s}]}\n");
	mail_send(&f, &a, 0, 1, 20000);
	mail_send(&f, &b, 0, 2, 20000);
	fixture_run(&f);
	/* two of 1 ms each on one link */
	assert_near(a.done_s, 2e-3, ONE_PS);
	assert_near(b.done_s, 2e-3, ONE_PS);
	mail_send(&f, &a, 0, 1, 20000);
	mail_send(&f, &b, 0, 2, 1000);
	fixture_run(&f);
	assert_near(a.done_s - 2e-3, 1e-3, 2 * ONE_PS);
	assert_near(b.done_s - 2e-3, 2.5e-3, 2 * ONE_PS);
	fixture_close(&f);
}

static void a_node_has_segments_of_its_own(void **state)
{
	struct fixture f;
	struct mail mail;

	fixture_open(&f, HEAD
		     "network: {latency: 1s, bandwidth: 1 MB/s, intra_node: {latency: 1us, "
		     "segments: [{from: 1000, latency: 2us, bandwidth: 1 GB/s}]}}\n");
	mail_send(&f, &mail, 2, 2, 999);
	fixture_run(&f);
	assert_near(mail.done_s, 1e-6, ONE_PS);
	mail_send(&f, &mail, 2, 2, 1000);
	fixture_run(&f);
	assert_near(mail.done_s, 1e-6 + 2e-6 + 1e-6, ONE_PS);
	fixture_close(&f);
}

#define STREAMS                                                                                    \
	HEAD "network: {latency: 1ms, bandwidth: 10 MB/s, segments: ["                             \
	     "{from: 0, latency: 1ms, bandwidth: 10 MB/s, stream: 2 MB/s}, "                       \
	     "{from: 2 MB, latency: 0, bandwidth: 10 MB/s}]"

static void a_stream_gets_no_more_than_its_segment_gives_one(void **state)
{
	struct fixture f;
	struct mail mails[6];

	fixture_open(&f, STREAMS "}\n");
	mail_send(&f, &mails[0], 0, 1, MB); /* alone: 1 MB at 2 MB/s */
	fixture_run(&f);
	assert_near(mails[0].done_s, 1e-3 + 0.5, ONE_PS);
	for (int i = 0; i < 5; i++) /* five fill the link of node 0 and are as fast */
		mail_send(&f, &mails[i], 0, 1 + i % 3, MB);
	fixture_run(&f);
	for (int i = 0; i < 5; i++)
		assert_near(mails[i].done_s, 2 * (1e-3 + 0.5), 10 * ONE_PS);
	for (int i = 0; i < 6; i++) /* six share it: 10/6 MB/s each */
		mail_send(&f, &mails[i], 0, 1 + i % 3, MB);
	fixture_run(&f);
	for (int i = 0; i < 6; i++)
		assert_near(mails[i].done_s, 2 * (1e-3 + 0.5) + 1e-3 + 0.6, 10 * ONE_PS);
	fixture_close(&f);
}

static void streams_leave_the_rest_of_a_link_to_others(void **state)
{
	/* 10 kB of the large one have gone when the streams come after 1 ms. They get 2 MB/s each, one on
	   each of its two links, which leaves 8 MB/s until 501 ms, then all. */
	struct fixture f;
	struct mail a, b, large;

	fixture_open(&f, STREAMS "}\n");
	mail_send(&f, &a, 0, 1, MB);
	mail_send(&f, &b, 2, 3, MB);
	mail_send(&f, &large, 0, 3, 6 * MB);
	fixture_run(&f);
	assert_near(a.done_s, 0.501, ONE_PS);
	assert_near(b.done_s, 0.501, ONE_PS);
	assert_near(large.done_s, 0.501 + (6 - 0.01 - 0.5 * 8) / 10, 10 * ONE_PS);
	fixture_close(&f);
}

static void streams_are_bounded_on_longer_routes_and_where_nothing_is_shared(void **state)
{
	for (int k = 0; k < 2; k++) {
		struct fixture f;
		struct mail mails[2];

		fixture_open(&f, k == 0 ? STREAMS ", topology: {kind: fat-tree, nodes_per_leaf: 2, "
						  "taper: 2}}\n"
					: STREAMS ", model: unshared}\n");
		mail_send(&f, &mails[0], 0, 2, MB);
		mail_send(&f, &mails[1], 1, 3, MB);
		fixture_run(&f);
		for (int i = 0; i < 2; i++)
			assert_near(mails[i].done_s, 1e-3 + 0.5, 10 * ONE_PS);
		fixture_close(&f);
	}
}

struct marked {
	struct mail mail;
	double mark_s;
};

static void pass(struct net_transfer *transfer)
{
	struct marked *marked = (struct marked *)transfer;

	marked->mark_s = sim_time_to_s(marked->mail.fixture->engine.now);
}

static void send_marked(struct fixture *f, struct marked *marked, int from, int to, int64_t size_B,
			int64_t last_B)
{
	marked->mail.fixture = f;
	marked->mark_s = marked->mail.done_s = -1;
	net_transfer_start_marked(f->model, &marked->mail.transfer, from, to, size_B, last_B, pass,
				  mail_arrive);
}

static void the_mark_is_passed_when_all_but_the_last_bytes_are_there(void **state)
{
	static const struct {
		const char *network;
		int dest;
		double mark_s, done_s;
	} cases[] = {
	    /* 0.1 s, then 1 s of bytes of which 0.25 s come after the mark */
	    {"latency: 100ms, bandwidth: 1 MB/s", 1, 0.85, 1.1},
	    {"latency: 100ms, bandwidth: 1 MB/s, model: thesis", 1, 0.85, 1.1},
	    /* without bandwidth's limit nothing is left after the mark */
	    {"latency: 100ms, bandwidth: inf", 1, 0.1, 0.1},
	    /* a negative intercept: 0.2 s of bytes pass at once, of the others 0.25 s after the mark;
	       with 0.9 s nearly all the work lies after it */
	    {"latency: 0, bandwidth: inf, segments: [{from: 1 MB, latency: -200ms, bandwidth: 1 MB/s}]",
	     1, 0.55, 0.8},
	    {"latency: 0, bandwidth: inf, segments: [{from: 1 MB, latency: -900ms, bandwidth: 1 MB/s}]",
	     1, 0, 0.1},
	    /* within a node: 1 s + 1 s */
	    {"latency: 0, bandwidth: inf, intra_node: {latency: 1s, bandwidth: 1 MB/s}", 0, 1.75, 2},
	    /* slices of 0.2 s: 1.1 s end with the sixth; the mark, at 0.85 s, with the fifth, where
	       the last 0.25 s begin */
	    {"latency: 100ms, bandwidth: 1 MB/s, model: thesis, timeslice: 200ms", 1, 1, 1.4},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct fixture f;
		struct marked marked;
		char yaml[512];

		snprintf(yaml, sizeof(yaml), HEAD "network: {%s}\n", cases[k].network);
		fixture_open(&f, yaml);
		send_marked(&f, &marked, 0, cases[k].dest, MB, MB / 4);
		assert_true(marked.mark_s < 0);
		fixture_run(&f);
		if (fabs(marked.mark_s - cases[k].mark_s) > 2 * ONE_PS ||
		    fabs(marked.mail.done_s - cases[k].done_s) > 2 * ONE_PS)
			fail_msg("%s: mark at %.12g s, done at %.12g s", cases[k].network,
				 marked.mark_s, marked.mail.done_s);
		fixture_close(&f);
	}
}

static void sharing_goes_on_across_the_mark(void **state)
{
	struct fixture f;
	struct marked marked;
	struct mail other;

	/* Both at half: the mark after 0.75 MB at 1.5 s; the other one, of 0.9 MB, leaves at 1.8 s;
	 * then the last 0.1 MB at full speed. */
	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
	send_marked(&f, &marked, 0, 1, MB, MB / 4);
	mail_send(&f, &other, 0, 2, 900000);
	fixture_run(&f);
	assert_near(marked.mark_s, 1.5, 3 * ONE_PS);
	assert_near(other.done_s, 1.8, 3 * ONE_PS);
	assert_near(marked.mail.done_s, 1.9, 3 * ONE_PS);
	assert_true(net_model_link_load(f.model, 0, 0) == 0);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_transfer_takes_its_segments_latency_and_bandwidth),
	    cmocka_unit_test(links_share_the_time_of_each_segment),
	    cmocka_unit_test(a_node_has_segments_of_its_own),
	    cmocka_unit_test(a_stream_gets_no_more_than_its_segment_gives_one),
	    cmocka_unit_test(streams_leave_the_rest_of_a_link_to_others),
	    cmocka_unit_test(streams_are_bounded_on_longer_routes_and_where_nothing_is_shared),
	    cmocka_unit_test(the_mark_is_passed_when_all_but_the_last_bytes_are_there),
	    cmocka_unit_test(sharing_goes_on_across_the_mark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
