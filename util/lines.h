/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_LINES_H
#define UTIL_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

/* The lines of a text file, one after the other. */
enum { UTIL_LINE_MAX_B = 1 << 20 };
struct util_lines {
	const char *path; /* borrowed; stands in messages */
	FILE *file;
	char *text; /* the present line, with its newline unless the file ends without; the reader may
		       change it */
	size_t length_B, capacity_B;
	int number; /* of the present line, from 1 */
};

/* `what` stands in messages: "the graph". UTIL_EINPUT; then nothing is to be closed. */
int util_lines_open(struct util_lines *lines, const char *path, const char *what,
		    struct util_error *err);
/*
 * Reads the next line: while (util_lines_next(&lines, &failed, &err)) failed = …; False: it has failed, or
 * the file ends. *failed, 0 at first, becomes UTIL_EINPUT (a NUL byte, a line of more than UTIL_LINE_MAX_B,
 * a file that cannot be read) or UTIL_ENOMEM; with any other value than 0 nothing is read.
 */
bool util_lines_next(struct util_lines *lines, int *failed, struct util_error *err);
void util_lines_close(struct util_lines *lines);

#endif
