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
	assert_true(c->network.duplex_loss == 0);
	assert_int_equal(c->network.sharing_losses.n, 0);
	assert_true(c->protocol.send_overhead_s == 0 && c->protocol.recv_overhead_s == 0);
	assert_true(c->protocol.recv_overhead_per_B_s == 0);
	assert_true(c->protocol.request_data_B == 0);
	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_ASYNC);
	assert_true(cluster_send_buffer(c, INT64_MAX) < 0);
	cluster_destroy(c);
}

static void overheads_may_go_by_size(void **state)
{
	struct cluster *c = parse("protocol.overhead={send: [{from: 0, time: 2us}, {from: 1 kB, time: "
				  "3us, per_byte: 1ns}], recv: 4us, probe: 5us}");
	const struct cluster_protocol *p = &c->protocol;

	assert_int_equal(p->send_costs.n, 2);
	assert_near(cluster_cost(&p->send_costs, 9, 999), 2e-6, 1e-20);
	assert_near(cluster_cost(&p->send_costs, 9, 1000), 4e-6, 1e-20);
	assert_near(p->send_overhead_s, 2e-6, 1e-20); /* what has no size */
	assert_true(p->isend_overhead_s < 0);	      /* as send */
	assert_int_equal(p->recv_costs.n, 0);
	assert_near(cluster_cost(&p->recv_costs, p->recv_overhead_s, 1000), 4e-6, 1e-20);
	assert_near(p->probe_s, 5e-6, 1e-20);
	cluster_destroy(c);
	c = parse("protocol.overhead={isend: [{from: 10, time: 1us}]}");
	assert_true(cluster_cost(&c->protocol.isend_costs, 9, 9) == 0);
	assert_near(cluster_cost(&c->protocol.isend_costs, 9, 10), 1e-6, 1e-20);
	cluster_destroy(c);
}

static void a_segment_may_bound_one_stream(void **state)
{
	struct cluster *c = parse("network.segments=[{from: 0, latency: 0, bandwidth: 2 MB/s, stream: "
				  "1 MB/s}, {from: 5, latency: 0, bandwidth: 2 MB/s}]");

	assert_true(c->network.segments.list[0].stream_Bps == 1e6);
	assert_true(c->network.segments.list[1].stream_Bps == INFINITY);
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
	struct cluster *c = parse("protocol={overhead: {send: 3us, recv: 5us}}");

	assert_near(c->protocol.send_overhead_s, 3e-6, 1e-20);
	assert_near(c->protocol.recv_overhead_s, 5e-6, 1e-20);
	cluster_destroy(c);
	c = parse("protocol={overhead: {recv: 3us, per_byte: 4ns}}");
	assert_true(c->protocol.send_overhead_s == 0);
	assert_near(c->protocol.recv_overhead_s, 3e-6, 1e-20);
	assert_near(c->protocol.recv_overhead_per_B_s, 4e-9, 1e-23);
	cluster_destroy(c);
	c = parse("protocol.overhead=3us");
	assert_near(c->protocol.send_overhead_s, 3e-6, 1e-20);
	assert_near(c->protocol.recv_overhead_s, 3e-6, 1e-20);
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
	    "protocol.unattended_send={new: 50, used: 80}"};
	struct util_error err = {0};
	struct cluster *c = NULL;

	assert_int_equal(
	    cluster_parse_with("test.yaml", MINIMAL, strlen(MINIMAL), 4, overrides, &c, &err), 0);
	assert_true(c->protocol.send_buffer_is_unattended);
	/* 50 up to what 50 have carried, then sqrt(50 × carried), at most 80 */
	assert_true(cluster_handed_when(c, 0, 40) == 0);
	assert_true(cluster_handed_when(c, 0, 100) == 50);
	assert_true(cluster_handed_when(c, 0, 1000) == 920);
	assert_true(cluster_handed_when(c, 100, 120) == 100); /* it takes nothing back */
	for (int64_t end_B = 0; end_B < 400; end_B++)
		for (int64_t from_B = 0; from_B <= end_B; from_B++) {
			int64_t at_B = from_B;

			while (at_B + cluster_unattended_send(c, at_B) < end_B)
				at_B++;
			assert_true(cluster_handed_when(c, from_B, end_B) == at_B);
		}
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, progress: in_mpi, unattended_send: 50}");
	assert_true(cluster_handed_when(c, 0, 49) == 0);
	assert_true(cluster_handed_when(c, 0, 1000) == 950);
	assert_true(cluster_handed_when(c, 960, 1000) == 960);
	cluster_destroy(c);
	c = parse("protocol={order: per_pair, progress: in_mpi}"); /* no limit */
	assert_true(cluster_handed_when(c, 0, 1000) == 0);
	assert_true(cluster_handed_when(c, 99, 1000) == 99);
	cluster_destroy(c);
}

