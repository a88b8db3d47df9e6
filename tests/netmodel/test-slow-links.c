/* SPDX-License-Identifier: BSD-3-Clause */
/* Links between switches that are slow or have failed: hand-derived times, and what is refused. */
#include "netmodel/topology.h"
#include "tests/netmodel/fabrics.h"

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
	    cmocka_unit_test(slow_links_hold_back_who_crosses_them),
	    cmocka_unit_test(failed_links_are_gone_round),
	    cmocka_unit_test(links_that_cannot_be_meant_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
