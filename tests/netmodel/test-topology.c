/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics between nodes (docs/model.md §3): hand-derived times of patterns, routes as properties, and
 * what is refused. 1 MB takes a second on a link. */
#include "netmodel/private.h"
#include "netmodel/repeat.h"
#include "netmodel/topology.h"
#include "tests/netmodel/fixture.h"

#include <unistd.h>

#define HEAD(nodes) "mpisim_cluster: 1\nnodes: " nodes "\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
#define TREE(taper) HEAD("64") "topology: {kind: fat-tree, nodes_per_leaf: 16, taper: " taper "}}\n"
#define TORUS(dimensions) "topology: {kind: torus, dimensions: " dimensions "}}\n"
#define FLY(groups, nodes, links)                                                  \
	"topology: {kind: dragonfly, groups: " groups ", nodes_per_router: " nodes \
	", global_links: " links "}}\n"
#define DEEP(up, more) \
	HEAD("64") "topology: {kind: fat-tree, down: [4, 4, 4], up: [" up "]" more "}}\n"
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

/* 9 groups of 4 routers with 2 nodes and 2 global links each. */
#define BALANCED(routing)                                                                        \
	HEAD("72")                                                                               \
	"topology: {kind: dragonfly, groups: 9, routers: 4, nodes_per_router: 2, global_links: " \
	"2, "                                                                                    \
	"routing: " routing "}}\n"
#define N_MANY 64

static int to_next_group(int node, int k)
{
	return (node + 8) % 72;
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
	     "wanted deterministic, ecmp or adaptive for a fat-tree"},
	    {"kind: torus, dimensions: [64], routing: ecmp", "wanted deterministic for a torus"},
	    {"kind: torus, dimensions: [64], bandwidth: [1 MB/s, 2 MB/s]",
	     "found 2 values, wanted one, or one of each of 1 classes of links"},
	    {"kind: dragonfly, groups: 4", "wanted groups, routers (of a group), nodes_per_router"},
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

/* --- NICs --- */

static int to_one(int node, int k)
{
	return 0;
}

static int by_turns(int node, int k)
{
	return (node + 1 + k) % 8;
}

#define NICS(more) "mpisim_cluster: 1\nnodes: 8\nnetwork: {latency: 0, bandwidth: 1 MB/s" more "}\n"

static void a_message_takes_one_of_the_nics(void **state)
{
	/* alone as long as with one, up to so many at once as well */
	assert_near(time_of(NICS(", nics: 4"), 8, 1, by_turns), 1, 1e-9);
	assert_near(time_of(NICS(", nics: 4"), 8, 4, by_turns), 1, 1e-9);
	assert_near(time_of(NICS(", nics: 4"), 8, 6, by_turns), 1.5, 1e-9);
	assert_near(time_of(NICS(""), 8, 6, by_turns), 6, 1e-9);
	/* 7 from others into four NICs of node 0, while its own message to itself is free */
	assert_near(time_of(NICS(", nics: 4"), 8, 1, to_one), 7.0 / 4, 1e-9);
	/* 16 nodes with two NICs each on 16 links up */
	assert_near(time_of("mpisim_cluster: 1\nnodes: 64\nnetwork: {latency: 0, bandwidth: 1 "
			    "MB/s, nics: 2, topology: "
			    "{kind: fat-tree, nodes_per_leaf: 16}}\n",
			    N, 2, to_next_leaf),
		    2, 1e-9);
}

static void a_small_message_takes_its_link_for_a_while(void **state)
{
	/* two messages of a second each; with 0.5 messages in a second, two seconds each */
	assert_near(time_of(NICS(", message_rate: 2"), 8, 2, by_turns), 2, 1e-9);
	assert_near(time_of(NICS(", message_rate: 1"), 8, 2, by_turns), 2, 1e-9);
	assert_near(time_of("mpisim_cluster: 1\nnodes: 8\nnetwork: {latency: 1s, bandwidth: 1 "
			    "GB/s, message_rate: 4}\n",
			    8, 3, by_turns),
		    1.75, 1e-9);
}

