/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams and memory of accelerators, for accelerators.py: what the first argument says. */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, n_wrong, is_checked, n_detached;

static int *new_buffer(int is_device, int n)
{
	size_t size_B = (size_t)n * sizeof(int);

	return is_device ? mpisim_device_alloc(size_B) : malloc(size_B);
}

static void free_buffer(int is_device, int *buffer)
{
	if (is_device)
		mpisim_device_free(buffer);
	else
		free(buffer);
}

static void kernel(const char *name, double seconds, int stream)
{
	mpisim_stream_kernel_begin(name, 1, &seconds, stream);
	mpisim_kernel_end();
}

static void expect(const int *got, int n, int first)
{
	for (int i = 0; i < n && is_checked; i++)
		if (got[i] != first + i && n_wrong++ < 5)
			printf("rank %d: item %d of %d is %d, not %d\n", rank, i, n, got[i], first + i);
}

/* Rank 0 sends, in several ways, to rank 1, which has posted its receives before or not. */
static void one_size(int n, int from_device, int to_device)
{
	int *buffer = new_buffer(rank == 0 ? from_device : to_device, n), is_early = 0;
	MPI_Request request;

	for (int i = 0; i < n && rank == 0 && is_checked; i++)
		buffer[i] = n + i;
	for (int way = 0; way < 4; way++, is_early = !is_early) {
		if (rank == 1 && is_checked)
			memset(buffer, 0, (size_t)n * sizeof(int));
		if (rank == 1 && is_early)
			MPI_Irecv(buffer, n, MPI_INT, 0, way, MPI_COMM_WORLD, &request);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank == 0 && way == 0)
			MPI_Send(buffer, n, MPI_INT, 1, way, MPI_COMM_WORLD);
		else if (rank == 0 && way == 1)
			MPI_Ssend(buffer, n, MPI_INT, 1, way, MPI_COMM_WORLD);
		else if (rank == 0)
			MPI_Isend(buffer, n, MPI_INT, 1, way, MPI_COMM_WORLD, &request);
		if (rank == 1 && !is_early) {
			mpisim_add_compute_time(0.5);
			MPI_Recv(buffer, n, MPI_INT, 0, way, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		}
		if (rank == 0 ? way >= 2 : is_early)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank == 1)
			expect(buffer, n, n);
	}
	free_buffer(rank == 0 ? from_device : to_device, buffer);
}

