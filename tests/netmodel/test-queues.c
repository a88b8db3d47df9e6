/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers that follow each other, and bursts (docs/model.md §3): hand-derived
 * for 1 MB/s. */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\n"
#define MB 1000000

static void send_in_stream(struct fixture *f, struct net_stream *stream, struct mail *mail,
			   int64_t size_B)
{
	mail->fixture = f;
	mail->done_s = -1;
	net_transfer_start_in_stream(f->model, stream, &mail->transfer, 0, 1, size_B, 0, NULL,
				     mail_arrive);
}

static void transfers_of_a_stream_follow_each_other(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail a, b, c, other;

	/*
	 * Delays of 0.1 s overlap, then a has 1 s of bytes, b none, c half a second: 1.1, 1.1, 1.6
	 * s if alone. `other` is in no stream: it and the first of the stream have half of the link
	 * each from 0.1 s on, 0.25 s of bytes are there at 0.6 s; all others come 0.25 s later.
	 */
	fixture_open(&f, HEAD "network: {latency: 100ms, bandwidth: 1 MB/s}\n");
	send_in_stream(&f, &stream, &a, MB);
	send_in_stream(&f, &stream, &b, 0);
	send_in_stream(&f, &stream, &c, MB / 2);
	mail_send(&f, &other, 0, 2, MB / 4);
	fixture_run(&f);
	assert_near(other.done_s, 0.6, 3 * ONE_PS);
	assert_near(a.done_s, 1.35, 3 * ONE_PS);
	assert_near(b.done_s, 1.35, 3 * ONE_PS);
	assert_near(c.done_s, 1.85, 3 * ONE_PS);
	/* The stream is empty again, and of use. */
	send_in_stream(&f, &stream, &a, 0);
	fixture_run(&f);
	assert_near(a.done_s, 1.95, 3 * ONE_PS);
	fixture_close(&f);
}

struct turn {
	struct mail mail;
	int *n_before, place;
};

static void take_turn(struct net_transfer *transfer)
{
	struct turn *turn = (struct turn *)transfer;

	turn->place = (*turn->n_before)++;
}

static void an_empty_transfer_is_not_there_before_the_one_ahead(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct turn turns[3];
	int n_there = 0;

	/* All at 1.1 s, in the order of the stream. */
	fixture_open(&f, HEAD "network: {latency: 100ms, bandwidth: 1 MB/s}\n");
	for (int k = 0; k < 3; k++) {
		turns[k] = (struct turn){.n_before = &n_there, .place = -1};
		net_transfer_start_in_stream(f.model, &stream, &turns[k].mail.transfer, 0, 1,
					     k == 0 ? MB : 0, 0, NULL, take_turn);
	}
	fixture_run(&f);
	for (int k = 0; k < 3; k++)
		assert_int_equal(turns[k].place, k);
	fixture_close(&f);
}

static void a_small_transfer_before_a_large_one_is_not_overtaken(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail small, large;

	/* The large one's delay is 0 and it could start at once, but its turn comes when the small
	 * one's delay of 0.1 s is over. */
	fixture_open(&f, HEAD "network: {latency: 100ms, bandwidth: 1 MB/s, segments: ["
			      "{from: 1 MB, latency: 0, bandwidth: 1 MB/s}]}\n");
	send_in_stream(&f, &stream, &small, 0);
	send_in_stream(&f, &stream, &large, MB);
	fixture_run(&f);
	assert_near(small.done_s, 0.1, ONE_PS);
	assert_near(large.done_s, 1.1, 3 * ONE_PS);
	fixture_close(&f);
}

static void idle_links_let_a_burst_pass(void **state)
{
	struct fixture f;
	struct mail mail;

	/*
	 * Of 1 MB, 0.1 pass at once: 0.9 s. Right afterwards nothing is saved up: 1 s more. A small
	 * one before, of 0.04 MB, takes no time and leaves 0.06; nothing has been idle in between.
	 */
	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s, burst: 100 kB}\n");
	mail_send(&f, &mail, 0, 1, 40000);
	fixture_run(&f);
	assert_near(mail.done_s, 0, ONE_PS);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(mail.done_s, 0.94, 3 * ONE_PS);
	mail_send(&f, &mail, 0, 1, MB);
	fixture_run(&f);
	assert_near(mail.done_s, 1.94, 3 * ONE_PS);
	/* Link 2 has all of its burst, node 1 nothing: both must let it pass. */
	mail_send(&f, &mail, 2, 1, MB);
	fixture_run(&f);
	assert_near(mail.done_s, 2.94, 3 * ONE_PS);
	/* Node 0's links have been idle for a second, longer than 0.1 s. */
	mail_send(&f, &mail, 0, 3, MB);
	fixture_run(&f);
	assert_near(mail.done_s, 3.84, 3 * ONE_PS);
	fixture_close(&f);
}

/* Lets simulated time pass up to `s`, at which something must happen. */
static void run_until(struct fixture *f, double s)
{
	while (sim_time_to_s(f->engine.now) < s - ONE_PS)
		assert_int_equal(sim_engine_step(&f->engine), SIM_STEP_EVENT);
	fixture_settle(f);
}

