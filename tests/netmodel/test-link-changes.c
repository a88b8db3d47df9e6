/* SPDX-License-Identifier: BSD-3-Clause */
/* Links between switches that become slow, fail or come back while messages are under way; latency by
 * class; half duplex (docs/cluster-file.md). 1 MB takes a second on a link. */
#include "netmodel/private.h"
#include "netmodel/repeat.h"
#include "netmodel/topology.h"
#include "tests/netmodel/fixture.h"

#define HEAD(nodes, topology)              \
	"mpisim_cluster: 1\nnodes: " nodes \
	"\nnetwork: {latency: 0, bandwidth: 1 MB/s, topology: {" topology "}}\n"
/* Two leaves of two nodes, and as many links up as `up` says. */
#define TREE(up, more) HEAD("4", "kind: fat-tree, down: [2, 2], up: [" up "]" more)
#define MB 1000000

/* `count` messages, one after the other, from node to node. */
struct chain {
	struct net_transfer transfer; /* first */
	struct fixture *f;
	int from, to, count;
	double done_s[8];
	int n;
};

static void send_next(struct net_transfer *transfer)
{
	struct chain *chain = (struct chain *)transfer;

	chain->done_s[chain->n++] = sim_time_to_s(chain->f->engine.now);
	if (chain->n < chain->count)
		net_transfer_start(chain->f->model, transfer, chain->from, chain->to, MB,
				   send_next);
}

/* When the last of `count` messages is there; the others' times in the chain. */
static double chain_on(const char *yaml, struct chain *chain, int from, int to, int count)
{
	struct fixture f;

	*chain = (struct chain){.f = &f, .from = from, .to = to, .count = count};
	fixture_open(&f, yaml);
	net_transfer_start(f.model, &chain->transfer, from, to, MB, send_next);
	fixture_run(&f);
	assert_int_equal(chain->n, count);
	/* what is still to come of links does not keep the clock going */
	assert_near(sim_time_to_s(f.engine.now), chain->done_s[count - 1], ONE_PS);
	fixture_close(&f);
	return chain->done_s[count - 1];
}

static void links_become_slow_and_come_back(void **state)
{
	struct chain chain;

	/* half of it in 0.5 s, the rest at half the speed */
	assert_near(chain_on(TREE("1", ", links: [{name: level 1, speed: 0.5, at: 0.5s}]"), &chain,
			     0, 2, 1),
		    1.5, 1e-9);
	/* a quarter of it until they come back at 1 s, and the last quarter; entries in any order */
	assert_near(
	    chain_on(TREE("1", ", links: [{name: level 1, speed: 1, at: 1s}, {name: level 1, "
			       "speed: 0.5, at: 0.5s}]"),
		     &chain, 0, 2, 1),
	    1.25, 1e-9);
	/* slow when it begins, though nothing was under way as they became so */
	assert_near(
	    chain_on(TREE("1", ", links: [{name: level 1, speed: 0.5, at: 0.5s}, {name: level "
			       "1, speed: 0.25, at: 100s}]"),
		     &chain, 0, 2, 2),
	    1.5 + 2, 1e-9);
	/* at a time that floating-point numbers do not have: 0.3 s, then 0.7 MB at a tenth */
	assert_near(chain_on(TREE("1", ", links: [{name: level 1, speed: 0.1, at: 0.3s}]"), &chain,
			     0, 2, 1),
		    0.3 + 7, 1e-9);
	/* not those that stay within a leaf */
	assert_near(chain_on(TREE("1", ", links: [{name: level 1, speed: 0.5, at: 0.5s}]"), &chain,
			     0, 1, 2),
		    2, 1e-9);
}

static void what_is_under_way_on_a_link_that_fails_goes_on(void **state)
{
	static const char yaml[] = TREE(
	    "2", ", links: [{name: \"level 1, switch 0, * port 0\", speed: 0, at: 0.5s}, {name: "
		 "\"level 1, switch 0, * port 1\", speed: 0.5}]");
	struct chain chain;

	/* destination 2 has port 0; from 0.5 s on port 1 is left, which has half the speed */
	assert_near(chain_on(yaml, &chain, 0, 2, 2), 1 + 2, 1e-9);
	assert_near(chain.done_s[0], 1, 1e-9);
}

