/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that may be skipped, and what they say they access. */
#include "tests/verify/memory/cases/cases.h"

#include <stdlib.h>
#include <string.h>

/* clang-format off */
/* Right: a kernel, which may be skipped, writes what is sent. */
static void kernel(void)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		if (mpisim_kernel_begin("fill", 0, NULL))
			memset(s, 0, 40);
		mpisim_kernel_end();
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* kernel call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

/* The kernel says what it writes: the whole of a part of what is sent. */
static void kernel_that_writes(int n)
{
	int b[10];

	if (rank == 0) {
		int *s = malloc(40);

		if (mpisim_kernel_begin("fill", 0, NULL))
			memset(s, 0, 4 * (size_t)n);
		mpisim_touch(s, n, MPI_INT, MPISIM_WRITE, 0.5);
		mpisim_kernel_end();
		MPI_Send(s, 10, MPI_INT, 1, 0, MPI_COMM_WORLD); /* kernel-part call */
		free(s);
	} else {
		MPI_Recv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void kernel_all(void)
{
	kernel_that_writes(10);
}

static void kernel_part(void)
{
	kernel_that_writes(5);
}

/* A kernel reads every second item of what comes, after it is there, or too early. */
static void kernel_that_reads(int is_early)
{
	MPI_Request request;
	MPI_Datatype even;
	static int b[10];

	MPI_Type_vector(5, 1, 2, MPI_INT, &even);
	MPI_Type_commit(&even);
	if (rank == 0) {
		MPI_Send(b, 10, MPI_INT, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Irecv(b, 10, MPI_INT, 0, 0, MPI_COMM_WORLD, &request); /* kernel-early post */
		if (!is_early)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (mpisim_kernel_begin("fill", 0, NULL))
			b[1] = b[0] + 7;
		mpisim_touch(b, 1, even, MPISIM_READ, 0); /* kernel-early access */
		mpisim_kernel_end();
		if (is_early)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&even);
}

static void kernel_reads(void)
{
	kernel_that_reads(0);
}

static void kernel_early(void)
{
	kernel_that_reads(1);
}

static void touch_late(void)
{
	mpisim_touch(&rank, 1, MPI_INT, MPISIM_READ, 1.5);
}

static void touch_nothing(void)
{
	mpisim_touch(&rank, 1, MPI_DATATYPE_NULL, MPISIM_READ, 1);
}

static void touch_idly(void)
{
	mpisim_touch(&rank, 1, MPI_INT, 0, 1);
}

const struct memory_case kernels_cases[] = {
    {"kernel", kernel},
    {"touch-late", touch_late},
    {"touch-nothing", touch_nothing},
    {"touch-idly", touch_idly},
    {"kernel-all", kernel_all},
    {"kernel-part", kernel_part},
    {"kernel-reads", kernel_reads},
    {"kernel-early", kernel_early},
    {0},
};
