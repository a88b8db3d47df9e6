/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_PROGRAMS_H
#define TOOLS_RUN_PROGRAMS_H

#include "util/error.h"

/*
 * The programs of one MPI_COMM_WORLD as mpiexec takes them: PROGRAM [ARGUMENT…], and after each
 * ":" another with ranks of its own: -n RANKS PROGRAM [ARGUMENT…].
 */
struct run_program {
	char **argv; /* NULL at its end; the list is owned, the strings are borrowed */
	int n_ranks;
};

struct run_programs {
	struct run_program *programs; /* [n]; owned */
	int n;
};

/*
 * `words`: what follows the options, NULL at its end, with at least one word; `n_ranks` of the
 * first program. Errors: UTIL_EINPUT for a program without its -n, or without a name; more than
 * `max_ranks` in all.
 */
int run_programs_parse(char **words, int n_ranks, int max_ranks, struct run_programs *out,
		       struct util_error *err);
void run_programs_finish(struct run_programs *programs);

/* The program's file: as given when it has a directory, else as a shell finds it, else in the
 * working directory. The caller frees it; NULL: out of memory. */
char *run_find_program(const char *name);

#endif