static void the_rest_is_read(void **state)
{
	struct cluster *c = parse("network.losses={sharing: [0.1, 0.5]}");

	assert_int_equal(c->network.sharing_losses.n, 2);
	assert_true(c->network.sharing_losses.fraction[0] == 0.1);
	assert_true(c->network.sharing_losses.fraction[1] == 0.5);
	cluster_destroy(c);
	c = parse("network.losses={duplex: 0.25, sharing: 0.5}");
	assert_true(c->network.duplex_loss == 0.25);
	assert_int_equal(c->network.sharing_losses.n, 2);
	assert_true(c->network.sharing_losses.fraction[0] == 0);
	assert_true(c->network.sharing_losses.fraction[1] == 0.5);
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
		  "{new: 5, used: 7}}");
	assert_true(cluster_unattended_send(c, 0) == 5);
	assert_true(cluster_unattended_send(c, 7) == 5);
	assert_true(cluster_unattended_send(c, 8) == 6); /* sqrt(40) = 6.3 */
	assert_true(cluster_unattended_send(c, 1000) == 7);
	cluster_destroy(c);
}

static void what_queues_do_is_read(void **state)
{
	struct cluster *c = parse("network={latency: 0, bandwidth: inf}");

	assert_true(c->network.burst_B == 0);
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_FREE);
	assert_int_equal(c->protocol.synchronous, CLUSTER_SYNCHRONOUS_MATCHED);
	cluster_destroy(c);
	c = parse("network={latency: 0, bandwidth: inf, burst: 3 kB}");
	assert_true(c->network.burst_B == 3000);
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
	c = parse("network={latency: 0, bandwidth: inf, packets: {payload: 1448, overhead: 90, "
		  "queue: 120 kB}, burst: 3 kB}");
	assert_true(c->network.packet_payload_B == 1448 && c->network.packet_overhead_B == 90);
	assert_true(c->network.packet_queue_B == 120000);
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
	    {"network.segments=[{from: 0, latency: 0, bandwidth: inf, burst: 1}]",
	     "segments: found unknown key \"burst\", wanted from, latency, bandwidth, stream"},
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
	    {"network.losses.duplex=1", "network.losses.duplex: found \"1\", wanted 0 to 0.99"},
	    {"network.losses.duplex=-0.1", "network.losses.duplex: "},
	    {"network.losses=0.1", "network.losses: found \"0.1\", wanted a mapping"},
	    {"network.losses.sharing=1", "found \"1\", wanted 0 to 0.99"},
	    {"network.losses.sharing=[]", "wanted a list of 1 to 1000"},
	    {"network.losses.sharing=[0, 1]", "found \"1\", wanted 0 to 0.99"},
	    {"network.losses.sharing=[-0.1]", "found \"-0.1\", wanted 0 to 0.99"},
	    {"network.losses.sharing=[[0]]", "network.losses.sharing: "},
	    {"protocol.overhead.send=-1us", "protocol.overhead.send: "},
	    {"protocol.overhead={per_byte: 1s}", "wanted 0 to 0.001 s"},
	    {"protocol.overhead=[1us]", "protocol.overhead: found a list of 1"},
	    {"network.burst=-1", "network.burst: "},
	    {"protocol.rendezvous_end=late", "wanted one of arrived|acknowledged"},
	    {"protocol.order=fifo", "wanted one of free|per_pair"},
	    {"protocol.synchronous_send=late", "wanted one of matched|acknowledged"},
	    {"protocol.late_answers=all", "wanted one of none|probes|tests"},
	    {"network.packets.payload=-1", "network.packets.payload: "},
	    {"network.packets.overhead=-1", "network.packets.overhead: "},
	    {"network.packets=1448", "network.packets: "},
	    {"network={latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}, model: thesis}",
	     "network.packets: found model: thesis beside it, wanted none"},
	    {"network={latency: 0, bandwidth: 1 MB/s, timeslice: 1s}",
	     "network.timeslice: found a slice without network.model: thesis"},
	    {"network={latency: 0, bandwidth: 1 MB/s, packets: {payload: 1000}, losses: {duplex: "
	     "0.1}}",
	     "network.packets: found losses beside it"},
	    {"protocol.progress=always", "wanted one of async|in_mpi|in_waiting"},
	    {"protocol.unattended_send=1 MB", "found protocol.order: free, wanted per_pair"},
	    {"protocol={order: per_pair, unattended_send: 1 MB}",
	     "found protocol.progress: async, wanted in_mpi or in_waiting"},
	    {"protocol.unattended_send=[{from: 0, size: 0}]",
	     "protocol.unattended_send: found a list of 1"},
	    {"protocol.unattended_send={new: 5, used: 4}",
	     "protocol.unattended_send: found new: 5 and used: 4, wanted both, and no less of a "
	     "used connection"},
	    {"protocol.unattended_send={new: 5}", "found new: 5 and used: 0, wanted both"},
	    {"protocol.unattended_send={used: 5}", "found new: 0 and used: 5, wanted both"},
	    {"protocol.unattended_send={new: 0, used: 5}", "protocol.unattended_send.new: "},
	    {"protocol.unattended_receive=1 MB",
	     "found protocol.unattended_receive, wanted an unattended_send, too"},
	    {"protocol={order: per_pair, progress: in_mpi, unattended_send: 1 MB, "
	     "unattended_receive: 0}",
	     "protocol.unattended_receive: "},
	    {"protocol.unattended_send=on", "protocol.unattended_send: "},
	    {"protocol.request_data=off", "protocol.request_data: "},
	    {"protocol.send_buffer=on", "protocol.send_buffer: "},
	    {"protocol.send_buffer=unattended",
	     "found protocol.send_buffer: unattended, wanted an unattended_send"},
	    {"protocol.send_buffer=[]", "protocol.send_buffer: found a list of 0"},
	    {"protocol.send_buffer={from: 0, size: 1}", "protocol.send_buffer: found "},
	    {"protocol.send_buffer=[{from: 0}]", "found no \"size\", wanted send_buffer.size"},
	    {"protocol.send_buffer=[{from: 1, size: 1}, {from: 0, size: 1}]",
	     "found sizes out of order"},
	    {"network.segments=[{from: 0, latency: 0, bandwidth: inf, stream: 1 MB/s}]",
	     "network.segments: found \"stream\" beside bandwidth: inf"},
	    {"network={latency: 0, bandwidth: 1 MB/s, model: thesis, segments: "
	     "[{from: 0, latency: 0, bandwidth: 2 MB/s, stream: 1 MB/s}]}",
	     "network.segments: found \"stream\" beside model: thesis"},
	    {"network.intra_node.segments=[{from: 0, latency: 0, bandwidth: 2 MB/s, stream: 1 MB/s}]",
	     "segments: found unknown key \"stream\", wanted from, latency, bandwidth"},
	    {"protocol.overhead={send: []}", "protocol.overhead.send: found a list of 0"},
	    {"protocol.overhead={recv: [{from: 0}]}", "found no \"time\", wanted overhead.time"},
	    {"protocol.overhead={isend: [{from: 1, time: 0}, {from: 1, time: 0}]}",
	     "protocol.overhead.isend: found sizes out of order"},
	    {"protocol.overhead={probe: [{from: 0, time: 0}]}", "protocol.overhead.probe: "},
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

