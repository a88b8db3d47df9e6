/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/netmodel/fixture.h"

#include "cluster/placement.h"

/* On nodes of `cores` cores. */
static void check_on(int cores, const char *spec, int n_nodes, int n_ranks, const char *wanted)
{
	struct cluster cluster = {.n_nodes = n_nodes, .cores = cores};
	struct util_error err = {0};
	int node_of[64];
	char found[256] = "";

	if (cluster_place(spec, &cluster, n_ranks, node_of, &err))
		fail_msg("%s", err.text);
	for (int rank = 0; rank < n_ranks; rank++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%d",
			 rank ? " " : "", node_of[rank]);
	assert_string_equal(found, wanted);
}

static void check(const char *spec, int n_nodes, int n_ranks, const char *wanted)
{
	check_on(1, spec, n_nodes, n_ranks, wanted);
}

static void block_fills_the_cores_of_a_node_before_the_next(void **state)
{
	check_on(4, "block", 8, 8, "0 0 0 0 1 1 1 1");
	check_on(4, "block", 8, 6, "0 0 0 0 1 1");
	check_on(128, "block", 128, 3, "0 0 0");
	check_on(2, "block", 3, 6, "0 0 1 1 2 2");
	check_on(2, NULL, 3, 3, "0 0 1");
	check("block", 8, 2, "0 1");
}

/* As mpirun does when it is told to oversubscribe: the rest in equal shares, in order. */
static void what_block_cannot_put_on_cores_is_shared_equally(void **state)
{
	check_on(2, "block", 3, 7, "0 0 0 1 1 2 2");
	check_on(2, "block", 2, 7, "0 0 0 0 1 1 1");
	check("block", 3, 8, "0 0 0 1 1 1 2 2");
	check("block", 1, 3, "0 0 0");
	check(NULL, 3, 4, "0 0 1 2");
}

static void spread_gives_all_nodes_equal_shares_in_order(void **state)
{
	check_on(4, "spread", 8, 8, "0 1 2 3 4 5 6 7");
	check_on(4, "spread", 3, 6, "0 0 1 1 2 2");
	check_on(4, "spread", 3, 7, "0 0 0 1 1 2 2");
	check_on(4, "spread", 8, 2, "0 1");
	check("spread", 3, 8, "0 0 0 1 1 1 2 2");
}

static void cyclic_deals_ranks_out(void **state)
{
	check("cyclic", 3, 7, "0 1 2 0 1 2 0");
	check("cyclic", 8, 2, "0 1");
}

static void lists_name_a_node_for_every_rank(void **state)
{
	check("0-3,0-3", 8, 8, "0 1 2 3 0 1 2 3");
	check("0*2,1*2", 8, 4, "0 0 1 1");
	check("0-2*2", 3, 6, "0 0 1 1 2 2");
	check("5, 7 ,5", 8, 3, "5 7 5");
	check("0-7", 8, 3, "0 1 2"); /* more places than ranks: the first are used */
	check("2", 3, 1, "2");
}

static void the_clusters_own_placement_holds_unless_another_is_asked_for(void **state)
{
	struct cluster cluster = {.n_nodes = 2, .cores = 2, .placement = (char *)"cyclic"};
	int node_of[4];

	assert_int_equal(cluster_place(NULL, &cluster, 4, node_of, NULL), 0);
	assert_int_equal(node_of[1], 1);
	assert_int_equal(cluster_place("block", &cluster, 4, node_of, NULL), 0);
	assert_int_equal(node_of[1], 0);
}

static void random_is_block_with_the_nodes_in_another_order(void **state)
{
	struct cluster cluster = {.n_nodes = 64, .cores = 4};
	int one[256], again[256], other[256], n_moved = 0;
	bool is_taken[64] = {false};

	assert_int_equal(cluster_place("random", &cluster, 256, one, NULL), 0);
	assert_int_equal(cluster_place("random:0", &cluster, 256, again, NULL), 0);
	assert_int_equal(cluster_place("random:1", &cluster, 256, other, NULL), 0);
	assert_memory_equal(one, again, sizeof one);
	assert_memory_not_equal(one, other, sizeof one);
	for (int rank = 0; rank < 256; rank++) {
		assert_int_equal(one[rank], one[rank / 4 * 4]);
		n_moved += one[rank] != rank / 4;
		assert_true(rank % 4 > 0 || !is_taken[one[rank]]);
		is_taken[one[rank]] = true;
	}
	assert_true(n_moved > 128);
	check("random:3", 1, 3, "0 0 0");
}

static void wrong_placements_are_refused(void **state)
{
	static const struct {
		const char *spec, *part;
	} cases[] = {
	    {"", "found \"\", wanted block, spread, cyclic, random"},
	    {"blocks", "found \"blocks\", wanted block, spread, cyclic"},
	    {"random:", "found \"random:\", wanted block, spread, cyclic, random"},
	    {"random:x", "found \"random:x\""},
	    {"randomly", "found \"randomly\""},
	    {"0-", "wanted nodes 0 to 3"},
	    {"3-0", "found \"3-0\""},
	    {"0-4", "wanted nodes 0 to 3"},
	    {"4", "found \"4\""},
	    {"0,", "found \"0,\""},
	    {"0,,1", "found \",1\""},
	    {"0*0", "found \"0*0\""},
	    {"0*1000001", "found \"0*1000001\""},
	    {"0*", "found \"0*\""},
	    {"0 1", "found \"0 1\""},
	    {"-1", "found \"-1\""},
	    {"99999999999999999999", "wanted nodes 0 to 3"},
	    {"0,1,2", "found 3 places in \"0,1,2\", wanted one for each of 4 ranks"},
	};
	struct cluster cluster = {.n_nodes = 4, .cores = 1};
	struct util_error err;
	int node_of[4] = {7, 7, 7, 7};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		err.text[0] = '\0';
		assert_int_equal(cluster_place(cases[k].spec, &cluster, 4, node_of, &err),
				 UTIL_EINPUT);
		if (!strstr(err.text, cases[k].part))
			fail_msg("\"%s\" gives: %s", cases[k].spec, err.text);
	}
	assert_int_equal(cluster_place("block", &cluster, 0, node_of, &err), UTIL_EINPUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(block_fills_the_cores_of_a_node_before_the_next),
	    cmocka_unit_test(what_block_cannot_put_on_cores_is_shared_equally),
	    cmocka_unit_test(spread_gives_all_nodes_equal_shares_in_order),
	    cmocka_unit_test(cyclic_deals_ranks_out),
	    cmocka_unit_test(lists_name_a_node_for_every_rank),
	    cmocka_unit_test(the_clusters_own_placement_holds_unless_another_is_asked_for),
	    cmocka_unit_test(random_is_block_with_the_nodes_in_another_order),
	    cmocka_unit_test(wrong_placements_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
