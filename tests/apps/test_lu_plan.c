/* SPDX-License-Identifier: BSD-3-Clause */
/* The plan of apps/lu: message counts as its README states them, tags, roles, and what it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "apps/lu/lu.h"

static struct lu_plan plan_of(const char *arguments, int n_ranks, int ranks_per_node)
{
	char copy[256], error[256] = "", *argv[32] = {"lu"}, *rest = copy, *word;
	struct lu_options options;
	struct lu_plan plan = {0};
	int argc = 1;

	strcpy(copy, arguments);
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	optind = 0; /* start anew */
	if (lu_options_parse(argc, argv, &options, error, sizeof(error)) ||
	    lu_plan_make(&options, n_ranks, 0, ranks_per_node, &plan, error, sizeof(error)))
		fail_msg("%s: %s", arguments, error);
	return plan;
}

static void assert_refused(const char *arguments, int n_ranks, const char *wanted)
{
	char copy[256], error[256] = "", *argv[32] = {"lu"}, *rest = copy, *word;
	struct lu_options options;
	struct lu_plan plan;
	int argc = 1, status;

	strcpy(copy, arguments);
	while ((word = strsep(&rest, " ")))
		argv[argc++] = word;
	optind = 0;
	status = lu_options_parse(argc, argv, &options, error, sizeof(error));
	if (status == 0)
		status = lu_plan_make(&options, n_ranks, 0, 2, &plan, error, sizeof(error));
	assert_int_equal(status, -1);
	if (!strstr(error, wanted))
		fail_msg("\"%s\" does not say \"%s\"", error, wanted);
}

static struct lu_counts total(const struct lu_plan *plan)
{
	struct lu_counts sum = {0};

	for (int rank = 0; rank < plan->n_ranks; rank++) {
		struct lu_counts counts = lu_plan_counts(plan, rank);

		sum.control += counts.control;
		sum.data += counts.data;
		sum.multiply += counts.multiply;
	}
	return sum;
}

static void basic_has_the_published_message_counts(void **state)
{
	/* 3·140 + 6·28 + 3·8 + 1 and 3·4324 + 6·276 + 3·24 + 1, whatever the number of ranks. */
	for (int n_ranks = 2; n_ranks <= 16; n_ranks += 7) {
		struct lu_plan coarse = plan_of("--n 2592 --r 324", n_ranks, 1);
		struct lu_plan fine = plan_of("--n 2592 --r 108 --roles both", n_ranks, 1);
		struct lu_counts found = total(&coarse);

		assert_int_equal(found.control + found.data, 613);
		assert_int_equal(found.data, 2 * 140 + 2 * 28);
		assert_int_equal(found.multiply, 140);
		found = total(&fine);
		assert_int_equal(found.control + found.data, 14701);
	}
}

