/* SPDX-License-Identifier: BSD-3-Clause */
/* One-sided communication: all operations, all ways to synchronize. */
#include "rma_check.h"

static void puts_and_gets_between_fences(void)
{
	int got[N];

	open_window(-1);
	for (int i = 0; i < N; i++)
		local[i] = 100 * me + i;
	MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
	MPI_Put(local, N, MPI_INT, right, 0, N, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSTORE, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(exposed[i], 100 * left + i);
	CHECK_INT(exposed[N], -1);
	MPI_Get(got, N, MPI_INT, right, 0, N, MPI_INT, win);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	for (int i = 0; i < N; i++)
		CHECK_INT(got[i], 100 * me + i);
	MPI_Win_free(&win);
	CHECK(win == MPI_WIN_NULL);
}

/* Columns of a matrix at the origin, every third item at the target. */
static void derived_types_on_both_sides(void)
{
	MPI_Datatype column, thirds;

	open_window(-1);
	for (int i = 0; i < 4 * N; i++)
		local[i] = 1000 * me + i;
	MPI_Type_vector(4, 1, N, MPI_INT, &column);
	MPI_Type_create_indexed_block(4, 1, (const int[]){9, 0, 3, 6}, MPI_INT, &thirds);
	MPI_Type_commit(&column);
	MPI_Type_commit(&thirds);
	MPI_Win_fence(0, win);
	MPI_Put(local + 2, 1, column, right, 1, 1, thirds, win);
	MPI_Type_free(&thirds); /* what is under way goes on */
	MPI_Win_fence(0, win);
	CHECK_INT(exposed[10], 1000 * left + 2);
	CHECK_INT(exposed[1], 1000 * left + 2 + N);
	CHECK_INT(exposed[4], 1000 * left + 2 + 2 * N);
	CHECK_INT(exposed[7], 1000 * left + 2 + 3 * N);
	CHECK_INT(exposed[2], -1);
	fill(local, 4 * N, -2);
	MPI_Get(local, 1, column, left, 0, 4, MPI_INT, win);
	MPI_Win_fence(0, win);
	CHECK_INT(local[0], -1);
	CHECK_INT(local[N], 1000 * ((left + n_ranks - 1) % n_ranks) + 2 + N);
	CHECK_INT(local[1], -2);
	MPI_Type_free(&column);
	MPI_Win_free(&win);
}

static void accumulates_meet_at_one_rank(void)
{
	int one = me + 1, sum = n_ranks * (n_ranks + 1) / 2, bits = 1 << me % 8;

	open_window(0);
	exposed[2] = 1 << 20;
	MPI_Win_fence(0, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_MAX, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 2, 1, MPI_INT, MPI_MIN, win);
	MPI_Accumulate(&bits, 1, MPI_INT, 0, 3, 1, MPI_INT, MPI_BOR, win);
	MPI_Accumulate(&one, 1, MPI_INT, 0, 4, 1, MPI_INT, MPI_LOR, win);
	MPI_Accumulate(&sum, 1, MPI_INT, 0, 5, 1, MPI_INT, MPI_REPLACE, win);
	MPI_Accumulate(&bits, 1, MPI_INT, 0, 6, 1, MPI_INT, MPI_BAND, win);
	MPI_Win_fence(0, win);
	if (me == 0) {
		CHECK_INT(exposed[0], sum);
		CHECK_INT(exposed[1], n_ranks);
		CHECK_INT(exposed[2], 1);
		CHECK_INT(exposed[3], (1 << (n_ranks < 8 ? n_ranks : 8)) - 1);
		CHECK_INT(exposed[4], 1);
		CHECK_INT(exposed[5], sum);
		CHECK_INT(exposed[6], 0);
	}
	MPI_Win_free(&win);
}

struct pair {
	double value;
	int index; /* and a hole behind it */
};

static void accumulate_pairs(void)
{
	struct pair mine[2] = {{10.0 * me, me}, {-1.0 * me, me}}, *pairs;
	MPI_Win pair_win;

	MPI_Win_allocate(2 * sizeof *pairs, sizeof *pairs, MPI_INFO_NULL, MPI_COMM_WORLD, &pairs,
			 &pair_win);
	pairs[0] = pairs[1] = (struct pair){-1e9, -1};
	MPI_Win_fence(0, pair_win);
#ifndef OPEN_MPI /* its one-sided operations refuse these types */
	MPI_Accumulate(mine, 2, MPI_DOUBLE_INT, n_ranks - 1, 0, 2, MPI_DOUBLE_INT, MPI_MAXLOC,
		       pair_win);
#else
	if (me == n_ranks - 1)
		memcpy(pairs, (struct pair[2]){mine[0], {0.0, 0}}, sizeof mine);
#endif
	MPI_Win_fence(0, pair_win);
	if (me == n_ranks - 1) {
		CHECK(pairs[0].value == 10.0 * (n_ranks - 1));
		CHECK_INT(pairs[0].index, n_ranks - 1);
		CHECK(pairs[1].value == 0.0);
		CHECK_INT(pairs[1].index, 0);
	}
	MPI_Win_free(&pair_win);
}

static void accumulates_of_pairs_and_vectors(void)
{
	MPI_Datatype evens;
	MPI_Win sum_win;
	double *sums;

	accumulate_pairs();
	MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &evens);
	MPI_Type_commit(&evens);
	MPI_Win_allocate(6 * sizeof *sums, sizeof *sums, MPI_INFO_NULL, MPI_COMM_WORLD, &sums,
			 &sum_win);
	for (int i = 0; i < 6; i++)
		sums[i] = 0.5;
	MPI_Win_fence(0, sum_win);
	MPI_Accumulate((const double[]){1, 2, 3}, 3, MPI_DOUBLE, 0, 0, 1, evens, MPI_SUM, sum_win);
	MPI_Win_fence(0, sum_win);
	if (me == 0)
		for (int i = 0; i < 6; i++)
			CHECK(sums[i] == 0.5 + (i % 2 ? 0 : (i / 2 + 1) * n_ranks));
	MPI_Type_free(&evens);
	MPI_Win_free(&sum_win);
}

