/* SPDX-License-Identifier: BSD-3-Clause */
/* Block LU factorization with a barrier after each step, which could go (README.md). */
#include <mpi.h>
#include <mpisim.h>

#include "../common/options.h"

struct settings {
	int n, r, is_unfenced;
};

/* Columns of blocks, dealt to ranks in turn. Entry (i, j) of a block column lies at [j * n + i]. */
struct matrix {
	int n, r, n_blocks, rank, n_ranks, skipped; /* skipped: a kernel was not executed */
	double **blocks;			    /* [n_blocks]; NULL: another rank's */
	double *panel;				    /* [n * r]: the block column of the step */
};

static const char help[] =
    "usage: blocklu [options]\n"
    "LU factorization without pivoting of a matrix with a heavy diagonal, in columns of blocks.\n"
    "  --n N              order of the matrix (256)\n"
    "  --r N              width of a column of blocks, divides n (32)\n"
    "  --no-barriers      without the barrier after each step\n";

static double entry(int n, int i, int j)
{
	return i == j ? n : 1.0 / (1 + ((long)i * 31 + (long)j * 17) % 97);
}

static int begin(struct matrix *m, const char *name, int rows, int columns)
{
	int execute = mpisim_kernel_begin(name, 3, (const double[]){rows, m->r, columns});

	if (!execute)
		m->skipped = 1;
	return execute;
}

static void fail_memory(void)
{
	fprintf(stderr, "blocklu: out of memory\n");
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void matrix_init(struct matrix *m, const struct settings *s)
{
	size_t size_B = (size_t)s->n * (size_t)s->r * sizeof(double);

	*m = (struct matrix){.n = s->n, .r = s->r, .n_blocks = s->n / s->r};
	MPI_Comm_rank(MPI_COMM_WORLD, &m->rank);
	MPI_Comm_size(MPI_COMM_WORLD, &m->n_ranks);
	m->blocks = calloc((size_t)m->n_blocks, sizeof *m->blocks);
	m->panel = mpisim_alloc(size_B);
	if (!m->blocks || !m->panel)
		fail_memory();
	for (int b = m->rank; b < m->n_blocks; b += m->n_ranks) {
		m->blocks[b] = mpisim_alloc(size_B);
		if (!m->blocks[b])
			fail_memory();
		if (begin(m, "generate", m->n, m->r))
			for (int j = 0; j < m->r; j++)
				for (int i = 0; i < m->n; i++)
					m->blocks[b][(size_t)j * m->n + i] =
					    entry(m->n, i, b * m->r + j);
		mpisim_kernel_end();
	}
}

static void matrix_finish(struct matrix *m)
{
	for (int b = 0; b < m->n_blocks; b++)
		if (m->blocks[b])
			mpisim_free(m->blocks[b]);
	mpisim_free(m->panel);
	free(m->blocks);
}

/* L and U of the panel whose first row and column is `first`. */
static void factorize(struct matrix *m, double *a, int first)
{
	int n = m->n, r = m->r;

	if (begin(m, "factorize", n - first, r))
		for (int k = 0; k < r; k++) {
			for (int i = first + k + 1; i < n; i++)
				a[(size_t)k * n + i] /= a[(size_t)k * n + first + k];
			for (int j = k + 1; j < r; j++)
				for (int i = first + k + 1; i < n; i++)
					a[(size_t)j * n + i] -=
					    a[(size_t)k * n + i] * a[(size_t)j * n + first + k];
		}
	mpisim_kernel_end();
}

/* A block column behind the panel. */
static void update(struct matrix *m, double *a, int first)
{
	int n = m->n, r = m->r;
	const double *l = m->panel;

	if (begin(m, "update", n - first, r))
		for (int j = 0; j < r; j++)
			for (int k = 0; k < r; k++)
				for (int i = first + k + 1; i < n; i++)
					a[(size_t)j * n + i] -=
					    l[(size_t)k * n + i] * a[(size_t)j * n + first + k];
	mpisim_kernel_end();
}

static void factor_all(struct matrix *m, int has_barriers)
{
	for (int k = 0; k < m->n_blocks; k++) {
		int owner = k % m->n_ranks;
		double *panel = m->rank == owner ? m->blocks[k] : m->panel, *own = m->panel;

		if (m->rank == owner)
			factorize(m, panel, k * m->r);
		MPI_Bcast(panel, m->n * m->r, MPI_DOUBLE, owner, MPI_COMM_WORLD);
		m->panel = panel;
		for (int b = k + 1; b < m->n_blocks; b++)
			if (m->blocks[b])
				update(m, m->blocks[b], k * m->r);
		m->panel = own;
		if (has_barriers)
			MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* The sum of U's diagonal on rank 0, in the order of its rows. */
static double sum_diagonal(const struct matrix *m)
{
	double *mine = calloc((size_t)m->n, sizeof *mine), *all = calloc((size_t)m->n, sizeof *all),
	       sum = 0;

	if (!mine || !all)
		fail_memory();
	for (int b = 0; b < m->n_blocks && !m->skipped; b++)
		for (int j = 0; j < m->r && m->blocks[b]; j++)
			mine[b * m->r + j] = m->blocks[b][(size_t)j * m->n + b * m->r + j];
	MPI_Reduce(mine, all, m->n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	for (int i = 0; i < m->n; i++)
		sum += all[i];
	free(mine);
	free(all);
	return sum;
}

static void run(const struct settings *s)
{
	double wall, slowest, sum, begin_s;
	struct matrix m;

	matrix_init(&m, s);
	MPI_Barrier(MPI_COMM_WORLD);
	begin_s = MPI_Wtime();
	factor_all(&m, !s->is_unfenced);
	wall = MPI_Wtime() - begin_s;
	MPI_Reduce(&wall, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	sum = sum_diagonal(&m);
	if (m.rank == 0) {
		printf("n %d\nr %d\nranks %d\nbarriers %s\nwall_s %.9e\n", s->n, s->r, m.n_ranks,
		       s->is_unfenced ? "no" : "yes", slowest);
		if (m.skipped)
			printf("sum unknown (kernels were skipped)\n");
		else
			printf("sum %.17g\n", sum);
	}
	matrix_finish(&m);
}

static enum options_verdict parse(int argc, char **argv, int rank, struct settings *s)
{
	const struct options_entry entries[] = {
		{"n", OPTIONS_INTEGER, .out = &s->n, .min = 1, .max = 20000},
		{"r", OPTIONS_INTEGER, .out = &s->r, .min = 1, .max = 20000},
		{"no-barriers", OPTIONS_SWITCH, .out = &s->is_unfenced},
		{0},
	};
	enum options_verdict verdict;

	*s = (struct settings){.n = 256, .r = 32};
	verdict = options_parse("blocklu", help, argc, argv, rank, entries);
	if (verdict == OPTIONS_OK && s->n % s->r)
		return options_wrong("blocklu", rank, "--n: %d is no multiple of --r: %d", s->n,
				     s->r);
	return verdict;
}

int main(int argc, char **argv)
{
	struct settings settings;
	enum options_verdict verdict;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	verdict = parse(argc, argv, rank, &settings);
	if (verdict == OPTIONS_OK)
		run(&settings);
	MPI_Finalize();
	return options_status(verdict);
}
