/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups, and the agreement on communicators that are being made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi/comm/comm.h"
#include "mpi/comm/context.h"
#include "tests/mpi/solo.h"

#define N 12

static struct solo *solo;
static MPI_Group world;

static int setup(void **state)
{
	solo = solo_create(N, 3);
	return MPI_Comm_group(MPI_COMM_WORLD, &world);
}

static int teardown(void **state)
{
	MPI_Group_free(&world);
	solo_destroy(solo);
	return 0;
}

static MPI_Group group_of(int n, const int ranks[])
{
	MPI_Group group;

	assert_int_equal(MPI_Group_incl(world, n, ranks, &group), MPI_SUCCESS);
	return group;
}

/* The members, as world ranks, are these; frees the group. */
static void assert_members(MPI_Group group, int n, const int ranks[])
{
	int all[N], found[N], size;

	for (int i = 0; i < N; i++)
		all[i] = i;
	assert_int_equal(MPI_Group_size(group, &size), MPI_SUCCESS);
	assert_int_equal(size, n);
	assert_int_equal(MPI_Group_translate_ranks(group, n, all, world, found), MPI_SUCCESS);
	assert_memory_equal(found, ranks, (size_t)n * sizeof *ranks);
	MPI_Group_free(&group);
}

static void sequences_and_lists_are_the_same_groups(void **state)
{
	int *list = malloc(4 * sizeof *list), *irregular = malloc(4 * sizeof *irregular);
	struct mpi_group *group;

	memcpy(list, (int[]){9, 6, 3, 0}, 16);
	group = mpi_group_create(4, list);
	assert_null(group->ranks); /* recognised as 9, 6, 3, 0: stride -3 */
	assert_int_equal(mpi_group_world_rank(group, 1), 6);
	assert_int_equal(mpi_group_index(group, 3), 2);
	assert_int_equal(mpi_group_index(group, 4), MPI_UNDEFINED);
	assert_int_equal(mpi_group_index(group, 12), MPI_UNDEFINED);
	assert_int_equal(mpi_group_index(group, -3), MPI_UNDEFINED);
	mpi_group_release(NULL, group);
	memcpy(irregular, (int[]){5, 1, 8, 2}, 16);
	group = mpi_group_create(4, irregular);
	for (int i = 0; i < 4; i++)
		assert_int_equal(mpi_group_index(group, mpi_group_world_rank(group, i)), i);
	assert_int_equal(mpi_group_index(group, 3), MPI_UNDEFINED);
	mpi_group_release(NULL, group);
}

static void set_operations_keep_the_standards_order(void **state)
{
	MPI_Group a = group_of(4, (int[]){7, 2, 5, 0}), b = group_of(4, (int[]){5, 11, 7, 4}),
		  result;

	assert_int_equal(MPI_Group_union(a, b, &result), MPI_SUCCESS);
	assert_members(
	    result, 6,
	    (int[]){7, 2, 5, 0, 11, 4}); /* the first group, then who else is in the second */
	assert_int_equal(MPI_Group_intersection(a, b, &result), MPI_SUCCESS);
	assert_members(result, 2, (int[]){7, 5}); /* in the order of the first */
	assert_int_equal(MPI_Group_difference(a, b, &result), MPI_SUCCESS);
	assert_members(result, 2, (int[]){2, 0});
	assert_int_equal(MPI_Group_difference(a, a, &result), MPI_SUCCESS);
	assert_ptr_equal(result, MPI_GROUP_EMPTY);
	MPI_Group_free(&a);
	MPI_Group_free(&b);
}

