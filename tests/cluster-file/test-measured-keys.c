/* SPDX-License-Identifier: BSD-3-Clause */
/* The keys of a cluster file that express what was measured on real libraries: values, defaults,
 * refusals. */
#include "tests/netmodel/fixture.h"

#define MINIMAL "mpisim_cluster: 1\nnodes: 4\nnetwork: {latency: 1us, bandwidth: 1 GB/s}\n"

static int parse_with(const char *override, struct cluster **out, struct util_error *err)
{
	return cluster_parse_with("test.yaml", MINIMAL, strlen(MINIMAL), override != NULL,
				  &override, out, err);
}

static struct cluster *parse(const char *override)
{
	struct util_error err = {0};
	struct cluster *c = NULL;

	if (parse_with(override, &c, &err))
		fail_msg("%s", err.text);
	return c;
}

static void all_of_it_is_off_by_default(void **state)
{
	struct cluster *c = parse(NULL);

	assert_int_equal(c->network.segments.n, 0);
	assert_int_equal(c->network.intra_segments.n, 0);
	assert_true(c->network.duplex_penalty == 0);
	assert_int_equal(c->network.sharing_efficiency.n, 0);
	assert_true(c->protocol.send_overhead_s == 0 && c->protocol.recv_overhead_s == 0);
	assert_true(c->protocol.send_overhead_per_B_s == 0 &&
		    c->protocol.recv_overhead_per_B_s == 0);
	assert_true(c->protocol.request_data_B == 0);
	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_ASYNC);
	assert_true(cluster_send_buffer(c, INT64_MAX) < 0);
	cluster_destroy(c);
}

static void segments_are_read_in_order(void **state)
{
	struct cluster *c = parse("network.segments=[{from: 0, latency: 2us, bandwidth: inf}, "
				  "{bandwidth: 1 MB/s, latency: -3ms, from: 4KiB}]");

	assert_int_equal(c->network.segments.n, 2);
	assert_true(c->network.segments.list[0].from_B == 0 &&
		    c->network.segments.list[1].from_B == 4096);
	assert_near(c->network.segments.list[0].latency_s, 2e-6, 1e-20);
	assert_near(c->network.segments.list[1].latency_s, -3e-3, 1e-18);
	assert_true(c->network.segments.list[0].bandwidth_Bps == INFINITY);
	assert_true(c->network.segments.list[1].bandwidth_Bps == 1e6);
	cluster_destroy(c);
	c = parse("network.intra_node.segments=[{from: 5, latency: 0, bandwidth: 1 GB/s}]");
	assert_int_equal(c->network.segments.n, 0);
	assert_int_equal(c->network.intra_segments.n, 1);
	cluster_destroy(c);
}

static void overheads_of_both_sides_are_told_apart(void **state)
{
	struct cluster *c = parse("protocol={overhead: 3us, recv_overhead: 5us}");

	assert_near(c->protocol.send_overhead_s, 3e-6, 1e-20);
	assert_near(c->protocol.recv_overhead_s, 5e-6, 1e-20);
	cluster_destroy(c);
	c = parse("protocol={overhead: 3us, send_overhead: 0, send_overhead_per_byte: 2ns, "
		  "recv_overhead_per_byte: 4ns}");
	assert_true(c->protocol.send_overhead_s == 0);
	assert_near(c->protocol.recv_overhead_s, 3e-6, 1e-20);
	assert_near(c->protocol.send_overhead_per_B_s, 2e-9, 1e-23);
	assert_near(c->protocol.recv_overhead_per_B_s, 4e-9, 1e-23);
	cluster_destroy(c);
}

static void a_send_buffer_is_one_size_or_a_list_by_size(void **state)
{
	struct cluster *c = parse("protocol.send_buffer=400kB");

	assert_true(cluster_send_buffer(c, 0) == 400000);
	assert_true(cluster_send_buffer(c, INT64_MAX) == 400000);
	cluster_destroy(c);
	c = parse("protocol.send_buffer=off");
	assert_true(cluster_send_buffer(c, 1) < 0);
	cluster_destroy(c);
	c = parse("protocol.send_buffer=[{from: 10, size: 5}, {from: 20, size: 0}]");
	assert_true(cluster_send_buffer(c, 9) < 0); /* off below the first */
	assert_true(cluster_send_buffer(c, 10) == 5);
	assert_true(cluster_send_buffer(c, 19) == 5);
	assert_true(cluster_send_buffer(c, 20) == 0);
	cluster_destroy(c);
}

