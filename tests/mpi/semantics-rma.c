/* SPDX-License-Identifier: BSD-3-Clause */
/* Corners of one-sided communication: what is refused, and data in memory of other ranks. Run as
 * `semantics-rma CASE` on 3 ranks. */
#include <mpisim.h>
#include <stdlib.h>

#include "tests/mpi/cases.h"

enum { N = 8 };

static int global[N], elsewhere[N];
static MPI_Win win;
static MPI_Group world;

static void begin(void)
{
	for (int i = 0; i < N; i++)
		global[i] = 10 * rank + i;
	MPI_Win_create(global, sizeof global, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_group(MPI_COMM_WORLD, &world);
}

static void end(void)
{
	MPI_Group_free(&world);
	expect("free", MPI_Win_free(&win), MPI_SUCCESS);
}

#define PUT(disp) MPI_Put(elsewhere, 1, MPI_INT, 1, disp, 1, MPI_INT, win)

static void operations_need_an_epoch(void)
{
	MPI_Request request;
	MPI_Group one;

	begin();
	expect("none", PUT(0), MPI_ERR_RMA_SYNC);
	MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
	expect("another is locked", PUT(0), MPI_ERR_RMA_SYNC);
	MPI_Win_unlock(0, win);
	MPI_Win_fence(0, win);
	expect("request in a fence epoch",
	       MPI_Rput(elsewhere, 1, MPI_INT, 1, 0, 1, MPI_INT, win, &request), MPI_ERR_RMA_SYNC);
	MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	expect("after the last fence", PUT(0), MPI_ERR_RMA_SYNC);
	MPI_Group_incl(world, 1, (const int[]){0}, &one);
	if (rank == 0)
		MPI_Win_post(world, 0, win);
	MPI_Win_start(one, 0, win);
	expect("not in the group", PUT(0), MPI_ERR_RMA_SYNC);
	MPI_Win_complete(win);
	if (rank == 0)
		MPI_Win_wait(win);
	MPI_Group_free(&one);
	end();
}

static void epochs_do_not_nest(void)
{
	int flag;
	MPI_Win same = win;

	begin();
	same = win;
	expect("unlock", MPI_Win_unlock(1, win), MPI_ERR_RMA_SYNC);
	expect("unlock_all", MPI_Win_unlock_all(win), MPI_ERR_RMA_SYNC);
	expect("flush", MPI_Win_flush(1, win), MPI_ERR_RMA_SYNC);
	expect("flush_local_all", MPI_Win_flush_local_all(win), MPI_ERR_RMA_SYNC);
	expect("complete", MPI_Win_complete(win), MPI_ERR_RMA_SYNC);
	expect("wait", MPI_Win_wait(win), MPI_ERR_RMA_SYNC);
	expect("test", MPI_Win_test(win, &flag), MPI_ERR_RMA_SYNC);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
	expect("same lock", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win), MPI_ERR_RMA_SYNC);
	expect("another lock", MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win), MPI_SUCCESS);
	expect("lock_all", MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
	expect("fence", MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	expect("start", MPI_Win_start(world, 0, win), MPI_ERR_RMA_SYNC);
	expect("free", MPI_Win_free(&same), MPI_ERR_RMA_SYNC);
	expect("flush of an unlocked one", MPI_Win_flush(0, win), MPI_ERR_RMA_SYNC);
	MPI_Win_unlock(1, win);
	MPI_Win_unlock(2, win);
	MPI_Win_post(world, 0, win);
	expect("post twice", MPI_Win_post(world, 0, win), MPI_ERR_RMA_SYNC);
	expect("fence while exposed", MPI_Win_fence(0, win), MPI_ERR_RMA_SYNC);
	expect("free while exposed", MPI_Win_free(&same), MPI_ERR_RMA_SYNC);
	MPI_Win_start(world, 0, win);
	expect("lock in a started epoch", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win),
	       MPI_ERR_RMA_SYNC);
	MPI_Win_complete(win);
	MPI_Win_wait(win);
	MPI_Win_fence(0, win);
	PUT(0);
	expect("lock in a fence epoch", MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win), MPI_ERR_RMA_SYNC);
	expect("free in a fence epoch", MPI_Win_free(&same), MPI_ERR_RMA_SYNC);
	MPI_Win_fence(0, win);
	MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win); /* nothing followed the fence: it began nothing */
	MPI_Win_unlock(1, win);
	expect("the fence epoch is over", PUT(0), MPI_ERR_RMA_SYNC);
	end();
}

