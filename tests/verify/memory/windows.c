/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Two accesses to memory of a window, with what stands between them. Arguments: rank and operation of the first access, of the second one, whose
 * memory it is, what synchronizes, how many integers apart they are (tests/verify/memory/windows.py). Three ranks.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST, SECOND, N_INTS = 16 };

static struct access { /* as the arguments say */
	int rank;
	const char *operation;
	int place;
} accesses[2];
static int rank, target, *memory;
static const char *how;
static MPI_Win win;
static MPI_Request request = MPI_REQUEST_NULL, early = MPI_REQUEST_NULL;
static int early_data;
static volatile int sink;
static volatile size_t int_B = sizeof(int); /* a size that the compiler does not know: memcpy is called */
/* Each access has local buffers of its own. */
static int from[2] = {1, 2}, into[2], compare[2], scratch;

static bool is(const char *word)
{
	return strcmp(how, word) == 0;
}

static bool begins(const char *word)
{
	return strncmp(how, word, strlen(word)) == 0;
}

static void local(const struct access *a)
{
	volatile int *at = memory + a->place;

	if (strcmp(a->operation, "load") == 0)
		sink = *at;
	else if (strcmp(a->operation, "store") == 0)
		*at = 5;
	else if (strcmp(a->operation, "copy-from") == 0)
		memcpy(&scratch, memory + a->place, int_B);
	else if (strcmp(a->operation, "copy-to") == 0)
		memcpy(memory + a->place, from, int_B);
	else if (strcmp(a->operation, "send") == 0) /* to itself: the window is its buffer */
		MPI_Sendrecv(memory + a->place, 1, MPI_INT, rank, 9, &scratch, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (strcmp(a->operation, "recv") == 0)
		MPI_Sendrecv(from, 1, MPI_INT, rank, 9, memory + a->place, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void start(const struct access *a)
{
	int i = (int)(a - accesses), *mine = &from[i], *result = &into[i], at = a->place;
	const char *o = a->operation;

	if (rank != a->rank)
		return;
	local(a);
	if (strcmp(o, "put") == 0)
		MPI_Put(mine, 1, MPI_INT, target, at, 1, MPI_INT, win);
	else if (strcmp(o, "get") == 0)
		MPI_Get(result, 1, MPI_INT, target, at, 1, MPI_INT, win);
	else if (strcmp(o, "sum") == 0)
		MPI_Accumulate(mine, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win);
	else if (strcmp(o, "replace") == 0)
		MPI_Accumulate(mine, 1, MPI_INT, target, at, 1, MPI_INT, MPI_REPLACE, win);
	else if (strcmp(o, "sum-unsigned") == 0)
		MPI_Accumulate(mine, 1, MPI_UNSIGNED, target, at, 1, MPI_UNSIGNED, MPI_SUM, win);
	else if (strcmp(o, "get-sum") == 0)
		MPI_Get_accumulate(mine, 1, MPI_INT, result, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win);
	else if (strcmp(o, "get-only") == 0)
		MPI_Get_accumulate(mine, 1, MPI_INT, result, 1, MPI_INT, target, at, 1, MPI_INT, MPI_NO_OP, win);
	else if (strcmp(o, "fetch-sum") == 0)
		MPI_Fetch_and_op(mine, result, MPI_INT, target, at, MPI_SUM, win);
	else if (strcmp(o, "swap") == 0)
		MPI_Compare_and_swap(mine, &compare[i], result, MPI_INT, target, at, win);
	else if (strcmp(o, "rput") == 0)
		MPI_Rput(mine, 1, MPI_INT, target, at, 1, MPI_INT, win, &request);
	else if (strcmp(o, "rget") == 0)
		MPI_Rget(result, 1, MPI_INT, target, at, 1, MPI_INT, win, &request);
	else if (strcmp(o, "rsum") == 0)
		MPI_Raccumulate(mine, 1, MPI_INT, target, at, 1, MPI_INT, MPI_SUM, win, &request);
}

/* --- what lies between --- */

static void message(int source, int dest)
{
	int data = 0;

	if (rank == source)
		MPI_Send(&data, 1, MPI_INT, dest, 1, MPI_COMM_WORLD);
	if (rank == dest)
		MPI_Recv(&data, 1, MPI_INT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* MPI_Mprobe and MPI_Mrecv instead. */
static void matched_message(int source, int dest)
{
	MPI_Message found;
	int data = 0;

	if (rank == source)
		MPI_Send(&data, 1, MPI_INT, dest, 1, MPI_COMM_WORLD);
	if (rank != dest)
		return;
	MPI_Mprobe(source, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
	MPI_Mrecv(&data, 1, MPI_INT, &found, MPI_STATUS_IGNORE);
}

static void probed_message(int source, int dest)
{
	int data = 0;

	if (rank == source)
		MPI_Send(&data, 1, MPI_INT, dest, 1, MPI_COMM_WORLD);
	if (rank == dest)
		MPI_Probe(source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Both send at once, nonblocking. */
static void exchange(int a, int b)
{
	int out = 1, in = 0;
	MPI_Request q;

	if (rank != a && rank != b)
		return;
	MPI_Isendrecv(&out, 1, MPI_INT, a + b - rank, 2, &in, 1, MPI_INT, a + b - rank, 2, MPI_COMM_WORLD, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
}

/* The partition is ready after the access. */
static void partition(int source, int dest)
{
	int data = 0;
	MPI_Request q;

	if (rank != source && rank != dest)
		return;
	if (rank == source)
		MPI_Psend_init(&data, 1, 1, MPI_INT, dest, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	else
		MPI_Precv_init(&data, 1, 1, MPI_INT, source, 3, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	MPI_Start(&q);
	if (rank == source)
		MPI_Pready(0, q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Request_free(&q);
}

static void prefix(void)
{
	int in = 1, out;

	MPI_Scan(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void number(int root)
{
	int data = 1;

	MPI_Bcast(&data, 1, MPI_INT, root, MPI_COMM_WORLD);
}

/* A synchronous send the other way: it ends when the receive has begun. */
static void answered(int sender, int receiver)
{
	int data = 0;
	MPI_Request q;

	if (rank == sender && strstr(how, "+issend")) {
		MPI_Issend(&data, 0, MPI_INT, receiver, 4, MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	} else if (rank == sender) {
		MPI_Ssend(&data, 1, MPI_INT, receiver, 4, MPI_COMM_WORLD);
	}
	if (rank == receiver && early != MPI_REQUEST_NULL)
		MPI_Wait(&early, MPI_STATUS_IGNORE);
	else if (rank == receiver)
		MPI_Recv(&data, 1, MPI_INT, sender, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void between(void)
{
	int a = accesses[FIRST].rank, b = accesses[SECOND].rank;

	if (strstr(how, "flush-local") && rank == a)
		MPI_Win_flush_local(target, win);
	else if (strstr(how, "flush") && rank == a)
		MPI_Win_flush(target, win);
	if (strstr(how, "wait") && rank == a)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (strstr(how, "sync"))
		MPI_Win_sync(win);
	if (strstr(how, "barrier"))
		MPI_Barrier(MPI_COMM_WORLD);
	else if (strstr(how, "+message"))
		message(a, b);
	else if (strstr(how, "+backward"))
		message(b, a);
	else if (strstr(how, "+matched"))
		matched_message(a, b);
	else if (strstr(how, "+probed"))
		probed_message(a, b);
	else if (strstr(how, "+exchange"))
		exchange(a, b);
	else if (strstr(how, "+partition"))
		partition(a, b);
	else if (strstr(how, "send"))
		answered(b, a);
	else if (strstr(how, "+prefix"))
		prefix();
	else if (strstr(how, "+bcast-first"))
		number(a);
	else if (strstr(how, "+bcast-second"))
		number(b);
	if (strstr(how, "and-sync"))
		MPI_Win_sync(win);
}

/* --- epochs --- */

static void all_locked(void)
{
	MPI_Win_lock_all(0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (strstr(how, "+early") && rank == accesses[FIRST].rank)
		MPI_Irecv(&early_data, 1, MPI_INT, accesses[SECOND].rank, 4, MPI_COMM_WORLD, &early);
	start(&accesses[FIRST]);
	between();
	start(&accesses[SECOND]);
	if (request != MPI_REQUEST_NULL)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Win_unlock_all(win);
}

static void fenced(void)
{
	MPI_Win_fence(0, win);
	start(&accesses[FIRST]);
	if (is("fence-two"))
		MPI_Win_fence(0, win);
	start(&accesses[SECOND]);
	MPI_Win_fence(0, win);
}

static void locked(int type, const struct access *a)
{
	if (rank != a->rank)
		return;
	MPI_Win_lock(type, target, 0, win);
	start(a);
	MPI_Win_unlock(target, win);
}

/* "lock-shared-exclusive": the first and the second access. */
static void both_locked(void)
{
	const char *second = strchr(strchr(how, '-') + 1, '-') + 1;

	locked(begins("lock-exclusive") ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, &accesses[FIRST]);
	if (strstr(how, "+message"))
		message(accesses[FIRST].rank, accesses[SECOND].rank);
	locked(strncmp(second, "exclusive", 9) == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, &accesses[SECOND]);
}

/* Only the first access is one-sided, or both. "post-one": all in one epoch; "post-two": one after the other; "post-after": the target's own access
 * comes when its exposure has ended, "post-during": while it is open; "post-before": before it begins. */
static void posted(void)
{
	MPI_Group world, targets, origins;
	int others[2], n = 0, n_epochs = is("post-two") ? 2 : 1;

	MPI_Comm_group(MPI_COMM_WORLD, &world);
	for (int i = 0; i < 3; i++)
		if (i != target)
			others[n++] = i;
	MPI_Group_incl(world, 1, &target, &targets);
	MPI_Group_incl(world, 2, others, &origins);
	for (int i = 0; i < n_epochs; i++) {
		if (rank == target) {
			if (is("post-before"))
				start(&accesses[FIRST]);
			MPI_Win_post(origins, 0, win);
			if (is("post-during"))
				start(&accesses[SECOND]);
			MPI_Win_wait(win);
			if (is("post-after"))
				start(&accesses[SECOND]);
			continue;
		}
		MPI_Win_start(targets, 0, win);
		if (is("post-before"))
			start(&accesses[SECOND]);
		else if (i == 0)
			start(&accesses[FIRST]);
		if (is("post-one") || i == 1)
			start(&accesses[SECOND]);
		MPI_Win_complete(win);
	}
	MPI_Group_free(&world);
	MPI_Group_free(&targets);
	MPI_Group_free(&origins);
}

int main(int argc, char **argv)
{
	MPI_Info info = MPI_INFO_NULL;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	accesses[FIRST] = (struct access){atoi(argv[1]), argv[2], 0};
	accesses[SECOND] = (struct access){atoi(argv[3]), argv[4], atoi(argv[7])};
	target = atoi(argv[5]);
	how = argv[6];
	if (argc > 9) { /* a hint */
		MPI_Info_create(&info);
		MPI_Info_set(info, argv[8], argv[9]);
	}
	MPI_Win_allocate(N_INTS * (MPI_Aint)sizeof(int), sizeof(int), info, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
	memset(memory, 0, N_INTS * sizeof(int));
	MPI_Win_unlock(rank, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (begins("fence"))
		fenced();
	else if (begins("lock-"))
		both_locked();
	else if (begins("post"))
		posted();
	else
		all_locked();
	MPI_Win_free(&win);
	if (info != MPI_INFO_NULL)
		MPI_Info_free(&info);
	MPI_Finalize();
	return 0;
}
