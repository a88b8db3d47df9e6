/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What windows and one-sided communication take: docs/model.md §8. On 8 ranks, of which the last
 * four share the nodes of the first four, in this order: shared windows want it. All else is among
 * the first four; rank 0 accesses rank 1. Barriers are disseminations, allreduces by recursive
 * doubling.
 */
#include "tests/mpi/times/times.h"

/* Within a node. */
#define HERE(bytes) (500e-6 + (bytes)*0.5e-6)
#define X_HERE(bytes) (OS + HERE(bytes) + OR)
#define INT ((int)sizeof(int))
#define BARRIER (2 * X(0))
#define NOTICE T(CONTROL)

enum { N = EAGER };

static char memory[LONG], origin[LONG], result[LONG];
static MPI_Comm four, pair; /* pair: the two of a node */
static MPI_Win win;

/* A duplicate of the communicator, and a barrier; in the end a barrier. */
static void constructors(void)
{
	const double made = 2 * X(INT) + BARRIER;
	void *base;

	times_together();
	TAKES(made, MPI_Win_create(memory, N, 1, MPI_INFO_NULL, four, &win));
	times_together();
	TAKES(BARRIER, MPI_Win_free(&win));
	times_together();
	TAKES(made, MPI_Win_create_c(memory, N, 1, MPI_INFO_NULL, four, &win));
	MPI_Win_free(&win);
	times_together();
	TAKES(made, MPI_Win_allocate(N, 1, MPI_INFO_NULL, four, &base, &win));
	MPI_Win_free(&win);
	times_together();
	TAKES(made, MPI_Win_allocate_c(N, 1, MPI_INFO_NULL, four, &base, &win));
	MPI_Win_free(&win);
	times_together();
	TAKES(made, MPI_Win_create_dynamic(MPI_INFO_NULL, four, &win));
	MPI_Win_free(&win);
}

static void shared(void)
{
	const double made = X_HERE(INT) + X_HERE(0);
	void *base;

	times_together();
	TAKES(made, MPI_Win_allocate_shared(N, 1, MPI_INFO_NULL, pair, &base, &win));
	times_together();
	TAKES(X_HERE(0), MPI_Win_free(&win));
	times_together();
	TAKES(made, MPI_Win_allocate_shared_c(N, 1, MPI_INFO_NULL, pair, &base, &win));
	MPI_Win_free(&win);
}

/* A call returns when its message leaves; its buffer is free, and it is complete at the target, so
 * long after. */
#define OPERATION(free_s, complete_s, call)                                \
	do {                                                               \
		times_together();                                          \
		if (times_rank == 0) {                                     \
			TAKES(OS, call);                                   \
			ENDS(OS + (free_s), MPI_Win_flush_local(1, win));  \
			ENDS(OS + (complete_s), MPI_Win_flush(1, win));    \
		}                                                          \
		times_together();                                          \
		if (times_rank == 0) {                                     \
			call;                                              \
			ENDS(OS + (free_s), MPI_Win_flush_local_all(win)); \
			ENDS(OS + (complete_s), MPI_Win_flush_all(win));   \
		}                                                          \
	} while (0)
/* The same with a request. */
#define REQUEST(free_s, complete_s, call)                                           \
	do {                                                                        \
		times_together();                                                   \
		if (times_rank == 0) {                                              \
			TAKES(OS, call);                                            \
			ENDS(OS + (free_s), MPI_Wait(&request, MPI_STATUS_IGNORE)); \
			ENDS(OS + (complete_s), MPI_Win_flush(1, win));             \
		}                                                                   \
	} while (0)
#define DATA N, MPI_BYTE, 1, 0, N, MPI_BYTE
#define FETCHED origin, N, MPI_BYTE, result, DATA

static void operations(void)
{
	const double there = T(N), told = T(N) + NOTICE, asked = NOTICE + T(N), both = T(N) + T(N);

	OPERATION(there, told, MPI_Put(origin, DATA, win));
	OPERATION(there, told, MPI_Put_c(origin, DATA, win));
	OPERATION(there, told, MPI_Accumulate(origin, DATA, MPI_BOR, win));
	OPERATION(there, told, MPI_Accumulate_c(origin, DATA, MPI_BOR, win));
	OPERATION(asked, asked, MPI_Get(origin, DATA, win));
	OPERATION(asked, asked, MPI_Get_c(origin, DATA, win));
	OPERATION(both, both, MPI_Get_accumulate(FETCHED, MPI_BOR, win));
	OPERATION(both, both, MPI_Get_accumulate_c(FETCHED, MPI_BOR, win));
	/* without operands there is nothing to bring */
	OPERATION(asked, asked, MPI_Get_accumulate(FETCHED, MPI_NO_OP, win));
	OPERATION(2 * T(INT), 2 * T(INT),
		  MPI_Fetch_and_op(origin, result, MPI_INT, 1, 0, MPI_SUM, win));
	OPERATION(T(2 * INT) + T(INT), T(2 * INT) + T(INT),
		  MPI_Compare_and_swap(origin, origin + INT, result, MPI_INT, 1, 0, win));
}

