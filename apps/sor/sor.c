/* SPDX-License-Identifier: BSD-3-Clause */
/* Red-black successive over-relaxation on a Cartesian grid of ranks, with three ways of exchanging the border (README.md). */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>

#include "../common/options.h"
#include "grid.h"

enum variant { SENDRECV, ISEND, OVERLAP };
static const char *const variant_names[] = {"sendrecv", "isend", "overlap", NULL};

struct settings {
	int n, iterations, warmup, dims[2];
	enum variant variant;
	const char *dump;
};

struct timing {
	double wall, compute, communicate; /* seconds, this rank, without the warm-up */
};

static const char help[] =
	"usage: sor [options]\n"
	"Red-black SOR for Laplace's equation on the unit square, n x n interior points.\n"
	"  --n N              interior points in each direction (128)\n"
	"  --iterations N     iterations, a red and a black half sweep each (20)\n"
	"  --variant V        how borders are exchanged: sendrecv, isend, overlap (sendrecv)\n"
	"  --px P, --py Q     ranks along x and y; 0: chosen by MPI_Dims_create (0)\n"
	"  --warmup N         iterations before the clock starts (0)\n"
	"  --dump FILE        rank 0 writes the grid as n * n binary doubles, row by row\n";

/* Four shifts, as in a textbook: to each side in turn, receiving from the opposite one. */
static void exchange_sendrecv(struct grid *grid, int colour)
{
	for (int side = 0; side < GRID_N_SIDES; side++) {
		int opposite = side ^ 1;

		MPI_Sendrecv(grid->u, 1, grid->edge[side][colour], grid->neighbour[side], side,
			     grid->u, 1, grid->halo[opposite][colour], grid->neighbour[opposite], side,
			     grid->comm, MPI_STATUS_IGNORE);
	}
}

static void exchange_start(struct grid *grid, int colour, MPI_Request requests[2 * GRID_N_SIDES])
{
	for (int side = 0; side < GRID_N_SIDES; side++)
		MPI_Irecv(grid->u, 1, grid->halo[side][colour], grid->neighbour[side], side ^ 1, grid->comm,
			  &requests[side]);
	for (int side = 0; side < GRID_N_SIDES; side++)
		MPI_Isend(grid->u, 1, grid->edge[side][colour], grid->neighbour[side], side, grid->comm,
			  &requests[GRID_N_SIDES + side]);
}

static void half_iteration(struct grid *grid, enum variant variant, int colour, struct timing *t)
{
	MPI_Request requests[2 * GRID_N_SIDES];
	double at[5];

	at[0] = MPI_Wtime();
	if (variant == OVERLAP)
		grid_sweep_border(grid, colour);
	else
		grid_sweep(grid, colour);
	at[1] = MPI_Wtime();
	if (variant == SENDRECV)
		exchange_sendrecv(grid, colour);
	else
		exchange_start(grid, colour, requests);
	at[2] = MPI_Wtime();
	if (variant == OVERLAP)
		grid_sweep_interior(grid, colour);
	at[3] = MPI_Wtime();
	if (variant != SENDRECV)
		MPI_Waitall(2 * GRID_N_SIDES, requests, MPI_STATUSES_IGNORE);
	at[4] = MPI_Wtime();
	t->compute += at[1] - at[0] + at[3] - at[2];
	t->communicate += at[2] - at[1] + at[4] - at[3];
}

static struct timing iterate(struct grid *grid, const struct settings *settings)
{
	struct timing t = {0, 0, 0};
	double begin;

	MPI_Barrier(grid->comm);
	begin = MPI_Wtime();
	for (int k = 0; k < settings->iterations; k++) {
		if (k == settings->warmup) {
			t = (struct timing){0, 0, 0};
			begin = MPI_Wtime();
		}
		mpisim_phase_begin("iteration");
		half_iteration(grid, settings->variant, GRID_RED, &t);
		half_iteration(grid, settings->variant, GRID_BLACK, &t);
		mpisim_phase_end();
	}
	t.wall = MPI_Wtime() - begin;
	return t;
}