static void a_library_is_a_set_of_defaults(void **state)
{
	struct cluster *c = parse("protocol={library: openmpi-tcp, eager_threshold: 64 kB}");

	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_IN_WAITING);
	assert_int_equal(c->protocol.late_answers, CLUSTER_LATE_TESTS);
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_PER_PAIR);
	assert_int_equal(c->protocol.synchronous, CLUSTER_SYNCHRONOUS_ACKNOWLEDGED);
	assert_int_equal(c->protocol.rendezvous_end, CLUSTER_RENDEZVOUS_ARRIVED);
	assert_true(c->protocol.request_data_B == 64000); /* as an eager message */
	assert_true(c->protocol.send_buffer_is_unattended);
	assert_true(c->protocol.unattended_new_B > 0 &&
		    c->protocol.unattended_new_B <= c->protocol.unattended_used_B);
	assert_int_equal(c->collectives.profile, CLUSTER_COLL_OPENMPI);
	assert_int_equal(c->rma.progress, CLUSTER_RMA_IN_MPI);
	cluster_destroy(c);
	c = parse("protocol={library: mpich-tcp, progress: in_waiting, unattended_send: 70 kB}");
	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_IN_WAITING); /* the file's */
	assert_int_equal(c->protocol.late_answers, CLUSTER_LATE_PROBES);
	assert_int_equal(c->protocol.rendezvous_end, CLUSTER_RENDEZVOUS_ACKNOWLEDGED);
	assert_true(c->protocol.unattended_new_B == 70000 && c->protocol.unattended_used_B == 70000);
	assert_int_equal(c->collectives.profile, CLUSTER_COLL_MPICH);
	cluster_destroy(c);
	/* what needs connections, and ranks that do not attend to them, goes with them */
	c = parse("protocol={library: openmpi-tcp, progress: async}");
	assert_true(c->protocol.unattended_new_B == 0 && !c->protocol.send_buffer_is_unattended);
	assert_true(c->protocol.unattended_receive_B == INT64_MAX);
	cluster_destroy(c);
	c = parse("protocol={library: rdma}");
	assert_int_equal(c->protocol.progress, CLUSTER_PROGRESS_IN_MPI);
	assert_int_equal(c->protocol.order, CLUSTER_ORDER_FREE);
	assert_int_equal(c->rma.progress, CLUSTER_RMA_NIC);
	cluster_destroy(c);
}

