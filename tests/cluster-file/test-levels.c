/* SPDX-License-Identifier: BSD-3-Clause */
/* The levels of a node: where ranks go on its cores, and what they have in common. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "cluster/levels.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\nnetwork: {latency: 0, bandwidth: 1 MB/s}\n"

static struct cluster *parse(const char *cores)
{
	char text[300];
	struct cluster *cluster = NULL;
	struct util_error err = {0};

	snprintf(text, sizeof text, HEAD "cores: %s\n", cores);
	if (cluster_parse("test.yaml", text, strlen(text), &cluster, &err))
		fail_msg("%s", err.text);
	return cluster;
}

static void a_number_of_cores_is_one_domain(void **state)
{
	struct cluster *c = parse("6");

	assert_int_equal(c->cores, 6);
	assert_int_equal(cluster_n_domains(c), 1);
	assert_int_equal(cluster_n_levels(c), 1);
	assert_int_equal(cluster_level_of(c, 0, 5), 0);
	assert_int_equal(cluster_core_of(c, 4, 1), 4);
	assert_int_equal(cluster_core_of(c, 7, 1), 1); /* more ranks than cores */
	assert_true(cluster_memory(c, 1) == INFINITY);
	assert_false(cluster_shares_memory(c) || cluster_has_levels(c));
	cluster_destroy(c);
}

static void levels_are_those_of_which_there_are_several(void **state)
{
	struct cluster *c = parse("{sockets: 2, domains: 2, per_domain: 3}");

	assert_int_equal(c->cores, 12);
	assert_int_equal(cluster_n_levels(c), 3);
	assert_int_equal(cluster_level_of(c, 0, 2), 0);
	assert_int_equal(cluster_level_of(c, 0, 3), 1);
	assert_int_equal(cluster_level_of(c, 5, 6), 2);
	cluster_destroy(c);
	c = parse("{sockets: 2, per_domain: 3}");
	assert_int_equal(cluster_n_levels(c), 2);
	assert_int_equal(cluster_level_of(c, 2, 3), 1);
	cluster_destroy(c);
	c = parse("{domains: 4, per_domain: 3}");
	assert_int_equal(cluster_n_levels(c), 2);
	assert_int_equal(cluster_level_of(c, 2, 3), 1);
	cluster_destroy(c);
}

static void ranks_go_round_what_they_are_bound_to(void **state)
{
	static const struct {
		const char *bind;
		int n_cores, wanted[6];
	} cases[] = {
	    {"cores", 1, {0, 1, 2, 3, 4, 5}},	{"domains", 1, {0, 4, 8, 12, 1, 5}},
	    {"sockets", 1, {0, 8, 1, 9, 2, 10}}, {"domains", 2, {0, 4, 8, 12, 2, 6}},
	    {"sockets", 4, {0, 8, 4, 12, 0, 8}}, {"domains", 8, {0, 8, 0, 8, 0, 8}}, /* too many for one */
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[100];
		struct cluster *c;

		snprintf(text, sizeof text, "{sockets: 2, domains: 2, per_domain: 4, bind: %s}",
			 cases[i].bind);
		c = parse(text);
		for (int n = 0; n < 6; n++)
			assert_int_equal(cluster_core_of(c, n, cases[i].n_cores),
					 cases[i].wanted[n]);
		cluster_destroy(c);
	}
}

static void memory_is_one_bandwidth_or_one_for_so_many(void **state)
{
	struct cluster *c = parse("{per_domain: 4, memory: 20 MB/s}");

	assert_true(cluster_memory(c, 1) == 20e6 && cluster_memory(c, 9) == 20e6);
	assert_true(cluster_shares_memory(c));
	cluster_destroy(c);
	c = parse("{per_domain: 4, memory: [10 MB/s, 18 MB/s]}");
	assert_true(cluster_memory(c, 1) == 10e6 && cluster_memory(c, 2) == 18e6);
	assert_true(cluster_memory(c, 3) == 18e6);
	cluster_destroy(c);
}

static void contention_beside_memory_says_what_computation_draws(void **state)
{
	struct cluster *c = parse("{per_domain: 4, memory: 20 MB/s}\ncpu: {contention: [1, 1, 0.8]}");

	/* three that draw d each run at 0.8: 3 · 0.8 d = 20 MB/s */
	assert_true(fabs(c->levels.computation_Bps - 20e6 / 2.4) < 1e-6);
	assert_null(c->cpu.contention);
	cluster_destroy(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_number_of_cores_is_one_domain),
	    cmocka_unit_test(levels_are_those_of_which_there_are_several),
	    cmocka_unit_test(ranks_go_round_what_they_are_bound_to),
	    cmocka_unit_test(memory_is_one_bandwidth_or_one_for_so_many),
	    cmocka_unit_test(contention_beside_memory_says_what_computation_draws),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
