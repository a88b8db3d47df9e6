/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls BLAS and LAPACK without annotations; each word of the command line is one of the cases below. */
#include <cblas.h>
#include <mpi.h>
#include <mpisim.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
	    const double *, const int *, const double *, const int *, const double *, double *,
	    const int *);
void dtrsm_(const char *, const char *, const char *, const char *, const int *, const int *,
	    const double *, const double *, const int *, double *, const int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);
void dgetrs_(const char *, const int *, const int *, const double *, const int *, const int *, double *,
	     const int *, int *);
void dgeqrf_(const int *, const int *, double *, const int *, double *, double *, const int *, int *);
int idamax_(const int *, const double *, const int *);
void dlacpy_(const char *, const int *, const int *, const double *, const int *, double *, const int *);
double ddot_(const int *, const double *, const int *, const double *, const int *);

static const int n2 = 2, n3 = 3, n4 = 4, one_int = 1;
static const double one = 1, zero = 0;
static double a[64], b[64], c[64];

static void gemm(void) /* a (2 x 4) times b (4 x 3) */
{
	c[0] = 7;
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 2, 3, 4, 1, a, 2, b, 4, 0, c, 2);
	printf("gemm %g\n", c[0]);
}

static void gemm_rows(void)
{
	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 3, 4, 1, a, 4, b, 3, 0, c, 3);
}

static void gemm_fortran(void)
{
	dgemm_("N", "N", &n2, &n3, &n4, &one, a, &n2, b, &n4, &zero, c, &n2);
}

static void trsm(void) /* order 2 on the left of 2 x 3, then order 3 on its right */
{
	cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, CblasNoTrans, CblasUnit, 2, 3, 1, a, 2, b, 2);
	dtrsm_("R", "U", "N", "N", &n2, &n3, &one, a, &n3, b, &n2);
}

static void getrf(void)
{
	int pivots[3] = {9, 9, 9}, info = 5, info_s = 5;

	dgetrf_(&n4, &n3, a, &n4, pivots, &info);
	dgetrs_("N", &n3, &n2, a, &n4, pivots, b, &n3, &info_s);
	printf("getrf %d %d %d, %d %d\n", pivots[0], pivots[1], pivots[2], info, info_s);
}

static void geqrf(void)
{
	double size = 0, tau[3];
	int query = -1, info, length = 64;

	dgeqrf_(&n4, &n3, a, &n4, tau, &size, &query, &info);
	dgeqrf_(&n4, &n3, a, &n4, tau, b, &length, &info);
	printf("geqrf %d\n", size >= 3);
}

static void numbers(void)
{
	double x[3] = {1, -4, 2};

	printf("numbers %g %g %g %d %d\n", cblas_ddot(3, x, 1, x, 1), ddot_(&n3, x, &one_int, x, &one_int),
	       cblas_dasum(3, x, 1), idamax_(&n3, x, &one_int), (int)cblas_idamax(3, x, 1));
}

static void level1(void)
{
	cblas_daxpy(10, 2, a, 1, b, 1);
	cblas_dscal(20, 2, a, 1);
}

static void empty(void)
{
	cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 0, 3, 4, 1, a, 1, b, 4, 0, c, 1);
}

static void negative(void)
{
	int info = 0, m = -1, pivots[1];

	dgetrf_(&m, &n3, a, &n4, pivots, &info);
	printf("negative %d\n", info);
}

static void uncovered(void) /* copies a 2 x 2 matrix */
{
	a[0] = 3;
	c[0] = 0;
	dlacpy_("A", &n2, &n2, a, &n2, c, &n2);
	printf("uncovered %g\n", c[0]);
}

static void annotated(void)
{
	if (mpisim_kernel_begin("mine", 0, NULL))
		gemm();
	mpisim_kernel_end();
}

static void absent(void)
{
	double *there = mpisim_alloc(1000 * sizeof(*there));

	cblas_dscal(1000, 2, there, 1);
	printf("%g\n", cblas_dnrm2(1000, there, 1));
	mpisim_free(there);
}

static void *run_thread(void *unused)
{
	gemm();
	return unused;
}

static void thread(void)
{
	pthread_t other;

	pthread_create(&other, NULL, run_thread, NULL);
	pthread_join(other, NULL);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"gemm", gemm},	   {"gemm-rows", gemm_rows}, {"gemm-fortran", gemm_fortran},
		     {"trsm", trsm},	   {"getrf", getrf},	     {"geqrf", geqrf},
		     {"numbers", numbers}, {"level1", level1},	     {"empty", empty},
		     {"negative", negative}, {"uncovered", uncovered}, {"annotated", annotated},
		     {"absent", absent},   {"thread", thread}};

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 64; i++)
		a[i] = b[i] = i % 9 == 0 ? 4 : 1;
	for (int i = 1; i < argc; i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
			if (!strcmp(cases[k].name, argv[i]))
				cases[k].run();
		}
	}
	MPI_Finalize();
	return 0;
}
