/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VALIDATE_CSV_H
#define TOOLS_VALIDATE_CSV_H

#include "util/error.h"

/* A file of comma-separated values (RFC 4180), read whole. Lines that begin with # and empty lines
 * are left out. */
struct csv_record {
	int line; /* of the file, from 1, where it begins */
	int n_fields;
	char **fields; /* [n_fields], blanks around them removed unless quoted */
};

struct csv {
	struct csv_record *records; /* [n] */
	int n;
	char *text; /* what the fields point into */
};

/*
 * Reads `path`. Errors: UTIL_ESYSTEM; UTIL_EINPUT with path:line for quotes that do not end or do
 * not stand around a whole field, for bytes of zero and files above 64 MiB; UTIL_ENOMEM.
 */
int csv_read(const char *path, struct csv *out, struct util_error *err);
void csv_finish(struct csv *csv);

#endif
