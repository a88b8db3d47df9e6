/* SPDX-License-Identifier: BSD-3-Clause */
/* Heat conduction on a square, whose ranks may exchange more than they need (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

enum exchange { EXCHANGE_FULL, EXCHANGE_CORNERS, EXCHANGE_NEEDED, EXCHANGE_APART };
static const char *const exchange_names[] = {"full", "corners", "needed", "apart", NULL};

struct settings {
	int n, rows, columns, steps, exchange;
	double point_us;
};

struct range { /* of points: first, last */
	int low, high;
};

/* Points of a rank and, beyond them, those of its neighbours that it needs, or has. */
struct block {
	int n, width;
	struct range own[2], all[2]; /* rows, columns */
	int before[2], after[2];     /* neighbours: above and below, left and right */
	double *now, *next;
	MPI_Datatype column; /* of `count` points */
};

static const char help[] =
    "usage: heat [options]\n"
    "Heat conduction on n x n points, the outermost fixed, by steps of explicit Euler.\n"
    "  --n N              points in each direction (64)\n"
    "  --rows M           ranks in each column of ranks, --columns N in each row (1, all ranks)\n"
    "  --steps S          (100)\n"
    "  --exchange WHAT    lines between ranks: full, with the fixed points and corners; corners,\n"
    "                     without the fixed points; needed, of what a step reads; apart: the\n"
    "                     corners besides, in messages of their own (full)\n"
    "  --point-us T       computation that a point takes, in microseconds (0.002)\n";

static double *at(const struct block *b, double *grid, int row, int column)
{
	return &grid[(size_t)(row - b->all[0].low) * (size_t)b->width +
		     (size_t)(column - b->all[1].low)];
}

static void split(struct block *b, int dimension, int part, int n_parts, int stride, int rank)
{
	struct range *own = &b->own[dimension], *all = &b->all[dimension];

	own->low = (int)((long)b->n * part / n_parts);
	own->high = (int)((long)b->n * (part + 1) / n_parts) - 1;
	b->before[dimension] = part > 0 ? rank - stride : MPI_PROC_NULL;
	b->after[dimension] = part < n_parts - 1 ? rank + stride : MPI_PROC_NULL;
	all->low = own->low - (part > 0);
	all->high = own->high + (part < n_parts - 1);
}

/* Which points of a line along `dimension` are exchanged. */
static struct range line(const struct block *b, int dimension, int exchange)
{
	struct range out = exchange >= EXCHANGE_NEEDED ? b->own[dimension] : b->all[dimension];

	if (exchange != EXCHANGE_FULL) {
		out.low = out.low > 0 ? out.low : 1;
		out.high = out.high < b->n - 1 ? out.high : b->n - 2;
	}
	return out;
}

