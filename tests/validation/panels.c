/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What HPL does, in small: on 2 × 2 ranks, row-major, panels go along the rows while the others compute and probe. A panel has no
 * memory but for the pivots at its end, which its owner draws; who has got it checks them. Prints, for each rank, the time of one
 * dgemm of 100 × 50 × 20, and of all panels.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>

enum { N_PANELS = 20, N_PIVOTS = 8, SLICES = 5 };
#define PANEL ((size_t)1 << 20)

static double dgemm(double m, double n, double k)
{
	double begin = MPI_Wtime();

	mpisim_kernel_begin("dgemm", 3, (double[]){m, n, k});
	mpisim_kernel_end();
	return MPI_Wtime() - begin;
}

static int is_there(int owner, int panel, MPI_Comm row)
{
	int flag;

	MPI_Iprobe(owner, panel, row, &flag, MPI_STATUS_IGNORE);
	return flag;
}

/* One panel, whose owner factorizes it: the pivots that were wrong. */
static int one_panel(int number, int column, MPI_Comm row)
{
	double *panel = mpisim_alloc_part(PANEL, PANEL - N_PIVOTS * sizeof *panel, N_PIVOTS * sizeof *panel);
	double *pivots = panel + PANEL / sizeof *panel - N_PIVOTS;
	int owner = number % 2, wrong = 0;

	if (column == owner) {
		dgemm(400, 8, 8);
		for (int i = 0; i < N_PIVOTS; i++)
			pivots[i] = 100 * number + i;
		MPI_Send(panel, PANEL / sizeof *panel, MPI_DOUBLE, 1 - column, number, row);
	} else {
		for (int i = 0; i < SLICES && !is_there(owner, number, row); i++)
			dgemm(400, 8, 100);
		while (!is_there(owner, number, row))
			;
		MPI_Recv(panel, PANEL / sizeof *panel, MPI_DOUBLE, owner, number, row, MPI_STATUS_IGNORE);
		for (int i = 0; i < N_PIVOTS; i++)
			wrong += pivots[i] != 100 * number + i;
	}
	mpisim_free(panel);
	return wrong;
}

int main(int argc, char **argv)
{
	double one_s, all_s, ones_s[4];
	int rank, column, wrong = 0;
	MPI_Comm row;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &row);
	MPI_Comm_rank(row, &column);
	one_s = dgemm(100, 50, 20);
	MPI_Gather(&one_s, 1, MPI_DOUBLE, ones_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	all_s = -MPI_Wtime();
	for (int i = 0; i < N_PANELS; i++)
		wrong += one_panel(i, column, row);
	all_s += MPI_Wtime();
	if (rank == 0)
		printf("%.15g %.15g %.15g %.15g %.15g\n", ones_s[0], ones_s[1], ones_s[2], ones_s[3], all_s);
	MPI_Comm_free(&row);
	MPI_Finalize();
	return wrong > 0;
}
