/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Dims_create. */
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"

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

/* The largest m with m^n <= target; n >= 1. */
static int root(int target, int n)
{
	int low = 1, high = target;

	while (low < high) {
		int middle = low + (high - low + 1) / 2;
		long long product = 1;

		for (int i = 0; i < n && product <= target; i++)
			product *= middle;
		if (product <= target)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

struct search {
	const int *divisors;
	int n_divisors, n_dims;
	int trial[MAX_FACTORS];
	int best[MAX_FACTORS];
	int best_spread; /* of `best`: largest less smallest factor */
};

/* Of equal spreads, the one whose smallest factor is larger, then whose second smallest is, …  */
static bool has_larger_small_factors(const struct search *search)
{
	for (int i = search->n_dims - 1; i >= 0; i--)
		if (search->trial[i] != search->best[i])
			return search->trial[i] > search->best[i];
	return false;
}

static void take_if_better(struct search *search)
{
	int spread = search->trial[0] - search->trial[search->n_dims - 1];

	if (spread > search->best_spread ||
	    (spread == search->best_spread && !has_larger_small_factors(search)))
		return;
	search->best_spread = spread;
	for (int i = 0; i < search->n_dims; i++)
		search->best[i] = search->trial[i];
}

/*
 * Tries all ways to write n as factors trial[from] >= trial[from + 1] >= …, but for those whose
 * smallest factor cannot be large enough: it is at most the root of what is left.
 */
static void split(struct search *search, int n, int from)
{
	int n_left = search->n_dims - from, limit = from ? search->trial[from - 1] : n;

	if (n_left == 1) {
		search->trial[from] = n;
		if (n <= limit)
			take_if_better(search);
		return;
	}
	for (int i = 0; i < search->n_divisors && search->divisors[i] <= limit; i++) {
		int factor = search->divisors[i], largest = from ? search->trial[0] : factor;

		/* smaller ones leave a remainder that the others, none larger, cannot make up */
		if (n % factor != 0 || factor < root(n, n_left))
			continue;
		if (largest - root(n / factor, n_left - 1) > search->best_spread)
			break; /* larger ones are worse */
		search->trial[from] = factor;
		split(search, n / factor, from + 1);
	}
}

/*
 * dims[i] > 0 are kept; the others are set so that the product is n_nodes, as close to each other as
 * possible: the least difference between the largest and the smallest, and of those the largest
 * smallest, then second smallest, …; largest first. 0, -1 when the product of the given ones does
 * not divide n_nodes, or UTIL_ENOMEM. n_nodes >= 1. Cost: grows with the number of divisors.
 */
static int make_dims(int n_nodes, int n_dims, int dims[])
{
	struct search search = {.best_spread = INT_MAX};
	int *divisors, n_free = 0, n_split, next = 0;

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
	/* not on the stack, which would keep these pages for every rank */
	divisors = malloc(MAX_DIVISORS * sizeof *divisors);
	if (!divisors)
		return UTIL_ENOMEM;
	/* more dimensions than an int has factors: the rest are 1 */
	n_split = n_free < MAX_FACTORS ? n_free : MAX_FACTORS;
	search.divisors = divisors;
	search.n_divisors = find_divisors(n_nodes, divisors);
	search.n_dims = n_split;
	split(&search, n_nodes, 0);
	free(divisors);
	for (int i = 0; i < n_dims; i++) {
		if (dims[i] != 0)
			continue;
		dims[i] = next < n_split ? search.best[next] : 1;
		next++;
	}
	return 0;
}

int mpi_dims_create(struct mpi_rank *me, int nnodes, int ndims, int dims[])
{
	int code;

	if (nnodes < 1)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "nnodes is %d, it must be positive",
				 nnodes);
	if (ndims < 0)
		return mpi_raise(me, NULL, MPI_ERR_DIMS, "ndims is %d, it must not be negative",
				 ndims);
	if (ndims == 0)
		return MPI_SUCCESS;
	if (!dims)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "dims is NULL");
	for (int i = 0; i < ndims; i++)
		if (dims[i] < 0)
			return mpi_raise(me, NULL, MPI_ERR_DIMS,
					 "dims[%d] is %d, it must not be negative", i, dims[i]);
	code = make_dims(nnodes, ndims, dims);
	if (code == UTIL_ENOMEM)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for the divisors of %d",
				 nnodes);
	if (code < 0)
		return mpi_raise(
		    me, NULL, MPI_ERR_DIMS,
		    "the given dimensions do not divide (or do not multiply to) nnodes = %d",
		    nnodes);
	return MPI_SUCCESS;
}