static void block_init(struct block *b, const struct settings *s, int rank)
{
	struct range rows;
	size_t size;

	b->n = s->n;
	split(b, 0, rank / s->columns, s->rows, s->columns, rank);
	split(b, 1, rank % s->columns, s->columns, 1, rank);
	b->width = b->all[1].high - b->all[1].low + 1;
	size = (size_t)(b->all[0].high - b->all[0].low + 1) * (size_t)b->width;
	b->now = calloc(size, sizeof *b->now);
	b->next = calloc(size, sizeof *b->next);
	if (!b->now || !b->next) {
		fprintf(stderr, "heat: out of memory\n");
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	for (int i = b->all[0].low; i <= b->all[0].high; i++)
		for (int j = b->all[1].low; j <= b->all[1].high; j++)
			*at(b, b->now, i, j) = *at(b, b->next, i, j) =
			    i == 0 ? 100 : (i * 7 + j * 3) % 10;
	rows = line(b, 0, s->exchange);
	MPI_Type_vector(rows.high - rows.low + 1, 1, b->width, MPI_DOUBLE, &b->column);
	MPI_Type_commit(&b->column);
}

/* The points beyond the four corners, which no step reads. */
static void exchange_corners(struct block *b)
{
	MPI_Request q[8];

	for (int k = 0; k < 4; k++) {
		int down = k / 2, right = k % 2;
		int peer = down ? b->after[0] : b->before[0];

		if (peer == MPI_PROC_NULL || (right ? b->after[1] : b->before[1]) == MPI_PROC_NULL)
			peer = MPI_PROC_NULL;
		else
			peer += right ? 1 : -1;
		MPI_Irecv(at(b, b->now, down ? b->all[0].high : b->all[0].low,
			     right ? b->all[1].high : b->all[1].low),
			  1, MPI_DOUBLE, peer, 7 - k, MPI_COMM_WORLD, &q[k]);
		MPI_Isend(at(b, b->now, down ? b->own[0].high : b->own[0].low,
			     right ? b->own[1].high : b->own[1].low),
			  1, MPI_DOUBLE, peer, 4 + k, MPI_COMM_WORLD, &q[4 + k]);
	}
	MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
}

/* Columns first: rows take their ends from them. */
static void exchange(struct block *b, int what)
{
	struct range r = line(b, 0, what), c = line(b, 1, what);
	int count = c.high - c.low + 1;
	MPI_Request q[4];

	MPI_Irecv(at(b, b->now, r.low, b->all[1].low), 1, b->column, b->before[1], 0,
		  MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(at(b, b->now, r.low, b->all[1].high), 1, b->column, b->after[1], 1,
		  MPI_COMM_WORLD, &q[1]);
	MPI_Isend(at(b, b->now, r.low, b->own[1].low), 1, b->column, b->before[1], 1,
		  MPI_COMM_WORLD, &q[2]);
	MPI_Isend(at(b, b->now, r.low, b->own[1].high), 1, b->column, b->after[1], 0,
		  MPI_COMM_WORLD, &q[3]);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	MPI_Irecv(at(b, b->now, b->all[0].low, c.low), count, MPI_DOUBLE, b->before[0], 2,
		  MPI_COMM_WORLD, &q[0]);
	MPI_Irecv(at(b, b->now, b->all[0].high, c.low), count, MPI_DOUBLE, b->after[0], 3,
		  MPI_COMM_WORLD, &q[1]);
	MPI_Isend(at(b, b->now, b->own[0].low, c.low), count, MPI_DOUBLE, b->before[0], 3,
		  MPI_COMM_WORLD, &q[2]);
	MPI_Isend(at(b, b->now, b->own[0].high, c.low), count, MPI_DOUBLE, b->after[0], 2,
		  MPI_COMM_WORLD, &q[3]);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	if (what == EXCHANGE_APART)
		exchange_corners(b);
}

static void step(struct block *b, double point_us)
{
	double *old = b->now;
	long n = 0;

	for (int i = b->own[0].low; i <= b->own[0].high; i++)
		for (int j = b->own[1].low; j <= b->own[1].high; j++) {
			if (i == 0 || j == 0 || i == b->n - 1 || j == b->n - 1)
				continue;
			*at(b, b->next, i, j) =
			    *at(b, old, i, j) +
			    0.1 * (*at(b, old, i - 1, j) + *at(b, old, i + 1, j) +
				   *at(b, old, i, j - 1) + *at(b, old, i, j + 1) -
				   4 * *at(b, old, i, j));
			n++;
		}
	mpisim_add_compute_time((double)n * point_us * 1e-6);
	b->now = b->next;
	b->next = old;
}

/* The largest temperature that is not fixed: the same for any number of ranks. */
static double hottest(struct block *b)
{
	double mine = 0, all = 0;

	for (int i = b->own[0].low; i <= b->own[0].high; i++)
		for (int j = b->own[1].low; j <= b->own[1].high; j++)
			if (i > 0 && *at(b, b->now, i, j) > mine)
				mine = *at(b, b->now, i, j);
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return all;
}

static void run(const struct settings *s, int rank)
{
	double begin_s, wall, slowest = 0, communication = 0, all = 0, max;
	struct block b;

	block_init(&b, s, rank);
	MPI_Barrier(MPI_COMM_WORLD);
	begin_s = MPI_Wtime();
	for (int k = 0; k < s->steps; k++) {
		double from_s = MPI_Wtime();

		exchange(&b, s->exchange);
		communication += MPI_Wtime() - from_s;
		step(&b, s->point_us);
	}
	wall = MPI_Wtime() - begin_s;
	MPI_Reduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&communication, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	max = hottest(&b);
	if (rank == 0)
		printf("n %d\nranks %d x %d\nexchange %s\nwall_s %.9e\ncommunication_s "
		       "%.9e\nhottest %.17g\n",
		       s->n, s->rows, s->columns, exchange_names[s->exchange], slowest, all, max);
	MPI_Type_free(&b.column);
	free(b.now);
	free(b.next);
}

static enum options_verdict parse(int argc, char **argv, int rank, int n_ranks, struct settings *s)
{
	const struct options_entry entries[] = {
	    {"n", OPTIONS_INTEGER, .out = &s->n, .min = 3, .max = 20000},
	    {"rows", OPTIONS_INTEGER, .out = &s->rows, .min = 1, .max = 10000},
	    {"columns", OPTIONS_INTEGER, .out = &s->columns, .min = 1, .max = 10000},
	    {"steps", OPTIONS_INTEGER, .out = &s->steps, .min = 0, .max = 1000000},
	    {"exchange", OPTIONS_WORD, .out = &s->exchange, .words = exchange_names},
	    {"point-us", OPTIONS_REAL, .out = &s->point_us},
	    {0},
	};
	enum options_verdict verdict = options_parse("heat", help, argc, argv, rank, entries);

	if (verdict != OPTIONS_OK)
		return verdict;
	if (s->columns == 0)
		s->columns = n_ranks / s->rows;
	if (s->rows * s->columns != n_ranks)
		return options_wrong("heat", rank,
				     "--rows %d times --columns %d is not the number of ranks, %d",
				     s->rows, s->columns, n_ranks);
	if (s->rows > s->n || s->columns > s->n)
		return options_wrong("heat", rank, "--n %d is less than the ranks in one direction",
				     s->n);
	return OPTIONS_OK;
}

int main(int argc, char **argv)
{
	struct settings s = {.n = 64, .rows = 1, .steps = 100, .point_us = 0.002};
	enum options_verdict verdict;
	int rank, n_ranks;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	verdict = parse(argc, argv, rank, n_ranks, &s);
	if (verdict == OPTIONS_OK)
		run(&s, rank);
	MPI_Finalize();
	return options_status(verdict);
}
