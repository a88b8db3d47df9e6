/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid.h"

#include <mpisim.h>
#include <stdint.h>
#include <stdlib.h>

#define OMEGA 1.4
#define PAGE_B 4096 /* u begins with a page: what shares one with what is the same in each run */

/* Points 0 … n-1 in p parts of almost equal size: the first of part k. */
static int part_first(int n, int p, int k)
{
	return (int)((long long)n * k / p);
}

/*
 * The type of the points of one colour in a row (or column) of u: `count` points from (row, column) on, u's indices, `step` doubles apart. Every other
 * point has the colour.
 */
static void create_line_type(const struct grid *grid, int row, int column, int count, int step, int colour,
			     MPI_Datatype *type)
{
	int width = grid->columns + 2;
	int i = grid->first_row + row - 1, j = grid->first_column + column - 1;
	int skip = ((i + j) & 1) != colour; /* also right for i or j = -1, the boundary */
	int blocks = (count - skip + 1) / 2;
	MPI_Aint offset = ((MPI_Aint)row * width + column + (MPI_Aint)skip * step) * (MPI_Aint)sizeof(double);
	MPI_Datatype line;

	MPI_Type_vector(blocks, 1, 2 * step, MPI_DOUBLE, &line);
	MPI_Type_create_hindexed(1, (const int[]){1}, &offset, line, type);
	MPI_Type_commit(type);
	MPI_Type_free(&line);
}

static void create_types(struct grid *grid)
{
	int m = grid->rows, k = grid->columns, width = k + 2;

	MPI_Type_vector(m > 2 ? m - 2 : 0, k > 2 ? k - 2 : 0, width, MPI_DOUBLE, &grid->interior);
	MPI_Type_commit(&grid->interior);
	for (int c = 0; c < GRID_N_COLOURS; c++) {
		create_line_type(grid, 1, 1, k, 1, c, &grid->edge[GRID_UP][c]);
		create_line_type(grid, 0, 1, k, 1, c, &grid->halo[GRID_UP][c]);
		create_line_type(grid, m, 1, k, 1, c, &grid->edge[GRID_DOWN][c]);
		create_line_type(grid, m + 1, 1, k, 1, c, &grid->halo[GRID_DOWN][c]);
		create_line_type(grid, 1, 1, m, width, c, &grid->edge[GRID_LEFT][c]);
		create_line_type(grid, 1, 0, m, width, c, &grid->halo[GRID_LEFT][c]);
		create_line_type(grid, 1, k, m, width, c, &grid->edge[GRID_RIGHT][c]);
		create_line_type(grid, 1, k + 1, m, width, c, &grid->halo[GRID_RIGHT][c]);
	}
}

/* Opens one of the kernels with the block's size; 1: it is to be executed. */
static int kernel_begin(struct grid *grid, const char *name)
{
	int execute = mpisim_kernel_begin(name, 2, (const double[]){grid->rows, grid->columns});

	if (!execute)
		grid->skipped = 1;
	return execute;
}

/* Interior 0; boundary -1 on x = 0, x = 1 and y = 0, +1 on y = 1. The corners are never read. */
static void set_values(struct grid *grid)
{
	int m = grid->rows, k = grid->columns, width = k + 2;

	if (kernel_begin(grid, "sor_init")) {
		for (int a = 0; a < (m + 2) * width; a++)
			grid->u[a] = 0;
		for (int j = 1; j <= k; j++) {
			if (grid->first_row == 0)
				grid->u[j] = -1;
			if (grid->first_row + m == grid->n)
				grid->u[(m + 1) * width + j] = 1;
		}
		for (int i = 1; i <= m; i++) {
			if (grid->first_column == 0)
				grid->u[i * width] = -1;
			if (grid->first_column + k == grid->n)
				grid->u[i * width + k + 1] = -1;
		}
	}
	mpisim_kernel_end();
}

int grid_init(struct grid *grid, int n, const int dims[2])
{
	const int periodic[2] = {0, 0};
	int n_ranks, failed, any_failed;

	*grid = (struct grid){.n = n, .dims = {dims[0], dims[1]}};
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	MPI_Dims_create(n_ranks, 2, grid->dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, grid->dims, periodic, 0, &grid->comm);
	MPI_Comm_rank(grid->comm, &grid->rank);
	MPI_Cart_coords(grid->comm, grid->rank, 2, grid->coords);
	for (int d = 0; d < 2; d++)
		MPI_Cart_shift(grid->comm, d, 1, &grid->neighbour[2 * d], &grid->neighbour[2 * d + 1]);
	grid->first_row = part_first(n, grid->dims[0], grid->coords[0]);
	grid->rows = part_first(n, grid->dims[0], grid->coords[0] + 1) - grid->first_row;
	grid->first_column = part_first(n, grid->dims[1], grid->coords[1]);
	grid->columns = part_first(n, grid->dims[1], grid->coords[1] + 1) - grid->first_column;
	create_types(grid);
	grid->memory = mpisim_alloc((size_t)(grid->rows + 2) * (size_t)(grid->columns + 2) * sizeof(double) + PAGE_B);
	grid->u = (double *)(((uintptr_t)grid->memory + PAGE_B - 1) / PAGE_B * PAGE_B);
	failed = !grid->memory;
	MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, grid->comm);
	if (any_failed)
		return -1;
	set_values(grid);
	return 0;
}

