/* SPDX-License-Identifier: BSD-3-Clause */
/* Choices of other calls: of probes and polls, of cancelling, of locks, of connecting. */
#include "tests/verify/orders/orders.h"

#include <stdio.h>

static void probe(void)
{
	MPI_Status status;

	if (rank > 0) {
		S(0);
		return;
	}
	for (int i = 1; i < n_ranks; i++) {
		MPI_Probe(ANY, 0, WORLD, &status);
		R(status.MPI_SOURCE);
	}
	printf("%d first\n", value[0] / 100);
}

/* Whether the first poll finds the message is open. */
static void iprobe(void)
{
	int flag;

	if (rank == 1)
		S(0);
	if (rank > 0)
		return;
	MPI_Iprobe(1, 0, WORLD, &flag, MPI_STATUS_IGNORE);
	printf("found %d\n", flag);
	R(1);
}

static void test_loop(void)
{
	int flag = 0;

	if (rank == 1)
		S(0);
	if (rank > 0)
		return;
	IR(1);
	while (!flag)
		MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
}

static void poll_for_ever(void)
{
	int flag = 0;

	while (rank == 0 && !flag)
		MPI_Iprobe(ANY, 0, WORLD, &flag, MPI_STATUS_IGNORE);
}

/* Who gets the lock first is not said. */
static void locks(void)
{
	static int x, seen;
	MPI_Win win;

	mpisim_state("seen", &seen, 1, MPI_INT);
	MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, WORLD, &win);
	if (rank > 0) {
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
		MPI_Get(&seen, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_flush(0, win);
		MPI_Put(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		MPI_Win_unlock(0, win);
	}
	MPI_Win_free(&win);
}

/* The receive is cancelled, or the message comes first; nothing is lost. */
static void cancel(void)
{
	static int is_cancelled;
	MPI_Status status;

	mpisim_state("cancelled", &is_cancelled, 1, MPI_INT);
	if (rank == 1)
		S(0);
	if (rank != 0)
		return;
	IR(1);
	MPI_Cancel(&requests[0]);
	MPI_Wait(&requests[0], &status);
	MPI_Test_cancelled(&status, &is_cancelled);
	if (is_cancelled)
		R(1);
}

/* It computes for longer than the message takes. */
static void cancel_late(void)
{
	volatile double sum = 0;

	if (rank == 0)
		for (int i = 1; i < 3000000; i++)
			sum += 1.0 / i;
	cancel();
}

/* Nobody sends: it can only be cancelled. */
static void cancel_unmatched(void)
{
	IR(1 - rank);
	MPI_Cancel(&requests[0]);
	W();
}

/* Who sends a number of its own first. */
static void accept_two(void)
{
	static int first;
	char port[MPI_MAX_PORT_NAME];
	MPI_Comm inter;

	mpisim_state("first", &first, 1, MPI_INT);
	if (rank == 0)
		MPI_Open_port(MPI_INFO_NULL, port);
	MPI_Bcast(port, sizeof port, MPI_CHAR, 0, WORLD);
	for (int i = 0; i < (rank ? 1 : n_ranks - 1); i++) {
		if (rank == 0)
			MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		else
			MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
		if (rank == 0)
			MPI_Recv(i ? &value[1] : &first, 1, MPI_INT, 0, 0, inter,
				 MPI_STATUS_IGNORE);
		else
			MPI_Send(&rank, 1, MPI_INT, 0, 0, inter);
		MPI_Comm_disconnect(&inter);
	}
	MPI_Barrier(WORLD);
	if (rank == 0)
		MPI_Close_port(port);
}

const struct order_case choices_cases[] = {
    {"probe", probe},
    {"iprobe", iprobe},
    {"test_loop", test_loop},
    {"poll_for_ever", poll_for_ever},
    {"locks", locks},
    {"cancel", cancel},
    {"cancel_late", cancel_late},
    {"cancel_unmatched", cancel_unmatched},
    {"accept", accept_two},
    {0},
};
