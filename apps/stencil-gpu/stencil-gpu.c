/* SPDX-License-Identifier: BSD-3-Clause */
/* A five-point stencil on accelerators, whose border goes ahead of the interior, or does not (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

enum order { ORDER_OVERLAP, ORDER_PLAIN };
static const char *const order_names[] = {"overlap", "plain", NULL};
enum { BORDER, INTERIOR }; /* streams */

struct settings {
	int n, steps, order;
};

/* A strip of rows of n x n points, with a row of halo above and below and a column of edge on each side. */
struct strip {
	int n, rank, n_ranks, rows;
	int up, down;      /* ranks or MPI_PROC_NULL */
	size_t size_B;     /* of a grid */
	double *u, *next;  /* [rows + 2][n + 2], of the accelerator */
	double *host;      /* the same, of the node */
	int skipped;       /* a kernel was not executed */
};

static const char help[] =
	"usage: stencil-gpu [options]\n"
	"Mean of four neighbours on n x n points, whose upper edge is 1 and the others 0.\n"
	"  --n N              points in each direction (100)\n"
	"  --steps S          (50)\n"
	"  --order HOW        overlap: border rows first, which are exchanged while the interior is computed; plain: the exchange\n"
	"                     after all points (overlap)\n";

static int strip_first(const struct strip *s, int rank)
{
	return (int)((long long)s->n * rank / s->n_ranks);
}

static double *row_of(const struct strip *s, double *grid, int row)
{
	return grid + (size_t)row * (size_t)(s->n + 2);
}

static void strip_init(struct strip *s, int n)
{
	*s = (struct strip){.n = n};
	MPI_Comm_rank(MPI_COMM_WORLD, &s->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &s->n_ranks);
	s->rows = strip_first(s, s->rank + 1) - strip_first(s, s->rank);
	s->up = s->rank ? s->rank - 1 : MPI_PROC_NULL;
	s->down = s->rank + 1 < s->n_ranks ? s->rank + 1 : MPI_PROC_NULL;
	s->size_B = (size_t)(s->rows + 2) * (size_t)(n + 2) * sizeof(double);
	s->u = mpisim_device_alloc(s->size_B);
	s->next = mpisim_device_alloc(s->size_B);
	s->host = calloc(1, s->size_B);
	if (!s->u || !s->next || !s->host) {
		fprintf(stderr, "stencil-gpu: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int j = 1; j <= n && s->rank == 0; j++)
		s->host[j] = 1;
	mpisim_stream_copy(s->u, s->host, s->size_B, INTERIOR);
	mpisim_stream_copy(s->next, s->host, s->size_B, INTERIOR);
	mpisim_stream_synchronize(INTERIOR);
}

static void strip_finish(struct strip *s)
{
	mpisim_device_free(s->u);
	mpisim_device_free(s->next);
	free(s->host);
}

/* Rows first, first + stride, … last, by a kernel of the stream. */
static void compute(struct strip *s, const char *kernel, int first, int last, int stride, int stream)
{
	double rows = last < first ? 0 : (last - first) / stride + 1;

	if (rows == 0)
		return;
	if (mpisim_stream_kernel_begin(kernel, 2, (const double[]){rows, s->n}, stream)) {
		for (int i = first; i <= last; i += stride) {
			const double *u = row_of(s, s->u, i), *up = row_of(s, s->u, i - 1), *down = row_of(s, s->u, i + 1);
			double *next = row_of(s, s->next, i);

			for (int j = 1; j <= s->n; j++)
				next[j] = 0.25 * (up[j] + down[j] + u[j - 1] + u[j + 1]);
		}
	} else {
		s->skipped = 1;
	}
	mpisim_kernel_end();
}

/* The outermost rows of the next step go to the neighbours' halo, from accelerator to accelerator. */
static void exchange(struct strip *s)
{
	MPI_Request requests[4];

	MPI_Irecv(row_of(s, s->next, 0) + 1, s->n, MPI_DOUBLE, s->up, 0, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(row_of(s, s->next, s->rows + 1) + 1, s->n, MPI_DOUBLE, s->down, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Isend(row_of(s, s->next, s->rows) + 1, s->n, MPI_DOUBLE, s->down, 0, MPI_COMM_WORLD, &requests[2]);
	MPI_Isend(row_of(s, s->next, 1) + 1, s->n, MPI_DOUBLE, s->up, 1, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void step(struct strip *s, int order)
{
	int stride = s->rows > 1 ? s->rows - 1 : 1;
	double *swap = s->u;

	if (order == ORDER_PLAIN) {
		compute(s, "interior", 2, s->rows - 1, 1, INTERIOR);
		compute(s, "border", 1, s->rows, stride, INTERIOR);
		mpisim_stream_synchronize(INTERIOR);
		exchange(s);
	} else {
		compute(s, "border", 1, s->rows, stride, BORDER);
		compute(s, "interior", 2, s->rows - 1, 1, INTERIOR);
		mpisim_stream_synchronize(BORDER);
		exchange(s);
		mpisim_stream_synchronize(INTERIOR);
	}
	s->u = s->next;
	s->next = swap;
}

/* The sum of all points, row by row and then over the rows in order: the same bits for any number of ranks. On rank 0. */
static double sum(struct strip *s)
{
	double total = 0, row = 0;

	for (int i = 0; i < s->n; i++) {
		int owner = 0, mine = i - strip_first(s, s->rank);

		while (strip_first(s, owner + 1) <= i)
			owner++;
		row = 0;
		for (int j = 0; j < s->n && owner == s->rank; j++)
			row += row_of(s, s->host, mine + 1)[j + 1];
		if (owner != 0 && owner == s->rank)
			MPI_Send(&row, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
		if (owner != 0 && s->rank == 0)
			MPI_Recv(&row, 1, MPI_DOUBLE, owner, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		total += row;
	}
	return total;
}

static void run(const struct settings *settings)
{
	struct strip s;
	double begin, wall, slowest, total;
	int skipped;

	strip_init(&s, settings->n);
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int k = 0; k < settings->steps; k++) {
		mpisim_phase_begin("step");
		step(&s, settings->order);
		mpisim_phase_end();
	}
	wall = (MPI_Wtime() - begin) / settings->steps;
	MPI_Reduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&s.skipped, &skipped, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	mpisim_stream_copy(s.host, s.u, s.size_B, INTERIOR);
	mpisim_stream_synchronize(INTERIOR);
	if (s.rank == 0)
		printf("n %d\nranks %d\norder %s\nwall_s %.15g\n", s.n, s.n_ranks, order_names[settings->order], slowest);
	if (!skipped) {
		total = sum(&s);
		if (s.rank == 0)
			printf("sum %.17g\n", total);
	} else if (s.rank == 0) {
		printf("sum not computed: kernels were skipped\n");
	}
	strip_finish(&s);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &s->n, .min = 1, .max = 32768},
		{"steps", OPTIONS_INTEGER, .out = &s->steps, .min = 1, .max = 1000000000},
		{"order", OPTIONS_WORD, .out = &s->order, .words = order_names},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.n = 100, .steps = 50};
	verdict = options_parse("stencil-gpu", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && n_ranks > s->n)
		return options_wrong("stencil-gpu", rank, "%d ranks have no row each of %d", n_ranks, s->n);
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
