/* SPDX-License-Identifier: BSD-3-Clause */
/* Intervals of a cluster file, and values drawn from them. */
#include "tests/netmodel/fixture.h"

#define HEAD "mpisim_cluster: 1\nnodes: 4\n"
#define N_DRAWS 4000

static struct cluster *parse(const char *yaml, int n, const char *const overrides[])
{
	struct cluster *cluster = NULL;
	struct util_error err = {0};

	if (cluster_parse_with("u.yaml", yaml, strlen(yaml), n, overrides, &cluster, &err))
		fail_msg("%s", err.text);
	return cluster;
}

/* The cluster as drawn with a seed. */
static struct cluster *drawn(const char *yaml, uint64_t seed)
{
	struct cluster *cluster = parse(yaml, 0, NULL);

	cluster_draw(cluster, seed);
	return cluster;
}

static const char skewed[] = HEAD "network: {latency: 100us, bandwidth: 10 MB/s}\n"
				  "uncertainty:\n"
				  "  network.latency: [98us, 104us]\n"
				  "  network.bandwidth: [9.9 MB/s, 10.1 MB/s]\n";

static void ninety_five_percent_of_the_draws_are_within_the_interval(void **state)
{
	int below = 0, above = 0, small = 0;

	for (uint64_t seed = 0; seed < N_DRAWS; seed++) {
		struct cluster *cluster = drawn(skewed, seed);

		below += cluster->network.latency_s < 98e-6;
		above += cluster->network.latency_s > 104e-6;
		small += cluster->network.latency_s < 100e-6;
		cluster_destroy(cluster);
	}
	/* 2.5 % of 4000 are 100, with a standard deviation of 10; half are 2000 with one of 32;
	 * four of them, and a sum of twelve uniform numbers is short of the tails by some percent
	 */
	assert_in_range(below, 55, 145);
	assert_in_range(above, 55, 145);
	assert_in_range(small, 1870, 2130);
}

static void equal_seeds_draw_the_same_and_values_are_independent(void **state)
{
	int n_together = 0;

	for (uint64_t seed = 0; seed < 400; seed++) {
		struct cluster *a = drawn(skewed, seed), *b = drawn(skewed, seed);

		assert_true(a->network.latency_s == b->network.latency_s &&
			    a->network.bandwidth_Bps == b->network.bandwidth_Bps);
		n_together += (a->network.latency_s > 100e-6) == (a->network.bandwidth_Bps > 10e6);
		cluster_destroy(a);
		cluster_destroy(b);
	}
	assert_in_range(n_together, 160, 240); /* 200 with a standard deviation of 10 */
}

static void segments_move_with_the_values_beside_them(void **state)
{
	static const char yaml[] = HEAD
	    "network: {latency: 100us, bandwidth: 10 MB/s, segments: ["
	    "{from: 1000, latency: 300us, bandwidth: 20 MB/s},"
	    "{from: 2000, latency: -100us, bandwidth: 20 MB/s},"
	    "{from: 4000, latency: 1us, bandwidth: inf}]}\n"
	    "uncertainty: {network.latency: [50us, 150us], network.bandwidth: [9 MB/s, 11 MB/s]}\n";

	for (uint64_t seed = 0; seed < 50; seed++) {
		struct cluster *c = drawn(yaml, seed);
		double shift_s = c->network.latency_s - 100e-6,
		       factor = c->network.bandwidth_Bps / 10e6;

		assert_near(c->network.segments.list[0].latency_s, 300e-6 + shift_s, 1e-15);
		assert_near(c->network.segments.list[0].bandwidth_Bps, 20e6 * factor, 1e-6);
		/* its smallest size takes no time at all: it cannot take less */
		assert_true(c->network.segments.list[1].latency_s >= -2000 / (20e6 * factor));
		if (shift_s > 20e-6)
			assert_near(c->network.segments.list[1].latency_s, -100e-6 + shift_s,
				    1e-15);
		assert_true(isinf(c->network.segments.list[2].bandwidth_Bps));
		assert_true(c->network.segments.list[2].latency_s >= -1e-18);
		cluster_destroy(c);
	}
}

