/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The kernels that are measured, with the names and parameters that --blas-model uses (docs/kernels.md). Complexities are candidates for
 * the fit: leading term first; one with a minus may get a negative coefficient.
 */
#include <cblas.h>
#include <string.h>

#include "calibrate/kernels/kernels.h"

/* LAPACK's Fortran interface; Debian's OpenBLAS has no C header for it. */
void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *pivots, int *info);
void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a, const int *lda, const int *pivots,
	     double *b, const int *ldb, int *info, size_t length);
void dpotrf_(const char *uplo, const int *n, double *a, const int *lda, int *info, size_t length);
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
	     int *info);
void dlaswp_(const int *n, double *a, const int *lda, const int *first, const int *last, const int *pivots,
	     const int *step);

#define TINY 1e-9 /* repeated calls must not let numbers grow */
#define COLUMNS CblasColMajor
#define LASWP_ROWS 4096

static void run_axpy(struct kern_operands *o, const int p[])
{
	cblas_daxpy(p[0], TINY, o->a, 1, o->c, 1);
}

static void run_scal(struct kern_operands *o, const int p[])
{
	cblas_dscal(p[0], 1 + TINY, o->c, 1);
}

static void run_copy(struct kern_operands *o, const int p[])
{
	cblas_dcopy(p[0], o->a, 1, o->c, 1);
}

static void run_swap(struct kern_operands *o, const int p[])
{
	cblas_dswap(p[0], o->b, 1, o->c, 1);
}

/* Results are kept, or the compiler would drop what computes them. */
static void run_dot(struct kern_operands *o, const int p[])
{
	o->c[0] = cblas_ddot(p[0], o->a, 1, o->b, 1);
}

static void run_nrm2(struct kern_operands *o, const int p[])
{
	o->c[0] = cblas_dnrm2(p[0], o->a, 1);
}

static void run_asum(struct kern_operands *o, const int p[])
{
	o->c[0] = cblas_dasum(p[0], o->a, 1);
}

static void run_iamax(struct kern_operands *o, const int p[])
{
	o->pivots[0] = (int)cblas_idamax(p[0], o->a, 1);
}

static void run_gemv(struct kern_operands *o, const int p[])
{
	cblas_dgemv(COLUMNS, CblasNoTrans, p[0], p[1], 1, o->a, p[0], o->b, 1, 0, o->c, 1);
}

static void run_ger(struct kern_operands *o, const int p[])
{
	cblas_dger(COLUMNS, p[0], p[1], TINY, o->a, 1, o->b, 1, o->c, p[0]);
}

static void run_symv(struct kern_operands *o, const int p[])
{
	cblas_dsymv(COLUMNS, CblasLower, p[0], 1, o->a, p[0], o->b, 1, 0, o->c, 1);
}

static void run_trsv(struct kern_operands *o, const int p[])
{
	cblas_dtrsv(COLUMNS, CblasLower, CblasNoTrans, CblasUnit, p[0], o->clean, p[0], o->c, 1);
}

static void run_gemm(struct kern_operands *o, const int p[])
{
	cblas_dgemm(COLUMNS, CblasNoTrans, CblasNoTrans, p[0], p[1], p[2], 1, o->a, p[0], o->b, p[2], 0, o->c,
		    p[0]);
}

static void run_symm(struct kern_operands *o, const int p[])
{
	cblas_dsymm(COLUMNS, CblasLeft, CblasLower, p[0], p[1], 1, o->a, p[0], o->b, p[0], 0, o->c, p[0]);
}

static void run_syrk(struct kern_operands *o, const int p[])
{
	cblas_dsyrk(COLUMNS, CblasLower, CblasNoTrans, p[0], p[1], 1, o->a, p[0], 0, o->c, p[0]);
}

static void run_trmm(struct kern_operands *o, const int p[])
{
	cblas_dtrmm(COLUMNS, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, p[0], p[1], 1, o->clean, p[0], o->c,
		    p[0]);
}

static void run_trsm(struct kern_operands *o, const int p[])
{
	cblas_dtrsm(COLUMNS, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, p[0], p[1], 1, o->clean, p[0], o->c,
		    p[0]);
}

static void run_getrf(struct kern_operands *o, const int p[])
{
	int info;

	dgetrf_(&p[0], &p[1], o->c, &p[0], o->pivots, &info);
}

static void run_getrs(struct kern_operands *o, const int p[])
{
	int info;

	for (int i = 0; i < p[0]; i++)
		o->pivots[i] = i + 1;
	dgetrs_("N", &p[0], &p[1], o->clean, &p[0], o->pivots, o->c, &p[0], &info, 1);
}

