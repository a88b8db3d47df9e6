/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffers that belong to MPI in parts, for long, or are large. The argument says which (parts.py). Three ranks. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_PARTS = 4, N = 100, N_LARGE = 200000, ATTACHED_B = 10000 };

static int rank, parts[N_PARTS * N];
static const char *wanted;
static volatile double sink;

static int is(const char *name)
{
	return strcmp(wanted, name) == 0;
}

/* --- partitions --- */

static void send_parts(void)
{
	MPI_Request q;

	MPI_Psend_init(parts, N_PARTS, N, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	for (int step = 0; step < 2; step++) {
		MPI_Start(&q);
		for (int i = 0; i < N_PARTS; i++) {
			for (int k = 0; k < N; k++)
				parts[i * N + k] = i + step;
			MPI_Pready(i, q);
			if (is("part-sent-written") && step == 1 && i == 2)
				parts[N + 3] = 77; /* part-sent-written */
		}
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		parts[5] = 1;
	}
	MPI_Request_free(&q);
}

static void receive_parts(void)
{
	MPI_Request q;
	int is_there = 0;

	MPI_Precv_init(parts, N_PARTS, N, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &q);
	for (int step = 0; step < 2; step++) {
		MPI_Start(&q);
		if (is("part-read-early"))
			sink = parts[3 * N]; /* part-read-early */
		for (is_there = 0; !is_there;)
			MPI_Parrived(q, 1, &is_there);
		sink = parts[N];
		parts[N + 1] = 4;
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		sink = parts[3 * N];
	}
	MPI_Request_free(&q);
}

/* --- the buffer of buffered sends --- */

static void attach(void)
{
	char *buffer = malloc(ATTACHED_B), *detached;
	int n = 0, data = 1, size_B = is("attached-short") ? ATTACHED_B + 1 : ATTACHED_B;

	MPI_Buffer_attach(buffer, size_B); /* attached-short */
	if (rank == 0)
		MPI_Bsend(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
	if (rank == 0 && is("attached-written"))
		buffer[8] = 1; /* attached-written */
	if (rank == 0 && is("attached-cleared"))
		memset(buffer, 0, 100); /* attached-cleared */
	if (rank == 0 && is("attached-freed"))
		free(buffer); /* attached-freed */
	if (rank == 1)
		MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (is("attached-freed"))
		return;
	MPI_Buffer_detach(&detached, &n);
	detached[0] = 2;
	memset(detached, 0, 100);
	free(detached);
}

/* --- large ones: snapshots have the line, too --- */

static void send_large(double *a)
{
	MPI_Request q[3];

	MPI_Isend(a, N_LARGE, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &q[0]);
	MPI_Isend(a, N_LARGE, MPI_DOUBLE, 2, 0, MPI_COMM_WORLD, &q[1]);
	MPI_Isend(a + N_LARGE / 2, N_LARGE / 2, MPI_DOUBLE, 2, 1, MPI_COMM_WORLD, &q[2]);
	if (is("large-edge"))
		a[N_LARGE - 1] = 3;
	MPI_Waitall(2, q, MPI_STATUSES_IGNORE); /* large-edge */
	if (is("large-half-written"))
		a[150000] = 3; /* large-half-written */
	if (is("large-other-half"))
		a[50000] = 3;
	MPI_Wait(&q[2], MPI_STATUS_IGNORE);
	a[150000] = 3;
	if (is("large-late") || is("large-late-edge"))
		MPI_Barrier(MPI_COMM_WORLD);
}

static void receive_large(double *a)
{
	MPI_Request q[2];

	MPI_Irecv(a, N_LARGE, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q[0]);
	if (rank == 1 && is("large-received-written"))
		a[77777] = 4; /* large-received-written */
	if (rank == 1 && is("large-received-edge"))
		a[0] = 4;
	if (rank == 1 && (is("large-late") || is("large-late-edge"))) { /* it is there */
		MPI_Barrier(MPI_COMM_WORLD);
		a[is("large-late") ? 77777 : N_LARGE - 1] = 77777; /* large-late */
	}
	MPI_Wait(&q[0], MPI_STATUS_IGNORE); /* large-received-edge */ /* large-late-edge */
	if (rank == 2)
		MPI_Recv(a, N_LARGE / 2, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (rank == 2 && (is("large-late") || is("large-late-edge")))
		MPI_Barrier(MPI_COMM_WORLD);
	a[4] += 1;
	for (int i = 5; i < N_LARGE; i++)
		if (a[i] != (rank == 2 && i < N_LARGE / 2 ? i + N_LARGE / 2 : i) &&
		    i != N_LARGE - 1)
			printf("element %d is %g\n", i, a[i]);
}

static void large(void)
{
	double *a = malloc(N_LARGE * sizeof *a);

	for (int i = 0; i < N_LARGE; i++)
		a[i] = rank == 0 ? i : -1;
	if (rank == 0)
		send_large(a);
	else
		receive_large(a);
	free(a);
}

/* Right: much less comes than there is room for, before the receive is posted and after. */
static void receive_short(void)
{
	double *a = calloc(N_LARGE, sizeof *a), one = 1;
	MPI_Request q;

	for (int i = 0; i < 2; i++) {
		if (rank == 0) {
			MPI_Send(&one, i, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
			MPI_Barrier(MPI_COMM_WORLD);
			MPI_Barrier(MPI_COMM_WORLD);
			MPI_Send(&one, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
			continue;
		}
		MPI_Barrier(MPI_COMM_WORLD);
		for (int k = 0; rank == 1 && k < 2; k++) {
			MPI_Irecv(a, N_LARGE, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
			if (k == 1)
				MPI_Barrier(MPI_COMM_WORLD);
			MPI_Wait(&q, MPI_STATUS_IGNORE);
			if (a[0] != (i + k > 0))
				printf("the first element is %g\n", a[0]);
		}
		if (rank == 2)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	free(a);
}

/* What comes for memory that is freed is thrown away. */
static void free_early(void)
{
	double *a = calloc(N_LARGE, sizeof *a);
	MPI_Request q;

	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Send(a, N_LARGE, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
		free(a);
	} else if (rank == 1) {
		MPI_Irecv(a, N_LARGE, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, &q);
		free(a);			 /* large-freed */
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
}

/* --- variables of each rank: where they lie others' are while those run --- */

static void receive_into_variables(void)
{
	static double global[N], sent[N];
	static __thread double local[N];
	int n, to, from;
	MPI_Request q[2];

	MPI_Comm_size(MPI_COMM_WORLD, &n);
	to = (rank + 1) % n;
	from = (rank + n - 1) % n;
	for (int i = 0; i < N; i++) {
		sent[i] = rank + i;
		global[i] = local[i] = rank + 0.5;
	}
	for (int step = 0; step < 2; step++) {
		MPI_Irecv(global, N, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Irecv(local, N, MPI_DOUBLE, from, 1, MPI_COMM_WORLD, &q[1]);
		if (step == 1)
			MPI_Barrier(MPI_COMM_WORLD);
		MPI_Send(sent, N, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
		MPI_Send(sent, N, MPI_DOUBLE, to, 1, MPI_COMM_WORLD);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
		for (int i = 0; i < N; i++)
			if (global[i] != from + i || local[i] != from + i)
				printf("element %d is %g, %g\n", i, global[i], local[i]);
		global[0] = local[0] = -1;
	}
}

/* --- strict reads --- */

static void read_sent(void)
{
	MPI_Request q;
	int data = 3;

	if (rank == 0) {
		MPI_Isend(&data, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
		sink = data; /* sent-read */
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	} else if (rank == 1) {
		MPI_Recv(&data, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	wanted = argv[1];
	if (strncmp(wanted, "part", 4) == 0 && rank == 0)
		send_parts();
	else if (strncmp(wanted, "part", 4) == 0 && rank == 1)
		receive_parts();
	else if (strncmp(wanted, "attached", 8) == 0)
		attach();
	else if (is("large-short"))
		receive_short();
	else if (is("large-freed"))
		free_early();
	else if (strncmp(wanted, "large", 5) == 0)
		large();
	else if (is("variables"))
		receive_into_variables();
	else if (is("sent-read"))
		read_sent();
	MPI_Finalize();
	return 0;
}
