/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* Whether there is a regular file that may be executed. */
bool util_file_is_program(const char *path);
/* The first of the folders "a:b:…" that has one of this name: "FOLDER/NAME", malloc'd; NULL: none has,
 * or memory has run out. Empty folders are passed over; `folders` may be NULL. */
char *util_file_search(const char *folders, const char *name);
/*
 * Reads a file: *out_text is malloc'd and ends with a NUL; *out_length_B is at most most_B + 1, so that
 * too much is noticed. Errors: UTIL_EINPUT, UTIL_ENOMEM.
 */
int util_file_read(const char *path, size_t most_B, char **out_text, size_t *out_length_B,
		   struct util_error *err);

#endif
