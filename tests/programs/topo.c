/* SPDX-License-Identifier: BSD-3-Clause */
/* Cartesian topologies: dims, coordinates, shifts, sub-grids; messages along them. */
#include "check.h"

static void dims_are_balanced(void)
{
	static const struct {
		int n, n_dims, given[3], want[3];
	} cases[] = {
		{16, 2, {0, 0}, {4, 4}},       {8, 3, {0, 0, 0}, {2, 2, 2}},  {6, 2, {0, 0}, {3, 2}},
		{7, 2, {0, 0}, {7, 1}},        {12, 2, {0, 3}, {4, 3}},       {24, 3, {0, 0, 0}, {4, 3, 2}},
		{1, 2, {0, 0}, {1, 1}},        {30, 3, {0, 5, 0}, {3, 5, 2}}, {9, 1, {0}, {9}},
		{4, 3, {0, 0, 0}, {2, 2, 1}},
	};

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		int dims[3];

		memcpy(dims, cases[k].given, sizeof(dims));
		MPI_Dims_create(cases[k].n, cases[k].n_dims, dims);
		for (int d = 0; d < cases[k].n_dims; d++)
			CHECK_INT(dims[d], cases[k].want[d]);
	}
}

static void grid_of(int n_dims, const int periodic[], MPI_Comm *grid, int dims[])
{
	memset(dims, 0, (size_t)n_dims * sizeof(int));
	MPI_Dims_create(n_ranks, n_dims, dims);
	MPI_Cart_create(MPI_COMM_WORLD, n_dims, dims, periodic, 0, grid);
}

static void coordinates_are_row_major(void)
{
	const int periodic[3] = {0, 1, 0};
	int dims[3], got_dims[3], got_periods[3], coords[3], other[3], rank, status, n_dims = 0;
	MPI_Comm grid;

	grid_of(3, periodic, &grid, dims);
	MPI_Topo_test(grid, &status);
	CHECK_INT(status, MPI_CART);
	MPI_Topo_test(MPI_COMM_WORLD, &status);
	CHECK_INT(status, MPI_UNDEFINED);
	MPI_Cartdim_get(grid, &n_dims);
	CHECK_INT(n_dims, 3);
	MPI_Cart_get(grid, 3, got_dims, got_periods, coords);
	for (int d = 0; d < 3; d++) {
		CHECK_INT(got_dims[d], dims[d]);
		CHECK_INT(got_periods[d], periodic[d]);
	}
	CHECK_INT((coords[0] * dims[1] + coords[1]) * dims[2] + coords[2], me);
	for (int r = 0; r < n_ranks; r++) {
		MPI_Cart_coords(grid, r, 3, other);
		MPI_Cart_rank(grid, other, &rank);
		CHECK_INT(rank, r);
	}
	coords[1] += 3 * dims[1]; /* the periodic dimension wraps */
	MPI_Cart_rank(grid, coords, &rank);
	CHECK_INT(rank, me);
	coords[1] -= 5 * dims[1];
	MPI_Cart_rank(grid, coords, &rank);
	CHECK_INT(rank, me);
	MPI_Comm_free(&grid);
}

static void shifts_end_or_wrap(void)
{
	for (int wrap = 0; wrap < 2; wrap++) {
		int dims[1] = {n_ranks}, periodic[1] = {wrap}, source, dest, rank;
		MPI_Comm line;

		MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 1, &line);
		MPI_Comm_rank(line, &rank);
		for (int step = -n_ranks - 1; step <= n_ranks + 1; step++) {
			int to = rank + step, from = rank - step;

			MPI_Cart_shift(line, 0, step, &source, &dest);
			if (wrap) {
				to = (to % n_ranks + n_ranks) % n_ranks;
				from = (from % n_ranks + n_ranks) % n_ranks;
			}
			CHECK_INT(dest, to < 0 || to >= n_ranks ? MPI_PROC_NULL : to);
			CHECK_INT(source, from < 0 || from >= n_ranks ? MPI_PROC_NULL : from);
		}
		MPI_Comm_free(&line);
	}
}

#ifndef MPICH_VERSION /* 4.0 gives a grid without dimensions to rank 0 alone */
static void cut_to_points(MPI_Comm grid)
{
	MPI_Comm point;
	int size = 0, n_dims = -1;

	MPI_Cart_sub(grid, (const int[]){0, 0}, &point);
	MPI_Comm_size(point, &size);
	CHECK_INT(size, 1);
	MPI_Cartdim_get(point, &n_dims);
	CHECK_INT(n_dims, 0);
	MPI_Comm_free(&point);
}
#endif