void grid_finish(struct grid *grid)
{
	for (int s = 0; s < GRID_N_SIDES; s++) {
		for (int c = 0; c < GRID_N_COLOURS; c++) {
			MPI_Type_free(&grid->edge[s][c]);
			MPI_Type_free(&grid->halo[s][c]);
		}
	}
	MPI_Type_free(&grid->interior);
	mpisim_free(grid->memory);
	MPI_Comm_free(&grid->comm);
}

/*
 * Updates the points of one colour in rows first_i … last_i and columns first_j … last_j of u. One function for whole blocks, borders and interiors, and a
 * fixed order of additions: the result has the same bits however the grid is cut.
 */
static void update(struct grid *grid, int colour, int first_i, int last_i, int first_j, int last_j)
{
	int width = grid->columns + 2;

	for (int i = first_i; i <= last_i; i++) {
		int parity = (grid->first_row + i - 1 + grid->first_column + first_j - 1) & 1;
		double *row = grid->u + (size_t)i * (size_t)width;

		for (int j = first_j + (parity != colour); j <= last_j; j += 2)
			row[j] = (1 - OMEGA) * row[j] +
				 OMEGA / 4 * (row[j - width] + row[j + width] + row[j - 1] + row[j + 1]);
	}
}

static void update_border(struct grid *grid, int colour)
{
	int m = grid->rows, k = grid->columns;

	update(grid, colour, 1, 1, 1, k);
	if (m > 1)
		update(grid, colour, m, m, 1, k);
	update(grid, colour, 2, m - 1, 1, 1);
	if (k > 1)
		update(grid, colour, 2, m - 1, k, k);
}

/* What a half sweep accesses, and when: the sides after all other points. */
static void tell_accesses(const struct grid *grid, int colour)
{
	int m = grid->rows, k = grid->columns, width = k + 2;
	double border = m > 2 && k > 2 ? (m - 2.0) * (k - 2.0) / ((double)m * k) : 0;

	mpisim_touch(grid->u + 2 * width + 2, 1, grid->interior, MPISIM_READ | MPISIM_WRITE, 0);
	for (int side = 0; side < GRID_N_SIDES; side++) {
		mpisim_touch(grid->u, 1, grid->edge[side][!colour], MPISIM_READ, 0);
		mpisim_touch(grid->u, 1, grid->halo[side][!colour], MPISIM_READ, border);
		mpisim_touch(grid->u, 1, grid->edge[side][colour], MPISIM_READ | MPISIM_WRITE, border);
	}
}

void grid_sweep(struct grid *grid, int colour)
{
	int execute = kernel_begin(grid, "sor_sweep");

	tell_accesses(grid, colour);
	if (execute) {
		update(grid, colour, 2, grid->rows - 1, 2, grid->columns - 1);
		update_border(grid, colour);
	}
	mpisim_kernel_end();
}

void grid_sweep_border(struct grid *grid, int colour)
{
	if (kernel_begin(grid, "sor_border"))
		update_border(grid, colour);
	mpisim_kernel_end();
}

void grid_sweep_interior(struct grid *grid, int colour)
{
	if (kernel_begin(grid, "sor_interior"))
		update(grid, colour, 2, grid->rows - 1, 2, grid->columns - 1);
	mpisim_kernel_end();
}

/* The block of a rank: its place in the whole grid (in_whole) or within its own u. */
static void create_block_type(const struct grid *grid, int rank, int in_whole, MPI_Datatype *type)
{
	int coords[2], first[2], count[2], size[2];

	MPI_Cart_coords(grid->comm, rank, 2, coords);
	for (int d = 0; d < 2; d++) {
		first[d] = part_first(grid->n, grid->dims[d], coords[d]);
		count[d] = part_first(grid->n, grid->dims[d], coords[d] + 1) - first[d];
		size[d] = in_whole ? grid->n : count[d] + 2;
		if (!in_whole)
			first[d] = 1;
	}
	MPI_Type_create_subarray(2, size, count, first, MPI_ORDER_C, MPI_DOUBLE, type);
	MPI_Type_commit(type);
}

double *grid_gather(struct grid *grid, int *meaningless)
{
	MPI_Request mine;
	MPI_Datatype type;
	double *whole = NULL;
	int n_ranks;

	MPI_Comm_size(grid->comm, &n_ranks);
	MPI_Allreduce(&grid->skipped, meaningless, 1, MPI_INT, MPI_MAX, grid->comm);
	if (*meaningless)
		return NULL;
	create_block_type(grid, grid->rank, 0, &type);
	MPI_Isend(grid->u, 1, type, 0, 0, grid->comm, &mine);
	MPI_Type_free(&type);
	if (grid->rank == 0) {
		whole = malloc((size_t)grid->n * (size_t)grid->n * sizeof(double));
		if (!whole)
			MPI_Abort(grid->comm, 1);
		for (int r = 0; r < n_ranks; r++) {
			create_block_type(grid, r, 1, &type);
			MPI_Recv(whole, 1, type, r, 0, grid->comm, MPI_STATUS_IGNORE);
			MPI_Type_free(&type);
		}
	}
	MPI_Wait(&mine, MPI_STATUS_IGNORE);
	return whole;
}