static void requests(void)
{
	const double there = T(N), told = T(N) + NOTICE, asked = NOTICE + T(N), both = T(N) + T(N);
	MPI_Request request;

	REQUEST(there, told, MPI_Rput(origin, DATA, win, &request));
	REQUEST(there, told, MPI_Rput_c(origin, DATA, win, &request));
	REQUEST(there, told, MPI_Raccumulate(origin, DATA, MPI_BOR, win, &request));
	REQUEST(there, told, MPI_Raccumulate_c(origin, DATA, MPI_BOR, win, &request));
	REQUEST(asked, asked, MPI_Rget(origin, DATA, win, &request));
	REQUEST(asked, asked, MPI_Rget_c(origin, DATA, win, &request));
	REQUEST(both, both, MPI_Rget_accumulate(FETCHED, MPI_BOR, win, &request));
	REQUEST(both, both, MPI_Rget_accumulate_c(FETCHED, MPI_BOR, win, &request));
}

/* A lock is asked for and granted; its end is a message that nobody waits for, after a flush. */
static void locks(void)
{
	times_together();
	if (times_rank == 0) {
		TAKES(OS + 2 * NOTICE, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
		MPI_Put(origin, DATA, win);
		TAKES(T(N) + NOTICE + OS, MPI_Win_unlock(1, win));
	}
	times_together();
	if (times_rank == 0) {
		TAKES(0, MPI_Win_lock(MPI_LOCK_SHARED, 1, MPI_MODE_NOCHECK, win));
		TAKES(0, MPI_Win_unlock(1, win));
	}
	times_together();
	if (times_rank == 1) {
		TAKES(OS + 2 * NOTICE, MPI_Win_lock_all(0, win));
		TAKES(0, MPI_Win_sync(win));
		TAKES(OS, MPI_Win_unlock_all(win));
	}
}

/* Rank 2 gets the lock when rank 0's notice has travelled to rank 1, and the grant from there. */
static void waiting_locks(void)
{
	times_together();
	if (times_rank == 0) {
		TAKES(OS + 2 * NOTICE, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
		times_until(0.010);
		TAKES(OS, MPI_Win_unlock(1, win));
	} else if (times_rank == 2) {
		times_until(0.005);
		ENDS(0.010 + OS + 2 * NOTICE, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
		MPI_Win_unlock(1, win);
	}
}

/* A flush and a barrier: who comes late to its two rounds finds the messages of others. */
static void fences(void)
{
	const double flushed = OS + T(N) + NOTICE,
		     rest[] = {2 * OS + 2 * OR, X(0) + OS + OR, X(0) + OS + OR, 2 * X(0)};

	times_together();
	TAKES(0, MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, win));
	TAKES(BARRIER, MPI_Win_fence(0, win));
	times_together();
	if (times_rank == 0)
		TAKES(OS, MPI_Put(origin, DATA, win));
	ENDS(flushed + rest[times_rank], MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
}

/* Rank 1 exposes its window to rank 0. */
static void post_start_complete_wait(void)
{
	const double started = OS + NOTICE, completed = started + OS + T(N) + NOTICE + OS;
	int peer = 1 - times_rank, flag = 0;
	MPI_Group all, group;

	MPI_Comm_group(four, &all);
	MPI_Group_incl(all, 1, &peer, &group);
	for (int is_tested = 0; is_tested < 2; is_tested++) {
		times_together();
		if (times_rank == 0) {
			ENDS(started, MPI_Win_start(group, 0, win));
			MPI_Put(origin, DATA, win);
			ENDS(completed, MPI_Win_complete(win));
			continue;
		}
		TAKES(OS, MPI_Win_post(group, 0, win));
		if (!is_tested) {
			ENDS(completed + NOTICE, MPI_Win_wait(win));
			continue;
		}
		TAKES(0, MPI_Win_test(win, &flag));
		times_expect("too early", flag, 0);
		times_until(completed + NOTICE + 1e-6);
		TAKES(0, MPI_Win_test(win, &flag));
		times_expect("complete", flag, 1);
	}
	MPI_Group_free(&group);
	MPI_Group_free(&all);
}

static void among_four(void)
{
	constructors();
	MPI_Win_create(memory, LONG, 1, MPI_INFO_NULL, four, &win);
	fences();
	if (times_rank == 0)
		MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
	operations();
	requests();
	if (times_rank == 0)
		MPI_Win_unlock_all(win);
	locks();
	waiting_locks();
	if (times_rank < 2)
		post_start_complete_wait();
	MPI_Win_free(&win);
}

int main(int argc, char **argv)
{
	int rank;

	TAKES(0, MPI_Init(&argc, &argv));
	times_begin("windows");
	rank = times_rank;
	MPI_Comm_split(MPI_COMM_WORLD, rank / N_RANKS, 0, &four);
	MPI_Comm_split(MPI_COMM_WORLD, rank % N_RANKS, 0, &pair);
	shared();
	if (rank < N_RANKS)
		among_four();
	MPI_Comm_free(&pair);
	MPI_Comm_free(&four);
	return times_end();
}