static void a_send_buffer_is_what_leaves_unattended(void **state)
{
	const char *const overrides[] = {
	    "protocol.progress=in_mpi", "protocol.order=per_pair",
	    "protocol.send_buffer=unattended",
	    "protocol.unattended_send=[{from: 100, size: 50}, {from: 200, size: 80}]"};
	struct util_error err = {0};
	struct cluster *c = NULL;

	assert_int_equal(
	    cluster_parse_with("test.yaml", MINIMAL, strlen(MINIMAL), 4, overrides, &c, &err), 0);
	assert_true(c->protocol.send_buffer_is_unattended);
	assert_true(cluster_handed_when(c, 0, 1000) == 0); /* no limit yet */
	assert_true(cluster_handed_when(c, 99, 1000) == 99);
	assert_true(cluster_handed_when(c, 100, 1000) == 920);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, progress: in_mpi, unattended_send: "
		  "[{from: 0, size: 50}, {from: 200, size: 80}, {from: 300, size: 20}]}");
	assert_true(cluster_handed_when(c, 0, 40) == 0);
	assert_true(cluster_handed_when(c, 0, 120) == 70);
	assert_true(cluster_handed_when(c, 0, 249) == 199);
	assert_true(cluster_handed_when(c, 0, 250) == 200); /* 280, as more are taken then */
	assert_true(cluster_handed_when(c, 0, 379) == 299);
	assert_true(cluster_handed_when(c, 0, 381) == 361);   /* 20 from 300 on */
	assert_true(cluster_handed_when(c, 310, 379) == 359); /* it takes nothing back to 299 */
	cluster_destroy(c);
}

static void the_rest_is_read(void **state)
{
	struct cluster *c = parse("network.sharing_efficiency=[1, 0.5]");

	assert_int_equal(c->network.sharing_efficiency.n, 2);
	assert_true(c->network.sharing_efficiency.fraction[1] == 0.5);
	cluster_destroy(c);
	c = parse("network.duplex_penalty=0.25");
	assert_true(c->network.duplex_penalty == 0.25);
	cluster_destroy(c);
	c = parse("protocol={progress: in_mpi, request_data: 64KiB}");
	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_IN_MPI);
	assert_true(c->protocol.request_data_B == 65536);
	cluster_destroy(c);
}

static void what_leaves_unattended_is_read(void **state)
{
	struct cluster *c = parse("protocol={order: per_pair, progress: in_waiting}");

	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_IN_WAITING);
	assert_true(cluster_unattended_send(c, INT64_MAX) < 0);
	assert_true(c->protocol.unattended_receive_B == INT64_MAX);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, progress: in_mpi, unattended_send: 50 kB}");
	assert_true(cluster_unattended_send(c, 0) == 50000);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, progress: in_mpi, unattended_send: "
		  "[{from: 0, size: 5}, {from: 20, size: 7}]}");
	assert_true(cluster_unattended_send(c, 19) == 5);
	assert_true(cluster_unattended_send(c, 20) == 7);
	cluster_destroy(c);
}

static void what_queues_do_is_read(void **state)
{
	struct cluster *c = parse("network={latency: 0, bandwidth: inf}");

	assert_true(c->network.burst_B == 0 && c->network.queue_B == 0);
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_FREE);
	assert_int_equal(c->protocol.synchronous, CLUSTER_SYNCHRONOUS_MATCHED);
	cluster_destroy(c);
	c = parse("network={latency: 0, bandwidth: inf, burst: 3 kB, queue: 136 kB}");
	assert_true(c->network.burst_B == 3000 && c->network.queue_B == 136000);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, synchronous_send: acknowledged}");
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_PER_PAIR);
	assert_int_equal(c->protocol.synchronous, CLUSTER_SYNCHRONOUS_ACKNOWLEDGED);
	cluster_destroy(c);
}

