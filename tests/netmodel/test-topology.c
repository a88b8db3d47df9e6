/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics between nodes (docs/model.md §3): hand-derived times of patterns, routes as properties, and
 * what is refused. */
#include "netmodel/private.h"
#include "netmodel/repeat.h"
#include "netmodel/topology.h"
#include "tests/netmodel/fabrics.h"

#define TREE(taper) HEAD("64") "topology: {kind: fat-tree, nodes_per_leaf: 16, taper: " taper "}}\n"
#define TORUS(dimensions) "topology: {kind: torus, dimensions: " dimensions "}}\n"
#define FLY(groups, nodes, links)                                                  \
	"topology: {kind: dragonfly, groups: " groups ", nodes_per_router: " nodes \
	", global_links: " links "}}\n"

static int to_all(int node, int k)
{
	return (node + 1 + k) % N;
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

/* Each link is one that there is, begins where the one before ends, and none is crossed twice. */
static void check_route(const struct net_topology *topology, const struct cluster *cluster,
			int source, int dest, uint64_t choice, bool is_detour)
{
	int links[64], n = topology->route(topology, source, dest, choice, is_detour, links);
	int at = net_topology_switch_of(cluster, source);

	assert_in_range(n, 2, topology->longest);
	assert_int_equal(links[0], source);
	assert_int_equal(links[n - 1], cluster->n_nodes + dest);
	for (int k = 1; k < n - 1; k++) {
		int ends[2];

		assert_in_range(links[k], 2 * cluster->n_nodes, topology->n_links - 1);
		topology->ends(topology, links[k], ends);
		assert_int_equal(ends[0], at);
		assert_in_range(ends[1], cluster->n_nodes,
				cluster->n_nodes + topology->n_switches - 1);
		at = ends[1];
		for (int j = 1; j < k; j++)
			assert_int_not_equal(links[j], links[k]);
	}
	assert_int_equal(at, net_topology_switch_of(cluster, dest));
}

/* All links between switches lie there, once to and once fro. */
static void check_links(const struct net_topology *topology)
{
	for (int l = topology->class_begin[0]; l < topology->n_links; l++) {
		int ends[2], other[2], n_back = 0;

		topology->ends(topology, l, ends);
		for (int m = topology->class_begin[0]; m < topology->n_links; m++) {
			topology->ends(topology, m, other);
			n_back += other[0] == ends[1] && other[1] == ends[0];
			n_back -= other[0] == ends[0] && other[1] == ends[1];
		}
		assert_int_equal(n_back, 0);
		assert_int_not_equal(ends[0], ends[1]);
	}
}

static void routes_begin_and_end_at_their_nodes(void **state)
{
	static const char *const shapes[] = {
	    "topology: {kind: fat-tree, nodes_per_leaf: 8, taper: 4}}\n",
	    "topology: {kind: fat-tree, nodes_per_leaf: 48}}\n",
	    TORUS("[48]"),
	    TORUS("[4, 3, 4]"),
	    TORUS("[2, 2, 2, 2, 3, 1]"),
	    "topology: {kind: fat-tree, down: [4, 3, 4], up: [2, 3]}}\n",
	    "topology: {kind: fat-tree, down: [48], up: []}}\n",
	    "topology: {kind: fat-tree, down: [2, 2, 3, 4], up: [2, 1, 5]}}\n",
	    FLY("6, routers: 4", "2", "2"),
	    FLY("3, routers: 4", "4", "1"),
	    FLY("2, routers: 24", "1", "1"),
	    FLY("1, routers: 48", "1", "1"),
	    FLY("24, routers: 1", "2", "23")};

	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		struct util_error err = {0};
		struct net_topology *topology;
		struct cluster *cluster;
		char yaml[512];

		snprintf(yaml, sizeof yaml, "%s%s", HEAD("48"), shapes[i]);
		if (cluster_parse("t.yaml", yaml, strlen(yaml), &cluster, &err))
			fail_msg("%s", err.text);
		assert_int_equal(net_topology_create(cluster, &topology, &err), 0);
		for (int source = 0; source < 48; source++)
			for (int dest = 0; dest < 48; dest++)
				for (int k = 0; k < 4 && source != dest; k++)
					check_route(topology, cluster, source, dest,
						    (uint64_t)(k * 12345 + dest), k % 2);
		check_links(topology);
		net_topology_destroy(topology);
		cluster_destroy(cluster);
	}
}