static void run_potrf(struct kern_operands *o, const int p[])
{
	int info;

	dpotrf_("L", &p[0], o->c, &p[0], &info, 1);
}

static void run_geqrf(struct kern_operands *o, const int p[])
{
	int info, length = (int)o->length;

	dgeqrf_(&p[0], &p[1], o->c, &p[0], o->a, o->b, &length, &info);
}

/*
 * As in a factorization: rows from all of a matrix that is much taller than what is exchanged, each
 * in cache lines of its own, in columns that have left the caches since the last step.
 */
static void run_laswp(struct kern_operands *o, const int p[])
{
	int first = 1, n_rows = LASWP_ROWS;
	size_t n_columns = o->n_c / LASWP_ROWS;
	uint32_t draw = (uint32_t)o->turn;

	if (o->turn + (size_t)p[0] > n_columns)
		o->turn = 0;
	for (int i = 0; i < p[1]; i++) {
		draw = draw * 1664525u +
		       1013904223u; /* Numerical Recipes; the high bits are good enough here */
		o->pivots[i] = i + 1 + (int)((uint64_t)draw * (uint32_t)(n_rows - i) >> 32);
	}
	dlaswp_(&p[0], o->c + o->turn * LASWP_ROWS, &n_rows, &first, &p[1], o->pivots, &first);
	o->turn += (size_t)p[0];
}

#define VECTOR 16, 1 << 21
#define MATRIX 8, 1024
#define BLOCK 8, 512
#define NN "p1^2 + p1 + 1"
#define MN "p1*p2 + p1 + p2 + 1"
#define SIDED "p1^2*p2 + p1*p2 + p1^2 + 1"

const struct kern_kernel kern_catalog[] = {
	{"daxpy", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_axpy},
	{"dscal", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_scal},
	{"dcopy", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_copy},
	{"dswap", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_swap},
	{"ddot", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_dot},
	{"dnrm2", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_nrm2},
	{"dasum", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_asum},
	{"idamax", "p1 + 1", 1, VECTOR, KERN_KEEPS, false, run_iamax},
	{"dgemv", MN, 2, MATRIX, KERN_KEEPS, false, run_gemv},
	{"dger", MN, 2, MATRIX, KERN_KEEPS, false, run_ger},
	{"dsymv", NN, 1, MATRIX, KERN_KEEPS, false, run_symv},
	{"dtrsv", NN, 1, MATRIX, KERN_SPOILS_DOMINANT, false, run_trsv},
	{"dgemm", "p1*p2*p3 + p1*p2 + p1*p3 + p2*p3 + 1", 3, BLOCK, KERN_KEEPS, false, run_gemm},
	{"dsymm", SIDED, 2, BLOCK, KERN_KEEPS, false, run_symm},
	{"dsyrk", SIDED, 2, BLOCK, KERN_KEEPS, false, run_syrk},
	{"dtrmm", SIDED, 2, BLOCK, KERN_SPOILS_DOMINANT, false, run_trmm},
	{"dtrsm", SIDED, 2, BLOCK, KERN_SPOILS_DOMINANT, false, run_trsm},
	{"dgetrf", "p1*p2^2 - p2^3 + p1*p2 + p2 + 1", 2, BLOCK, KERN_SPOILS_RANDOM, true, run_getrf},
	{"dgetrs", SIDED, 2, BLOCK, KERN_SPOILS_DOMINANT, false, run_getrs},
	{"dpotrf", "p1^3 + p1^2 + p1 + 1", 1, BLOCK, KERN_SPOILS_DOMINANT, false, run_potrf},
	{"dgeqrf", "p1*p2^2 - p2^3 + p1*p2 + p2 + 1", 2, BLOCK, KERN_SPOILS_RANDOM, true, run_geqrf},
	{"dlaswp", MN, 2, BLOCK, KERN_KEEPS, false, run_laswp, .n_rows = LASWP_ROWS},
	{.name = NULL},
};

bool kern_known_complexity(const char *name, int n_params, struct pd_expression *out)
{
	static const char precisions[] = "sdcz"; /* as --blas-model names routines */

	if (!name[0] || !strchr(precisions, name[0]))
		return false;
	for (const struct kern_kernel *kernel = kern_catalog; kernel->name; kernel++) {
		if (!strcmp(kernel->name + 1, name + 1) && kernel->n_params == n_params)
			return pd_expression_parse(kernel->complexity, out, NULL) == 0;
	}
	return false;
}