/* Every second item, to where they follow each other, and back. */
static void strided(int n)
{
	int *wide = mpisim_device_alloc(2 * (size_t)n * sizeof(int)), *dense = mpisim_device_alloc((size_t)n * sizeof(int));
	MPI_Datatype type;

	MPI_Type_vector(n, 1, 2, MPI_INT, &type);
	MPI_Type_commit(&type);
	for (int i = 0; i < n && is_checked; i++) {
		wide[2 * i] = rank == 0 ? i : 0;
		wide[2 * i + 1] = -1;
	}
	if (rank == 0) {
		MPI_Send(wide, 1, type, 1, 0, MPI_COMM_WORLD);
		MPI_Recv(wide, 1, type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < n && is_checked; i++)
			n_wrong += wide[2 * i] != i || wide[2 * i + 1] != -1;
	} else {
		MPI_Recv(dense, n, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect(dense, n, 0);
		MPI_Sendrecv(dense, n, MPI_INT, 0, 0, NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	MPI_Type_free(&type);
	mpisim_device_free(wide);
	mpisim_device_free(dense);
}

/* Every other call that sends and receives: n items from each rank to the other. */
static void exchanges(int n)
{
	int *mine = mpisim_device_alloc((size_t)n * sizeof(int)), *others = mpisim_device_alloc((size_t)n * sizeof(int)), other = 1 - rank;
	size_t buffer_B = (size_t)n * sizeof(int) + 10000;
	void *buffer = malloc(buffer_B);
	MPI_Request requests[2];
	MPI_Message message;

	for (int way = 0; way < 5; way++) {
		for (int i = 0; i < n && is_checked; i++) {
			mine[i] = rank * n + way + i;
			others[i] = 0;
		}
		if (way == 0) {
			MPI_Isendrecv(mine, n, MPI_INT, other, 0, others, n, MPI_INT, other, 0, MPI_COMM_WORLD, requests);
			MPI_Wait(requests, MPI_STATUS_IGNORE);
		} else if (way == 1) {
			MPI_Sendrecv_replace(mine, n, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			expect(mine, n, other * n + way);
		} else if (way == 2) {
			MPI_Isendrecv_replace(mine, n, MPI_INT, other, 0, other, 0, MPI_COMM_WORLD, requests);
			MPI_Wait(requests, MPI_STATUS_IGNORE);
			expect(mine, n, other * n + way);
		} else if (way == 3) {
			MPI_Buffer_attach(buffer, (int)buffer_B);
			MPI_Bsend(mine, n, MPI_INT, other, 0, MPI_COMM_WORLD);
			MPI_Mprobe(other, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
			MPI_Mrecv(others, n, MPI_INT, &message, MPI_STATUS_IGNORE);
			MPI_Buffer_detach(&buffer, &n_detached);
		} else {
			MPI_Send_init(mine, n, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[0]);
			MPI_Recv_init(others, n, MPI_INT, other, 0, MPI_COMM_WORLD, &requests[1]);
			MPI_Startall(2, requests);
			MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
			MPI_Request_free(&requests[0]);
			MPI_Request_free(&requests[1]);
		}
		if (way != 1 && way != 2)
			expect(others, n, other * n + way);
	}
	mpisim_device_free(mine);
	mpisim_device_free(others);
	free(buffer);
}

static void data(void)
{
	static const int sizes[] = {1, 16, 17, 1000, 300000};

	for (int device = 0; device < 4; device++)
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			one_size(sizes[i], device & 1, device >> 1);
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		exchanges(sizes[i]);
	strided(10);
	strided(1000);
}

/* n bytes from rank 0 to rank 1. */
static void message(int n, int from_device, int to_device, int first)
{
	int *buffer = new_buffer(rank == 0 ? from_device : to_device, n / 4);

	if (rank == 0)
		MPI_Send(buffer, n / 4, MPI_INT, 1, 0, MPI_COMM_WORLD);
	else if (first) {
		MPI_Recv(buffer, n / 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else {
		mpisim_add_compute_time(1);
		MPI_Recv(buffer, n / 4, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	free_buffer(rank == 0 ? from_device : to_device, buffer);
}

enum { MOST = 4 }; /* ranks */

/* Collectives on memory of accelerators: n items of each rank. */
static void collectives(int n)
{
	MPI_Request request;
	int size, *mine, *all, counts[MOST], displs[MOST];

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	mine = mpisim_device_alloc((size_t)n * sizeof(int));
	all = mpisim_device_alloc((size_t)(n * size) * sizeof(int));
	for (int i = 0; i < n && is_checked; i++)
		mine[i] = rank * n + i;
	for (int i = 0; i < size; i++) {
		counts[i] = n;
		displs[i] = n * i;
	}
	MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
	expect(all, n * size, 0);
	MPI_Alltoall(MPI_IN_PLACE, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD);
	expect(all, n, rank * n);
	MPI_Gatherv(mine, n, MPI_INT, all, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
	if (rank == 1)
		expect(all, n * size, 0);
	MPI_Bcast(all, n * size, MPI_INT, 1, MPI_COMM_WORLD);
	expect(all, n * size, 0);
	MPI_Scatter(all, n, MPI_INT, mine, n, MPI_INT, 0, MPI_COMM_WORLD);
	expect(mine, n, rank * n);
	MPI_Reduce_scatter_block(all, mine, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	expect(mine, n, rank * n);
	MPI_Allreduce(MPI_IN_PLACE, mine, n, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	expect(mine, n, 0);
	MPI_Iscatter(all, n, MPI_INT, mine, n, MPI_INT, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect(mine, n, rank * n);
	MPI_Ialltoall(MPI_IN_PLACE, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect(all, n, rank * n);
	MPI_Iallreduce(MPI_IN_PLACE, mine, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request);
	for (int is_over = 0; !is_over;)
		MPI_Test(&request, &is_over, MPI_STATUS_IGNORE);
	expect(mine, n, (size - 1) * n);
	MPI_Allgather_init(mine, n, MPI_INT, all, n, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	for (int start = 0; start < 2; start++) {
		for (int i = 0; i < n && is_checked; i++)
			mine[i] = rank * n + start + i;
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect(all, n * size, start);
	}
	MPI_Request_free(&request);
	mpisim_device_free(mine);
	mpisim_device_free(all);
}

/* One of them, of n bytes of each rank. */
static void collective(const char *what, int n)
{
	MPI_Request request = MPI_REQUEST_NULL;
	int size;
	char *mine = mpisim_device_alloc((size_t)n), *all;

	MPI_Comm_size(MPI_COMM_WORLD, &size);
	all = mpisim_device_alloc((size_t)(n * size));
	if (!strcmp(what, "bcast"))
		MPI_Bcast(mine, n, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (!strcmp(what, "gather"))
		MPI_Gather(mine, n, MPI_CHAR, all, n, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (!strcmp(what, "ibcast"))
		MPI_Ibcast(mine, n, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "igather"))
		MPI_Igather(mine, n, MPI_CHAR, all, n, MPI_CHAR, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	mpisim_device_free(mine);
	mpisim_device_free(all);
}

/* n bytes from each of two ranks to the other. */
static void exchange(const char *what, int n)
{
	char *mine = mpisim_device_alloc((size_t)n), *others = mpisim_device_alloc((size_t)n), *buffer = malloc((size_t)n + 10000);
	int other = 1 - rank;
	MPI_Request request = MPI_REQUEST_NULL;

	if (!strcmp(what, "sendrecv"))
		MPI_Sendrecv(mine, n, MPI_CHAR, other, 0, others, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!strcmp(what, "isendrecv"))
		MPI_Isendrecv(mine, n, MPI_CHAR, other, 0, others, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "replace"))
		MPI_Sendrecv_replace(mine, n, MPI_CHAR, other, 0, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!strcmp(what, "ireplace"))
		MPI_Isendrecv_replace(mine, n, MPI_CHAR, other, 0, other, 0, MPI_COMM_WORLD, &request);
	if (!strcmp(what, "bsend")) {
		MPI_Buffer_attach(buffer, n + 10000);
		MPI_Bsend(mine, n, MPI_CHAR, other, 0, MPI_COMM_WORLD);
		MPI_Recv(others, n, MPI_CHAR, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Buffer_detach(&buffer, &n);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	mpisim_device_free(mine);
	mpisim_device_free(others);
	free(buffer);
}

static void copies(int n)
{
	char *host = malloc((size_t)n), *other = malloc((size_t)n), *device = mpisim_device_alloc((size_t)n);

	memset(host, rank + 3, (size_t)n);
	mpisim_stream_copy(device, host, (size_t)n, 0);
	kernel("k", 1, 0);
	mpisim_stream_copy(other, device, (size_t)n, 0);
	mpisim_stream_copy(device, host, (size_t)n, 1);
	mpisim_device_synchronize();
	n_wrong += is_checked && memcmp(host, other, (size_t)n) != 0;
	mpisim_device_free(device);
	free(host);
	free(other);
}

/* A kernel beside a message, which is shorter. */
static void overlap(int n)
{
	kernel("k", 5, 1);
	message(n, 0, 0, 1);
	mpisim_stream_synchronize(1);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* The run ends while the accelerator has work. */
static void cut(int n)
{
	char *host = calloc(1, (size_t)n), *device = mpisim_device_alloc((size_t)n);

	mpisim_stream_copy(device, host, (size_t)n, 0);
	kernel("k", 5, 0);
	mpisim_add_compute_time(1);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void refused(const char *what)
{
	int *device = mpisim_device_alloc(4000), *more = mpisim_device_alloc(4000), *host = calloc(1, 4000);
	MPI_Request request;
	MPI_Datatype type;
	MPI_Aint at, mixed[3];
	MPI_Win win;
	MPI_File file;

	if (!strcmp(what, "partitioned"))
		MPI_Psend_init(device, 1, 10, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	if (!strcmp(what, "reduce"))
		MPI_Reduce_local(host, device + 5, 10, MPI_INT, MPI_SUM);
	if (!strcmp(what, "window"))
		MPI_Win_create(device, 4000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	if (!strcmp(what, "put")) {
		MPI_Win_create(host, 4000, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
		MPI_Win_fence(0, win);
		MPI_Put(device, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
	}
	if (!strcmp(what, "file")) {
		MPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
		MPI_File_write(file, device, 1, MPI_INT, MPI_STATUS_IGNORE);
	}
	if (!strcmp(what, "bottom")) {
		MPI_Get_address(device, &at);
		MPI_Type_create_hindexed(1, (int[]){1}, &at, MPI_INT, &type);
		MPI_Type_commit(&type); /* before any call takes it, be it of messages, windows or files */
	}
	if (!strcmp(what, "in part")) {
		MPI_Get_address(device, &mixed[1]);
		MPI_Get_address(host, &mixed[0]);
		MPI_Get_address(&rank, &mixed[2]);
		MPI_Type_create_hindexed(3, (int[]){1, 1, 1}, mixed, MPI_INT, &type);
		MPI_Type_commit(&type);
	}
	if (!strcmp(what, "send"))
		MPI_Send(device + 990, 100, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	if (!strcmp(what, "send freed")) {
		mpisim_device_free(device);
		MPI_Send(device, 1000, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
	}
	if (!strcmp(what, "receive")) /* more than comes */
		MPI_Sendrecv(host, 11, MPI_INT, 1 - rank, 0, device + 990, 100, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!strcmp(what, "access"))
		more[1 << 20] = 1;
	if (!strcmp(what, "host copy"))
		mpisim_stream_copy(host, host + 100, 4, 0);
	if (!strcmp(what, "device copy"))
		mpisim_stream_copy(device, more, 4, 0);
	if (!strcmp(what, "end"))
		mpisim_stream_copy(device + 990, host, 100, 0);
	if (!strcmp(what, "free"))
		mpisim_free(device);
	if (!strcmp(what, "free twice")) {
		mpisim_device_free(device);
		mpisim_device_free(device);
	}
	if (!strcmp(what, "free host"))
		mpisim_device_free(host);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	is_checked = !getenv("UNCHECKED");
	if (!strcmp(argv[1], "data"))
		data();
	else if (!strcmp(argv[1], "collectives"))
		collectives(atoi(argv[2]));
	else if (!strcmp(argv[1], "collective"))
		collective(argv[2], atoi(argv[3]));
	else if (!strcmp(argv[1], "message"))
		message(atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
	else if (!strcmp(argv[1], "exchange"))
		exchange(argv[2], atoi(argv[3]));
	else if (!strcmp(argv[1], "copies"))
		copies(atoi(argv[2]));
	else if (!strcmp(argv[1], "cut"))
		cut(atoi(argv[2]));
	else if (!strcmp(argv[1], "overlap"))
		overlap(atoi(argv[2]));
	else
		refused(argv[2]);
	MPI_Finalize();
	return n_wrong > 0;
}