static int to_all_of_72(int node, int k)
{
	return (node + 1 + k) % 72;
}

static void a_detour_helps_against_adversaries_only(void **state)
{
	/* All 8 nodes of a group to the next group: one global link carries all of it. Detours
	 * share 7 links that lead there, each crossed once out of the group and once into the
	 * other: no more than half of the bandwidth (J. Kim et al. 2008, figure 8). */
	double minimal = time_of(BALANCED("deterministic"), 72, N_MANY, to_next_group);
	double valiant = time_of(BALANCED("valiant"), 72, N_MANY, to_next_group);
	double adaptive = time_of(BALANCED("adaptive"), 72, N_MANY, to_next_group);

	assert_near(minimal, 8 * N_MANY, 1e-9);
	assert_in_range((int)valiant, 2 * N_MANY, 3 * N_MANY);
	assert_in_range((int)adaptive, N_MANY, (int)valiant + 2);
	/* All to all: 64 messages between two groups cross one link, 71 each node's; detours double
	 * what global links carry. */
	minimal = time_of(BALANCED("deterministic"), 72, 71, to_all_of_72);
	valiant = time_of(BALANCED("valiant"), 72, 71, to_all_of_72);
	adaptive = time_of(BALANCED("adaptive"), 72, 71, to_all_of_72);
	assert_near(minimal, 71, 1e-9);
	assert_in_range((int)valiant, 128, 200);
	assert_in_range((int)adaptive, 71, 110);
}

static void a_tree_of_three_levels_is_as_wide_as_its_ports(void **state)
{
	/* 4 × 4 × 4 nodes; shift by 16 crosses the top: up-links of both levels carry all. */
	assert_near(time_of(DEEP("4, 4", ""), N, 1, to_next_leaf), 1, 1e-9);
	assert_near(time_of(DEEP("2, 4", ""), N, 1, to_next_leaf), 2, 1e-9);
	assert_near(time_of(DEEP("4, 2", ""), N, 1, to_next_leaf), 2, 1e-9);
	assert_near(time_of(DEEP("2, 2", ""), N, 1, to_next_leaf), 4, 1e-9);
	/* links of a level that are twice as wide make good for half as many, other jobs take a
	 * part */
	assert_near(time_of(DEEP("2, 8", ", bandwidth: [2 MB/s, 1 MB/s]"), N, 1, to_next_leaf), 1,
		    1e-9);
	assert_near(time_of(DEEP("4, 4", ", load: 0.75"), N, 1, to_next_leaf), 4, 1e-9);
	/* four links between switches */
	assert_near(time_of(DEEP("4, 4", ", hop_latency: 0.25s"), N, 1, to_next_leaf), 2, 1e-9);
}

/* All nodes of a leaf to those of other leaves with the same number modulo 4: by d-mod-k they share
 * one port. */
static int to_one_spine(int node, int k)
{
	return node / 4 * 4 == node ? (node + 16) % N : node % 4 * 16 + node / 16 * 4;
}

static void adaptive_routes_avoid_each_other(void **state)
{
	double fixed = time_of(DEEP("4, 4", ""), N, 1, to_one_spine);
	double adaptive = time_of(DEEP("4, 4", ", routing: adaptive"), N, 1, to_one_spine);
	double hashed = time_of(DEEP("4, 4", ", routing: ecmp"), N, 1, to_one_spine);

	assert_true(adaptive < fixed);
	assert_true(hashed >= 1);
}

static void links_tell_what_they_carried_and_held_back(void **state)
{
	const struct net_topology *topology;
	struct mail mails[N] = {0};
	struct net_stats none = {0};
	struct fixture f;
	char name[64];

	/* The shift by 16 with taper 2: two messages on each up-link and each down-link, 2 s instead of
	 * 1 s for both. */
	fixture_open(&f, TREE("2"));
	topology = net_model_topology(f.model);
	net_model_mark(f.model);
	for (int node = 0; node < N; node++)
		mail_send(&f, &mails[node], node, to_next_leaf(node, 0), MB);
	fixture_run(&f);
	assert_near(mails[5].done_s, 2, 1e-9);
	net_model_jump(f.model, 0, 2, &none); /* the same twice more */
	for (int l = 0; l < topology->n_links; l++) {
		struct net_link_use use = net_model_link_use(f.model, l);
		bool is_of_node = l < topology->class_begin[0];

		assert_near(use.carried_B, 3 * (is_of_node ? MB : 2 * MB), 1e-3);
		assert_near(use.lost_s, is_of_node ? 0 : 3 * 2, 1e-8);
		assert_near(use.bandwidth_Bps, MB, 1e-3);
	}
	topology->name(topology, topology->class_begin[0] + 9, name, sizeof name);
	assert_string_equal(name, "level 1, switch 1, to port 1");
	fixture_close(&f);
	/* The star has no such links, and counts nothing. */
	fixture_open(&f, HEAD("64") "}\n");
	assert_null(net_model_topology(f.model));
	fixture_close(&f);
}

