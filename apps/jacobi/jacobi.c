/* SPDX-License-Identifier: BSD-3-Clause */
/* Jacobi iteration for Poisson's equation, rows dealt to ranks, until the largest change is small (README.md). */
#include <math.h>
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int n, iterations;
	double tolerance;
};

/* A strip of rows of the n x n interior points, with a row of halo above and below and a column of boundary on each side. */
struct strip {
	int n, rank, n_ranks, rows;
	int up, down;      /* ranks or MPI_PROC_NULL */
	double *u, *next;  /* [rows + 2][n + 2]; touched by kernels and MPI only */
	int skipped;       /* a kernel was not executed */
};

static const char help[] =
	"usage: jacobi [options]\n"
	"Jacobi iteration for -(u_xx + u_yy) = 1 on the unit square, u = 0 on its boundary, n x n interior points.\n"
	"  --n N              points in each direction (100)\n"
	"  --iterations N     at most so many iterations (500)\n"
	"  --tolerance T      ends when no point changes by more than T (1e-6); 0: never\n";

static int strip_first(const struct strip *s, int rank)
{
	return (int)((long long)s->n * rank / s->n_ranks);
}

static int kernel_begin(struct strip *s, const char *name)
{
	int execute = mpisim_kernel_begin(name, 2, (const double[]){s->rows, s->n});

	if (!execute)
		s->skipped = 1;
	return execute;
}

static void strip_init(struct strip *s, int n)
{
	size_t size, k;

	*s = (struct strip){.n = n};
	MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s->n_ranks);
	s->rows = strip_first(s, s->rank + 1) - strip_first(s, s->rank);
	s->up = s->rank ? s->rank - 1 : MPI_PROC_NULL;
	s->down = s->rank + 1 < s->n_ranks ? s->rank + 1 : MPI_PROC_NULL;
	size = (size_t)(s->rows + 2) * (size_t)(n + 2);
	s->u = mpisim_alloc(size * sizeof(double));
	s->next = mpisim_alloc(size * sizeof(double));
	if (!s->u || !s->next) {
		fprintf(stderr, "jacobi: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	if (kernel_begin(s, "jacobi_init"))
		for (k = 0; k < size; k++)
			s->u[k] = s->next[k] = 0;
	mpisim_kernel_end();
}

static void strip_finish(struct strip *s)
{
	mpisim_free(s->u);
	mpisim_free(s->next);
}

/* The halo rows, both directions at once; the outermost ones are boundary. */
static void exchange(struct strip *s)
{
	int width = s->n + 2;
	MPI_Request requests[4];

	MPI_Irecv(s->u + 1, s->n, MPI_DOUBLE, s->up, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(s->u + (s->rows + 1) * width + 1, s->n, MPI_DOUBLE, s->down, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(s->u + s->rows * width + 1, s->n, MPI_DOUBLE, s->down, 0, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(s->u + width + 1, s->n, MPI_DOUBLE, s->up, 1, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

/* One sweep over the strip. Returns the largest change of a point; 1 when the kernel was skipped, so that the iteration goes on. */
static double sweep(struct strip *s)
{
	int width = s->n + 2;
	double h2 = 1.0 / ((double)(s->n + 1) * (s->n + 1)), largest = 0, *swap = s->u;

	if (kernel_begin(s, "jacobi_sweep")) {
		for (int i = 1; i <= s->rows; i++) {
			const double *u = s->u + (size_t)i * (size_t)width;
			double *next = s->next + (size_t)i * (size_t)width;

			for (int j = 1; j <= s->n; j++) {
				next[j] = 0.25 * (u[j - width] + u[j + width] + u[j - 1] + u[j + 1] + h2);
				largest = fmax(largest, fabs(next[j] - u[j]));
			}
		}
	} else {
		largest = 1;
	}
	mpisim_kernel_end();
	s->u = s->next;
	s->next = swap;
	return largest;
}

/* The sum of all points, row by row and then over the rows in order: the same bits for any number of ranks. On rank 0. */
static double sum(const struct strip *s)
{
	int width = s->n + 2, *counts = NULL, *displs = NULL;
	double *mine = calloc((size_t)s->rows + 1, sizeof(double)), *all = NULL, total = 0;

	if (s->rank == 0) {
		counts = malloc((size_t)s->n_ranks * sizeof(int));
		displs = malloc((size_t)s->n_ranks * sizeof(int));
		all = malloc((size_t)s->n * sizeof(double));
	}
	if (!mine || (s->rank == 0 && (!counts || !displs || !all)))
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int r = 0; r < s->n_ranks && s->rank == 0; r++) {
		displs[r] = strip_first(s, r);
		counts[r] = strip_first(s, r + 1) - displs[r];
	}
	for (int i = 1; i <= s->rows; i++)
		for (int j = 1; j <= s->n; j++)
			mine[i - 1] += s->u[(size_t)i * (size_t)width + (size_t)j];
	MPI_Gatherv(mine, s->rows, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	for (int i = 0; i < s->n && s->rank == 0; i++)
		total += all[i];
	free(mine);
	free(counts);
	free(displs);
	free(all);
	return total;
}

static void run(const struct settings *settings)
{
	struct strip s;
	double begin, wall, slowest, change, largest = 1, total;
	int k, skipped;

	strip_init(&s, settings->n);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (k = 0; k < settings->iterations && largest > settings->tolerance; k++) {
		mpisim_phase_begin("iteration");
		exchange(&s);
		change = sweep(&s);
		/* the maximum is exact: all ranks end together, after the same number of iterations however many they are */
		MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		mpisim_phase_end();
	}
	wall = (MPI_Wtime() - begin) / k;
	MPI_Reduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&s.skipped, &skipped, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (s.rank == 0)
		printf("n %d\nranks %d\niterations %d\nwall_s %.15g\n", s.n, s.n_ranks, k, slowest);
	if (!skipped) {
		total = sum(&s);
		if (s.rank == 0)
			printf("change %.17g\nsum %.17g\n", largest, total);
	} else if (s.rank == 0) {
		printf("change and sum not computed: kernels were skipped\n");
	}
	strip_finish(&s);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &s->n, .min = 1, .max = 32768},
		{"iterations", OPTIONS_INTEGER, .out = &s->iterations, .min = 1, .max = 1000000000},
		{"tolerance", OPTIONS_REAL, .out = &s->tolerance},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.n = 100, .iterations = 500, .tolerance = 1e-6};
	verdict = options_parse("jacobi", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks > s->n)
		return options_wrong("jacobi", rank, "%d ranks have no row each of %d", n_ranks, s->n);
	return verdict;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings);
	MPI_Finalize();
	return options_status(verdict);
}