/* --- graphs, and links that are slow or have failed --- */

static char graph_path[] = "/tmp/mpisim-graph-XXXXXX";

static void write_graph(const char *text)
{
	FILE *file = fopen(graph_path, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static const char *on_graph(const char *nodes, const char *more)
{
	static char yaml[512];

	snprintf(yaml, sizeof yaml,
		 "mpisim_cluster: 1\nnodes: %s\nnetwork: {latency: 0, bandwidth: 1 MB/s, topology: "
		 "{kind: graph, file: %s%s}}\n",
		 nodes, graph_path, more);
	return yaml;
}

static int to_other_half(int node, int k)
{
	return (node + 4) % 8;
}

#define TWO_LEAVES "switch a nodes 0-3\nswitch b nodes 4-7 # the others\n\nswitch top\n"

static void links_of_a_graph_are_shared_as_those_of_a_tree(void **state)
{
	/* four messages each way on n parallel links, the destinations dealt out to them */
	write_graph(TWO_LEAVES "link a top count 2\nlink b top count 2\n");
	assert_near(time_of(on_graph("8", ""), 8, 1, to_other_half), 2, 1e-9);
	write_graph(TWO_LEAVES "link a top count 4\nlink top b count 4\n");
	assert_near(time_of(on_graph("8", ""), 8, 1, to_other_half), 1, 1e-9);
	write_graph(TWO_LEAVES "link a top bandwidth 2MB/s\nlink b top\n");
	assert_near(time_of(on_graph("8", ""), 8, 1, to_other_half), 4, 1e-9);
	/* the shorter way, though the longer is wider */
	write_graph(TWO_LEAVES "link a top count 4\nlink b top count 4\nlink a b\n");
	assert_near(time_of(on_graph("8", ""), 8, 1, to_other_half), 4, 1e-9);
	/* two hops of 0.25 s */
	write_graph(TWO_LEAVES "link a top count 4\nlink b top count 4\n");
	assert_near(time_of(on_graph("8", ", hop_latency: 0.25s"), 8, 1, to_other_half), 1.5, 1e-9);
	unlink(graph_path);
}

static void graphs_that_do_not_add_up_are_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
	    {"", "found no switch with node 0, wanted each of the cluster's 8 nodes on one"},
	    {"switch a nodes 0-6\n", "found no switch with node 7"},
	    {"switch a nodes 0-7\nswitch b nodes 7\n",
	     ":2: found node 7, which switch a has already"},
	    {"switch a nodes 0-8\n", ":1: found \"0-8\", wanted nodes 0 to 7"},
	    {"switch a nodes 0-7\nswitch a\n", ":2: found switch a again"},
	    {"switch a nodes 0-7\nlink a a\n", ":2: found a link from switch a to itself"},
	    {"switch a nodes 0-7\nlink a b\n", ":2: found a link of \"b\", wanted a switch"},
	    {"switch a nodes 0-3\nswitch b nodes 4-7\n",
	     "found no way from node 0 on switch a to node 4 on switch b"},
	    {"switch a ports 5 nodes 0-3\nswitch b nodes 4-7\nlink a b count 2\n",
	     ":1: found 6 nodes and links on switch a, wanted at most its 5 ports"},
	    {"switch a nodes 0-7\nswitch b\nlink a b count 0\n",
	     ":3: count: '0' is out of range, wanted 1 to 1000"},
	    {"switch a nodes 0-7\nswitch b\nlink a b bandwidth 3\n", ":3: '3' has no unit"},
	    {"switch a nodes 0-7 color red\n", ":1: found \"color\", wanted ports or nodes"},
	    {"router a\n", ":1: found \"router\" with 1 words behind it, wanted \"switch NAME"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		const char *yaml = on_graph("8", "");
		struct cluster *cluster = NULL;
		struct util_error err = {0};

		write_graph(cases[k].text);
		assert_int_equal(cluster_parse("t.yaml", yaml, strlen(yaml), &cluster, &err),
				 UTIL_EINPUT);
		if (!strstr(err.text, cases[k].message) ||
		    strncmp(err.text, graph_path, strlen(graph_path)) != 0)
			fail_msg("%s\ngives: %s\nnot:   %s", cases[k].text, err.text,
				 cases[k].message);
	}
	unlink(graph_path);
}

#define LINK(name, speed) ", links: [{name: \"" name "\", speed: " speed "}]"

static void slow_links_hold_back_who_crosses_them(void **state)
{
	/* 16 messages of a leaf on as many ports: one of these is slow */
	assert_near(time_of(DEEP("4, 4", ""), N, 1, to_next_leaf), 1, 1e-9);
	assert_near(
	    time_of(DEEP("4, 4", LINK("level 1, switch 0, to port 1", "0.25")), N, 1, to_next_leaf),
	    4, 1e-9);
	assert_near(time_of(DEEP("4, 4", LINK("level 2", "0.5")), N, 1, to_next_leaf), 2, 1e-9);
	assert_near(
	    time_of(HEAD("8") "topology: {kind: torus, dimensions: [8]" LINK("*", "0.5") "}}\n", 8,
		    1, shift_back),
	    2, 1e-9);
}

static void failed_links_are_gone_round(void **state)
{
	/* three of four ports are left for four messages */
	assert_near(
	    time_of(DEEP("4, 4", LINK("level 1, switch 0, * port 1", "0")), N, 1, to_next_leaf), 2,
	    1e-9);
	/* the other way round the ring, which others cross, too: 7 links instead of 1 */
	assert_near(time_of(HEAD("8") "topology: {kind: torus, dimensions: [8]" LINK(
				"dimension 0, router 0, back", "0") "}}\n",
			    8, 1, shift_back),
		    1, 1e-9);
	/* of a dragonfly: by way of another group, not worse than twice as long */
	assert_in_range(
	    (int)time_of(BALANCED("deterministic" LINK("group 0, router * to group 1, *", "0")), 72,
			 N_MANY, to_next_group),
	    N_MANY, 16 * N_MANY);
}

static void links_that_cannot_be_meant_are_refused(void **state)
{
	static const struct {
		const char *yaml, *message;
	} cases[] = {
	    {DEEP("4, 4", LINK("level 9", "0.5")), "t.yaml:3:106: network.topology.links: found \"level 9\", which is no link or class "
						   "of links, wanted a name such as \"level 1, "
						   "switch 0, to port 0\""},
	    {DEEP("4, 4", LINK("level 1, switch 0, *", "0")),
	     "t.yaml:3:106: network.topology: found no way between node 0 and node 4"},
	};

	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
		struct util_error err = {0};
		struct cluster *cluster;
		struct net_topology *topology;

		if (cluster_parse("t.yaml", cases[k].yaml, strlen(cases[k].yaml), &cluster, &err))
			fail_msg("%s", err.text);
		assert_int_equal(net_topology_create(cluster, &topology, &err), UTIL_EINPUT);
		if (!strstr(err.text, cases[k].message))
			fail_msg("%s\nnot:   %s", err.text, cases[k].message);
		cluster_destroy(cluster);
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
	    cmocka_unit_test(a_message_takes_one_of_the_nics),
	    cmocka_unit_test(a_small_message_takes_its_link_for_a_while),
	    cmocka_unit_test(links_of_a_graph_are_shared_as_those_of_a_tree),
	    cmocka_unit_test(graphs_that_do_not_add_up_are_refused),
	    cmocka_unit_test(slow_links_hold_back_who_crosses_them),
	    cmocka_unit_test(failed_links_are_gone_round),
	    cmocka_unit_test(links_that_cannot_be_meant_are_refused),
	    cmocka_unit_test(shapes_that_do_not_add_up_are_refused),
	};

	close(mkstemp(graph_path));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
