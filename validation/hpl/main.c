/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HPL alone, on a matrix without memory: N, NB, P, Q and the seed of the pivots are the arguments, everything else is as in the
 * HPL.dat of the measured runs. Prints N and the seconds of HPL_pdgesv, the longest of all ranks.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <hpl.h>
#include <mpisim.h>
#include "validation/hpl/skeleton.h"

enum { ALIGN = 8, NBMIN = 2, NDIV = 2, DEPTH = 1 };

static uint64_t state;

double skeleton_uniform(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static const double *matrix, *matrix_end;

bool skeleton_is_small(const double *x, int n)
{
	return (x < matrix || x >= matrix_end) && n <= 1024;
}

/* As HPL_pdtest's: the last column, the right-hand side, and the solution behind it are there. */
static void make_matrix(HPL_T_pmat *a, const HPL_T_grid *grid, int n, int nb)
{
	size_t size_B, from_B;
	int bits, ip2, nq;

	*a = (HPL_T_pmat){.n = n, .nb = nb, .mp = HPL_numroc(n, nb, nb, grid->myrow, 0, grid->nprow)};
	nq = HPL_numroc(n, nb, nb, grid->mycol, 0, grid->npcol);
	a->nq = nq + 1;
	a->ld = (Mmax(1, a->mp) - 1) / ALIGN * ALIGN;
	do {
		bits = a->ld += ALIGN;
		for (ip2 = 1; bits > 1; bits >>= 1)
			ip2 <<= 1;
	} while (a->ld == ip2);
	size_B = ((size_t)(a->ld + 1) * (size_t)a->nq) * sizeof(double);
	from_B = (size_t)a->ld * (size_t)nq * sizeof(double);
	a->A = mpisim_alloc_part(size_B, from_B, size_B - from_B);
	if (!a->A) {
		fprintf(stderr, "no room for %zu bytes of the matrix\n", size_B);
		MPI_Abort(MPI_COMM_WORLD, 1);
	}
	a->X = Mptr(a->A, 0, a->nq, a->ld);
	matrix = a->A;
	matrix_end = a->A + size_B / sizeof(double);
}

int main(int argc, char **argv)
{
	HPL_T_palg algorithm = {.btopo = HPL_2RING,
				.depth = DEPTH,
				.nbdiv = NDIV,
				.nbmin = NBMIN,
				.pfact = HPL_CROUT,
				.rfact = HPL_RIGHT_LOOKING,
				.pffun = HPL_pdpancrT,
				.rffun = HPL_pdrpanrlT,
				.upfun = HPL_pdupdateTT,
				.fswap = HPL_SWAP00,
				.equil = 1,
				.align = ALIGN};
	HPL_T_grid grid;
	HPL_T_pmat a;
	double seconds;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc != 6) {
		fprintf(stderr, "%s: found %d arguments, wanted N NB P Q SEED\n", argv[0], argc - 1);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	state = strtoull(argv[5], NULL, 10) << 32 | (uint64_t)rank;
	HPL_grid_init(MPI_COMM_WORLD, HPL_ROW_MAJOR, atoi(argv[3]), atoi(argv[4]), &grid);
	make_matrix(&a, &grid, atoi(argv[1]), atoi(argv[2]));
	HPL_barrier(grid.all_comm);
	seconds = -MPI_Wtime();
	HPL_pdgesv(&grid, &algorithm, &a);
	seconds += MPI_Wtime();
	HPL_all_reduce(&seconds, 1, HPL_DOUBLE, HPL_max, grid.all_comm);
	if (rank == 0)
		printf("%d %.6f\n", a.n, seconds);
	mpisim_free(a.A);
	HPL_grid_exit(&grid);
	MPI_Finalize();
	return 0;
}
