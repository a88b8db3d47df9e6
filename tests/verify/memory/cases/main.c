/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs the cases that its arguments name, and has what they share. */
#include "tests/verify/memory/cases/cases.h"

#include <string.h>

int rank;
volatile int sink;

static const struct memory_case *const files[] = {unread_cases, undefined_cases, bounds_cases,
						  active_cases, onesided_cases,	 files_cases,
						  groups_cases, kernels_cases,	 impact_cases};

void send_number(void)
{
	int number = 5;

	MPI_Send(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
}

void recv_number(void)
{
	int number;

	MPI_Recv(&number, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sink += number;
}

void check(int is_right)
{
	if (!is_right)
		MPI_Abort(MPI_COMM_WORLD, 3);
}

void take_any(void)
{
	static char b[1000];

	MPI_Recv(b, sizeof b, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	sink = b[0];
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
		for (const struct memory_case *one = files[i]; one->name; one++)
			for (int k = 1; k < argc; k++)
				if (strcmp(argv[k], one->name) == 0)
					one->run();
	MPI_Finalize();
	return 0;
}
