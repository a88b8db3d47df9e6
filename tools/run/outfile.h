/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_OUTFILE_H
#define TOOLS_RUN_OUTFILE_H

#include <stdbool.h>
#include <stdio.h>

#include "util/error.h"

/*
 * A file of results, as of --json and --html; "-" is standard output. A file appears under its name
 * when it is complete: a run that is killed, or a full disk, leaves what was there before. Devices
 * and pipes are written to directly. Errors: UTIL_ESYSTEM, with the name.
 */

/* Whether it can be written, before a long run; leaves nothing behind. */
int run_file_check(const char *path, struct util_error *err);

/* Writes the content. Negative: see err. */
typedef int (*run_write_fn)(const void *context, FILE *file, struct util_error *err);
int run_file_write(const char *path, run_write_fn write, const void *context,
		   struct util_error *err);
/* Whether two names are those of one regular file, or of one that is not there yet. Devices and
 * pipes may have several results. */
bool run_file_is_same(const char *one, const char *other);

#endif