static void a_held_stream_stalls(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail large, next, other;

	/*
	 * 0.25 MB pass until 0.25 s, then the link is free for `other`: 0.25 to 0.35 s. Half a MB
	 * more from there on until 0.85 s; the rest from 0.85 s, when nothing holds it any more.
	 */
	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
	net_stream_hold(&stream);
	send_in_stream(&f, &stream, &large, MB);
	send_in_stream(&f, &stream, &next, MB / 10);
	net_stream_hand(&stream, MB / 4);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 0.25, 3 * ONE_PS);
	assert_int_equal(net_stream_arrived(&stream), MB / 4);
	mail_send(&f, &other, 0, 2, MB / 10);
	fixture_run(&f);
	assert_near(other.done_s, 0.35, 3 * ONE_PS);
	net_stream_hand(&stream, 3 * MB / 4);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 0.85, 3 * ONE_PS);
	assert_true(large.done_s < 0);
	net_stream_release(&stream);
	fixture_run(&f);
	assert_near(large.done_s, 1.1, 3 * ONE_PS);
	assert_near(next.done_s, 1.2, 3 * ONE_PS);
	assert_int_equal(net_stream_arrived(&stream), MB + MB / 10);
	fixture_close(&f);
}

static void streams_are_held_under_way(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail large, other;

	/*
	 * Both share the link until 0.2 s, when 0.1 MB of each are there. From then on 0.3 MB of
	 * the large one may pass: as `other` has its 0.2 MB at 0.4 s, 0.2 are left, until 0.6 s.
	 */
	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
	send_in_stream(&f, &stream, &large, MB);
	mail_send(&f, &other, 2, 1, MB / 10);
	run_until(&f, 0.2);
	mail_send(&f, &other, 2, 1, MB / 10);
	assert_int_equal(net_stream_arrived(&stream), MB / 10);
	net_stream_hand(&stream, 4 * MB / 10);
	net_stream_hold(&stream);
	fixture_run(&f);
	assert_near(other.done_s, 0.4, 3 * ONE_PS);
	assert_near(sim_time_to_s(f.engine.now), 0.6, 3 * ONE_PS);
	assert_true(large.done_s < 0);
	fixture_close(&f);
}

/* What was handed is never taken back, and no more of it than was started: b is 0.1 MB that were
 * not there then. */
static void what_was_handed_passes(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail a, b;

	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
	send_in_stream(&f, &stream, &a, MB / 5);
	net_stream_hand(&stream, MB);
	net_stream_hand(&stream, MB / 10);
	net_stream_hold(&stream);
	send_in_stream(&f, &stream, &b, MB / 10);
	fixture_run(&f);
	assert_near(a.done_s, 0.2, 3 * ONE_PS);
	assert_near(sim_time_to_s(f.engine.now), 0.2, 3 * ONE_PS);
	assert_true(b.done_s < 0);
	net_stream_hand(&stream, MB);
	fixture_run(&f);
	assert_near(b.done_s, 0.3, 3 * ONE_PS);
	fixture_close(&f);
}

/* The lower one of what was handed and what the receiver takes counts: 0.3 MB until 0.3 s, then 0.4
 * until 0.4 s, then all. */
static void a_closed_stream_stalls(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail a;

	fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
	send_in_stream(&f, &stream, &a, MB);
	net_stream_hand(&stream, 3 * MB / 10);
	net_stream_hold(&stream);
	net_stream_close(&stream, 4 * MB / 10);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 0.3, 3 * ONE_PS);
	net_stream_release(&stream);
	fixture_run(&f);
	assert_near(sim_time_to_s(f.engine.now), 0.4, 3 * ONE_PS);
	assert_int_equal(net_stream_arrived(&stream), 4 * MB / 10);
	net_stream_open(&stream);
	fixture_run(&f);
	assert_near(a.done_s, 1, 3 * ONE_PS);
	fixture_close(&f);
}

static double told_s;
static struct sim_engine *told_by;

static void note_time(struct net_stream *stream)
{
	told_s = sim_time_to_s(told_by->now);
}

/* 0.15 MB have arrived at 0.15 s, in the middle of b, and 0.2 with its end. */
static void streams_tell_what_has_arrived(void **state)
{
	for (int at_B = 15 * MB / 100; at_B <= MB / 5; at_B += MB / 20) {
		struct net_stream stream = {0};
		struct fixture f;
		struct mail a, b;

		fixture_open(&f, HEAD "network: {latency: 0, bandwidth: 1 MB/s}\n");
		told_by = &f.engine;
		send_in_stream(&f, &stream, &a, MB / 10);
		send_in_stream(&f, &stream, &b, MB / 10);
		net_stream_tell_at(&stream, at_B, note_time);
		fixture_run(&f);
		assert_near(told_s, at_B / 1e6, 3 * ONE_PS);
		assert_near(b.done_s, 0.2, 3 * ONE_PS);
		assert_null(stream.tell);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(transfers_of_a_stream_follow_each_other),
	    cmocka_unit_test(an_empty_transfer_is_not_there_before_the_one_ahead),
	    cmocka_unit_test(a_small_transfer_before_a_large_one_is_not_overtaken),
	    cmocka_unit_test(idle_links_let_a_burst_pass),
	    cmocka_unit_test(a_held_stream_stalls),
	    cmocka_unit_test(streams_are_held_under_way),
	    cmocka_unit_test(what_was_handed_passes),
	    cmocka_unit_test(a_closed_stream_stalls),
	    cmocka_unit_test(streams_tell_what_has_arrived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