static void what_repeats_is_known_where_routes_are_not_chosen(void **state)
{
	static const struct {
		const char *yaml;
		bool is_timeless;
	} cases[] = {{TREE("2"), true},
		     {DEEP("4, 4", ", routing: ecmp"), true},
		     {DEEP("4, 4", ", routing: adaptive"), false},
		     {BALANCED("deterministic"), true},
		     {BALANCED("valiant"), false}};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct fixture f;

		fixture_open(&f, cases[k].yaml);
		assert_int_equal(net_model_is_timeless(f.model), cases[k].is_timeless);
		fixture_close(&f);
	}
}

static void shapes_that_do_not_add_up_are_refused(void **state)
{
	static const struct {
		const char *topology, *message;
	} cases[] = {
	    {"kind: ring", "network.topology.kind: found \"ring\", wanted one of "
			   "star|fat-tree|torus|dragonfly|graph"},
	    {"kind: fat-tree",
	     "found no nodes_per_leaf, wanted it, or down and up, for a fat-tree"},
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
	    {"kind: torus, dimensions: [64], taper: 2",
	     "network.topology.taper: found kind: torus, wanted kind: fat-tree beside it"},
	    {"kind: star, dimensions: [64]",
	     "network.topology.dimensions: found kind: star, wanted kind: torus beside it"},
	    {"kind: star, load: 0.5", "which has no links between switches"},
	    {"kind: fat-tree, down: [8, 4], up: [4]",
	     "found down ports for 32 nodes (their product), wanted the cluster's 64"},
	    {"kind: fat-tree, down: [8, 8], up: [4, 4]",
	     "found 2 levels of down and 2 of up, wanted up for each level but the top"},
	    {"kind: fat-tree, down: [8, 8], up: [4], taper: 2", "wanted one of the two forms"},
	    {"kind: fat-tree, down: [8, 8], up: [4], routing: valiant",
	     "found valiant, wanted deterministic, ecmp or adaptive for a fat-tree"},
	    {"kind: torus, dimensions: [64], routing: ecmp",
	     "found ecmp, wanted deterministic for a torus"},
	    {"kind: torus, dimensions: [64], bandwidth: [1 MB/s, 2 MB/s]",
	     "found 2 values, wanted one, or one of each of 1 classes of links"},
	    {"kind: torus, dimensions: [8, 8], hop_latency: []",
	     "network.topology.hop_latency: found 0 values, wanted 1 to 6"},
	    {"kind: dragonfly, groups: 4",
	     "found 4 groups, 0 routers, 0 nodes_per_router, 0 global_links, wanted each"},
	    {"kind: dragonfly, groups: 4, routers: 2, nodes_per_router: 4, global_links: 1",
	     "found 4 groups x 2 routers x 4 nodes = 32, wanted the cluster's 64 nodes"},
	    {"kind: dragonfly, groups: 8, routers: 2, nodes_per_router: 4, global_links: 3",
	     "found 6 global links of a group, wanted one to each of the 7 others"},
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
	    cmocka_unit_test(a_tree_of_three_levels_is_as_wide_as_its_ports),
	    cmocka_unit_test(adaptive_routes_avoid_each_other),
	    cmocka_unit_test(a_detour_helps_against_adversaries_only),
	    cmocka_unit_test(routes_begin_and_end_at_their_nodes),
	    cmocka_unit_test(links_tell_what_they_carried_and_held_back),
	    cmocka_unit_test(what_repeats_is_known_where_routes_are_not_chosen),
	    cmocka_unit_test(shapes_that_do_not_add_up_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
