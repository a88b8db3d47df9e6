/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows exchange much, columns little: rows belong on one node. */
#include <mpi.h>
#include <mpisim.h>
#include <vector>
static void rows(MPI_Comm row, std::vector<double> &a)
{
	MPI_Alltoall(a.data(), (int)a.size() / 8, MPI_DOUBLE, a.data() + a.size() / 2, (int)a.size() / 8, MPI_DOUBLE, row);
}
static void columns(MPI_Comm column, std::vector<double> &a) { MPI_Allreduce(MPI_IN_PLACE, a.data(), 4, MPI_DOUBLE, MPI_SUM, column); }
int main(int c, char **v)
{
	int rank;
	MPI_Comm row, column;
	std::vector<double> a(16000);
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank / 4, rank, &row);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 4, rank, &column);
	for (int k = 0; k < 30; k++) {
		mpisim_add_compute_time(1e-3);
		rows(row, a);
		mpisim_add_compute_time(5e-4);
		columns(column, a);
	}
	MPI_Finalize();
}
