/* SPDX-License-Identifier: BSD-3-Clause */
/* Several NICs of a node, and messages per second on a link. */
#include "tests/netmodel/fabrics.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_message_takes_one_of_the_nics),
	    cmocka_unit_test(a_small_message_takes_its_link_for_a_while),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
