/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The computations, each one annotated. Whether a kernel runs is mpisim's business: no decision of the program depends on what a
 * kernel computed, and pivots that nobody computed are harmless.
 */
#include "lu.h"

#include <cblas.h>
#include <mpisim.h>
#include <stdint.h>
#include <string.h>

/* LAPACK's Fortran interface; OpenBLAS has it, and Debian's has no C header for it. */
void dgetrf_(const int *rows, const int *columns, double *a, const int *stride, int *pivots, int *info);

/* Kernels that did not run in this rank. */
static long n_skipped;

static bool begin(const char *name, int n_params, const double params[])
{
	bool runs = mpisim_kernel_begin(name, n_params, params);

	n_skipped += !runs;
	return runs;
}

bool lu_kernels_all_ran(void)
{
	return n_skipped == 0;
}

void lu_kernels_init(void)
{
	openblas_set_num_threads(1);
}

double lu_entry(unsigned long seed, int row, int column)
{
	uint64_t z = seed * 0x9e3779b97f4a7c15u + ((uint64_t)(uint32_t)row << 32) + (uint32_t)column;

	/* splitmix64, twice to separate neighbours */
	for (int i = 0; i < 2; i++) {
		z += 0x9e3779b97f4a7c15u;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
		z = (z ^ z >> 27) * 0x94d049bb133111ebu;
		z ^= z >> 31;
	}
	return (double)(z >> 11) * 0x1p-53 - 0.5;
}

void lu_kernel_generate(const struct lu_plan *plan, int column, double *block)
{
	int n = plan->options.n, r = plan->options.r;

	if (begin("generate", 2, (double[]){n, r})) {
		for (int j = 0; j < r; j++) {
			for (int i = 0; i < n; i++)
				block[(size_t)j * n + i] =
					lu_entry(plan->options.seed, i, column * r + j);
		}
	}
	mpisim_kernel_end();
}

void lu_kernel_panel(struct lu_matrix_part part, double pivots[], int pivot_space[])
{
	int info;

	for (int i = 0; i < part.columns; i++)
		pivots[i] = i;
	if (begin("panel", 2, (double[]){part.rows, part.columns})) {
		dgetrf_(&part.rows, &part.columns, part.at, &part.stride, pivot_space, &info);
		for (int i = 0; i < part.columns; i++)
			pivots[i] = pivot_space[i] - 1;
	}
	mpisim_kernel_end();
}

void lu_kernel_flip(struct lu_matrix_part part, int n_pivots, const double pivots[])
{
	if (begin("flip", 3, (double[]){part.rows, part.columns, n_pivots})) {
		for (int i = 0; i < n_pivots; i++) {
			/* Garbage where the panel was skipped but this is not (first-n): stay in range. */
			int other = pivots[i] >= 0 && pivots[i] < part.rows ? (int)pivots[i] : i;

			if (other != i)
				cblas_dswap(part.columns, part.at + i, part.stride, part.at + other,
					    part.stride);
		}
	}
	mpisim_kernel_end();
}

void lu_kernel_trsm(const double *lower, struct lu_matrix_part part)
{
	if (begin("trsm", 1, (double[]){part.rows}))
		cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, part.rows,
			    part.columns, 1.0, lower, part.rows, part.at, part.stride);
	mpisim_kernel_end();
}

void lu_kernel_pack(struct lu_matrix_part part, double *out)
{
	if (begin("pack", 2, (double[]){part.rows, part.columns})) {
		for (int j = 0; j < part.columns; j++)
			memcpy(out + (size_t)j * part.rows, part.at + (size_t)j * part.stride,
			       (size_t)part.rows * sizeof(*out));
	}
	mpisim_kernel_end();
}

void lu_kernel_dgemm(int rows, int columns, int inner, const double *left, const double *right,
		     double *out)
{
	if (begin("dgemm", 3, (double[]){rows, columns, inner}))
		cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0, left,
			    rows, right, inner, 0.0, out, rows);
	mpisim_kernel_end();
}

void lu_kernel_subtract(struct lu_matrix_part part, const double *packed)
{
	if (begin("subtract", 2, (double[]){part.rows, part.columns})) {
		for (int j = 0; j < part.columns; j++) {
			double *to = part.at + (size_t)j * part.stride;
			const double *from = packed + (size_t)j * part.rows;

			for (int i = 0; i < part.rows; i++)
				to[i] -= from[i];
		}
	}
	mpisim_kernel_end();
}
