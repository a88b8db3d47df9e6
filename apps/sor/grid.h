/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_SOR_GRID_H
#define APPS_SOR_GRID_H

#include <mpi.h>

/*
 * One rank's block of the n x n interior points of the unit square, with a halo one point wide. Row i, column j, 0 <= i, j < n, lies
 * at y = (i + 1) / (n + 1), x = (j + 1) / (n + 1); its colour is (i + j) mod 2, 0 = red.
 */
enum { GRID_RED, GRID_BLACK, GRID_N_COLOURS };
/* The four sides, in pairs: GRID_UP towards smaller i, GRID_DOWN larger i, GRID_LEFT smaller j, GRID_RIGHT larger j. */
enum { GRID_UP, GRID_DOWN, GRID_LEFT, GRID_RIGHT, GRID_N_SIDES };

struct grid {
	int n;
	MPI_Comm comm;                   /* Cartesian, dims[0] along y, dims[1] along x */
	int rank, dims[2], coords[2];
	int neighbour[GRID_N_SIDES];     /* ranks or MPI_PROC_NULL */
	int rows, columns;               /* of this block */
	int first_row, first_column;     /* i and j of its first point */
	void *memory;                    /* that u lies in */
	double *u;                       /* [rows + 2][columns + 2], halo included; touched by kernels and MPI only */
	int skipped;                     /* a kernel was not executed: u has no meaning */
	/* the points of one colour next to a side: mine to send, the halo's to receive; offsets into u */
	MPI_Datatype interior;           /* all points but those next to a side; from u[2][2] on */
	MPI_Datatype edge[GRID_N_SIDES][GRID_N_COLOURS], halo[GRID_N_SIDES][GRID_N_COLOURS];
};

/*
 * Distributes the grid over all ranks of MPI_COMM_WORLD as dims (0: chosen by MPI_Dims_create; n >= either) and sets boundary and
 * interior values. Collective. Returns 0, -1 when out of memory.
 */
int grid_init(struct grid *grid, int n, const int dims[2]);
void grid_finish(struct grid *grid);

/* One half sweep: updates every point of the colour, those next to a side last. Annotated kernel sor_sweep(rows, columns), which tells what it accesses. */
void grid_sweep(struct grid *grid, int colour);
/* The same in two parts: points next to a side (sor_border), all others (sor_interior). */
void grid_sweep_border(struct grid *grid, int colour);
void grid_sweep_interior(struct grid *grid, int colour);

/*
 * Collects all points on rank 0: [n * n], row by row; the caller frees. NULL on the other ranks, and everywhere when kernels were
 * skipped on any rank (*meaningless = 1). Collective.
 */
double *grid_gather(struct grid *grid, int *meaningless);

#endif
