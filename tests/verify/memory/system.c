/* SPDX-License-Identifier: BSD-3-Clause */
/* Large buffers of the heap, whose pages are closed while MPI has them, and system calls; memory that goes away before MPI has read it. The argument
 * says which (system.py). Two ranks. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE_B = 1 << 20, LENT_B = 8 << 20, PAGE_B = 4096 };

static int rank;
static const char *wanted;

static int is(const char *name)
{
	return strcmp(wanted, name) == 0;
}

static void expect(const char *what, long found, long value)
{
	if (found != value)
		printf("%s: %ld instead of %ld\n", what, found, value);
}

static long read_zeros(char *to, long size_B)
{
	int fd = open("/dev/zero", O_RDONLY);
	long n;

	if (is("pread"))
		n = pread(fd, to, (size_t)size_B, 0); /* pread */
	else
		n = read(fd, to, (size_t)size_B); /* read */
	close(fd);
	return n;
}

static long read_stream(char *to, long size_B)
{
	FILE *file = fopen("/dev/zero", "r");
	long n = (long)fread(to, 1, (size_t)size_B, file); /* fread */

	fclose(file);
	return n;
}

static void write_in_child(char *data)
{
	pid_t child;
	int status = -1;

	child = fork();
	if (child == 0) {
		for (long i = 0; i < SIZE_B; i++)
			data[i] = 3;
		_exit(0);
	}
	waitpid(child, &status, 0);
	expect("status of the child", status, 0);
}

/* Rank 0 sends the data, or receives them, and does something meanwhile. */
static void meanwhile(char *data, MPI_Request *q)
{
	if (is("sent-read") || is("pread") || is("received-read"))
		expect("bytes that were read", read_zeros(data + PAGE_B, SIZE_B / 2), SIZE_B / 2);
	else if (is("empty"))
		expect("bytes that were read", read(open("/dev/null", O_RDONLY), data, SIZE_B), 0);
	else if (is("fread"))
		expect("bytes that were read", read_stream(data, SIZE_B), SIZE_B);
	else if (is("fork"))
		write_in_child(data);
	MPI_Wait(q, MPI_STATUS_IGNORE);
}

static void exchange(void)
{
	char *data = aligned_alloc(PAGE_B, SIZE_B);
	MPI_Request q;

	memset(data, rank + 1, SIZE_B);
	if (rank == 0 && (is("received-read") || is("fread"))) {
		MPI_Irecv(data, SIZE_B, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &q);
		meanwhile(data, &q);
	} else if (rank == 0) {
		MPI_Isend(data, SIZE_B, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &q);
		meanwhile(data, &q);
	} else if (is("received-read") || is("fread")) {
		MPI_Send(data, SIZE_B, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(data, SIZE_B, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (is("fork") || is("empty"))
			expect("last byte", data[SIZE_B - 1], 1);
	}
	data[SIZE_B / 2] = 9;
	free(data);
}

static char *obtain(void)
{
	char *data;

	if (strncmp(wanted, "unmapped", 8) == 0)
		return mmap(NULL, LENT_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (strncmp(wanted, "given-back", 10) != 0)
		return malloc(LENT_B);
	MPI_Alloc_mem(LENT_B, MPI_INFO_NULL, &data);
	return data;
}

static void part_with(char *data)
{
	if (strncmp(wanted, "unmapped", 8) == 0)
		munmap(data, LENT_B); /* unmapped-sent */ /* unmapped-received */
	else if (strncmp(wanted, "given-back", 10) == 0)
		MPI_Free_mem(data); /* given-back-sent */ /* given-back-received */
	else if (is("shrunk-sent"))
		data = realloc(data, 10); /* shrunk-sent */
	else
		free(data); /* freed-sent */ /* freed-received */
}

/* The other rank gets what was there; what comes is thrown away. */
static void part_early(void)
{
	char *data = obtain(), *other = calloc(1, LENT_B);
	MPI_Request q[2];

	memset(data, 5, LENT_B);
	if (rank == 0 && strstr(wanted, "sent")) {
		MPI_Isend(data, LENT_B, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &q[0]);
		MPI_Isend(data + PAGE_B, LENT_B - PAGE_B, MPI_CHAR, 1, 1, MPI_COMM_WORLD, &q[1]);
		part_with(data);
		MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
	} else if (rank == 0) {
		MPI_Irecv(data, LENT_B, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &q[0]);
		part_with(data);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
	} else if (strstr(wanted, "sent")) {
		for (int i = 0; i < 2; i++) {
			MPI_Recv(other, LENT_B, MPI_CHAR, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			expect("last byte that came", other[LENT_B - PAGE_B - 1], 5);
		}
	} else {
		MPI_Send(other, LENT_B, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
	}
	free(other);
}

static void absolute(void)
{
	char *data = malloc(SIZE_B);
	MPI_Datatype type;
	MPI_Request q;
	MPI_Aint at;
	int n = SIZE_B;

	memset(data, 1, SIZE_B);
	MPI_Get_address(data, &at);
	MPI_Type_create_hindexed(1, &n, &at, MPI_CHAR, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Irecv(MPI_BOTTOM, 1, type, 1, 0, MPI_COMM_WORLD, &q);
		data[500000] = 2; /* absolute */
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	} else {
		MPI_Send(MPI_BOTTOM, 1, type, 0, 0, MPI_COMM_WORLD);
	}
	MPI_Type_free(&type);
	free(data);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	wanted = argv[1];
	if (is("absolute"))
		absolute();
	else if (strchr(wanted, '-') && !strstr(wanted, "-read"))
		part_early();
	else
		exchange();
	MPI_Finalize();
	return 0;
}