/* Rank 0 prints the times per iteration of the rank that took longest. */
static void print_timing(const struct grid *grid, const struct settings *settings, const struct timing *t)
{
	int n_ranks, n_timed = settings->iterations - settings->warmup;
	struct timing *all = NULL, slowest = *t;

	MPI_Comm_size(grid->comm, &n_ranks);
	if (grid->rank == 0) {
		all = malloc((size_t)n_ranks * sizeof(*all));
		if (!all)
			MPI_Abort(grid->comm, 1);
	}
	MPI_Gather(t, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, grid->comm);
	if (grid->rank == 0) {
		for (int r = 0; r < n_ranks; r++)
			if (all[r].wall > slowest.wall)
				slowest = all[r];
		printf("wall_s %.15g\ncompute_s %.15g\ncommunicate_s %.15g\n", slowest.wall / n_timed,
		       slowest.compute / n_timed, slowest.communicate / n_timed);
	}
	free(all);
}

/* Sums row by row, whatever the distribution: the same bits for any number of ranks. Returns 0, or 1 when the file cannot be written. */
static int print_sum(struct grid *grid, const struct settings *settings)
{
	size_t n_points = (size_t)settings->n * (size_t)settings->n;
	int meaningless, failed = 0;
	double *whole = grid_gather(grid, &meaningless), sum = 0;
	FILE *file;

	if (grid->rank == 0 && meaningless)
		printf("sum not computed: kernels were skipped\n");
	if (whole) {
		for (size_t k = 0; k < n_points; k++)
			sum += whole[k];
		printf("sum %.17g\n", sum);
	}
	if (whole && settings->dump) {
		file = fopen(settings->dump, "wb");
		failed = !file || fwrite(whole, sizeof(double), n_points, file) != n_points;
		failed |= file && fclose(file);
		if (failed)
			fprintf(stderr, "sor: cannot write %s\n", settings->dump);
	}
	free(whole);
	MPI_Bcast(&failed, 1, MPI_INT, 0, grid->comm);
	return failed;
}

/* The grid of ranks must cover them all, and every rank needs a point. */
static enum options_verdict check_dims(struct settings *s, int rank, int n_ranks)
{
	int product = s->dims[0] * s->dims[1];

	if (product ? product != n_ranks : n_ranks % (s->dims[0] + s->dims[1] ? s->dims[0] + s->dims[1] : 1))
		return options_wrong("sor", rank, "%d ranks cannot be arranged as --px %d --py %d", n_ranks,
				     s->dims[1], s->dims[0]);
	MPI_Dims_create(n_ranks, 2, s->dims);
	if (s->dims[0] > s->n || s->dims[1] > s->n)
		return options_wrong("sor", rank, "%d x %d ranks have no point each in a grid of %d x %d",
				     s->dims[1], s->dims[0], s->n, s->n);
	if (s->warmup >= s->iterations)
		return options_wrong("sor", rank, "--warmup %d must be less than --iterations %d", s->warmup,
				     s->iterations);
	return OPTIONS_OK;
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &s->n, .min = 1, .max = 32768},
		{"iterations", OPTIONS_INTEGER, .out = &s->iterations, .min = 1, .max = 1000000000},
		{"variant", OPTIONS_WORD, .out = &s->variant, .words = variant_names},
		{"px", OPTIONS_INTEGER, .out = &s->dims[1], .min = 0, .max = 1000000},
		{"py", OPTIONS_INTEGER, .out = &s->dims[0], .min = 0, .max = 1000000},
		{"warmup", OPTIONS_INTEGER, .out = &s->warmup, .min = 0, .max = 1000000000},
		{"dump", OPTIONS_TEXT, .out = &s->dump},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.n = 128, .iterations = 20};
	verdict = options_parse("sor", help, argc, argv, rank, entries);
	return verdict == OPTIONS_OK ? check_dims(s, rank, n_ranks) : verdict;
}

static int run(const struct settings *settings, int n_ranks)
{
	struct grid grid;
	struct timing t;
	int status;

	if (grid_init(&grid, settings->n, settings->dims)) {
		fprintf(stderr, "sor: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	t = iterate(&grid, settings);
	if (grid.rank == 0)
		printf("n %d\nvariant %s\nranks %d (%d x %d)\niterations %d\n", settings->n,
		       variant_names[settings->variant], n_ranks, grid.dims[1], grid.dims[0],
		       settings->iterations);
	print_timing(&grid, settings, &t);
	status = print_sum(&grid, settings);
	grid_finish(&grid);
	return status;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank, n_ranks, status = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &settings);
	if (verdict == OPTIONS_OK)
		status = run(&settings, n_ranks);
	MPI_Finalize();
	return verdict == OPTIONS_OK ? status : options_status(verdict);
}
