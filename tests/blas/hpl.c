/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small relative of HPL, without annotations: LU with partial pivoting of an n x n matrix, columns in blocks of nb dealt out to the
 * ranks. hpl N NB. Every rank broadcasts its panel and the pivots; all update what they have to its right.
 */
#include <cblas.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dlaswp_(const int *, double *, const int *, const int *, const int *, const int *, const int *);

struct problem {
	int n, nb, n_blocks, rank, size;
	double *mine;  /* n rows, own blocks side by side */
	double *panel; /* n x nb */
	int *pivots;   /* [nb] */
};

static double *block(const struct problem *p, int index)
{
	return p->mine + (size_t)(index / p->size) * p->nb * p->n;
}

static void factor(struct problem *p, int k)
{
	int top = k * p->nb, rows = p->n - top, info;
	double *own = block(p, k) + top;

	dgetrf_(&rows, &p->nb, own, &p->n, p->pivots, &info);
	if (info)
		MPI_Abort(MPI_COMM_WORLD, 3);
	for (int j = 0; j < p->nb; j++)
		memcpy(p->panel + (size_t)j * rows, own + (size_t)j * p->n, sizeof(double) * (size_t)rows);
}

static void update(struct problem *p, int k, int j)
{
	int top = k * p->nb, rows = p->n - top, below = rows - p->nb, first = 1;
	double *own = block(p, j) + top;

	dlaswp_(&p->nb, own, &p->n, &first, &p->nb, p->pivots, &first);
	if (j <= k)
		return;
	cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, p->nb, p->nb, 1,
		    p->panel, rows, own, p->n);
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, below, p->nb, p->nb, -1,
		    p->panel + p->nb, rows, own, p->n, 1, own + p->nb, p->n);
}

int main(int argc, char **argv)
{
	struct problem p = {.n = atoi(argv[1]), .nb = atoi(argv[2])};
	double begin, sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &p.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &p.size);
	p.n_blocks = p.n / p.nb;
	p.mine = calloc((size_t)(p.n_blocks / p.size + 1) * p.nb * p.n, sizeof(double));
	p.panel = calloc((size_t)p.n * p.nb, sizeof(double));
	p.pivots = calloc((size_t)p.nb, sizeof(int));
	for (int j = p.rank; j < p.n_blocks; j += p.size) {
		for (int c = 0; c < p.nb; c++) {
			for (int i = 0; i < p.n; i++)
				block(&p, j)[(size_t)c * p.n + i] = sin(1.0 + i * 1.7 + (j * p.nb + c) * (i + 3.1));
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	for (int k = 0; k < p.n_blocks; k++) {
		int owner = k % p.size, rows = p.n - k * p.nb;

		if (p.rank == owner)
			factor(&p, k);
		MPI_Bcast(p.panel, rows * p.nb, MPI_DOUBLE, owner, MPI_COMM_WORLD);
		MPI_Bcast(p.pivots, p.nb, MPI_INT, owner, MPI_COMM_WORLD);
		for (int j = p.rank; j < p.n_blocks; j += p.size) {
			if (j != k)
				update(&p, k, j);
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (p.rank == 0)
		printf("time %.9f\n", MPI_Wtime() - begin);
	for (int j = p.rank; j < p.n_blocks; j += p.size) {
		for (int c = 0; c < p.nb; c++)
			sum += log(fabs(block(&p, j)[(size_t)c * p.n + j * p.nb + c]));
	}
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (p.rank == 0)
		printf("log|det| %.6f\n", all);
	MPI_Finalize();
	return 0;
}
