/* SPDX-License-Identifier: BSD-3-Clause */
/* One program with many ends; the first argument chooses. */
#include <mpi.h>
#include <mpisim.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static volatile double sink;

/* Each waits for the next. */
static void ring_deadlock(void)
{
	char byte;

	MPI_Recv(&byte, 1, MPI_BYTE, (rank + 1) % size, 7, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE); /* line: deadlock */
}

/* Rank 0 waits for anyone, the others for rank 0. */
static void any_deadlock(void)
{
	char byte;

	MPI_Recv(&byte, 1, MPI_BYTE, rank == 0 ? MPI_ANY_SOURCE : 0, 7, MPI_COMM_WORLD,
		 MPI_STATUS_IGNORE);
}

/* Rank 0 looks for a message that nobody sends, the others wait for rank 0. */
static void poll_in_vain(void)
{
	int flag = 0;

	while (rank == 0 && !flag)
		MPI_Iprobe(1, 7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* 10 MB at a byte a second is longer than the clock goes. */
static void send_slowly(void)
{
	char *bytes = calloc(1, 10000000);

	if (rank == 0)
		MPI_Send(bytes, 10000000, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(bytes, 10000000, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	free(bytes);
}

/* gnuplot has a meaning of its own for the names. */
static void name_phases(void)
{
	mpisim_phase_begin("50 % done");
	mpisim_add_compute_time(1);
	mpisim_phase_end();
	mpisim_phase_begin("%d {^x}");
	mpisim_add_compute_time(1);
	mpisim_phase_end();
}

static void print_in_pieces(void)
{
	mpisim_add_compute_time(0); /* nothing is left out */
	for (int i = 0; i < 2; i++) {
		printf("piece %d ", i);
		fflush(stdout);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("of %d\n", rank);
	fprintf(stderr, "error line of %d\n", rank);
	printf("no newline");
}

static void work_forever(void)
{
	puts("started");
	fflush(stdout);
	for (;;) {
		mpisim_phase_begin("round");
		mpisim_add_compute_time(1e-3);
		MPI_Barrier(MPI_COMM_WORLD);
		mpisim_phase_end();
	}
}

static void stay_stuck(void)
{
	puts("started");
	fflush(stdout);
	for (;;)
		sink += 1;
}

static void work(void)
{
	for (int i = 0; i < 3; i++) {
		mpisim_phase_begin("round");
		mpisim_add_compute_time(1e-3 * (1 + rank));
		MPI_Barrier(MPI_COMM_WORLD);
		mpisim_phase_end();
	}
}

static void kernels(void)
{
	const double n = 10;

	for (int i = 0; i < 3; i++) {
		if (mpisim_kernel_begin("spin", 1, &n))
			for (int j = 0; j < 1000; j++)
				sink += j;
		mpisim_kernel_end();
	}
}

static int dive(int depth)
{
	volatile char frame[1000];

	frame[depth % 1000] = (char)depth;
	for (int i = 0; i < 1000; i++)
		frame[i] = 1;
	return depth ? dive(depth - 1) + frame[depth % 1000] : 0;
}

/* Rank 1 fails while the others compute what ends with their second barrier. */
static void fail_halfway(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
	mpisim_add_compute_time(rank == 1 ? 1 : 2);
	if (rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 5);
	MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (strncmp(what, "slow", 4) == 0)
		send_slowly();
	if (strcmp(what, "slow, deadlock") == 0)
		ring_deadlock();
	else if (strcmp(what, "percent") == 0)
		name_phases();
	else if (strcmp(what, "work") == 0)
		work();
	else if (strcmp(what, "kernels") == 0)
		kernels();
	else if (strcmp(what, "deadlock") == 0)
		ring_deadlock();
	else if (strcmp(what, "any") == 0)
		any_deadlock();
	else if (strcmp(what, "poll") == 0)
		poll_in_vain();
	else if (strcmp(what, "abort") == 0 && rank == 1)
		MPI_Abort(MPI_COMM_WORLD, 5);
	else if (strcmp(what, "crash") == 0 && rank == 1)
		raise(SIGSEGV);
	else if (strcmp(what, "dive") == 0 && rank == 1)
		dive(300); /* about 300 KB of stack: more than a rank has among very many */
	else if (strcmp(what, "ages") == 0 && rank == 1)
		mpisim_add_compute_time(1e7);
	else if (strncmp(what, "dive-", 5) == 0 && rank == atoi(what + 5))
		dive(1 << 30);
	else if (strcmp(what, "error") == 0 && rank == 1)
		MPI_Send(NULL, 0, MPI_BYTE, size + 3, 0, MPI_COMM_WORLD);
	else if (strcmp(what, "halfway") == 0)
		fail_halfway();
	else if (strcmp(what, "pieces") == 0)
		print_in_pieces();
	else if (strcmp(what, "forever") == 0)
		work_forever();
	else if (strcmp(what, "stuck") == 0)
		stay_stuck();
	MPI_Finalize();
	return strcmp(what, "exit") == 0 && rank % 2 ? 3 : 0;
}
