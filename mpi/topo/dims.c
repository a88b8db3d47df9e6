/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/topo/dims.h"

#include <stdbool.h>

#include "mpi/core/rank.h"

#define MAX_DIVISORS 1536 /* no int has more */
#define MAX_FACTORS 31	  /* 2^31 overflows: at most that many factors other than 1 */

static int find_divisors(int n, int divisors[MAX_DIVISORS])
{
	int n_divisors = 0, n_low;

	for (int d = 1; (long long)d * d <= n; d++)
		if (n % d == 0)
			divisors[n_divisors++] = d;
	n_low = n_divisors;
	for (int i = n_low - 1; i >= 0; i--)
		if (n / divisors[i] != divisors[i])
			divisors[n_divisors++] = n / divisors[i];
	return n_divisors;
}

/* True when `base` multiplied n times reaches `target`. */
static bool power_reaches(int base, int n, int target)
{
	long long product = 1;

	for (int i = 0; i < n && product < target; i++)
		product *= base;
	return product >= target;
}

/*
 * Splits n into n_dims non-increasing factors, none above `limit`: tries the smallest possible
 * first factor first, so the first success is the most balanced one.
 */
static bool split(int n, int n_dims, int limit, const int divisors[], int n_divisors, int factors[])
{
	if (n_dims == 1) {
		factors[0] = n;
		return n <= limit;
	}
	for (int i = 0; i < n_divisors && divisors[i] <= limit; i++) {
		int first = divisors[i];

		if (n % first != 0 || !power_reaches(first, n_dims, n))
			continue;
		factors[0] = first;
		if (split(n / first, n_dims - 1, first, divisors, n_divisors, factors + 1))
			return true;
	}
	return false;
}

int mpi_dims_create(int n_nodes, int n_dims, int dims[])
{
	int divisors[MAX_DIVISORS], factors[MAX_FACTORS], n_free = 0, n_split, n_divisors, next = 0;

	for (int i = 0; i < n_dims; i++) {
		if (dims[i] == 0)
			n_free++;
		else if (n_nodes % dims[i] != 0)
			return -1;
		else
			n_nodes /= dims[i];
	}
	if (n_free == 0)
		return n_nodes == 1 ? 0 : -1;
	/* more dimensions than an int has factors: the rest are 1 */
	n_split = n_free < MAX_FACTORS ? n_free : MAX_FACTORS;
	n_divisors = find_divisors(n_nodes, divisors);
	split(n_nodes, n_split, n_nodes, divisors, n_divisors, factors);
	for (int i = 0; i < n_dims; i++) {
		if (dims[i] != 0)
			continue;
		dims[i] = next < n_split ? factors[next] : 1;
		next++;
	}
	return 0;
}

int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
	struct mpi_rank *me = MPI_ENTER();

	if (nnodes < 1)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG,
					       "nnodes is %d, it must be positive", nnodes));
	if (ndims < 0)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_DIMS,
					       "ndims is %d, it must not be negative", ndims));
	if (ndims == 0)
		return mpi_leave(me, MPI_SUCCESS);
	if (!dims)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "dims is NULL"));
	for (int i = 0; i < ndims; i++)
		if (dims[i] < 0)
			return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_DIMS,
						       "dims[%d] is %d, it must not be negative", i,
						       dims[i]));
	if (mpi_dims_create(nnodes, ndims, dims) < 0)
		return mpi_leave(
		    me,
		    mpi_raise(
			me, NULL, MPI_ERR_DIMS,
			"the given dimensions do not divide (or do not multiply to) nnodes = %d",
			nnodes));
	return mpi_leave(me, MPI_SUCCESS);
}