static void ranges_select_and_exclude(void **state)
{
	int ranges[3][3] = {{0, 5, 2}, {9, 7, -1}, {11, 11, 1}};
	MPI_Group result;

	assert_int_equal(MPI_Group_range_incl(world, 3, ranges, &result), MPI_SUCCESS);
	assert_members(result, 7, (int[]){0, 2, 4, 9, 8, 7, 11});
	assert_int_equal(MPI_Group_range_excl(world, 3, ranges, &result), MPI_SUCCESS);
	assert_members(result, 5, (int[]){1, 3, 5, 6, 10});
	assert_int_equal(MPI_Group_excl(world, 2, (int[]){0, 11}, &result), MPI_SUCCESS);
	assert_members(result, 10, (int[]){1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
	assert_int_equal(MPI_Group_incl(world, 0, NULL, &result), MPI_SUCCESS);
	assert_ptr_equal(result, MPI_GROUP_EMPTY);
}

static int compared(MPI_Group a, MPI_Group b)
{
	int result = -1;

	assert_int_equal(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
	return result;
}

static void groups_are_identical_similar_or_unequal(void **state)
{
	MPI_Group a = group_of(3, (int[]){1, 4, 6}), b = group_of(3, (int[]){1, 4, 6}),
		  c = group_of(3, (int[]){6, 1, 4});
	MPI_Group d = group_of(3, (int[]){1, 4, 7});

	assert_int_equal(compared(a, b), MPI_IDENT);
	assert_int_equal(compared(a, c), MPI_SIMILAR);
	assert_int_equal(compared(a, d), MPI_UNEQUAL);
	assert_int_equal(compared(a, MPI_GROUP_EMPTY), MPI_UNEQUAL);
	assert_int_equal(compared(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY), MPI_IDENT);
	MPI_Group_free(&a);
	MPI_Group_free(&b);
	MPI_Group_free(&c);
	MPI_Group_free(&d);
	assert_ptr_equal(d, MPI_GROUP_NULL);
}

static void the_own_rank_is_found_or_undefined(void **state)
{
	MPI_Group with = group_of(3, (int[]){8, 3, 1}), without = group_of(2, (int[]){8, 1});
	int rank, translated[3];

	MPI_Group_rank(with, &rank);
	assert_int_equal(rank, 1);
	MPI_Group_rank(without, &rank);
	assert_int_equal(rank, MPI_UNDEFINED);
	assert_int_equal(
	    MPI_Group_translate_ranks(with, 3, (int[]){2, MPI_PROC_NULL, 1}, without, translated),
	    MPI_SUCCESS);
	assert_memory_equal(translated, ((int[]){1, MPI_PROC_NULL, MPI_UNDEFINED}),
			    sizeof translated);
	MPI_Group_free(&with);
	MPI_Group_free(&without);
}

static void wrong_arguments_are_refused(void **state)
{
	int ranges[1][3] = {{0, 5, 0}}, n;
	MPI_Group result = MPI_GROUP_NULL, stale = group_of(2, (int[]){0, 1}), copy = stale;

	assert_int_equal(MPI_Group_size(MPI_GROUP_NULL, &n), MPI_ERR_GROUP);
	assert_int_equal(MPI_Group_size(world, NULL), MPI_ERR_ARG);
	assert_int_equal(MPI_Group_incl(world, 2, (int[]){0, N}, &result), MPI_ERR_RANK);
	assert_int_equal(MPI_Group_incl(world, 2, (int[]){4, 4}, &result), MPI_ERR_RANK);
	assert_int_equal(MPI_Group_incl(world, -1, NULL, &result), MPI_ERR_ARG);
	assert_int_equal(MPI_Group_incl(world, 1, NULL, &result), MPI_ERR_ARG);
	assert_int_equal(MPI_Group_excl(world, 1, (int[]){-1}, &result), MPI_ERR_RANK);
	assert_int_equal(MPI_Group_range_incl(world, 1, ranges, &result),
			 MPI_ERR_ARG); /* stride 0 */
	ranges[0][2] = -1;
	assert_int_equal(MPI_Group_range_incl(world, 1, ranges, &result),
			 MPI_ERR_ARG); /* away from the end */
	memcpy(ranges[0], (int[]){0, N, 1}, sizeof ranges[0]);
	assert_int_equal(MPI_Group_range_incl(world, 1, ranges, &result), MPI_ERR_RANK);
	assert_int_equal(MPI_Group_translate_ranks(world, 1, (int[]){N}, world, &n), MPI_ERR_RANK);
	assert_int_equal(MPI_Group_union(world, world, NULL), MPI_ERR_ARG);
	assert_ptr_equal(result, MPI_GROUP_NULL);
	MPI_Group_free(&stale);
	assert_int_equal(MPI_Group_size(copy, &n), MPI_ERR_GROUP);
	assert_int_equal(MPI_Comm_remote_group(MPI_COMM_WORLD, &result), MPI_ERR_COMM);
	assert_int_equal(MPI_Comm_remote_size(MPI_COMM_WORLD, &n), MPI_ERR_COMM);
}

static void members_of_a_birth_agree_and_then_forget_it(void **state)
{
	struct mpi_world *w = solo_rank(solo)->world;
	struct mpi_birth *first = mpi_birth_join(w, 0, 5, 1), *other = mpi_birth_join(w, 0, 5, 2),
			 *again;
	uint32_t context = first->context;

	assert_int_not_equal(first->context, other->context);
	assert_true(first->context > MPI_CONTEXT_SELF);
	first->meeting.n_left = 2;
	mpi_birth_leave(w, first);
	assert_ptr_equal(mpi_birth_join(w, 0, 5, 1), first);
	mpi_birth_leave(w, first);
	again =
	    mpi_birth_join(w, 0, 5, 1); /* all members have come: the same question is a new one */
	assert_int_not_equal(again->context, context);
	for (uint32_t i = 0; i < 1000; i++)
		mpi_birth_join(w, 7, i, 0)->meeting.n_left =
		    1; /* the table grows and still finds them; freed with the world */
	assert_int_equal(mpi_birth_join(w, 7, 3, 0)->meeting.n_left, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(sequences_and_lists_are_the_same_groups, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(set_operations_keep_the_standards_order, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(ranges_select_and_exclude, setup, teardown),
	    cmocka_unit_test_setup_teardown(groups_are_identical_similar_or_unequal, setup,
					    teardown),
	    cmocka_unit_test_setup_teardown(the_own_rank_is_found_or_undefined, setup, teardown),
	    cmocka_unit_test_setup_teardown(wrong_arguments_are_refused, setup, teardown),
	    cmocka_unit_test_setup_teardown(members_of_a_birth_agree_and_then_forget_it, setup,
					    teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
