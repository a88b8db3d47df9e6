/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups and communicators: algebra, construction, separation of contexts, names and attributes. */
#include "check.h"

static void check_members(MPI_Group group, int n, const int *want, int line)
{
	MPI_Group world;
	int size, *ranks = malloc((size_t)n_ranks * sizeof(int)), *translated = malloc((size_t)n_ranks * sizeof(int));

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_size(group, &size);
	if (check_int(size, n, "group size", __FILE__, line) && n > 0) {
		for (int k = 0; k < n; k++)
			ranks[k] = k;
		MPI_Group_translate_ranks(group, n, ranks, world, translated);
		for (int k = 0; k < n; k++)
			check_int(translated[k], want[k], "a member", __FILE__, line);
	}
	MPI_Group_free(&world);
	free(ranks);
	free(translated);
}
#define MEMBERS(group, n, ...) check_members(group, n, (const int[]){__VA_ARGS__}, __LINE__)

/* On five or more ranks: A = {0 1 2 3}, B = {4 2 0}. */
static void set_operations_keep_order(void)
{
	MPI_Group world, a, b, c;
	const int first[] = {0, 1, 2, 3}, second[] = {4, 2, 0};
	int result, rank;

	if (n_ranks < 5)
		return;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 4, first, &a);
	MPI_Group_incl(world, 3, second, &b);
	MPI_Group_rank(b, &rank);
	CHECK_INT(rank, me == 4 ? 0 : me == 2 ? 1 : me == 0 ? 2 : MPI_UNDEFINED);
	MPI_Group_union(a, b, &c);
	MEMBERS(c, 5, 0, 1, 2, 3, 4);
	MPI_Group_free(&c);
	MPI_Group_union(b, a, &c);
	MEMBERS(c, 5, 4, 2, 0, 1, 3);
	MPI_Group_free(&c);
	MPI_Group_intersection(b, a, &c);
	MEMBERS(c, 2, 2, 0);
	MPI_Group_free(&c);
	MPI_Group_difference(a, b, &c);
	MEMBERS(c, 2, 1, 3);
	MPI_Group_compare(a, b, &result);
	CHECK_INT(result, MPI_UNEQUAL);
	MPI_Group_free(&c);
	MPI_Group_incl(world, 3, (const int[]){0, 2, 4}, &c);
	MPI_Group_compare(c, b, &result);
	CHECK_INT(result, MPI_SIMILAR);
	MPI_Group_free(&a);
	MPI_Group_free(&b);
	MPI_Group_free(&c);
	MPI_Group_free(&world);
	CHECK(world == MPI_GROUP_NULL);
}

static void ranges_and_exclusions(void)
{
	MPI_Group world, a;
	int range[2][3] = {{n_ranks - 1, 0, -2}, {0, 0, 1}}, every_second[1][3] = {{0, n_ranks - 1, 2}};
	int *want = calloc((size_t)n_ranks + 1, sizeof(int)), n = 0;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	for (int r = n_ranks - 1; r >= 0; r -= 2)
		want[n++] = r;
	MPI_Group_range_incl(world, 1, range, &a);
	check_members(a, n, want, __LINE__);
	MPI_Group_free(&a);
	n = 0;
	for (int r = 1; r < n_ranks; r += 2)
		want[n++] = r;
	MPI_Group_range_excl(world, 1, every_second, &a);
	check_members(a, n, want, __LINE__);
	if (n == 0)
		CHECK(a == MPI_GROUP_EMPTY);
	else
		MPI_Group_free(&a);
	for (n = 0; n < n_ranks - 1; n++)
		want[n] = n + 1;
	MPI_Group_excl(world, 1, (const int[]){0}, &a);
	check_members(a, n, want, __LINE__);
	if (n > 0)
		MPI_Group_free(&a);
	MPI_Group_free(&world);
	free(want);
}