/* Every rank draws tickets from a counter: together they get each number once. */
static void tickets_are_drawn_once(void)
{
	enum { DRAWS = 5 };
	int one = 1, sum = 0, drawn, last = -1, total = 0, expected = n_ranks * DRAWS;

	open_window(0);
	MPI_Win_lock_all(0, win);
	for (int i = 0; i < DRAWS; i++) {
		MPI_Fetch_and_op(&one, &drawn, MPI_INT, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
		CHECK(drawn > last);
		last = drawn;
		sum += drawn;
	}
	MPI_Win_unlock_all(win);
	MPI_Allreduce(&sum, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	CHECK_INT(total, expected * (expected - 1) / 2);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	MPI_Fetch_and_op(NULL, &drawn, MPI_INT, 0, 0, MPI_NO_OP, win);
	MPI_Win_unlock(0, win);
	CHECK_INT(drawn, expected);
	MPI_Win_free(&win);
}

/* A spin lock of compare-and-swap guards a counter that put and get change. */
static void compare_and_swap_excludes(void)
{
	int free_value = -1, old, counter;

	open_window(-1);
	exposed[1] = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int round = 0; round < 3; round++) {
		MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
		do {
			MPI_Compare_and_swap(&me, &free_value, &old, MPI_INT, 0, 0, win);
			MPI_Win_flush(0, win);
		} while (old != -1);
		MPI_Fetch_and_op(NULL, &counter, MPI_INT, 0, 1, MPI_NO_OP, win);
		MPI_Win_flush(0, win);
		counter++;
		MPI_Accumulate(&counter, 1, MPI_INT, 0, 1, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
		MPI_Accumulate(&free_value, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Get(&counter, 1, MPI_INT, 0, 1, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
	CHECK_INT(counter, 3 * n_ranks);
	MPI_Win_free(&win);
}

static void exclusive_locks_protect_what_is_not_atomic(void)
{
	int value;

	open_window(0);
	MPI_Barrier(MPI_COMM_WORLD);
	for (int round = 0; round < 4; round++)
		for (int target = 0; target < n_ranks; target++) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
			MPI_Get(&value, 1, MPI_INT, target, 3, 1, MPI_INT, win);
			MPI_Win_flush(target, win);
			value++;
			MPI_Put(&value, 1, MPI_INT, target, 3, 1, MPI_INT, win);
			MPI_Win_unlock(target, win);
		}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
	CHECK_INT(exposed[3], 4 * n_ranks);
	MPI_Win_unlock(me, win);
	MPI_Win_free(&win);
}

static void get_accumulate_gives_what_was_there(void)
{
	int add[3] = {1, 2, 3}, before[3] = {-1, -1, -1};

	open_window(me);
	MPI_Win_fence(0, win);
	MPI_Get_accumulate(add, 3, MPI_INT, before, 3, MPI_INT, right, 0, 3, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 3; i++) {
		CHECK_INT(before[i], right);
		CHECK_INT(exposed[i], me + 1 + i);
	}
	MPI_Get_accumulate(NULL, 0, MPI_INT, before, 3, MPI_INT, right, 0, 3, MPI_INT, MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 3; i++)
		CHECK_INT(before[i], right + 1 + i);
	MPI_Get_accumulate(add, 3, MPI_INT, before, 3, MPI_INT, right, 0, 3, MPI_INT, MPI_REPLACE, win);
	MPI_Win_fence(0, win);
	for (int i = 0; i < 3; i++)
		CHECK_INT(exposed[i], add[i]);
	MPI_Win_free(&win);
}

static void post_start_complete_wait(void)
{
	MPI_Group world, to, from;
	int flag = 0;

	open_window(-1);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &right, &to);
	MPI_Group_incl(world, 1, &left, &from);
	for (int round = 0; round < 3; round++) {
		local[0] = 10 * me + round;
		MPI_Win_post(from, 0, win);
		MPI_Win_start(to, 0, win);
		MPI_Put(local, 1, MPI_INT, right, round, 1, MPI_INT, win);
		MPI_Win_complete(win);
		if (round == 1)
			while (!flag)
				MPI_Win_test(win, &flag);
		else
			MPI_Win_wait(win);
		CHECK_INT(exposed[round], 10 * left + round);
	}
	MPI_Group_free(&to);
	MPI_Group_free(&from);
	MPI_Group_free(&world);
	MPI_Win_free(&win);
}

static void requests_complete_operations(void)
{
	MPI_Request request[3];
	int got = -1, add = 5, old = -1;

	open_window(me);
	MPI_Win_lock_all(0, win);
	local[0] = 7 + me;
	MPI_Rput(local, 1, MPI_INT, right, 0, 1, MPI_INT, win, &request[0]);
	MPI_Rget(&got, 1, MPI_INT, right, 1, 1, MPI_INT, win, &request[1]);
	MPI_Raccumulate(&add, 1, MPI_INT, right, 2, 1, MPI_INT, MPI_SUM, win, &request[2]);
	MPI_Waitall(3, request, MPI_STATUSES_IGNORE);
	CHECK_INT(got, right);
	MPI_Rget_accumulate(&add, 1, MPI_INT, &old, 1, MPI_INT, right, 3, 1, MPI_INT, MPI_PROD, win,
			    &request[0]);
	MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	CHECK_INT(old, right);
	MPI_Rput(local, 1, MPI_INT, MPI_PROC_NULL, 0, 1, MPI_INT, win, &request[0]);
	MPI_Wait(&request[0], MPI_STATUS_IGNORE);
	MPI_Win_flush_local_all(win);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win);
	CHECK_INT(exposed[0], 7 + left);
	CHECK_INT(exposed[2], me + 5);
	CHECK_INT(exposed[3], me * 5);
	MPI_Win_unlock(me, win);
	MPI_Win_free(&win);
}

static void nothing_is_fine(void)
{
	MPI_Win none;

	open_window(me);
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &none);
	MPI_Win_fence(0, none);
	MPI_Put(local, 0, MPI_INT, right, 0, 0, MPI_INT, none);
	MPI_Win_fence(0, none);
	MPI_Win_free(&none);
	MPI_Win_fence(0, win);
	MPI_Put(local, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
	MPI_Get(local, 3, MPI_INT, MPI_PROC_NULL, 0, 3, MPI_INT, win);
	MPI_Accumulate(local, 0, MPI_INT, right, 0, 0, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	CHECK_INT(exposed[0], me);
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	rma_check_init(&argc, &argv);
#define SECTION(name) (name(), section_end(#name))
	SECTION(puts_and_gets_between_fences);
	SECTION(derived_types_on_both_sides);
	SECTION(accumulates_meet_at_one_rank);
	SECTION(accumulates_of_pairs_and_vectors);
	SECTION(tickets_are_drawn_once);
	SECTION(compare_and_swap_excludes);
	SECTION(exclusive_locks_protect_what_is_not_atomic);
	SECTION(get_accumulate_gives_what_was_there);
	SECTION(post_start_complete_wait);
	SECTION(requests_complete_operations);
	SECTION(nothing_is_fine);
	return check_finish();
}
