/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_OBSERVATIONS_H
#define CALIBRATE_OBSERVATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "benchmarks.h"
#include "util/error.h"

/*
 * Times that others have measured: output of the OSU micro-benchmarks or of the Intel MPI
 * Benchmarks, tables of operations, times of one's own programs. docs/calibrate.md has an example
 * of each. No MPI, no GSL.
 */
struct observation {
	const struct benchmark *what; /* NULL: a program */
	int size_B, n_ranks;	      /* of a benchmark */
	enum place place;	      /* of its ranks */
	char *command;		      /* of a program, as mpisim-run takes it */
	char *from;		      /* of a program: "FILE:LINE" */
	double time_s;
	double scatter; /* of time_s, as a part of it: what its last digit hides */
};

struct observations {
	int n;
	struct observation *list; /* [n], of one operation by size */
};

/*
 * read_times.c: adds what is in the file. `path` may end with "@RANKS": on how many ranks the file's collective
 * tests, or several pairs, ran, which the OSU micro-benchmarks do not say. Errors: UTIL_EINPUT with file and line.
 */
int observations_read(struct observations *observations, const char *path, struct util_error *err);
/* By operation, ranks and size; several times of the same become their median. To be called when
 * all files are read. */
void observations_sort(struct observations *observations);
void observations_finish(struct observations *observations);
/* Both are of one operation on as many ranks, at one place. */
bool observation_is_same_curve(const struct observation *a, const struct observation *b);
/* Of ranks of one node. */
bool observation_is_within(const struct observation *observation);
/* "latency 1024 B, 2 ranks, domain", or the command. */
void observation_name(const struct observation *observation, char *text, size_t size);

#endif