static void overheads_that_are_inherited_follow(void **state)
{
	struct cluster *c = drawn(HEAD "network: {latency: 1us, bandwidth: 1 MB/s}\n"
				       "protocol: {overhead: 2us}\n"
				       "uncertainty: {protocol.overhead: [1us, 3us]}\n",
				  1);

	assert_true(c->protocol.send_overhead_s != 2e-6);
	assert_true(c->protocol.recv_overhead_s == c->protocol.send_overhead_s);
	cluster_destroy(c);
}

static void an_inherited_value_with_an_interval_is_drawn_by_itself(void **state)
{
	struct cluster *c = drawn(HEAD "network: {latency: 1us, bandwidth: 1 MB/s}\n"
				       "protocol: {overhead: 2us}\n"
				       "uncertainty: {protocol.overhead.send: [1.9us, 2.1us], "
				       "protocol.overhead: [1us, 9us]}\n",
				  1);

	assert_true(c->protocol.send_overhead_s != c->protocol.recv_overhead_s);
	assert_in_range(c->protocol.send_overhead_s * 1e9, 1500, 2500);
	assert_true(c->protocol.recv_overhead_s != 2e-6);
	cluster_destroy(c);
}

static void what_is_replaced_is_not_drawn(void **state)
{
	static const char *const overrides[] = {"network.latency=2us"};
	struct cluster *c = parse(skewed, 1, overrides);

	assert_int_equal(c->uncertainties.n, 1);
	assert_string_equal(c->uncertainties.list[0].key, "network.bandwidth");
	cluster_destroy(c);
}

static void refuse(const char *section, const char *wanted)
{
	struct cluster *cluster = NULL;
	struct util_error err = {0};
	char yaml[1024];

	snprintf(yaml, sizeof yaml, HEAD "network: {latency: 100us, bandwidth: inf}\n%s\n",
		 section);
	assert_int_equal(cluster_parse("u.yaml", yaml, strlen(yaml), &cluster, &err), UTIL_EINPUT);
	if (!strstr(err.text, wanted))
		fail_msg("found \"%s\", wanted \"%s\"", err.text, wanted);
	assert_null(cluster);
}

static void wrong_intervals_are_refused_with_their_place(void **state)
{
	refuse("uncertainty: 5", "u.yaml:4:14: uncertainty: found");
	refuse("uncertainty: {network.lateny: [1us, 2us]}",
	       "u.yaml:4:15: found the uncertainty of");
	refuse("uncertainty: {nodes: [1, 9]}", "found the uncertainty of");
	refuse("uncertainty: {network.segments: [1, 9]}", "found the uncertainty of");
	refuse("uncertainty: {protocol.library: [0, 1]}",
	       "found the uncertainty of");
	refuse("uncertainty: {network.latency: 5us}", "wanted [LOW, HIGH]");
	refuse("uncertainty: {network.latency: [5us]}", "wanted [LOW, HIGH]");
	refuse("uncertainty: {network.latency: [5, 200us]}", "network.latency: '5' has no unit");
	refuse("uncertainty: {network.latency: [101us, 200us]}", "around its value");
	refuse("uncertainty: {network.latency: [200us, 50us]}", "around its value");
	refuse("uncertainty: {network.bandwidth: [1 MB/s, inf]}", "wanted a finite interval");
	refuse("uncertainty: {cpu.communication_cost.scale: [-1, 2]}",
	       "cpu.communication_cost.scale: found");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(ninety_five_percent_of_the_draws_are_within_the_interval),
	    cmocka_unit_test(equal_seeds_draw_the_same_and_values_are_independent),
	    cmocka_unit_test(segments_move_with_the_values_beside_them),
	    cmocka_unit_test(overheads_that_are_inherited_follow),
	    cmocka_unit_test(an_inherited_value_with_an_interval_is_drawn_by_itself),
    cmocka_unit_test(what_is_replaced_is_not_drawn),
	    cmocka_unit_test(wrong_intervals_are_refused_with_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