static void empty_groups_and_translation(void)
{
	MPI_Group world, self, none;
	int result, translated[2] = {0, 0}, size = -1;
	const int asked[2] = {0, MPI_PROC_NULL};

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Comm_group(MPI_COMM_SELF, &self);
	MPI_Group_size(MPI_GROUP_EMPTY, &size);
	CHECK_INT(size, 0);
	MPI_Group_difference(self, world, &none);
	MPI_Group_compare(none, MPI_GROUP_EMPTY, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_translate_ranks(self, 2, asked, world, translated);
	CHECK_INT(translated[0], me);
	CHECK_INT(translated[1], MPI_PROC_NULL);
	MPI_Group_translate_ranks(world, 1, (const int[]){(me + 1) % n_ranks}, self, translated);
	CHECK_INT(translated[0], n_ranks == 1 ? 0 : MPI_UNDEFINED);
	MPI_Group_free(&world);
	MPI_Group_free(&self);
}

static void comparisons_tell_context_and_group(void)
{
	MPI_Comm copy, reversed;
	int result;

	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_compare(MPI_COMM_WORLD, copy, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Comm_split(MPI_COMM_WORLD, 0, -me, &reversed);
	MPI_Comm_compare(MPI_COMM_WORLD, reversed, &result);
	CHECK_INT(result, n_ranks == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
	MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &result);
	CHECK_INT(result, n_ranks == 1 ? MPI_CONGRUENT : MPI_UNEQUAL);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&reversed);
	CHECK(copy == MPI_COMM_NULL);
}

static void contexts_are_separate(void)
{
	MPI_Comm copy;
	MPI_Request req[2];
	int right = (me + 1) % n_ranks, left = (me + n_ranks - 1) % n_ranks, in_world = -1, in_copy = -1, flag = 1;
	int value[2] = {me, 100 + me};

	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Isend(&value[0], 1, MPI_INT, right, 7, MPI_COMM_WORLD, &req[0]);
	MPI_Barrier(copy);
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, copy, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag); /* sent on the other communicator */
	MPI_Barrier(copy);
	MPI_Isend(&value[1], 1, MPI_INT, right, 7, copy, &req[1]);
	MPI_Recv(&in_copy, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, copy, MPI_STATUS_IGNORE);
	MPI_Recv(&in_world, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(in_copy, 100 + left);
	CHECK_INT(in_world, left);
	MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
	MPI_Comm_free(&copy);
}

static void split_orders_by_key_then_rank(void)
{
	MPI_Comm part;
	int colour = me % 3, size, rank, sum = 0, want = 0, want_size = 0;

	MPI_Comm_split(MPI_COMM_WORLD, colour, 0, &part); /* equal keys: order of the old ranks */
	MPI_Comm_size(part, &size);
	MPI_Comm_rank(part, &rank);
	CHECK_INT(rank, me / 3);
	for (int r = colour; r < n_ranks; r += 3, want_size++)
		want += r;
	CHECK_INT(size, want_size);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, part);
	CHECK_INT(sum, want);
	MPI_Comm_free(&part);
	MPI_Comm_split(MPI_COMM_WORLD, colour, 1000 - me, &part);
	MPI_Comm_rank(part, &rank);
	CHECK_INT(rank, size - 1 - me / 3);
	MPI_Comm_free(&part);
	MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 5, me, &part);
	CHECK((part == MPI_COMM_NULL) == (me == 0));
	if (part != MPI_COMM_NULL) {
		MPI_Comm_rank(part, &rank);
		CHECK_INT(rank, me - 1);
		MPI_Comm_free(&part);
	}
}

static void create_from_groups(void)
{
	MPI_Group world, odd;
	MPI_Comm comm;
	int range[1][3] = {{1, n_ranks - 1, 2}}, sum = 0, want = 0;

	if (n_ranks == 1)
		return;
	for (int r = 1; r < n_ranks; r += 2)
		want += r;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_range_incl(world, 1, range, &odd);
	MPI_Comm_create(MPI_COMM_WORLD, odd, &comm);
	CHECK((comm != MPI_COMM_NULL) == (me % 2 == 1));
	if (comm != MPI_COMM_NULL) {
		MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
		CHECK_INT(sum, want);
		MPI_Comm_free(&comm);
	}
	if (me % 2 == 1) { /* only the members call */
		MPI_Comm_create_group(MPI_COMM_WORLD, odd, 3, &comm);
		MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, comm);
		CHECK_INT(sum, want);
		MPI_Comm_free(&comm);
	}
	MPI_Group_free(&odd);
	MPI_Group_free(&world);
}

/* All ranks of these tests run on one machine, so the shared-memory communicator is everyone under a real MPI; a simulated node
 * may hold fewer: only consistency is asked. */
static void split_by_type(void)
{
	MPI_Comm node;
	int size = 0, rank, sum = 0, one = 1;

	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL, &node);
	CHECK(node != MPI_COMM_NULL);
	MPI_Comm_size(node, &size);
	MPI_Comm_rank(node, &rank);
	CHECK(size >= 1 && size <= n_ranks && rank < size);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, node);
	CHECK_INT(sum, size);
	MPI_Comm_free(&node);
	MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &node);
	CHECK(node == MPI_COMM_NULL);
}

static void many_communicators_live_at_once(void)
{
	enum { MANY = 60 };
	MPI_Comm comms[MANY];
	int sum, got = -1;

	for (int k = 0; k < MANY; k++)
		MPI_Comm_dup(k ? comms[k / 2] : MPI_COMM_WORLD, &comms[k]);
	for (int k = MANY - 1; k >= 0; k--) {
		MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, comms[k]);
		CHECK_INT(sum, k * n_ranks);
		MPI_Sendrecv(&k, 1, MPI_INT, (me + 1) % n_ranks, 0, &got, 1, MPI_INT, (me + n_ranks - 1) % n_ranks,
			     0, comms[k], MPI_STATUS_IGNORE);
		CHECK_INT(got, k);
	}
	for (int k = 0; k < MANY; k++)
		MPI_Comm_free(&comms[k]);
	for (int k = 0; k < 100; k++) { /* contexts are given back */
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
		MPI_Comm_free(&comms[0]);
	}
}

