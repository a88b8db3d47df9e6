/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs take turns; rank 2 sends late in every second step. */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>
static int rank, n, bad;
static double buf[4000];
static void diagnose(void) { mpisim_add_compute_time(2.5e-3); }
static void step(int k)
{
	mpisim_add_compute_time(8e-4);
	if (bad && rank == 2 && k % 2 == 0)
		diagnose();
	for (int half = 0; half < 2; half++) {
		int up = (rank + 1) % n, down = (rank + n - 1) % n;
		if (rank % 2 == half) {
			MPI_Send(buf, 1000, MPI_DOUBLE, up, half, MPI_COMM_WORLD);
			MPI_Recv(buf + 1000, 1000, MPI_DOUBLE, up, half, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		} else {
			MPI_Recv(buf + 2000, 1000, MPI_DOUBLE, down, half, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			mpisim_add_compute_time(1e-4);
			MPI_Send(buf + 3000, 1000, MPI_DOUBLE, down, half, MPI_COMM_WORLD);
		}
	}
}
int main(int c, char **v)
{
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	bad = !strcmp(v[1], "planted");
	for (int k = 0; k < 50; k++)
		step(k);
	MPI_Finalize();
}
