/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics between nodes (docs/model.md §3): hand-derived times of patterns, routes as properties, and
 * what is refused. 1 MB takes a second on a link. */
#include "netmodel/private.h"
#include "netmodel/topology.h"
#include "tests/netmodel/fixture.h"

#define HEAD(nodes) "mpisim_cluster: 1\nnodes: " nodes "\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
#define TREE(taper) HEAD("64") "topology: {kind: fat-tree, nodes_per_leaf: 16, taper: " taper "}}\n"
#define TORUS(dimensions) "topology: {kind: torus, dimensions: " dimensions "}}\n"
#define MB 1000000
#define N 64

typedef int (*pattern_fn)(int node, int k);

/* Every node sends `n` messages at once, the k-th to pattern(node, k): when all are there. */
static double time_of(const char *yaml, int n_nodes, int n, pattern_fn pattern)
{
	struct mail *mails = calloc((size_t)(n_nodes * n), sizeof *mails);
	struct fixture f;
	double last_s;

	assert_non_null(mails);
	fixture_open(&f, yaml);
	for (int node = 0; node < n_nodes; node++)
		for (int k = 0; k < n; k++)
			mail_send(&f, &mails[node * n + k], node, pattern(node, k), MB);
	fixture_run(&f);
	for (int i = 0; i < n_nodes * n; i++)
		assert_true(mails[i].done_s >= 0);
	last_s = sim_time_to_s(f.engine.now);
	fixture_close(&f);
	free(mails);
	return last_s;
}

static int to_all(int node, int k)
{
	return (node + 1 + k) % N;
}

static int to_next_leaf(int node, int k)
{
	return (node + 16) % N;
}

static int within_leaf(int node, int k)
{
	return node / 16 * 16 + (node + 1) % 16;
}

static void a_tapered_tree_shares_its_up_links(void **state)
{
	/* All to all. Each node's link carries 63. Of 16 nodes each sends to 48 in other leaves; these
	 * are dealt out to 16 / taper up-links: 16 × 48 × taper / 16 on each. */
	assert_near(time_of(HEAD("64") "}\n", N, N - 1, to_all), 63, 1e-9);
	assert_near(time_of(TREE("1"), N, N - 1, to_all), 63, 1e-9);
	assert_near(time_of(TREE("2"), N, N - 1, to_all), 96, 1e-9);
	assert_near(time_of(TREE("4"), N, N - 1, to_all), 192, 1e-9);
	/* A shift to the next leaf: 16 messages on 16 / taper up-links. */
	assert_near(time_of(TREE("1"), N, 1, to_next_leaf), 1, 1e-9);
	assert_near(time_of(TREE("2"), N, 1, to_next_leaf), 2, 1e-9);
	assert_near(time_of(TREE("16"), N, 1, to_next_leaf), 16, 1e-9);
}

static void what_stays_within_leaves_knows_no_taper(void **state)
{
	assert_near(time_of(TREE("1"), N, 1, within_leaf), 1, 1e-9);
	assert_near(time_of(TREE("16"), N, 1, within_leaf), 1, 1e-9);
}

static int shift_by_three(int node, int k)
{
	return (node + 3) % 8;
}

static int shift_back(int node, int k)
{
	return (node + 7) % 8;
}

static int to_the_opposite(int node, int k)
{
	return (node + 4) % 8;
}

/* Of 4 × 2 places: two steps in the first dimension, one in the second. */
static int across(int node, int k)
{
	return (node + 2) % 4 + (node / 4 + 1) % 2 * 4;
}

static void messages_cross_a_torus_in_the_order_of_dimensions(void **state)
{
	assert_near(time_of(HEAD("8") TORUS("[8]"), 8, 1, shift_back), 1, 1e-9);
	assert_near(time_of(HEAD("8") TORUS("[8]"), 8, 1, shift_by_three), 3, 1e-9);
	/* all forth, though back is as far */
	assert_near(time_of(HEAD("8") TORUS("[8]"), 8, 1, to_the_opposite), 4, 1e-9);
	assert_near(time_of(HEAD("8") TORUS("[4, 2]"), 8, 1, across), 2, 1e-9);
}

