/* SPDX-License-Identifier: BSD-3-Clause */
/* A table at rank 3 that all add to, under exclusive locks; removed: shared ones. */
#include <mpi.h>
#include <mpisim.h>
#include <cstring>
class Table {
	MPI_Win win; double *base;
public:
	Table() { MPI_Win_allocate(1000 * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win); }
	~Table() { MPI_Win_free(&win); }
	void add(int owner, bool bad, int k) {
		double x = 1;
		MPI_Win_lock(bad ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, owner, 0, win);
		MPI_Accumulate(&x, 1, MPI_DOUBLE, owner, k % 1000, 1, MPI_DOUBLE, MPI_SUM, win);
		mpisim_add_compute_time(2e-4);
		MPI_Win_unlock(owner, win);
	}
};
int main(int c, char **v)
{
	int rank;
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	{
		Table table;
		for (int k = 0; k < 25; k++) {
			mpisim_add_compute_time(3e-4);
			table.add(3, !strcmp(v[1], "planted"), k);
		}
		MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
}
