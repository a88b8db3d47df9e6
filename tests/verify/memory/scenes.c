/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs with windows that are more than two accesses; the argument says which (tests/verify/memory/windows.py has the verdicts). Three ranks. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_INTS = 16, FLAG = 8 };

static int rank, *memory;
static MPI_Win win;
static volatile int sink;
static int numbers[4] = {1, 2, 3, 4}, results[4];
static volatile size_t int_B = sizeof(int); /* a size that the compiler does not know */

static void begin(void)
{
	MPI_Win_allocate(N_INTS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	memset(memory, 0, N_INTS * sizeof(int));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
}

static void end(void)
{
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

static void put(int target, int at)
{
	MPI_Put(&numbers[0], 1, MPI_INT, target, at, 1, MPI_INT, win);
}

/* What stands at FLAG of rank 2 becomes `value`, if it is `expected`. Returns what it was. */
static int swap(int value, int expected)
{
	int was;

	MPI_Compare_and_swap(&value, &expected, &was, MPI_INT, 2, FLAG, win);
	MPI_Win_flush(2, win);
	return was;
}

/* --- operations that fetch order what they protect --- */

static void spin_lock(void)
{
	begin();
	if (rank < 2) {
		while (swap(1, 0) != 0)
			;
		MPI_Get(&results[0], 1, MPI_INT, 2, 0, 1, MPI_INT, win);
		MPI_Win_flush(2, win);
		put(2, 0);
		MPI_Win_flush(2, win);
		swap(0, 1);
	}
	end();
}

/* Rank 0 puts and says so by a flag. */
static void flag(bool is_early)
{
	int one = 1, found = 0;

	begin();
	if (rank == 0) {
		put(2, 0);
		if (!is_early)
			MPI_Win_flush(2, win);
		MPI_Accumulate(&one, 1, MPI_INT, 2, FLAG, 1, MPI_INT, MPI_REPLACE, win);
		MPI_Win_flush(2, win);
	}
	if (rank == 1) {
		while (!found) {
			MPI_Fetch_and_op(&one, &found, MPI_INT, 2, FLAG, MPI_NO_OP, win);
			MPI_Win_flush(2, win);
		}
		MPI_Get(&results[0], 1, MPI_INT, 2, 0, 1, MPI_INT, win);
	}
	end();
}

static void flag_after(void)
{
	flag(false);
}

static void flag_before(void)
{
	flag(true);
}

/* --- dynamic windows --- */

static void dynamic(bool is_early)
{
	static int attached[4];
	MPI_Aint address;

	MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_lock_all(0, win);
	if (rank == 2) {
		MPI_Win_attach(win, attached, sizeof attached);
		MPI_Get_address(attached, &address);
	}
	MPI_Bcast(&address, 1, MPI_AINT, 2, MPI_COMM_WORLD);
	if (rank == 0)
		MPI_Put(numbers, 1, MPI_INT, 2, address, 1, MPI_INT, win);
	if (rank == 0 && !is_early)
		MPI_Win_flush(2, win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD); /* time for the data to arrive */
	if (rank == 2 && !is_early)
		sink = attached[0];
	if (rank == 2)
		MPI_Win_detach(win, attached);
	MPI_Win_unlock_all(win);
	MPI_Win_free(&win);
}

static void detach(void)
{
	dynamic(false);
}

static void detach_early(void)
{
	dynamic(true);
}

/* --- shared memory: ranks 0 and 1 load and store what is rank 0's --- */

static int *shared(void)
{
	MPI_Aint size_B;
	int unit, *at;

	MPI_Win_allocate_shared(rank == 0 ? N_INTS * (MPI_Aint)sizeof(int) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	MPI_Win_shared_query(win, 0, &size_B, &unit, &at);
	if (rank == 0)
		memset(at, 0, N_INTS * sizeof(int));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_lock_all(0, win);
	return at;
}

static void shared_plain(void)
{
	int *at = shared();

	if (rank == 0)
		at[0] = 1;
	if (rank == 1)
		sink = at[0];
	end();
}

static void shared_barrier(void)
{
	int *at = shared();

	if (rank == 0)
		at[0] = 1;
	MPI_Win_sync(win);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Win_sync(win);
	if (rank == 1)
		sink = at[0];
	end();
}

static void shared_atomic(void)
{
	int *at = shared();
	atomic_int *ready = (atomic_int *)(at + FLAG);

	if (rank == 0) {
		at[0] = 1;
		MPI_Win_sync(win);
		atomic_store(ready, 1);
	}
	if (rank == 1) {
		while (!atomic_load(ready))
			MPI_Iprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &results[1], MPI_STATUS_IGNORE);
		MPI_Win_sync(win);
		sink = at[0];
	}
	end();
}

static void shared_put(void)
{
	int *at = shared();

	if (rank == 2)
		put(0, 0);
	if (rank == 1)
		sink = at[0];
	end();
}

/* --- buffers that lie in windows --- */

static void irecv(bool is_early)
{
	MPI_Request q;

	begin();
	if (rank == 2)
		MPI_Irecv(memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
	if (rank == 1)
		MPI_Send(numbers, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
	if (rank == 2 && !is_early)
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		put(2, 0);
	if (rank == 0)
		MPI_Win_flush(2, win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 2 && is_early)
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	end();
}

static void irecv_window(void)
{
	irecv(true);
}

static void irecv_window_complete(void)
{
	irecv(false);
}

/* Who has received what lies in a window knows that it was read. */
static void send_window(void)
{
	begin();
	if (rank == 2)
		MPI_Send(memory, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Recv(results, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		put(2, 0);
	}
	end();
}

/* Two windows over the same memory. */
static void two_windows(void)
{
	MPI_Win other;

	begin();
	MPI_Win_create(memory, N_INTS * (MPI_Aint)sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &other);
	MPI_Win_lock_all(0, other);
	if (rank == 0)
		put(2, 0);
	if (rank == 1)
		MPI_Put(numbers, 1, MPI_INT, 2, 0, 1, MPI_INT, other);
	MPI_Win_unlock_all(other);
	MPI_Win_free(&other);
	end();
}

/* --- local buffers of origins --- */

static void put_write(void)
{
	begin();
	if (rank == 0) {
		put(2, 0);
		*(volatile int *)numbers = 5;
	}
	end();
}

static void put_flush_local_write(void)
{
	begin();
	if (rank == 0) {
		put(2, 0);
		MPI_Win_flush_local(2, win);
		*(volatile int *)numbers = 5;
	}
	end();
}

static void rput_wait_write(void)
{
	MPI_Request q;

	begin();
	if (rank == 0) {
		MPI_Rput(numbers, 1, MPI_INT, 2, 0, 1, MPI_INT, win, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		*(volatile int *)numbers = 5;
	}
	end();
}

static void rput_write(void)
{
	MPI_Request q;

	begin();
	if (rank == 0) {
		MPI_Rput(numbers, 1, MPI_INT, 2, 0, 1, MPI_INT, win, &q);
		*(volatile int *)numbers = 5;
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	end();
}

static void get_copy(void)
{
	int copy;

	begin();
	if (rank == 0) {
		MPI_Get(results, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
		memcpy(&copy, results, int_B);
		sink = copy;
	}
	end();
}

/* Functions of the C library see a buffer, too. */
static void get_text(bool is_print)
{
	static char text[8];

	begin();
	if (rank == 0) {
		MPI_Get(text, 4, MPI_CHAR, 2, 0, 4, MPI_CHAR, win);
		sink = is_print ? sprintf(text, "%d", sink + 1) : (int)strlen(text);
	}
	end();
}

static void get_length(void)
{
	get_text(false);
}

static void get_print(void)
{
	get_text(true);
}

static void get_twice(void)
{
	begin();
	if (rank == 0) {
		MPI_Get(results, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
		MPI_Get(results, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
	}
	end();
}

static void put_twice(void) /* two puts may read one buffer */
{
	begin();
	if (rank == 0) {
		put(1, 0);
		put(2, 0);
	}
	end();
}

/* The origin's buffer lies in its own window: one finding, not two. */
static void put_own_window(void)
{
	begin();
	if (rank == 0) {
		MPI_Put(&memory[1], 1, MPI_INT, 2, 0, 1, MPI_INT, win);
		*(volatile int *)&memory[1] = 3;
	}
	end();
}

/* With MPI_NO_OP the origin's data are not looked at. */
static void no_op_origin(void)
{
	begin();
	if (rank == 0) {
		MPI_Fetch_and_op(numbers, results, MPI_INT, 2, 0, MPI_NO_OP, win);
		*(volatile int *)numbers = 3;
		MPI_Get_accumulate(numbers, 1, MPI_INT, numbers, 1, MPI_INT, 2, 1, 1, MPI_INT, MPI_NO_OP, win);
	}
	end();
}

/* Locks that exclude nobody, one after the other in this run: MPI_MODE_NOCHECK (§12.5.5). */
static void puts_without_check(bool with_barrier)
{
	int *memory, data = 1, other;
	MPI_Win win;

	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
			 &win);
	for (int first = 0; first < 2; first++) {
		for (int i = 0; rank == 1 && first == 0 && i < 100; i++) /* takes its time */
			MPI_Sendrecv(&data, 1, MPI_INT, 1, 0, &other, 1, MPI_INT, 1, 0,
				     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == first) {
			MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, MPI_MODE_NOCHECK, win);
			MPI_Put(&data, 1, MPI_INT, 2, 0, 1, MPI_INT, win);
			MPI_Win_unlock(2, win);
		}
		if (with_barrier)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Win_free(&win);
}

static void no_check(void)
{
	puts_without_check(false);
}

static void no_check_barrier(void)
{
	puts_without_check(true);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenes[] = {
    {"spin-lock", spin_lock},
    {"flag-after", flag_after},
    {"flag-before", flag_before},
    {"detach", detach},
    {"detach-early", detach_early},
    {"shared-plain", shared_plain},
    {"shared-barrier", shared_barrier},
    {"shared-atomic", shared_atomic},
    {"shared-put", shared_put},
    {"irecv-window", irecv_window},
    {"irecv-window-complete", irecv_window_complete},
    {"send-window", send_window},
    {"two-windows", two_windows},
    {"put-write", put_write},
    {"put-flush-local-write", put_flush_local_write},
    {"rput-wait-write", rput_wait_write},
    {"rput-write", rput_write},
    {"get-copy", get_copy},
    {"get-length", get_length},
    {"get-print", get_print},
    {"get-twice", get_twice},
    {"put-twice", put_twice},
    {"put-own-window", put_own_window},
    {"no-op-origin", no_op_origin},
    {"no-check", no_check},
    {"no-check-barrier", no_check_barrier},
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++)
		if (strcmp(scenes[i].name, argv[1]) == 0)
			scenes[i].run();
	MPI_Finalize();
	return 0;
}
