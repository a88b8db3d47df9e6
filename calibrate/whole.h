/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_WHOLE_H
#define CALIBRATE_WHOLE_H

#include <stdio.h>

/* A file that appears complete or not at all: a temporary one beside it, then renamed. A device or
 * pipe is written to. */
struct whole_file {
	FILE *file;	   /* to write to */
	char *path, *part; /* NULL: it is written directly */
};

/* 0, or -1: errno says why. */
int whole_open(struct whole_file *whole, const char *path);
int whole_close(struct whole_file *whole);

#endif
