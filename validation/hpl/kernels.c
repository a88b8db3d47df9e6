/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HPL's kernels without their data: each is charged what the files of kernels say (--bench), and computes nothing. The search for a
 * pivot finds one that is drawn. With this in the place of src/blas, of the copies and swaps of rows in src/auxil and src/pauxil, and
 * of HPL_dlocmax and HPL_dlocswp, HPL runs unchanged on a matrix that has no memory.
 */
#include <stdlib.h>

#include <hpl.h>
#include <mpisim.h>
#include "validation/hpl/skeleton.h"

static void charge(const char *kernel, int n, double a, double b, double c)
{
	if (a > 0 && b > 0 && c > 0)
		mpisim_kernel_begin(kernel, n, (double[]){a, b, c}), mpisim_kernel_end();
}

/* --- BLAS --- */

void HPL_dgemm(const enum HPL_ORDER order, const enum HPL_TRANS ta, const enum HPL_TRANS tb, const int m,
	       const int n, const int k, const double alpha, const double *a, const int lda,
	       const double *b, const int ldb, const double beta, double *c, const int ldc)
{
	charge("dgemm", 3, m, n, k);
}

void HPL_dtrsm(const enum HPL_ORDER order, const enum HPL_SIDE side, const enum HPL_UPLO uplo,
	       const enum HPL_TRANS trans, const enum HPL_DIAG diag, const int m, const int n,
	       const double alpha, const double *a, const int lda, double *b, const int ldb)
{
	if (side == HplLeft)
		charge("dtrsm", 2, m, n, 1);
	else
		charge("dtrsm", 2, n, m, 1);
}

void HPL_dgemv(const enum HPL_ORDER order, const enum HPL_TRANS trans, const int m, const int n,
	       const double alpha, const double *a, const int lda, const double *x, const int incx,
	       const double beta, double *y, const int incy)
{
	charge("dgemv", 2, m, n, 1);
}

void HPL_dtrsv(const enum HPL_ORDER order, const enum HPL_UPLO uplo, const enum HPL_TRANS trans,
	       const enum HPL_DIAG diag, const int n, const double *a, const int lda, double *x,
	       const int incx)
{
	charge("dtrsv", 1, n, 1, 1);
}

void HPL_daxpy(const int n, const double alpha, const double *x, const int incx, double *y,
	       const int incy)
{
	charge("daxpy", 1, n, 1, 1);
}

void HPL_dscal(const int n, const double alpha, double *x, const int incx)
{
	charge("dscal", 1, n, 1, 1);
}

void HPL_dcopy(const int n, const double *x, const int incx, double *y, const int incy)
{
	/* WORK's rows of HPL_pdmxswp, whose first four numbers tell the pivot */
	if (incx == 1 && incy == 1 && skeleton_is_small(x, n) && skeleton_is_small(y, n))
		for (int i = 0; i < n; i++)
			y[i] = x[i];
}

/* Variants of HPL that are not chosen here call these. */
int HPL_idamax(const int n, const double *x, const int incx)
{
	abort();
}

void HPL_dswap(const int n, double *x, const int incx, double *y, const int incy)
{
	abort();
}

void HPL_dger(const enum HPL_ORDER order, const int m, const int n, const double alpha, const double *x,
	      const int incx, const double *y, const int incy, double *a, const int lda)
{
	abort();
}

/* --- rows and panels --- */

void HPL_dlacpy(const int m, const int n, const double *a, const int lda, double *b, const int ldb)
{
	charge("HPL_dlacpy", 2, m, n, 1);
}

void HPL_dlatcpy(const int m, const int n, const double *a, const int lda, double *b, const int ldb)
{
	charge("HPL_dlatcpy", 2, m, n, 1);
}

void HPL_dlaswp01T(const int m, const int n, double *a, const int lda, double *u, const int ldu,
		   const int *la, const int *lau)
{
	charge("HPL_dlaswp01T", 2, m, n, 1);
}

void HPL_dlaswp02N(const int m, const int n, const double *a, const int lda, double *w0, double *w,
		   const int ldw, const int *la, const int *lau)
{
	charge("HPL_dlaswp02N", 2, m, n, 1);
}

void HPL_dlaswp03T(const int m, const int n, double *u, const int ldu, const double *w0,
		   const double *w, const int ldw)
{
	charge("HPL_dlaswp03T", 2, m, n, 1);
}

void HPL_dlaswp04T(const int m0, const int m1, const int n, double *u, const int ldu, double *a,
		   const int lda, const double *w0, const double *w, const int ldw, const int *la,
		   const int *lau)
{
	charge("HPL_dlaswp04T", 2, m1, n, 1);
}

/* --- pivots --- */

/* Of n numbers that are uniform in [0, 1) the largest, as far as ranks have to compare it. */
void HPL_dlocmax(HPL_T_panel *panel, const int n, const int ii, const int jj, double *work)
{
	int nb = panel->nb, myrow = panel->grid->myrow, nprow = panel->grid->nprow, local, place, global;

	if (n <= 0) {
		work[0] = work[1] = work[2] = 0;
		work[3] = nprow;
		return;
	}
	charge("idamax", 1, n, 1, 1);
	place = (int)(skeleton_uniform() * n);
	local = panel->ii + ii + place;
	Mindxl2g(global, local, nb, nb, myrow, 0, nprow);
	work[0] = 1 - skeleton_uniform() / n;
	work[1] = place;
	work[2] = global;
	work[3] = myrow;
}

void HPL_dlocswpT(HPL_T_panel *panel, const int ii, const int jj, double *work)
{
}

void HPL_dlocswpN(HPL_T_panel *panel, const int ii, const int jj, double *work)
{
}
