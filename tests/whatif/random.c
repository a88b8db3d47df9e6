/* SPDX-License-Identifier: BSD-3-Clause */
/* random SEED: messages between pairs, computation that uses some of them, collectives; the same on all ranks. */
#include <mpi.h>
#include <mpisim.h>
#include <stdlib.h>

enum { STEPS = 100, PAGE_B = 4096, PAGES = 16, ROW_B = 512, MOST_B = 700 };

static _Alignas(4096) char memory[PAGES * PAGE_B];
static MPI_Datatype column;
static int rank, size;
static unsigned state;

static int below(int n)
{
	state = state * 1664525u + 1013904223u;
	return (int)((state >> 8) % (unsigned)n);
}

static char *somewhere(void)
{
	return memory + below(PAGES - 2) * PAGE_B + below(PAGE_B / ROW_B) * ROW_B;
}

static void exchange(int me, int other, char *out, char *in, int n, MPI_Datatype type, int tag)
{
	if (rank == me && labs(out - in) > 2 * PAGE_B)
		MPI_Sendrecv(out, n, type, other, tag, in, n, type, other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(int i)
{
	int what = below(10), a = below(size), b = (a + 1 + below(size - 1)) % size, kind = below(6), n = 1 + below(MOST_B);
	double fraction = below(5) / 4.0, us = below(80);
	char *x = somewhere(), *y = somewhere();
	MPI_Datatype type = kind == 0 ? column : MPI_CHAR;
	MPI_Status status;

	n = kind == 0 ? 1 : n;
	if (what < 5 && rank == a)
		MPI_Send(x, n, type, b, i, MPI_COMM_WORLD);
	if (what < 5 && rank == b)
		MPI_Recv(y, n, type, kind == 1 ? MPI_ANY_SOURCE : a, i, MPI_COMM_WORLD, kind < 3 ? &status : MPI_STATUS_IGNORE);
	if (what == 5 || what == 6) {
		exchange(a, b, x, y, n, type, i);
		exchange(b, a, x, y, n, type, i);
	}
	if (what == 7 || what == 8) {
		if (rank == a || kind == 0) {
			mpisim_touch(x, n, type, kind == 1 ? MPISIM_READ : MPISIM_WRITE, fraction);
			mpisim_touch(y, 1, column, MPISIM_READ, 1 - fraction);
		}
		mpisim_add_compute_time(rank == a || kind == 0 ? us * 1e-6 : 0);
	}
	if (what == 9 && kind == 0)
		MPI_Bcast(x, n, type, a, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Type_vector(8, 16, ROW_B, MPI_CHAR, &column);
	MPI_Type_commit(&column);
	state = (unsigned)atoi(argv[1]);
	for (int i = 0; i < STEPS; i++)
		step(i);
	MPI_Type_free(&column);
	MPI_Finalize();
	return 0;
}
