/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every collective on buffers of 1 GiB per rank that have no memory (--no-alloc): touching one, or
 * scratch for one, would be noticed. Two ranks or more.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>

#define SIZE ((size_t)1 << 30)
#define WORLD MPI_COMM_WORLD

static void run(char *in, char *out, int block, int n)
{
	int counts[64], displs[64], items = block / 8;
	MPI_Request requests[2];

	for (int i = 0; i < n; i++) {
		counts[i] = i * items / n;
		displs[i] = i * items;
	}
	MPI_Bcast(in, block, MPI_BYTE, n - 1, WORLD);
	MPI_Gather(in, block, MPI_BYTE, out, block, MPI_BYTE, 1, WORLD);
	MPI_Gatherv(in, counts[n - 1], MPI_DOUBLE, out, (int[64]){counts[n - 1]}, displs,
		    MPI_DOUBLE, 0, MPI_COMM_SELF);
	MPI_Scatter(in, block, MPI_BYTE, out, block, MPI_BYTE, 1, WORLD);
	MPI_Allgather(in, block, MPI_BYTE, out, block, MPI_BYTE, WORLD);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, out, block, MPI_BYTE, WORLD);
	MPI_Alltoall(in, block, MPI_BYTE, out, block, MPI_BYTE, WORLD);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, out, block, MPI_BYTE, WORLD);
	MPI_Reduce(in, out, items, MPI_DOUBLE, MPI_SUM, 1, WORLD);
	MPI_Allreduce(in, out, items, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Allreduce(MPI_IN_PLACE, out, items, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Reduce_scatter_block(in, out, items, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Scan(in, out, items, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Exscan(in, out, items, MPI_DOUBLE, MPI_SUM, WORLD);
	MPI_Iallreduce(in, out, items, MPI_DOUBLE, MPI_SUM, WORLD, &requests[0]);
	MPI_Ibcast(in + SIZE / 2, block, MPI_BYTE, 0, WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
	char *in, *out;
	int me, n;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(WORLD, &me);
	MPI_Comm_size(WORLD, &n);
	in = mpisim_alloc(SIZE);
	out = mpisim_alloc(SIZE);
	run(in, out, 64, n);	  /* the algorithms for short blocks */
	run(in, out, 1 << 20, n); /* and for long ones */
	mpisim_free(in);
	mpisim_free(out);
	if (me == 0)
		printf("OK\n");
	MPI_Finalize();
	return 0;
}
