/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_OUTFILE_H
#define UTIL_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/*
 * A file of results; "-" is standard output. It appears under its name when it is complete: a process
 * that is killed, or a full disk, leaves what was there before. Devices and pipes are written to
 * directly, and a file in a folder that may not be written.
 */

/* Whether it can be written, before what takes long is begun; leaves nothing behind. Errors:
 * UTIL_EINPUT. */
int util_outfile_check(const char *path, struct util_error *err);

/* Writes the content. 0, or negative with a sentence in err. */
typedef int (*util_write_fn)(const void *context, FILE *file, struct util_error *err);
/* Errors: those of `write`, UTIL_ESYSTEM and UTIL_ENOMEM with the name. */
int util_outfile_write(const char *path, util_write_fn write, const void *context,
		       struct util_error *err);
/* Whether two names are those of one regular file, or of one that is not there yet. Devices and
 * pipes may have several results. */
bool util_outfile_is_same(const char *one, const char *other);

#endif
