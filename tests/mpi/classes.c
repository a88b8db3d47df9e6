/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function with one wrong argument at a time gives the right class of error under
 * MPI_ERRORS_RETURN, and goes on. `classes` on 1 rank; the calls are written by classes.py.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/mpi/arguments.h"

struct wrong_call {
	const char *function, *what;
	int (*call)(void);
	int wanted;
};

static uintptr_t garbage = 0x12340, null_handle;

#include "tests/mpi/classes-calls.h"

static int class_of(int code)
{
	int found = code;

	if (code != MPI_SUCCESS && code < MPI_T_ERR_CANNOT_INIT)
		MPI_Error_class(code, &found);
	return found;
}

int main(int argc, char **argv)
{
	int failures = 0;

	MPI_Init(&argc, &argv);
	make_arguments();
	for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
		int found;

		memset(scratch, 0, sizeof scratch);
		found = class_of(calls[i].call());
		if (found != calls[i].wanted) {
			printf("%s: %s: found class %d, wanted %d\n", calls[i].function,
			       calls[i].what, found, calls[i].wanted);
			failures++;
		}
	}
	fflush(stdout);
	_Exit(failures > 0); /* what wrong calls leave behind is nobody's concern */
}
