/* SPDX-License-Identifier: BSD-3-Clause */
/* Transfers as packets (docs/model.md §3): hand-derived for packets of 1000 B that take 1 ms, 1
 * MB/s. Without a burst a packet takes 1 ms on its node's link and 1 ms on the switch's. */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\n"
#define NETWORK "network: {latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}"
#define PLAIN HEAD NETWORK "}\n"
#define QUEUE(size) \
	HEAD "network: {latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000, queue: " size "}}\n"
#define MS 1e-3

static void run_until(struct fixture *f, double seconds)
{
	const struct sim_event *first;

	while ((first = sim_queue_peek(&f->engine.queue)) &&
	       first->time <= sim_time_from_s(seconds))
		assert_int_equal(sim_engine_step(&f->engine), SIM_STEP_EVENT);
}

/* 4 packets and a short one leave the node in 4.5 ms; the last full one is there at 5 ms, and then
 * the short one in half a millisecond. A message without bytes follows at once. */
static void packets_follow_each_other(void **state)
{
	struct fixture f;
	struct mail mail, empty;

	fixture_open(&f, PLAIN);
	mail_send(&f, &mail, 0, 1, 4500);
	fixture_run(&f);
	assert_near(mail.done_s, 5.5 * MS, 10 * ONE_PS);
	fixture_close(&f);
	fixture_open(&f, PLAIN);
	mail_send(&f, &mail, 0, 1, 5000);
	mail_send(&f, &empty, 0, 1, 0);
	fixture_run(&f);
	assert_near(mail.done_s, 6 * MS, 10 * ONE_PS);
	assert_near(empty.done_s, 6 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* A frame of 1000 + 250 B passes in 1 ms, a message of 100 B in 350/1250 of it; with the latency.
 */
static void headers_and_latency_count(void **state)
{
	struct fixture f;
	struct mail mail;

	fixture_open(&f, HEAD "network: {latency: 7ms, bandwidth: 1 MB/s, packets: {payload: 1000, "
			      "overhead: 250}}\n");
	mail_send(&f, &mail, 0, 1, 100);
	fixture_run(&f);
	assert_near(mail.done_s, (7 + 2 * 0.28) * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* Links have saved up 2 packets: the third leaves the node at 1 ms and stands at the switch behind
 * the other's. When the first message is there, the node has saved up 1 ms, and the switch nothing.
 */
static void a_bucket_lets_pass_at_once(void **state)
{
	struct fixture f;
	struct mail first, other, later;

	fixture_open(&f, HEAD NETWORK ", burst: 2000}\n");
	mail_send(&f, &first, 0, 1, 3000);
	mail_send(&f, &other, 2, 1, 1000);
	fixture_run(&f);
	assert_near(other.done_s, 1 * MS, 10 * ONE_PS);
	assert_near(first.done_s, 2 * MS, 10 * ONE_PS);
	mail_send(&f, &later, 0, 1, 1000);
	fixture_run(&f);
	assert_near(later.done_s, 3 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* 20 packets to node 1: 10 stand in the queue at first. The first one is there at 2 ms, and its
 * acknowledgement lets two more follow (slow start): what starts at 2.5 ms leaves after 12 packets.
 */
static void what_is_in_a_queue_comes_first(void **state)
{
	struct fixture f;
	struct mail large, small;

	fixture_open(&f, PLAIN);
	mail_send(&f, &large, 0, 1, 20000);
	run_until(&f, 2.5 * MS);
	mail_send(&f, &small, 0, 2, 1000);
	fixture_run(&f);
	assert_near(small.done_s, (12 + 1 + 1) * MS, 10 * ONE_PS);
	assert_near(large.done_s, (21 + 1) * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* No more than 3 packets of a stream stand in the queue: what starts at 2.5 ms leaves after 5. */
static void a_queue_takes_so_much_of_a_stream(void **state)
{
	struct fixture f;
	struct mail large, small;

	fixture_open(&f, QUEUE("3000"));
	mail_send(&f, &large, 0, 1, 20000);
	run_until(&f, 2.5 * MS);
	mail_send(&f, &small, 0, 2, 1000);
	fixture_run(&f);
	assert_near(small.done_s, (5 + 1 + 1) * MS, 10 * ONE_PS);
	assert_near(large.done_s, (21 + 1) * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* A queue that holds less than a packet holds one: the next one enters when it has left. */
static void a_small_queue_takes_a_packet(void **state)
{
	struct fixture f;
	struct mail mail;

	fixture_open(&f, QUEUE("500"));
	mail_send(&f, &mail, 0, 1, 3000);
	fixture_run(&f);
	assert_near(mail.done_s, 4 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* From nodes 0 and 1 to node 2: what has left the nodes stands at the switch, 10 packets of which
 * the first is there at 2 ms. Node 0 uses its link for node 3 meanwhile, from 5 ms on. */
static void the_switch_keeps_what_nodes_have_sent(void **state)
{
	struct fixture f;
	struct mail a, b, c;

	fixture_open(&f, PLAIN);
	mail_send(&f, &a, 0, 2, 5000);
	mail_send(&f, &b, 1, 2, 5000);
	mail_send(&f, &c, 0, 3, 5000);
	fixture_run(&f);
	assert_near(c.done_s, 11 * MS, 10 * ONE_PS);
	assert_near(a.done_s, 10 * MS, 10 * ONE_PS);
	assert_near(b.done_s, 11 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

static double told_s;
static struct sim_engine *told_by;

static void note_time(struct net_stream *stream)
{
	told_s = sim_time_to_s(told_by->now);
}

/* 2500 B are handed over: 3 packets, of which the last is short; the second is there at 3 ms. What
 * is left, after 9 ms, takes as long as that: 3.5 ms. */
static void what_is_not_handed_waits(void **state)
{
	for (int is_handed = 0; is_handed < 2; is_handed++) {
		struct net_stream stream = {0};
		struct fixture f;
		struct mail mail, clock;

		fixture_open(&f, PLAIN);
		told_by = &f.engine;
		mail_send_in_stream(&f, &stream, &mail, 0, 1, 5000);
		net_stream_hand(&stream, 2500);
		net_stream_hold(&stream);
		net_stream_tell_at(&stream, 1500, note_time);
		mail_send(&f, &clock, 2, 3, 8000);
		while (clock.done_s < 0)
			assert_int_equal(sim_engine_step(&f.engine), SIM_STEP_EVENT);
		assert_near(clock.done_s, 9 * MS, 10 * ONE_PS);
		assert_near(told_s, 3 * MS, 10 * ONE_PS);
		assert_true(net_stream_arrived(&stream) == 2500 && mail.done_s < 0);
		if (is_handed)
			net_stream_hand(&stream, 5000);
		else
			net_stream_release(&stream);
		fixture_run(&f);
		assert_near(mail.done_s, (9 + 3.5) * MS, 10 * ONE_PS);
		assert_true(net_stream_arrived(&stream) == 5000);
		fixture_close(&f);
	}
}

/* The receiver takes 2500 B: the third packet, a short one, is there at 3.5 ms. Open again at 9 ms,
 * it is as above. */
static void what_the_receiver_does_not_take_waits(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail mail, clock;

	fixture_open(&f, PLAIN);
	mail_send_in_stream(&f, &stream, &mail, 0, 1, 5000);
	net_stream_close(&stream, 2500);
	mail_send(&f, &clock, 2, 3, 8000);
	while (clock.done_s < 0)
		assert_int_equal(sim_engine_step(&f.engine), SIM_STEP_EVENT);
	assert_true(net_stream_arrived(&stream) == 2500 && mail.done_s < 0);
	net_stream_open(&stream);
	fixture_run(&f);
	assert_near(mail.done_s, (9 + 3.5) * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* Acknowledgements come back 1 ms apart. The window has grown from 10 to 16 by the first six, which
 * came too slowly for a train. The eleventh begins the second round; the next one makes it a train
 * longer than half a millisecond, which ends slow start at 21. Then each 20 packets let one more
 * under way, as long as it is needed: by those from the twelfth to the 103rd it has grown by 4. */
static void slow_start_ends_where_the_path_is_full(void **state)
{
	struct net_stream stream = {0};
	struct fixture f;
	struct mail mail, later;

	fixture_open(&f, PLAIN);
	mail_send_in_stream(&f, &stream, &mail, 0, 1, 128000);
	fixture_run(&f);
	assert_near(mail.done_s, 129 * MS, 10 * ONE_PS);
	assert_int_equal(stream.tcp.threshold, 21);
	assert_int_equal(stream.tcp.window, 25);
	/* after 0.5 s of rest half of it, but not below 10; the acknowledgement makes it 11 */
	mail_send(&f, &later, 2, 3, 500000);
	fixture_run(&f);
	mail_send_in_stream(&f, &stream, &mail, 0, 1, 2000);
	fixture_run(&f);
	assert_int_equal(stream.tcp.threshold, 21);
	assert_int_equal(stream.tcp.window, 12);
	fixture_close(&f);
}

/* 37 packets to each of two nodes, of 0.25 ms. The first round begins with the first
 * acknowledgement, before the window is 16: six more are a train longer than half a millisecond
 * then, so that 16 is its end. Of the first message 10 packets leave in the first round, behind
 * them 10 of the second, then 16, 16 and the last 11 of each: 63 are in front of the end of the
 * first message. */
static void rounds_begin_in_small_windows(void **state)
{
	struct net_stream streams[2] = {{0}};
	struct fixture f;
	struct mail first, second;

	fixture_open(&f,
		     HEAD "network: {latency: 0, bandwidth: 4 MB/s, packets: {payload: 1000}}\n");
	mail_send_in_stream(&f, &streams[0], &first, 0, 1, 37000);
	mail_send_in_stream(&f, &streams[1], &second, 0, 2, 37000);
	fixture_run(&f);
	assert_int_equal(streams[0].tcp.threshold, 16);
	assert_int_equal(streams[1].tcp.threshold, 16);
	assert_near(first.done_s, (10 + 10 + 16 + 16 + 11 + 1) * 0.25 * MS, 10 * ONE_PS);
	assert_near(second.done_s, (74 + 1) * 0.25 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

/* 200 kB each way, the second 20 ms later: its acknowledgements are bunched behind what the other
 * sends, so that its slow start ends later, and the smaller window's direction is slower. */
static void who_begins_later_has_the_larger_window(void **state)
{
	struct net_stream there = {0}, back = {0};
	struct fixture f;
	struct mail a, b;

	fixture_open(&f,
		     HEAD "network: {latency: 0.1ms, bandwidth: 1 MB/s, packets: {payload: 1000, "
			  "overhead: 60}, burst: 2000}\n");
	mail_send_in_stream(&f, &there, &a, 0, 1, 200000);
	run_until(&f, 20 * MS);
	mail_send_in_stream(&f, &back, &b, 1, 0, 200000);
	fixture_run(&f);
	assert_true(there.tcp.window < back.tcp.window);
	assert_true(a.done_s > 0.21);
	assert_true(b.done_s - 20 * MS < 0.25);
	fixture_close(&f);
}

static double marked_s;

static void pass_mark(struct net_transfer *transfer)
{
	marked_s = sim_time_to_s(((struct mail *)transfer)->fixture->engine.now);
}

/* All but 1500 B are there when the fourth of five packets is, all but 2000 B when the third is. */
static void a_mark_is_passed_by_bytes(void **state)
{
	static const struct {
		int64_t last_B;
		double marked_s;
	} marks[] = {{1500, 5 * MS}, {2000, 4 * MS}};

	for (int i = 0; i < 2; i++) {
		struct net_stream stream = {0};
		struct fixture f;
		struct mail mail = {.fixture = &f};

		fixture_open(&f, PLAIN);
		net_transfer_start_in_stream(f.model, &stream, &mail.transfer, 0, 1, 5000,
					     marks[i].last_B, pass_mark, mail_arrive);
		fixture_run(&f);
		assert_near(marked_s, marks[i].marked_s, 10 * ONE_PS);
		assert_near(mail.done_s, 6 * MS, 10 * ONE_PS);
		fixture_close(&f);
	}
}

/* An outgoing transfer takes half of its node's CPU until it has arrived. */
static void packets_cost_cpu(void **state)
{
	struct fixture f;
	struct mail mail;
	struct work work;

	fixture_open(&f, HEAD NETWORK "}\ncpu: {communication_cost: {outgoing: 0.5}}\n");
	mail_send(&f, &mail, 0, 1, 9000);
	work_begin(&f, &work, 0, 20 * MS);
	fixture_run(&f);
	assert_near(mail.done_s, 10 * MS, 10 * ONE_PS);
	assert_near(work.done_s, 25 * MS, 10 * ONE_PS);
	fixture_close(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(packets_follow_each_other),
	    cmocka_unit_test(headers_and_latency_count),
	    cmocka_unit_test(a_bucket_lets_pass_at_once),
	    cmocka_unit_test(what_is_in_a_queue_comes_first),
	    cmocka_unit_test(a_queue_takes_so_much_of_a_stream),
	    cmocka_unit_test(a_small_queue_takes_a_packet),
	    cmocka_unit_test(the_switch_keeps_what_nodes_have_sent),
	    cmocka_unit_test(what_is_not_handed_waits),
	    cmocka_unit_test(what_the_receiver_does_not_take_waits),
	    cmocka_unit_test(slow_start_ends_where_the_path_is_full),
	    cmocka_unit_test(rounds_begin_in_small_windows),
	    cmocka_unit_test(who_begins_later_has_the_larger_window),
	    cmocka_unit_test(a_mark_is_passed_by_bytes),
	    cmocka_unit_test(packets_cost_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
