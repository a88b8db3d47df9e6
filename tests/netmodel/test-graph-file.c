/* SPDX-License-Identifier: BSD-3-Clause */
/* Fabrics that are read from a file: hand-derived times, and what is refused. */
#include "tests/netmodel/fabrics.h"

#include <unistd.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(links_of_a_graph_are_shared_as_those_of_a_tree),
	    cmocka_unit_test(graphs_that_do_not_add_up_are_refused),
	};

	close(mkstemp(graph_path));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
