/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_PROGRAMS_RMA_CHECK_H
#define TESTS_PROGRAMS_RMA_CHECK_H

/* What the self-checking programs with one-sided communication share. */
#include "check.h"

enum { N = 12 };

static int exposed[4 * N], local[4 * N]; /* variables: windows and origins that need not be heap */
static int left, right;
static MPI_Win win; /* of `exposed` */

static inline void fill(int *a, int n, int value)
{
	for (int i = 0; i < n; i++)
		a[i] = value;
}

static inline void open_window(int value)
{
	fill(exposed, 4 * N, value);
	MPI_Win_create(exposed, sizeof exposed, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
}

static inline void rma_check_init(int *argc, char ***argv)
{
	check_init(argc, argv);
	left = (me + n_ranks - 1) % n_ranks;
	right = (me + 1) % n_ranks;
}

#endif
