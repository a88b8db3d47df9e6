/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines are sent number by number; removed: at once. */
#include <mpi.h>
#include <mpisim.h>
#include <string.h>
static double line[400];
static void send_line(int to, int bad)
{
	for (int i = 0; i < (bad ? 400 : 1); i++)
		MPI_Send(line + i, bad ? 1 : 400, MPI_DOUBLE, to, 3, MPI_COMM_WORLD);
}
static void receive_line(int from, int bad)
{
	for (int i = 0; i < (bad ? 400 : 1); i++)
		MPI_Recv(line + i, bad ? 1 : 400, MPI_DOUBLE, from, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
int main(int c, char **v)
{
	int rank, n, bad;
	MPI_Init(&c, &v);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	bad = !strcmp(v[1], "planted");
	for (int k = 0; k < 20; k++) {
		mpisim_add_compute_time(2e-3);
		if (rank % 2 == 0 && rank + 1 < n)
			send_line(rank + 1, bad);
		if (rank % 2 == 1)
			receive_line(rank - 1, bad);
	}
	MPI_Finalize();
}
