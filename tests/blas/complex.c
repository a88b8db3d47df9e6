/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls BLAS and LAPACK with complex numbers and other storage, without annotations; each word of
 * the command line is a case. */
#include <cblas.h>
#include <complex.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

typedef double complex number;

void zgemm_(const char *, const char *, const int *, const int *, const int *, const number *,
	    const number *, const int *, const number *, const int *, const number *, number *,
	    const int *);
void zgetrf_(const int *, const int *, number *, const int *, int *, int *);
number zdotc_(const int *, const number *, const int *, const number *, const int *);
int LAPACKE_dgetrf(int, int, int, double *, int, int *);
int LAPACKE_dgeqrf_work(int, int, int, double *, int, double *, double *, int);

static const int n2 = 2, n3 = 3, n4 = 4, one_int = 1;
static const number one = 1, zero = 0;
static number a[64], b[64], c[64];
static double x[64], y[64], band[64];

static void gemm(void) /* a (2 x 4) times b (4 x 3), twice; the second time by rows */
{
	c[0] = 7;
	zgemm_("N", "N", &n2, &n3, &n4, &one, a, &n2, b, &n4, &zero, c, &n2);
	cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, 2, 3, 4, &one, a, 4, b, 3, &zero, c,
		    3);
	printf("gemm %g\n", creal(c[0]));
}

static void herk(void)
{
	cblas_zherk(CblasColMajor, CblasLower, CblasNoTrans, 3, 2, 1, a, 3, 0, c, 3);
	cblas_zdscal(5, 2, a, 1);
}

static void dot(void) /* conj(i) i + conj(2) 3i */
{
	const number u[2] = {I, 2}, v[2] = {I, 3 * I};
	number other, sum = zdotc_(&n2, u, &one_int, v, &one_int);

	cblas_zdotu_sub(2, u, 1, v, 1, &other);
	printf("dot %g%+gi %g%+gi %g\n", creal(sum), cimag(sum), creal(other), cimag(other),
	       cblas_dznrm2(1, v, 1));
}

static void getrf(void)
{
	int pivots[3] = {9, 9, 9}, info = 5;

	zgetrf_(&n4, &n3, a, &n4, pivots, &info);
	printf("getrf %d %d %d, %d\n", pivots[0], pivots[1], pivots[2], info);
}

static void lapacke(void)
{
	double size = 0, tau[3];
	int pivots[3] = {9, 9, 9}, info = LAPACKE_dgetrf(102, 4, 3, x, 4, pivots);

	info += LAPACKE_dgeqrf_work(102, 4, 3, x, 4, tau, &size, -1);
	info += LAPACKE_dgeqrf_work(102, 4, 3, x, 4, tau, y, 64);
	printf("lapacke %d %d, %d\n", pivots[2], info, size >= 3);
}

static void bands(void) /* 5 x 4 with one diagonal, then with three; of order 4 with one */
{
	cblas_dgbmv(CblasColMajor, CblasNoTrans, 5, 4, 0, 0, 1, band, 1, x, 1, 0, y, 1);
	cblas_dgbmv(CblasRowMajor, CblasNoTrans, 5, 4, 2, 0, 1, band, 3, x, 1, 0, y, 1);
	cblas_dsbmv(CblasColMajor, CblasLower, 4, 0, 1, band, 1, x, 1, 0, y, 1);
	cblas_dspmv(CblasColMajor, CblasLower, 4, 1, band, x, 1, 0, y, 1);
	cblas_drot(4, x, 1, y, 1, 0.6, 0.8);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} cases[] = {{"gemm", gemm},   {"herk", herk},	     {"dot", dot},
		     {"getrf", getrf}, {"lapacke", lapacke}, {"bands", bands}};

	MPI_Init(&argc, &argv);
	for (int i = 0; i < 64; i++) {
		x[i] = y[i] = band[i] = i % 9 == 0 ? 4 : 1;
		a[i] = b[i] = x[i];
	}
	for (int i = 1; i < argc; i++) {
		for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
			if (!strcmp(cases[k].name, argv[i]))
				cases[k].run();
		}
	}
	MPI_Finalize();
	return 0;
}