/* Each link is one that there is, and none is crossed twice. */
static void check_route(const struct net_topology *topology, int n_nodes, int source, int dest)
{
	int links[64], n = topology->route(topology, source, dest, links);

	assert_in_range(n, 2, topology->longest);
	assert_int_equal(links[0], source);
	assert_int_equal(links[n - 1], n_nodes + dest);
	for (int k = 1; k < n - 1; k++) {
		assert_in_range(links[k], 2 * n_nodes, topology->n_links - 1);
		for (int j = 1; j < k; j++)
			assert_int_not_equal(links[j], links[k]);
	}
}

static void routes_begin_and_end_at_their_nodes(void **state)
{
	static const char *const shapes[] = {
	    "topology: {kind: fat-tree, nodes_per_leaf: 8, taper: 4}}\n",
	    "topology: {kind: fat-tree, nodes_per_leaf: 48}}\n", TORUS("[48]"), TORUS("[4, 3, 4]"),
	    TORUS("[2, 2, 2, 2, 3, 1]")};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct util_error err = {0};
		struct net_topology *topology;
		struct cluster *cluster;
		char yaml[512];

		snprintf(yaml, sizeof yaml, "%s%s", HEAD("48"), shapes[i]);
		if (cluster_parse("t.yaml", yaml, strlen(yaml), &cluster, &err))
			fail_msg("%s", err.text);
		topology = net_topology_create(cluster);
		assert_non_null(topology);
		for (int source = 0; source < 48; source++)
			for (int dest = 0; dest < 48; dest++)
				if (source != dest)
					check_route(topology, 48, source, dest);
		free(topology);
		cluster_destroy(cluster);
	}
}

static void shapes_that_do_not_add_up_are_refused(void **state)
{
	static const struct {
		const char *topology, *message;
	} cases[] = {
	    {"kind: ring",
	     "network.topology.kind: found \"ring\", wanted one of star|fat-tree|torus"},
	    {"kind: fat-tree", "found no nodes_per_leaf, wanted it for a fat-tree"},
	    {"kind: fat-tree, nodes_per_leaf: 10",
	     "found 10 nodes_per_leaf, wanted a divisor of the cluster's 64 nodes"},
	    {"kind: fat-tree, nodes_per_leaf: 16, taper: 3",
	     "found taper 3, wanted 16 ports to the nodes over a whole number of ports"},
	    {"kind: fat-tree, nodes_per_leaf: 16, taper: 32", "found taper 32, wanted 16 ports"},
	    {"kind: torus", "found dimensions of 0 places, wanted the cluster's 64 nodes"},
	    {"kind: torus, dimensions: [8, 4]", "found dimensions of 32 places, wanted the"},
	    {"kind: torus, dimensions: [8, 2.5]", "found 2.5, wanted a whole number"},
	    {"kind: torus, dimensions: 64",
	     "network.topology.dimensions: found \"64\", wanted a list"},
	    {"kind: torus, dimensions: [64], taper: 2", "wanted kind: fat-tree beside them"},
	    {"kind: star, dimensions: [64]", "found dimensions, wanted kind: torus beside them"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct cluster *cluster = NULL;
		struct util_error err = {0};
		char yaml[512];

		snprintf(yaml, sizeof yaml, "%stopology: {%s}}\n", HEAD("64"), cases[k].topology);
		assert_int_equal(cluster_parse("t.yaml", yaml, strlen(yaml), &cluster, &err),
				 UTIL_EINPUT);
		if (!strstr(err.text, cases[k].message) || strncmp(err.text, "t.yaml:3:", 9) != 0)
			fail_msg("%s\ngives: %s\nnot:   %s", cases[k].topology, err.text,
				 cases[k].message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_tapered_tree_shares_its_up_links),
	    cmocka_unit_test(what_stays_within_leaves_knows_no_taper),
	    cmocka_unit_test(messages_cross_a_torus_in_the_order_of_dimensions),
	    cmocka_unit_test(routes_begin_and_end_at_their_nodes),
	    cmocka_unit_test(shapes_that_do_not_add_up_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