static void targets_lie_in_their_windows(void)
{
	MPI_Datatype wide, backwards;

	begin();
	MPI_Type_vector(2, 1, N, MPI_INT, &wide);
	MPI_Type_create_hvector(2, 1, -(MPI_Aint)sizeof(int), MPI_INT, &backwards);
	MPI_Type_commit(&wide);
	MPI_Type_commit(&backwards);
	MPI_Win_lock_all(0, win);
	expect("last", PUT(N - 1), MPI_SUCCESS);
	expect("behind", PUT(N), MPI_ERR_RMA_RANGE);
	expect("before", PUT(-1), MPI_ERR_DISP);
	expect("far", PUT(MPI_Aint_add(0, INT64_MAX / 2)), MPI_ERR_RMA_RANGE);
	expect("span", MPI_Put(elsewhere, 2, MPI_INT, 1, 0, 1, wide, win), MPI_ERR_RMA_RANGE);
	expect("below", MPI_Put(elsewhere, 2, MPI_INT, 1, 0, 1, backwards, win), MPI_ERR_RMA_RANGE);
	expect("backwards", MPI_Put(elsewhere, 2, MPI_INT, 1, 1, 1, backwards, win), MPI_SUCCESS);
	expect("nothing", MPI_Put(elsewhere, 0, MPI_INT, 1, N + 5, 0, MPI_INT, win), MPI_SUCCESS);
	expect("many", MPI_Put(elsewhere, INT32_MAX, MPI_INT, 1, 0, INT32_MAX, MPI_INT, win),
	       MPI_ERR_RMA_RANGE);
	MPI_Win_unlock_all(win);
	MPI_Type_free(&wide);
	MPI_Type_free(&backwards);
	end();
}

