/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Messages from and to buffers that are not there but for a part (mpisim_alloc_part): what is there of both arrives, nothing else is
 * touched. Two ranks, with --no-alloc: buffers of 64 GiB, whose bytes [AT, AT + PART) are there. Without it all is there.
 */
#include <mpi.h>
#include <mpisim.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE ((size_t)1 << 36)
#define AT ((size_t)1 << 34)
enum { PART = 16, BEFORE = 100, WINDOW = 300 };

static int rank, failures;
static char *large;

static void expect_part(const char *what, const char *at, int seed)
{
	for (int i = 0; i < PART; i++)
		if (at[i] != (char)(seed + i)) {
			printf("rank %d: %s: byte %d is %d, wanted %d\n", rank, what, i, at[i],
			       (char)(seed + i));
			failures++;
			return;
		}
}

static void set_part(int seed)
{
	for (int i = 0; i < PART; i++)
		large[AT + (size_t)i] = (char)(seed + i);
}

/* Around the part, on both sides. */
static void from_absent_to_absent(int size_B, int seed)
{
	set_part(rank == 0 ? seed : 0);
	if (rank == 0)
		MPI_Send(large + AT - BEFORE / 2, size_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else
		MPI_Recv(large + AT - BEFORE / 2, size_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	expect_part("absent", large + AT, seed);
}

/* 30 bytes before the part, so that a message of 64 bytes has all of it. */
static void from_absent_to_memory(int size_B, int seed, char *memory)
{
	set_part(seed);
	memset(memory, 7, WINDOW);
	if (rank == 0)
		MPI_Send(large + AT - 30, size_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	else {
		MPI_Recv(memory, size_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_part("memory", memory + 30, seed);
		if (size_B > 64 && memory[WINDOW - 1] != 7)
			failures++;
	}
}

static void from_memory_to_absent(int size_B, int seed, char *memory)
{
	MPI_Request request;

	set_part(0);
	for (int i = 0; i < WINDOW; i++)
		memory[i] = (char)(seed + i - 30);
	if (rank == 0) {
		MPI_Isend(memory, size_B, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Recv(large + AT - 30, size_B, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_part("absent, from memory", large + AT, seed);
	}
}

/* A column of what is not there, then the bytes around the part, in another place of the sender. */
static void through_a_datatype(int seed, char *memory)
{
	MPI_Datatype type;
	MPI_Aint places[] = {0, (MPI_Aint)AT - 8 - 4096};
	int lengths[] = {50, 8 + PART};

	set_part(rank == 0 ? seed : 0);
	MPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &type);
	MPI_Type_commit(&type);
	if (rank == 0) {
		MPI_Send(large + 4096, 1, type, 1, 0, MPI_COMM_WORLD);
		MPI_Send(large + 4096, 1, type, 1, 0, MPI_COMM_WORLD);
	} else {
		MPI_Recv(memory, 50 + 8 + PART, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_part("from a datatype", memory + 58, seed);
		MPI_Recv(large + 4096, 1, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		expect_part("into a datatype", large + AT, seed);
	}
	MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
	static char memory[WINDOW];
	char *other;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	large = mpisim_alloc_part(SIZE, AT, PART);
	from_absent_to_absent(200, 1);	     /* eager */
	from_absent_to_absent(1 << 30, 2);   /* by rendezvous */
	from_absent_to_memory(200, 3, memory);
	from_absent_to_memory(60, 4, memory);
	from_memory_to_absent(200, 5, memory);
	from_memory_to_absent(60, 6, memory);
	through_a_datatype(7, memory);
	mpisim_free(large);
	other = mpisim_alloc(SIZE); /* the same place: nothing of it is there now */
	MPI_Sendrecv(other + AT, 100, MPI_BYTE, 1 - rank, 0, other, 100, MPI_BYTE, 1 - rank, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	mpisim_free(other);
	MPI_Finalize();
	return failures > 0;
}
