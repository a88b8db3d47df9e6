/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes of a store to a buffer that MPI has. */
#include "tests/verify/memory/cases/cases.h"

#include <stdio.h>

/* clang-format off */
/* What comes of a store to a buffer that is being sent: rank 1 prints it, registers it, or does not care. */
static int sent_too_late(void)
{
	MPI_Request request;
	int x = 1;

	if (rank == 0) {
		MPI_Isend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		x = 7;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		return 0;
	}
	MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return x;
}

static void impact_output(void)
{
	printf("%d\n", sent_too_late());
}

static void impact_memory(void)
{
	static int x;

	x = sent_too_late();
	mpisim_state("x", &x, 1, MPI_INT);
}

static void impact_none(void)
{
	sent_too_late();
}

/* Rank 0 gives up when its own store is there in the end; what comes last, stays. */
static void impact_end(void)
{
	MPI_Request request;
	volatile int x = 1;

	if (rank == 0) {
		MPI_Irecv((void *)&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
		x = 4711;
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (x == 4711)
			MPI_Abort(MPI_COMM_WORLD, 3);
	} else {
		MPI_Send((void *)&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
}

static void impact_clock(void)
{
	printf("%.17g %d\n", mpisim_real_time(), sent_too_late());
}

const struct memory_case impact_cases[] = {
    {"impact-output", impact_output},
    {"impact-memory", impact_memory},
    {"impact-none", impact_none},
    {"impact-end", impact_end},
    {"impact-clock", impact_clock},
    {0},
};
