/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_NETMODEL_FABRICS_H
#define TESTS_NETMODEL_FABRICS_H

#include "tests/netmodel/fixture.h"

/* Cluster files with fabrics between nodes, patterns of messages, and how long these take. 1 MB takes a
 * second on a link. */
#define HEAD(nodes) "mpisim_cluster: 1\nnodes: " nodes "\nnetwork: {latency: 0, bandwidth: 1 MB/s, "
#define DEEP(up, more) \
	HEAD("64") "topology: {kind: fat-tree, down: [4, 4, 4], up: [" up "]" more "}}\n"
/* 9 groups of 4 routers with 2 nodes and 2 global links each. */
#define BALANCED(routing)                                                                        \
	HEAD("72")                                                                               \
	"topology: {kind: dragonfly, groups: 9, routers: 4, nodes_per_router: 2, global_links: " \
	"2, "                                                                                    \
	"routing: " routing "}}\n"
#define MB 1000000
#define N 64
#define N_MANY 64

typedef int (*pattern_fn)(int node, int k);

/* Every node sends `n` messages at once, the k-th to pattern(node, k): when all are there. */
static inline double time_of(const char *yaml, int n_nodes, int n, pattern_fn pattern)
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

static inline int to_next_leaf(int node, int k)
{
	return (node + 16) % N;
}

static inline int shift_back(int node, int k)
{
	return (node + 7) % 8;
}

static inline int to_next_group(int node, int k)
{
	return (node + 8) % 72;
}

#endif