static void sums_along_rows_and_columns(void)
{
	const int periodic[2] = {1, 0};
	int dims[2], coords[2], sum = 0, want = 0, rank, keep_row[2] = {0, 1}, keep_column[2] = {1, 0}, kind;
	MPI_Comm grid, row, column;

	grid_of(2, periodic, &grid, dims);
	MPI_Cart_coords(grid, me, 2, coords);
	MPI_Cart_sub(grid, keep_row, &row);
	MPI_Cart_sub(grid, keep_column, &column);
	MPI_Comm_rank(row, &rank);
	CHECK_INT(rank, coords[1]);
	MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, row);
	for (int c = 0; c < dims[1]; c++)
		want += coords[0] * dims[1] + c;
	CHECK_INT(sum, want);
	MPI_Comm_rank(column, &rank);
	CHECK_INT(rank, coords[0]);
	MPI_Topo_test(column, &kind);
	CHECK_INT(kind, MPI_CART);
	MPI_Cart_get(column, 1, &want, &kind, &rank);
	CHECK_INT(want, dims[0]);
	CHECK_INT(kind, 1);
	CHECK_INT(rank, coords[0]);
#ifndef MPICH_VERSION
	cut_to_points(grid);
#endif
	MPI_Comm_free(&row);
	MPI_Comm_free(&column);
	MPI_Comm_free(&grid);
}

static void halo_travels_in_all_directions(void)
{
	const int periodic[2] = {0, 1};
	int dims[2], halo[4] = {-1, -1, -1, -1}, n = 0, neighbour[4];
	MPI_Comm grid;
	MPI_Request req[8];

	grid_of(2, periodic, &grid, dims);
	for (int d = 0; d < 2; d++)
		MPI_Cart_shift(grid, d, 1, &neighbour[2 * d], &neighbour[2 * d + 1]);
	for (int k = 0; k < 4; k++) /* what comes from side k was sent towards the opposite side */
		MPI_Irecv(&halo[k], 1, MPI_INT, neighbour[k], k ^ 1, grid, &req[n++]);
	for (int k = 0; k < 4; k++)
		MPI_Isend(&me, 1, MPI_INT, neighbour[k], k, grid, &req[n++]);
	MPI_Waitall(n, req, MPI_STATUSES_IGNORE);
	for (int k = 0; k < 4; k++)
		CHECK_INT(halo[k], neighbour[k] == MPI_PROC_NULL ? -1 : neighbour[k]);
	MPI_Comm_free(&grid);
}

static void ranks_left_over_get_no_grid(void)
{
	const int dims[1] = {n_ranks > 1 ? n_ranks - 1 : 1}, periodic[1] = {0};
	MPI_Comm grid, copy;
	int kind;

	MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &grid);
	CHECK((grid == MPI_COMM_NULL) == (me >= dims[0]));
	if (grid == MPI_COMM_NULL)
		return;
	MPI_Comm_dup(grid, &copy); /* the topology comes along */
	MPI_Topo_test(copy, &kind);
	CHECK_INT(kind, MPI_CART);
	MPI_Comm_free(&copy);
	MPI_Comm_free(&grid);
}

static void a_grid_of_no_dimensions_is_one_rank(void)
{
	MPI_Comm grid;
	int n_dims = -1, size;

	MPI_Cart_create(MPI_COMM_WORLD, 0, NULL, NULL, 0, &grid);
	CHECK((grid == MPI_COMM_NULL) == (me > 0));
	if (grid == MPI_COMM_NULL)
		return;
	MPI_Cartdim_get(grid, &n_dims);
	CHECK_INT(n_dims, 0);
	MPI_Comm_size(grid, &size);
	CHECK_INT(size, 1);
	MPI_Comm_free(&grid);
}

int main(int argc, char **argv)
{
	check_init(&argc, &argv);
	dims_are_balanced();
	section_end("dims");
	coordinates_are_row_major();
	section_end("coordinates");
	shifts_end_or_wrap();
	section_end("shift");
	sums_along_rows_and_columns();
	section_end("sub-grids");
	halo_travels_in_all_directions();
	section_end("halo");
	ranks_left_over_get_no_grid();
	a_grid_of_no_dimensions_is_one_rank();
	section_end("small grids");
	return check_finish();
}