static void how_a_rendezvous_ends_is_read(void **state)
{
	struct cluster *c = parse("network={latency: 0, bandwidth: inf}");

	assert_int_equal(c->protocol.rendezvous_end, CLUSTER_RENDEZVOUS_ARRIVED);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, rendezvous_end: acknowledged}");
	assert_int_equal(c->protocol.rendezvous_end, CLUSTER_RENDEZVOUS_ACKNOWLEDGED);
	cluster_destroy(c);
}

static void packets_are_read(void **state)
{
	struct cluster *c = parse("network={latency: 0, bandwidth: inf}");

	assert_true(c->network.packet_payload_B == 0 && c->network.packet_overhead_B == 0);
	assert_int_equal(c->protocol.late_answers, CLUSTER_LATE_NONE);
	cluster_destroy(c);
	c = parse("network={latency: 0, bandwidth: inf, packets: {payload: 1448, overhead: 90}, "
		  "burst: 3 kB}");
	assert_true(c->network.packet_payload_B == 1448 && c->network.packet_overhead_B == 90);
	cluster_destroy(c);
	c = parse("protocol.late_answers=probes");
	assert_int_equal(c->protocol.late_answers, CLUSTER_LATE_PROBES);
	cluster_destroy(c);
	c = parse("protocol.late_answers=tests");
	assert_int_equal(c->protocol.late_answers, CLUSTER_LATE_TESTS);
	cluster_destroy(c);
}

static void packets_keep_the_order_of_a_pair(void **state)
{
	static const char free_order[] = MINIMAL "protocol: {order: free}\n";
	const char *packets = "network.packets={payload: 1448}";
	struct util_error err = {0};
	struct cluster *c = parse(packets);

	assert_int_equal(c->protocol.order, CLUSTER_ORDER_PER_PAIR);
	cluster_destroy(c);
	c = parse("network.packets={overhead: 90}");
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_FREE);
	cluster_destroy(c);
	c = NULL;
	assert_int_equal(
	    cluster_parse_with("test.yaml", free_order, strlen(free_order), 1, &packets, &c, &err),
	    UTIL_EINPUT);
	assert_string_equal(err.text, "test.yaml:4:19: protocol.order: found free beside "
				      "network.packets, wanted per_pair, or none");
}

