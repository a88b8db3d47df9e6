/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_BYTES_H
#define TESTS_MPI_BYTES_H

#include "tests/mpi/cases.h"

/* Messages of bytes from rank 0 to rank 1, and what they hold. */
static char buf[100000];

static inline void expect_data(int n, int seed)
{
	for (int i = 0; i < n; i++)
		if (buf[i] != (char)(i * 7 + seed)) {
			printf("rank %d: byte %d of %d is %d, wanted %d\n", rank, i, n, buf[i],
			       (char)(i * 7 + seed));
			failures++;
			return;
		}
}

static inline void fill(int n, int seed)
{
	for (int i = 0; i < n; i++)
		buf[i] = (char)(i * 7 + seed);
}

static inline void send(int size_B)
{
	MPI_Send(buf, size_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
}

static inline void receive(int size_B)
{
	MPI_Recv(buf, size_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

#endif