static void variants_have_the_stated_message_counts(void **state)
{
	static const struct {
		const char *arguments;
		int n_ranks, per_node;
		long messages;
	} cases[] = {
		/* B = 8: Σm² = 140, Σm = 28 */
		{"--n 96 --r 12 --variant P", 5, 1, 3 * 140 + 4 * 28 + 2 * 8 + 2},
		{"--n 96 --r 12 --variant P+FC", 8, 2, 3 * 140 + 4 * 28 + 2 * 8 + 2},
		{"--n 96 --r 12 --variant PM", 4, 1, 3 * 4 * 140 + 6 * 28 + 3 * 8 + 1},
		{"--n 96 --r 12 --variant PM+P --s 4", 3, 1, 3 * 9 * 140 + 4 * 28 + 2 * 8 + 2},
		{"--n 96 --r 12 --storage-nodes 2 --remove 1@1,1@4", 8, 2, 613},
		{"--n 12 --r 12", 1, 1, 3 + 1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct lu_plan plan =
			plan_of(cases[i].arguments, cases[i].n_ranks, cases[i].per_node);
		struct lu_counts found = total(&plan);

		assert_int_equal(found.control + found.data, cases[i].messages);
	}
}

static void volume_is_that_of_the_blocks(void **state)
{
	/* (3·140 + 2·28)·324²·8 bytes, and one row of pivots behind each of 28 blocks L11. */
	struct lu_plan plan = plan_of("--n 2592 --r 324", 8, 1);
	long doubles = 28L * (lu_plan_size(&plan, LU_TRSM) + lu_plan_size(&plan, LU_U12)) +
		       140L * (lu_plan_size(&plan, LU_MULTIPLY) + lu_plan_size(&plan, LU_RESULT));

	assert_int_equal(doubles, 476L * 324 * 324 + 28 * 324);
}

static void removed_workers_get_nothing_after_their_iteration(void **state)
{
	struct lu_plan plan = plan_of("--n 96 --r 12 --storage-nodes 4 --remove 4@1", 16, 2);

	assert_int_equal(lu_plan_workers(&plan, 0), 8);
	assert_int_equal(lu_plan_workers(&plan, 1), 4);
	/* Step 0 has 49 products for 8 workers: the first gets 7, the others 6. */
	assert_int_equal(lu_plan_counts(&plan, 15).multiply, 6);
	assert_int_equal(lu_plan_counts(&plan, 7).data, 0); /* holds no blocks */
}

static void tags_name_their_task(void **state)
{
	struct lu_plan plan = plan_of("--n 96 --r 12 --variant PM --s 4", 4, 1);
	struct lu_task task = {LU_RESULT, 3, 7, 5, 2, 1}, found;

	found = lu_task_of_tag(&plan, lu_task_tag(&plan, &task));
	assert_memory_equal(&found, &task, sizeof(task));
	task = (struct lu_task){LU_N_TYPES - 1, 7, 7, 7, 2, 2};
	assert_int_equal(lu_task_tag(&plan, &task), (int)lu_plan_highest_tag(&plan));
}

static void roles_follow_the_nodes(void **state)
{
	assert_int_equal(plan_of("--roles auto", 16, 2).first_worker, 8);
	assert_int_equal(plan_of("--roles auto", 8, 1).first_worker, 0);
	assert_int_equal(plan_of("--roles auto", 3, 3).first_worker, 0);
	assert_int_equal(plan_of("--roles split", 8, 8).first_worker, 4);
	assert_int_equal(plan_of("--roles both", 16, 2).first_worker, 0);
}

static void bad_usage_is_refused(void **state)
{
	assert_refused("--n 100 --r 33", 4, "--r 33 does not divide --n 100");
	assert_refused("--n 0", 4, "--n 0 is not understood");
	assert_refused("--n 12x", 4, "--n 12x is not understood");
	assert_refused("--variant P+X", 4, "--variant P+X is not understood");
	assert_refused("--variant basic+P", 4, "--variant basic+P is not understood");
	assert_refused("--s 4", 4, "--s needs a variant with PM");
	assert_refused("--n 96 --r 12 --variant PM --s 5", 4, "--s 5 does not divide --r 12");
	assert_refused("--roles some", 4, "--roles some is not understood");
	assert_refused("--roles split", 3, "even number of ranks");
	assert_refused("--storage-nodes 3", 4, "there are 2 nodes");
	assert_refused("--remove 4", 4, "--remove 4 is not understood");
	assert_refused("--remove 1@1", 4, "only 0 hold no blocks");
	assert_refused("--storage-nodes 1 --remove 2@1", 4, "only 1 hold no blocks");
	assert_refused("--seed x", 4, "--seed x is not understood");
	assert_refused("--what", 4, "--what");
	assert_refused("--n", 4, "--n");
	assert_refused("more", 4, "\"more\" is not an option");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(basic_has_the_published_message_counts),
		cmocka_unit_test(variants_have_the_stated_message_counts),
		cmocka_unit_test(volume_is_that_of_the_blocks),
		cmocka_unit_test(removed_workers_get_nothing_after_their_iteration),
		cmocka_unit_test(tags_name_their_task),
		cmocka_unit_test(roles_follow_the_nodes),
		cmocka_unit_test(bad_usage_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