static void wrong_values_are_refused(void **state)
{
	static const struct {
		const char *override, *message;
	} cases[] = {
	    {"network.segments=3", "network.segments: found \"3\", wanted a list of 1 to 1000"},
	    {"network.segments=[]", "network.segments: found a list of 0"},
	    {"network.segments=[1]", "found \"1\", wanted a mapping such as {from: "},
	    {"network.segments=[{from: 0, latency: 0}]",
	     "found no \"bandwidth\", wanted segments.bandwidth"},
	    {"network.segments=[{from: 0, latency: 0, bandwidth: inf, burst: 1}]", "found 4 keys"},
	    {"network.segments=[{from: -1, latency: 0, bandwidth: inf}]", "segments.from: "},
	    {"network.segments=[{from: 0, latency: 1, bandwidth: inf}]",
	     "segments.latency: '1' has no unit"},
	    {"network.segments=[{from: 0, latency: --1us, bandwidth: inf}]", "segments.latency: "},
	    {"network.segments=[{from: 0, latency: -1us, bandwidth: 1 GB/s}]",
	     "found a negative time for 0 B"},
	    {"network.segments=[{from: 999, latency: -1us, bandwidth: 1 GB/s}]",
	     "found a negative time for 999 B"},
	    {"network.segments=[{from: 0, latency: 0, bandwidth: 0 B/s}]", "segments.bandwidth: "},
	    {"network.segments=[{from: 5, latency: 0, bandwidth: inf}, {from: 5, latency: 0, "
	     "bandwidth: inf}]",
	     "found sizes out of order"},
	    {"network.intra_node.segments={}", "network.intra_node.segments: found "},
	    {"network.duplex_penalty=1", "network.duplex_penalty: found \"1\", wanted 0 to 0.99"},
	    {"network.duplex_penalty=-0.1", "network.duplex_penalty: "},
	    {"network.sharing_efficiency=0.9", "wanted a list of 1 to 1000"},
	    {"network.sharing_efficiency=[1, 0]", "found \"0\", wanted 0.01 to 1"},
	    {"network.sharing_efficiency=[1.1]", "found \"1.1\", wanted 0.01 to 1"},
	    {"network.sharing_efficiency=[[1]]", "network.sharing_efficiency: "},
	    {"protocol.send_overhead=-1us", "protocol.send_overhead: "},
	    {"protocol.recv_overhead_per_byte=1s", "wanted 0 to 0.001 s"},
	    {"network.burst=-1", "network.burst: "},
	    {"network.queue=2 GB", "network.queue: "},
	    {"protocol.rendezvous_end=late", "wanted one of arrived|acknowledged"},
	    {"protocol.order=fifo", "wanted one of free|per_pair"},
	    {"protocol.synchronous_send=late", "wanted one of matched|acknowledged"},
	    {"protocol.late_answers=all", "wanted one of none|probes|tests"},
	    {"network.packets.payload=-1", "network.packets.payload: "},
	    {"network.packets.overhead=-1", "network.packets.overhead: "},
	    {"network.packets=1448", "network.packets: "},
	    {"network={latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}, latency_model: "
	     "shared}",
	     "network.packets: found latency_model: shared beside it, wanted none"},
	    {"network={latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}, timeslice: 1s}",
	     "network.packets: found a timeslice beside it"},
	    {"network={latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}, duplex_penalty: "
	     "0.1}",
	     "network.packets: found duplex_penalty beside it"},
	    {"protocol.progress=always", "wanted one of async|in_mpi|in_waiting"},
	    {"protocol.unattended_send=1 MB", "found protocol.order: free, wanted per_pair"},
	    {"protocol={order: per_pair, unattended_send: 1 MB}",
	     "found protocol.progress: async, wanted in_mpi or in_waiting"},
	    {"protocol.unattended_send=[{from: 0, size: 0}]", "unattended_send.size: "},
	    {"protocol.unattended_receive=1 MB",
	     "protocol.unattended_receive: found a size without protocol.unattended_send, wanted a "
	     "size of that"},
	    {"protocol={order: per_pair, progress: in_mpi, unattended_send: 1 MB, "
	     "unattended_receive: 0}",
	     "protocol.unattended_receive: "},
	    {"protocol.unattended_send=on", "protocol.unattended_send: "},
	    {"protocol.request_data=off", "protocol.request_data: "},
	    {"protocol.send_buffer=on", "protocol.send_buffer: "},
	    {"protocol.send_buffer=unattended",
	     "protocol.send_buffer: found unattended without protocol.unattended_send"},
	    {"protocol.send_buffer=[]", "protocol.send_buffer: found a list of 0"},
	    {"protocol.send_buffer={from: 0, size: 1}", "protocol.send_buffer: found "},
	    {"protocol.send_buffer=[{from: 0}]", "found no \"size\", wanted send_buffer.size"},
	    {"protocol.send_buffer=[{from: 1, size: 1}, {from: 0, size: 1}]",
	     "found sizes out of order"},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct cluster *c = NULL;
		struct util_error err = {0};

		assert_int_equal(parse_with(cases[k].override, &c, &err), UTIL_EINPUT);
		assert_null(c);
		if (!strstr(err.text, cases[k].message))
			fail_msg("%s\ngives: %s\nnot:   %s", cases[k].override, err.text,
				 cases[k].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(all_of_it_is_off_by_default),
	    cmocka_unit_test(segments_are_read_in_order),
	    cmocka_unit_test(overheads_of_both_sides_are_told_apart),
	    cmocka_unit_test(a_send_buffer_is_one_size_or_a_list_by_size),
	    cmocka_unit_test(a_send_buffer_is_what_leaves_unattended),
	    cmocka_unit_test(the_rest_is_read),
	    cmocka_unit_test(what_leaves_unattended_is_read),
	    cmocka_unit_test(what_queues_do_is_read),
	    cmocka_unit_test(how_a_rendezvous_ends_is_read),
	    cmocka_unit_test(packets_are_read),
	    cmocka_unit_test(packets_keep_the_order_of_a_pair),
	    cmocka_unit_test(wrong_values_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