static void arguments_have_their_classes(void)
{
	MPI_Datatype open, mixed;
	MPI_Win bad;
	int result, user = 0;

	begin();
	MPI_Type_contiguous(1, MPI_INT, &open);
	MPI_Type_create_struct(2, (const int[]){1, 1}, (const MPI_Aint[]){0, 4},
			       (const MPI_Datatype[]){MPI_INT, MPI_FLOAT}, &mixed);
	MPI_Type_commit(&mixed);
	MPI_Win_lock_all(0, win);
	expect("rank", MPI_Put(elsewhere, 1, MPI_INT, 3, 0, 1, MPI_INT, win), MPI_ERR_RANK);
	expect("count", MPI_Put(elsewhere, 1, MPI_INT, 1, 0, -1, MPI_INT, win), MPI_ERR_COUNT);
	expect("buffer", MPI_Get(NULL, 1, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_BUFFER);
	expect("type", MPI_Put(elsewhere, 1, open, 1, 0, 1, MPI_INT, win), MPI_ERR_TYPE);
	expect("truncation", MPI_Put(elsewhere, 2, MPI_INT, 1, 0, 1, MPI_INT, win), MPI_ERR_TRUNCATE);
	expect("truncation of a get", MPI_Get(elsewhere, 1, MPI_INT, 1, 0, 2, MPI_INT, win),
	       MPI_ERR_TRUNCATE);
	expect("mixed", MPI_Accumulate(elsewhere, 1, mixed, 1, 0, 1, mixed, MPI_SUM, win),
	       MPI_ERR_TYPE);
	expect("mixed replaces", MPI_Accumulate(elsewhere, 1, mixed, 1, 0, 1, mixed, MPI_REPLACE, win),
	       MPI_SUCCESS);
	expect("op", MPI_Accumulate(elsewhere, 1, MPI_FLOAT, 1, 0, 1, MPI_FLOAT, MPI_BAND, win),
	       MPI_ERR_OP);
	expect("no op", MPI_Accumulate(elsewhere, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_NO_OP, win),
	       MPI_ERR_OP);
	expect("different types",
	       MPI_Accumulate(elsewhere, 1, MPI_FLOAT, 1, 0, 1, MPI_INT, MPI_SUM, win), MPI_ERR_TYPE);
	expect("derived", MPI_Fetch_and_op(elsewhere, &result, mixed, 1, 0, MPI_REPLACE, win),
	       MPI_ERR_TYPE);
	expect("no integer",
	       MPI_Compare_and_swap(elsewhere, elsewhere, &result, MPI_FLOAT, 1, 0, win),
	       MPI_ERR_TYPE);
	MPI_Win_unlock_all(win);
	expect("lock type", MPI_Win_lock(user, 1, 0, win), MPI_ERR_LOCKTYPE);
	expect("lock rank", MPI_Win_lock(MPI_LOCK_SHARED, 3, 0, win), MPI_ERR_RANK);
	expect("assert", MPI_Win_fence(MPI_MODE_NOCHECK, win), MPI_ERR_ASSERT);
	expect("group", MPI_Win_post(MPI_GROUP_NULL, 0, win), MPI_ERR_GROUP);
	expect("null", MPI_Win_fence(0, MPI_WIN_NULL), MPI_ERR_WIN);
	expect("attach", MPI_Win_attach(win, elsewhere, 4), MPI_ERR_RMA_FLAVOR);
	expect("size", MPI_Win_create(global, -1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &bad),
	       MPI_ERR_SIZE);
	expect("unit", MPI_Win_create(global, 1, 0, MPI_INFO_NULL, MPI_COMM_WORLD, &bad),
	       MPI_ERR_DISP);
	expect("shared", MPI_Win_allocate_shared(1, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &user, &bad),
	       MPI_ERR_RMA_SHARED);
	MPI_Type_free(&open);
	MPI_Type_free(&mixed);
	end();
}

static void dynamic_windows_know_what_is_attached(void)
{
	MPI_Aint mine[2], theirs[2];
	MPI_Aint size;
	int unit, *base;

	begin();
	MPI_Win_free(&win);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
	expect("attach", MPI_Win_attach(win, global, sizeof global), MPI_SUCCESS);
	expect("overlap", MPI_Win_attach(win, global + 1, 4), MPI_ERR_RMA_ATTACH);
	expect("unknown", MPI_Win_detach(win, elsewhere), MPI_ERR_BASE);
	expect("query", MPI_Win_shared_query(win, 0, &size, &unit, &base), MPI_ERR_RMA_FLAVOR);
	MPI_Get_address(global, &mine[0]);
	MPI_Get_address(elsewhere, &mine[1]);
	MPI_Sendrecv(mine, 2, MPI_AINT, (rank + 2) % 3, 0, theirs, 2, MPI_AINT, (rank + 1) % 3, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Win_lock_all(0, win);
	expect("attached", MPI_Put(&rank, 1, MPI_INT, (rank + 1) % 3, theirs[0], 1, MPI_INT, win),
	       MPI_SUCCESS);
	expect("not attached", MPI_Put(&rank, 1, MPI_INT, (rank + 1) % 3, theirs[1], 1, MPI_INT, win),
	       MPI_ERR_RMA_RANGE);
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	expect("put", global[0], (rank + 2) % 3);
	expect("detach", MPI_Win_detach(win, global), MPI_SUCCESS);
	end();
}

/* Blocks of 16 B and of 1 MB, which has a mapping of its own; what the blocks have room for is no error, nor memory within one. */
static void windows_lie_within_their_blocks(void)
{
	static const MPI_Aint lengths_B[] = {16, 1000000};
	static const MPI_Aint beyond_B[] = {64, 4000000, (MPI_Aint)1 << 40};
	static char variable[64];
	MPI_Win other, dynamic;

	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic);
	MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
	for (int i = 0; i < 2; i++) {
		char *block = malloc((size_t)lengths_B[i]), *after = malloc(16), *aligned;

		after[0] = 1;
		expect("all of it", MPI_Win_create(block, lengths_B[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_SUCCESS);
		MPI_Win_free(&other);
		expect("the end of it", MPI_Win_create(block + 8, lengths_B[i] - 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_SUCCESS);
		MPI_Win_free(&other);
		for (int k = 0; k < 3; k++) {
			expect("more", MPI_Win_create(block, lengths_B[i] + beyond_B[k], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_ERR_SIZE);
			expect("more to attach", MPI_Win_attach(dynamic, block, lengths_B[i] + beyond_B[k]), MPI_ERR_SIZE);
		}
		expect("negative", MPI_Win_create(block, -4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_ERR_SIZE);
		aligned = aligned_alloc(4096, 8192);
		expect("aligned", MPI_Win_create(aligned, 8192 + beyond_B[i], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_ERR_SIZE);
		free(aligned);
		free(after);
		free(block);
	}
	expect("variable", MPI_Win_create(variable, sizeof variable, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_SUCCESS);
	MPI_Win_free(&other);
	expect("beyond all variables", MPI_Win_create(variable, beyond_B[1], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other), MPI_ERR_SIZE);
	MPI_Win_free(&dynamic);
}

/* One type with absolute addresses: a variable, which may be swapped out, and heap and stack. */
static void data_are_scattered_over_memory(void)
{
	int on_stack = 100 + rank, *heap = malloc(sizeof *heap);
	MPI_Aint mine[3];
	MPI_Datatype scattered;
	int got[3] = {-1, -1, -1};

	*heap = 200 + rank;
	begin();
	MPI_Get_address(&global[1], &mine[0]);
	MPI_Get_address(heap, &mine[1]);
	MPI_Get_address(&on_stack, &mine[2]);
	MPI_Type_create_hindexed_block(3, 1, mine, MPI_INT, &scattered);
	MPI_Type_commit(&scattered);
	MPI_Win_fence(0, win);
	MPI_Put(MPI_BOTTOM, 1, scattered, (rank + 1) % 3, 4, 3, MPI_INT, win);
	MPI_Win_fence(0, win);
	expect("variable", global[4], 10 * ((rank + 2) % 3) + 1);
	expect("heap", global[5], 200 + (rank + 2) % 3);
	expect("stack", global[6], 100 + (rank + 2) % 3);
	MPI_Get(MPI_BOTTOM, 1, scattered, (rank + 1) % 3, 4, 3, MPI_INT, win);
	MPI_Type_free(&scattered);
	mpisim_add_compute_time(0.001); /* others run meanwhile */
	MPI_Win_fence(0, win);
	expect("got variable", global[1], 10 * rank + 1);
	expect("got heap", *heap, 200 + rank);
	expect("got stack", on_stack, 100 + rank);
	MPI_Get_accumulate(NULL, 0, MPI_INT, got, 3, MPI_INT, rank, 4, 3, MPI_INT, MPI_NO_OP, win);
	MPI_Win_fence(0, win);
	expect("fetched", got[2], 100 + (rank + 2) % 3);
	free(heap);
	end();
}

/* Buffers without memory, on either side, make transfers and nothing else. */
static void absent_buffers_are_not_touched(void)
{
	enum { BIG = 1 << 20 };
	char *absent = mpisim_alloc(BIG);
	int ones[2] = {1, 1};
	MPI_Win w;

	begin();
	MPI_Win_create(absent, BIG, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
	MPI_Win_fence(0, w);
	MPI_Put(absent, BIG, MPI_BYTE, (rank + 1) % 3, 0, BIG, MPI_BYTE, w);
	MPI_Get(elsewhere, 1, MPI_INT, (rank + 1) % 3, 0, 1, MPI_INT, w);
	MPI_Accumulate(ones, 2, MPI_INT, (rank + 1) % 3, 8, 2, MPI_INT, MPI_SUM, w);
	MPI_Get_accumulate(ones, 2, MPI_INT, elsewhere, 2, MPI_INT, (rank + 1) % 3, 8, 2, MPI_INT,
			   MPI_SUM, w);
	MPI_Win_fence(0, w);
	MPI_Win_free(&w);
	expect("untouched", elsewhere[0], 0);
	MPI_Win_fence(0, win);
	MPI_Put(absent, 4, MPI_BYTE, (rank + 1) % 3, 0, 4, MPI_BYTE, win);
	MPI_Accumulate(absent, 1, MPI_INT, (rank + 1) % 3, 1, 1, MPI_INT, MPI_SUM, win);
	MPI_Win_fence(0, win);
	expect("as it was", global[0], 10 * rank);
	expect("as it was, too", global[1], 10 * rank + 1);
	mpisim_free(absent);
	end();
}

/* Rank 0 looks at its own window, which takes no time, until rank 1 has stored there, at 5 s. */
static void looking_lets_time_pass(void)
{
	int wanted = 42, found = 0;

	begin();
	MPI_Win_lock_all(0, win);
	if (rank == 1) {
		mpisim_add_compute_time(5 - MPI_Wtime());
		MPI_Accumulate(&wanted, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(0, win);
	}
	while (rank == 0 && found != wanted) {
		MPI_Fetch_and_op(NULL, &found, MPI_INT, 0, 0, MPI_NO_OP, win);
		MPI_Win_flush(0, win);
	}
	if (rank == 0)
		expect("when it is there", MPI_Wtime() > 5 && MPI_Wtime() < 5.01, 1);
	MPI_Win_unlock_all(win);
	end();
}

/* Two ranks take each other's locked windows for ever. */
static void deadlock(void)
{
	begin();
	MPI_Win_set_name(win, "the window");
	if (rank < 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
		mpisim_add_compute_time(0.1);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1 - rank, 0, win);
	}
	MPI_Win_free(&win);
}

/* Nobody sends that. */
static void stay_away(void)
{
	MPI_Recv(NULL, 0, MPI_INT, 1, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Rank 0 holds the lock that the others wait for. */
static void deadlock_of_waiters(void)
{
	begin();
	MPI_Win_set_name(win, "the window");
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank > 0)
		MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
	stay_away();
}

/* The same where rank 2 has had the lock and does not wait for it. */
static void deadlock_after_unlock(void)
{
	begin();
	MPI_Win_set_name(win, "the window");
	if (rank == 2) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
		MPI_Win_unlock(2, win);
		MPI_Win_lock_all(0, win);
		MPI_Win_unlock_all(win);
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, MPI_MODE_NOCHECK, win);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, win);
	stay_away();
}

/* A lock of all waits for exclusive ones only. */
static void deadlock_of_all(void)
{
	begin();
	MPI_Win_set_name(win, "the window");
	if (rank < 2)
		MPI_Win_lock(rank == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, rank + 1, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2)
		MPI_Win_lock_all(0, win);
	stay_away();
}

/* Rank 0 holds all that rank 1 wants one of; rank 2 holds them unchecked. */
static void deadlock_by_all(void)
{
	begin();
	MPI_Win_set_name(win, "the window");
	if (rank != 1)
		MPI_Win_lock_all(rank == 0 ? 0 : MPI_MODE_NOCHECK, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, win);
	stay_away();
}

/* Rank 1 posts, or completes, and rank 2 does not. */
static void deadlock_of_posts(void)
{
	const int zero = 0;
	MPI_Group others, first;

	begin();
	MPI_Win_set_name(win, "the window");
	MPI_Group_excl(world, 1, &zero, &others);
	MPI_Group_incl(world, 1, &zero, &first);
	if (rank == 0)
		MPI_Win_start(others, 0, win);
	else if (rank == 1)
		MPI_Win_post(first, 0, win);
	stay_away();
}

static void deadlock_of_completes(void)
{
	const int zero = 0;
	MPI_Group others, first;

	begin();
	MPI_Win_set_name(win, "the window");
	MPI_Group_excl(world, 1, &zero, &others);
	MPI_Group_incl(world, 1, &zero, &first);
	if (rank == 0) {
		MPI_Win_post(others, 0, win);
		MPI_Win_wait(win);
	} else {
		MPI_Win_start(first, 0, win);
	}
	if (rank == 1)
		MPI_Win_complete(win);
	stay_away();
}

/* The address is found to be wrong in the call that has it. */
static void wrong_address(void)
{
	begin();
	MPI_Win_fence(0, win);
	if (rank == 1)
		MPI_Put((void *)64, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_fence(0, win);
	end();
}

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
	    {"operations_need_an_epoch", operations_need_an_epoch},
	    {"epochs_do_not_nest", epochs_do_not_nest},
	    {"targets_lie_in_their_windows", targets_lie_in_their_windows},
	    {"arguments_have_their_classes", arguments_have_their_classes},
	    {"dynamic_windows_know_what_is_attached", dynamic_windows_know_what_is_attached},
	    {"windows_lie_within_their_blocks", windows_lie_within_their_blocks},
	    {"data_are_scattered_over_memory", data_are_scattered_over_memory},
	    {"absent_buffers_are_not_touched", absent_buffers_are_not_touched},
	    {"looking_lets_time_pass", looking_lets_time_pass},
	    {"deadlock", deadlock},
	    {"deadlock_of_waiters", deadlock_of_waiters},
	    {"deadlock_after_unlock", deadlock_after_unlock},
	    {"deadlock_of_all", deadlock_of_all},
	    {"deadlock_by_all", deadlock_by_all},
	    {"deadlock_of_posts", deadlock_of_posts},
	    {"deadlock_of_completes", deadlock_of_completes},
	    {"wrong_address", wrong_address},
	};

	return run_case(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
