/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rank 0 sends to rank 1, which says nothing of what it accesses: by its own code, by system calls that it makes, and
 * within a library.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N_B = 3 * 4096, N_OWN = 1000000 };

static char *pages(void)
{
	char *buffer = aligned_alloc(4096, N_B);

	memset(buffer, 1, N_B);
	return buffer;
}

static long work(const char *bytes, long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += bytes[i] * (i % 7);
	return sum;
}

static void get(char *buffer)
{
	MPI_Recv(buffer, N_B, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void put(char *buffer)
{
	MPI_Send(buffer, N_B, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
}

static void receive(char *own)
{
	char *a = pages(), *b = pages(), *copy = pages(), small[8] = "";
	FILE *file = tmpfile();
	long sum = 0;

	get(a);
	sum += work(own, N_OWN);
	sum += work(a, N_B); /* its own code */
	get(b);
	get(a);
	sum += work(own, N_OWN);
	memcpy(copy, b, N_B); /* within a library */
	printf("written: %zu\n", fwrite(a, 1, N_B, file));
	get(a);
	get(b);
	printf("written: %zd\n", write(fileno(file), a, N_B));
	sum += work(own, N_OWN);
	rewind(file);
	printf("read: %zu\n", fread(b, 1, N_B, file)); /* over what has come */
	MPI_Recv(small, sizeof small, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sum += work(small, sizeof small) + work(copy, N_B) + work(b, N_B);
	printf("sum: %ld\n", sum);
	fclose(file);
	free(a);
	free(b);
	free(copy);
}

int main(int argc, char **argv)
{
	char *own = malloc(N_OWN), *data;
	int rank;

	memset(own, 3, N_OWN);
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	data = pages();
	if (rank == 1)
		receive(own);
	for (int i = 0; rank == 0 && i < 5; i++) {
		data[0] = (char)i; /* what is still sent */
		put(data);
	}
	if (rank == 0)
		MPI_Send(data, 8, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < 1000; i++) /* nothing is between them but the loop */
		MPI_Send(data, 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
	for (int i = 0; rank == 1 && i < 1000; i++)
		MPI_Recv(own, 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	free(data);
	free(own);
	return 0;
}