static void a_freed_communicator_finishes_its_messages(void)
{
	MPI_Comm copy;
	MPI_Request req;
	int got = -1;

	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Irecv(&got, 1, MPI_INT, (me + n_ranks - 1) % n_ranks, 1, copy, &req);
	MPI_Send(&me, 1, MPI_INT, (me + 1) % n_ranks, 1, copy);
	MPI_Comm_free(&copy);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(got, (me + n_ranks - 1) % n_ranks);
}

static void communicators_have_names(void)
{
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Comm copy;
	int length = -1;

	MPI_Comm_get_name(MPI_COMM_WORLD, name, &length);
	CHECK(!strcmp(name, "MPI_COMM_WORLD"));
	CHECK_INT(length, 14);
	MPI_Comm_get_name(MPI_COMM_SELF, name, &length);
	CHECK(!strcmp(name, "MPI_COMM_SELF"));
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_set_name(copy, "mine");
	MPI_Comm_get_name(copy, name, &length);
	CHECK(!strcmp(name, "mine"));
	CHECK_INT(length, 4);
	MPI_Comm_free(&copy);
}

static int n_copied, n_deleted;

static int copy_attr(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
	n_copied++;
	*flag = *(int *)extra != 0;
	*(void **)out = (char *)in + 8;
	return MPI_SUCCESS;
}

static int delete_attr(MPI_Comm comm, int key, void *value, void *extra)
{
	n_deleted++;
	return MPI_SUCCESS;
}

static void attribute_callbacks_run_on_dup_and_free(void)
{
	MPI_Comm first, second;
	char anchor[16];
	int key, keep = 1, flag, is_inter = 1;
	void *value = NULL;

	MPI_Comm_create_keyval(copy_attr, delete_attr, &key, &keep);
	MPI_Comm_dup(MPI_COMM_WORLD, &first);
	MPI_Comm_get_attr(first, key, &value, &flag);
	CHECK(!flag);
	MPI_Comm_set_attr(first, key, anchor);
	MPI_Comm_dup(first, &second);
	CHECK_INT(n_copied, 1);
	MPI_Comm_get_attr(second, key, &value, &flag);
	CHECK(flag && value == anchor + 8);
	MPI_Comm_set_attr(second, key, anchor); /* replacing deletes the old value */
	CHECK_INT(n_deleted, 1);
	MPI_Comm_free(&second);
	CHECK_INT(n_deleted, 2);
	keep = 0;
	MPI_Comm_dup(first, &second);
	MPI_Comm_get_attr(second, key, &value, &flag);
	CHECK(!flag);
	MPI_Comm_free(&second);
	CHECK_INT(n_deleted, 2);
	MPI_Comm_delete_attr(first, key);
	CHECK_INT(n_deleted, 3);
	MPI_Comm_free(&first);
	CHECK_INT(n_deleted, 3);
	MPI_Comm_free_keyval(&key);
	CHECK_INT(key, MPI_KEYVAL_INVALID);
	MPI_Comm_test_inter(MPI_COMM_WORLD, &is_inter);
	CHECK(!is_inter);
}

static void the_ready_made_callbacks(void)
{
	MPI_Comm copy;
	char anchor[1];
	int dup_key, null_key, flag;
	void *value = NULL;

	MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &dup_key, NULL);
	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &null_key, NULL);
	MPI_Comm_set_attr(MPI_COMM_WORLD, dup_key, anchor);
	MPI_Comm_set_attr(MPI_COMM_WORLD, null_key, anchor);
	MPI_Comm_dup(MPI_COMM_WORLD, &copy);
	MPI_Comm_get_attr(copy, dup_key, &value, &flag);
	CHECK(flag && value == anchor);
	MPI_Comm_get_attr(copy, null_key, &value, &flag);
	CHECK(!flag);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, dup_key);
	MPI_Comm_delete_attr(MPI_COMM_WORLD, null_key);
	MPI_Comm_free_keyval(&dup_key);
	MPI_Comm_free_keyval(&null_key);
	MPI_Comm_free(&copy);
}

static void info_travels_with_dup(void)
{
	MPI_Info info, used;
	MPI_Comm copy;

	MPI_Info_create(&info);
	MPI_Info_set(info, "mpi_assert_no_any_tag", "false");
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &copy);
	MPI_Comm_set_info(copy, info);
	MPI_Comm_get_info(copy, &used);
	CHECK(used != MPI_INFO_NULL);
	MPI_Info_free(&used);
	MPI_Info_free(&info);
	MPI_Comm_free(&copy);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	set_operations_keep_order();
	ranges_and_exclusions();
	empty_groups_and_translation();
	section_end("groups");
	comparisons_tell_context_and_group();
	contexts_are_separate();
	section_end("contexts");
	split_orders_by_key_then_rank();
	section_end("split");
	create_from_groups();
	split_by_type();
	section_end("create and split_type");
	many_communicators_live_at_once();
	a_freed_communicator_finishes_its_messages();
	section_end("communicator life");
	communicators_have_names();
	info_travels_with_dup();
	section_end("communicator names and info");
	attribute_callbacks_run_on_dup_and_free();
	the_ready_made_callbacks();
	section_end("communicator attributes");
	return check_finish();
}
