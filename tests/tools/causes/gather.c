/* SPDX-License-Identifier: BSD-3-Clause */
/* The last rank works alone on what it gathers; removed: each rank on its part. */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>
#include <stdlib.h>
static int rank, n, bad;
static void assemble(int part) { mpisim_add_compute_time(1e-3 + 1e-4 * part); }
static void postprocess(double *all)
{
	/* the last rank alone works on all of it, or each on its own part */
	MPI_Gather(all, 100, MPI_DOUBLE, all + 100, 100, MPI_DOUBLE, n - 1, MPI_COMM_WORLD);
	if (bad) {
		if (rank == n - 1)
			mpisim_add_compute_time(8e-3);
	} else
		mpisim_add_compute_time(8e-3 / n);
	MPI_Bcast(all, 100, MPI_DOUBLE, n - 1, MPI_COMM_WORLD);
}
int main(int c, char **v)
{
	double *all;
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	bad = !strcmp(v[1], "planted");
	all = calloc(100 * n + 100, sizeof *all);
	for (int k = 0; k < 12; k++) {
		for (int part = 0; part < 2; part++) {
			assemble(part);
			MPI_Allreduce(MPI_IN_PLACE, all, 10, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
		}
		postprocess(all);
	}
	MPI_Finalize();
}
