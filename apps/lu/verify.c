/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The check: rank 0 collects L, U and the pivots, and compares P·A·x with L·(U·x) for a random x. The residual is
 * max|PAx - LUx| / (eps · n · max row sum of |A| · max|x|); a correct factorization stays well below 1.
 */
#include "state.h"

#include <float.h>
#include <math.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGEST_RESIDUAL 16.0
#define X_SEED_OFFSET 1000003u /* x is another matrix's first column */

struct factors {
	const struct lu_plan *plan;
	double *lu;     /* n × n, column-major */
	double *pivots; /* [n], within the panels */
};

/* Blocks of all owners, own ones too, go through MPI: their content may not exist, so that only MPI touches it. */
static void collect(struct lu *lu, struct factors *factors)
{
	const struct lu_plan *plan = &lu->plan;
	int n = plan->options.n, r = plan->options.r, B = plan->n_blocks;
	MPI_Request *sends = malloc((size_t)(2 * lu->n_columns + 1) * sizeof(*sends));

	if (!sends || n > 0x7fffffff / r) {
		fprintf(stderr, "lu: too large to verify\n");
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	for (int i = 0; i < lu->n_columns; i++) {
		MPI_Isend(lu->columns[i].block, n * r, MPI_DOUBLE, 0, lu->columns[i].index,
			  MPI_COMM_WORLD, &sends[2 * i]);
		MPI_Isend(lu->columns[i].pivots, r, MPI_DOUBLE, 0, B + lu->columns[i].index,
			  MPI_COMM_WORLD, &sends[2 * i + 1]);
	}
	for (int j = 0; plan->rank == 0 && j < B; j++) {
		int owner = lu_plan_owner(plan, j);

		MPI_Recv(factors->lu + (size_t)j * r * n, n * r, MPI_DOUBLE, owner, j,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(factors->pivots + (size_t)j * r, r, MPI_DOUBLE, owner, B + j,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Waitall(2 * lu->n_columns, sends, MPI_STATUSES_IGNORE);
	free(sends);
}

/* y = P·A·x; the largest row sum of |A|. */
static double permuted_product(const struct factors *factors, const double *x, double *y)
{
	const struct lu_plan *plan = factors->plan;
	int n = plan->options.n, r = plan->options.r;
	double norm = 0;

	for (int i = 0; i < n; i++) {
		double row = 0;

		y[i] = 0;
		for (int j = 0; j < n; j++) {
			double entry = lu_entry(plan->options.seed, i, j);

			y[i] += entry * x[j];
			row += fabs(entry);
		}
		norm = row > norm ? row : norm;
	}
	for (int i = 0; i < n; i++) {
		int first = i / r * r, other = first + (int)factors->pivots[i];
		double kept = y[i];

		y[i] = y[other];
		y[other] = kept;
	}
	return norm;
}

/* z = L·(U·x); z holds U·x first. */
static void factor_product(const struct factors *factors, const double *x, double *z)
{
	int n = factors->plan->options.n;

	for (int i = 0; i < n; i++)
		z[i] = 0;
	for (int j = 0; j < n; j++) {
		for (int i = 0; i <= j; i++)
			z[i] += factors->lu[(size_t)j * n + i] * x[j];
	}
	for (int j = n - 1; j >= 0; j--) {
		for (int i = j + 1; i < n; i++)
			z[i] += factors->lu[(size_t)j * n + i] * z[j];
	}
}

static double residual(const struct factors *factors, double vectors[])
{
	int n = factors->plan->options.n;
	double *x = vectors, *y = vectors + n, *z = vectors + 2 * n;
	double norm, largest = 0, largest_x = 0;

	for (int i = 0; i < n; i++) {
		x[i] = lu_entry(factors->plan->options.seed + X_SEED_OFFSET, i, 0);
		largest_x = fabs(x[i]) > largest_x ? fabs(x[i]) : largest_x;
	}
	norm = permuted_product(factors, x, y);
	factor_product(factors, x, z);
	for (int i = 0; i < n; i++) {
		/* Not >, which NaN would pass. */
		if (!(fabs(y[i] - z[i]) <= largest))
			largest = fabs(y[i] - z[i]);
	}
	return largest / (DBL_EPSILON * n * norm * largest_x);
}

/* Sum of |entries| in a fixed order: equal on all machines that multiply alike, whatever the number of ranks. */
static double checksum(const struct factors *factors)
{
	size_t n = (size_t)factors->plan->options.n;
	double sum = 0;

	for (size_t i = 0; i < n * n; i++)
		sum += fabs(factors->lu[i]);
	return sum;
}

static bool judge(const struct factors *factors, double vectors[], bool all_ran)
{
	bool is_good = true;

	if (mpisim_kernel_begin("verify", 1, (double[]){factors->plan->options.n}) && all_ran) {
		double found = residual(factors, vectors);

		is_good = found < LARGEST_RESIDUAL;
		printf("verification: %s, residual %.3g (wanted < %g), checksum %.15g\n",
		       is_good ? "PASS" : "FAIL", found, LARGEST_RESIDUAL, checksum(factors));
	} else {
		printf("verification: SKIPPED, kernels were not executed\n");
	}
	mpisim_kernel_end();
	return is_good;
}

bool lu_verify(struct lu *lu)
{
	size_t n = (size_t)lu->plan.options.n;
	struct factors factors = {.plan = &lu->plan};
	double *vectors = NULL;
	int here = lu_kernels_all_ran(), everywhere;
	bool is_good = true;

	MPI_Reduce(&here, &everywhere, 1, MPI_INT, MPI_LAND, 0, MPI_COMM_WORLD);
	if (lu->plan.rank == 0) {
		factors.lu = mpisim_alloc(n * n * sizeof(double));
		factors.pivots = malloc(n * sizeof(double));
		vectors = malloc(3 * n * sizeof(double));
		if (!factors.lu || !factors.pivots || !vectors) {
			fprintf(stderr, "lu: no memory to verify\n");
			MPI_Abort(MPI_COMM_WORLD, 2);
		}
	}
	collect(lu, &factors);
	if (lu->plan.rank != 0)
		return true;
	is_good = judge(&factors, vectors, everywhere);
	mpisim_free(factors.lu);
	free(factors.pivots);
	free(vectors);
	return is_good;
}
