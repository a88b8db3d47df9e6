/* SPDX-License-Identifier: BSD-3-Clause */
/* What comes out stands in memory that is registered. */
#include "tests/verify/orders/orders.h"

/* All others send one number each to rank 0, which puts them together. */
static void gather(int (*join)(int, int))
{
	static int r;

	mpisim_state("r", &r, 1, MPI_INT);
	for (int i = 1; rank == 0 && i < n_ranks; i++) {
		int x;

		MPI_Recv(&x, 1, MPI_INT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		r = join(r, x);
	}
	if (rank > 0)
		MPI_Send(&rank, 1, MPI_INT, 0, 0, WORLD);
}

static int twice(int r, int x)
{
	return 2 * r + x;
}

static int plus(int r, int x)
{
	return r + x;
}

static void t24(void)
{
	gather(twice);
}

static void t24_sum(void)
{
	gather(plus);
}

static void t24_float(void)
{
	static float r;
	float x = rank == 1 ? 1 : 6e-8f; /* a bit more than half a unit in the last place of 1 */

	mpisim_state("r", &r, 1, MPI_FLOAT);
	for (int i = 1; rank == 0 && i < n_ranks; i++) {
		float y;

		MPI_Recv(&y, 1, MPI_FLOAT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		r += y;
	}
	if (rank > 0)
		MPI_Send(&x, 1, MPI_FLOAT, 0, 0, WORLD);
}

/* 3 senders, 3 messages each, into wildcards. */
static void three(void)
{
	static int sum, i;

	mpisim_state("sum", &sum, 1, MPI_INT);
	mpisim_state("i", &i, 1, MPI_INT);
	for (i = 0; rank == 0 && i < 9; i++) {
		int x;

		MPI_Recv(&x, 1, MPI_INT, ANY, 0, WORLD, MPI_STATUS_IGNORE);
		sum += x;
	}
	for (i = 0; rank > 0 && i < 3; i++)
		S(0);
}

/* Clocks do not tell one order from another. */
static void clocks(void)
{
	static double at;

	mpisim_state("at", &at, 1, MPI_DOUBLE);
	if (rank == 0)
		R(ANY), R(ANY), at = MPI_Wtime();
	else
		S(0);
}

const struct order_case registered_cases[] = {
    {"t24", t24},     {"t24_sum", t24_sum}, {"t24_float", t24_float},
    {"three", three}, {"clocks", clocks},   {0},
};