static void old_keys_are_refused_with_the_new_one(void **state)
{
	static const struct {
		const char *override, *message;
	} cases[] = {
	    {"placement=block", "found the old key \"placement\", wanted run.placement"},
	    {"network.latency_model=shared", "wanted network.model: fluid or thesis"},
	    {"network.sharing_efficiency=[1]", "wanted network.losses: {sharing: […]}"},
	    {"network.queue=1 kB", "wanted network.packets: {queue: …}, of packets only"},
	    {"protocol.send_overhead=1us", "wanted protocol.overhead: {send: …, recv: …}"},
	    {"protocol.control_message=64", "wanted none: control messages take the latency"},
	    {"collectives.profile=mpich", "wanted protocol.collectives"},
	    {"collectives.bcast=binomial", "wanted protocol.collectives, or run.algorithms"},
	    {"cpu.communication_cost_scale=2", "wanted cpu.communication_cost.scale"},
	    {"storage.stripe_size=4", "wanted storage.stripe: {size: …}"},
	    {"storage.client_bandwidth=1 GB/s", "wanted storage.bandwidth: {client: …}"},
	    {"spawn.max_processes=4", "wanted run.spawn: {processes: …}"},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		struct cluster *c = NULL;
		struct util_error err = {0};

		assert_int_equal(parse_with(cases[k].override, &c, &err), UTIL_EINPUT);
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
	    cmocka_unit_test(a_segment_may_bound_one_stream),
	    cmocka_unit_test(overheads_may_go_by_size),
	    cmocka_unit_test(overheads_of_both_sides_are_told_apart),
	    cmocka_unit_test(a_send_buffer_is_one_size_or_a_list_by_size),
	    cmocka_unit_test(a_send_buffer_is_what_leaves_unattended),
	    cmocka_unit_test(the_rest_is_read),
	    cmocka_unit_test(what_leaves_unattended_is_read),
	    cmocka_unit_test(what_queues_do_is_read),
	    cmocka_unit_test(how_a_rendezvous_ends_is_read),
	    cmocka_unit_test(packets_are_read),
	    cmocka_unit_test(packets_keep_the_order_of_a_pair),
	    cmocka_unit_test(a_library_is_a_set_of_defaults),
	    cmocka_unit_test(old_keys_are_refused_with_the_new_one),
	    cmocka_unit_test(wrong_values_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