static void what_fails_later_must_leave_ways(void **state)
{
	static const char yaml[] = TREE("1", ", links: [{name: level 1, speed: 0, at: 2s}]");
	struct util_error err = {0};
	struct net_topology *topology;
	struct cluster *cluster;

	if (cluster_parse("t.yaml", yaml, strlen(yaml), &cluster, &err))
		fail_msg("%s", err.text);
	assert_int_equal(net_topology_create(cluster, &topology, &err), UTIL_EINPUT);
	if (!strstr(err.text,
		    "t.yaml:3:100: from 2 s on: network.topology: found no way between node 0 and node 2"))
		fail_msg("%s", err.text);
	cluster_destroy(cluster);
}

static void a_link_is_used_as_far_as_it_could_carry(void **state)
{
	struct fixture f;
	struct mail mail;
	int up;

	/* 1 MB in 1.5 s: half a second of the whole link, a second of its half */
	fixture_open(&f, TREE("1", ", links: [{name: level 1, speed: 0.5, at: 0.5s}]"));
	up = net_model_topology(f.model)->class_begin[0];
	assert_false(net_model_is_timeless(f.model));
	mail_send(&f, &mail, 0, 2, MB);
	fixture_run(&f);
	assert_near(net_model_link_use(f.model, up).bandwidth_Bps * 1.5, MB, 1e-3);
	fixture_close(&f);
}

static void latency_is_that_of_the_classes_crossed(void **state)
{
	static const char yaml[] =
	    HEAD("8", "kind: fat-tree, down: [2, 2, 2], up: [2, 2], hop_latency: [0.25s, 0.5s]");
	struct chain chain;

	assert_near(chain_on(yaml, &chain, 0, 1, 1), 1, 1e-9);
	assert_near(chain_on(yaml, &chain, 0, 2, 1), 1 + 2 * 0.25, 1e-9);
	assert_near(chain_on(yaml, &chain, 0, 4, 1), 1 + 2 * 0.25 + 2 * 0.5, 1e-9);
}

/* When all of those between `n` pairs are there. */
static double exchange_on(const char *yaml, int n, const int pairs[][2])
{
	struct mail mails[8];
	struct fixture f;
	double last_s;

	fixture_open(&f, yaml);
	for (int i = 0; i < n; i++)
		mail_send(&f, &mails[i], pairs[i][0], pairs[i][1], MB);
	fixture_run(&f);
	last_s = sim_time_to_s(f.engine.now);
	fixture_close(&f);
	return last_s;
}

static void half_duplex_links_carry_both_ways_together(void **state)
{
	static const int forth_and_back[][2] = {{0, 2}, {2, 0}}, forth[][2] = {{0, 2}, {1, 3}};

	assert_near(exchange_on(TREE("1", ""), 2, forth_and_back), 1, 1e-9);
	assert_near(exchange_on(TREE("1", ", duplex: half"), 2, forth_and_back), 2, 1e-9);
	/* the other direction's part is free where it carries nothing */
	assert_near(exchange_on(TREE("2", ", duplex: half"), 2, forth), 1, 1e-9);
	assert_near(exchange_on(HEAD("4", "kind: torus, dimensions: [4], duplex: half"), 2,
				(const int[][2]){{0, 1}, {1, 0}}),
		    2, 1e-9);
}

/* Each link has one carrier, which carries itself and one of the other direction. */
static void every_link_is_carried_with_its_opposite(void **state)
{
	static const char *const yamls[] = {
	    HEAD("16", "kind: fat-tree, down: [4, 2, 2], up: [2, 3], duplex: half"),
	    HEAD("12", "kind: torus, dimensions: [2, 3, 2], duplex: half"),
	    HEAD("16",
		 "kind: dragonfly, groups: 4, routers: 2, nodes_per_router: 2, global_links: 3, "
		 "duplex: half"),
	};

	for (size_t i = 0; i < sizeof yamls / sizeof *yamls; i++) {
		struct fixture f;
		const struct net_topology *topology;
		int n_carried = 0;

		fixture_open(&f, yamls[i]);
		topology = net_model_topology(f.model);
		for (int l = topology->class_begin[0]; l < topology->n_links; l++)
			n_carried += net_topology_is_carried(topology, l);
		assert_int_equal(2 * n_carried, topology->n_links - topology->class_begin[0]);
		fixture_close(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(links_become_slow_and_come_back),
	    cmocka_unit_test(what_is_under_way_on_a_link_that_fails_goes_on),
	    cmocka_unit_test(what_fails_later_must_leave_ways),
	    cmocka_unit_test(a_link_is_used_as_far_as_it_could_carry),
	    cmocka_unit_test(latency_is_that_of_the_classes_crossed),
	    cmocka_unit_test(half_duplex_links_carry_both_ways_together),
	    cmocka_unit_test(every_link_is_carried_with_its_opposite),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
