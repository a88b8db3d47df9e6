/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_FILE_H
#define TOOLS_SWEEP_FILE_H

#include <stddef.h>

#include "util/error.h"

/* Reads a whole file of at most `max_B` bytes; *out ends in a NUL and is the caller's. Errors:
 * UTIL_EINPUT (cannot be read, too long), UTIL_ENOMEM. */
int sweep_file_read(const char *path, size_t max_B, char **out, size_t *out_length,
		    struct util_error *err);

/* 128 bits in hexadecimal, and a NUL. */
#define SWEEP_HASH_SIZE 33

/* Collects texts into one hash (XXH3, 128 bits): equal sequences of texts give equal hashes. */
struct sweep_hash;
struct sweep_hash *sweep_hash_create(void); /* NULL: out of memory */
void sweep_hash_add(struct sweep_hash *hash, const char *text);
void sweep_hash_get(const struct sweep_hash *hash, char out[SWEEP_HASH_SIZE]);
void sweep_hash_destroy(struct sweep_hash *hash);

/* Hashes of files' contents, each read once. */
struct sweep_files;
struct sweep_files *sweep_files_create(void); /* NULL: out of memory */
void sweep_files_destroy(struct sweep_files *files);
/* *out is borrowed from `files`. Errors: UTIL_EINPUT (cannot be read), UTIL_ENOMEM. */
int sweep_files_hash(struct sweep_files *files, const char *path, const char **out,
		     struct util_error *err);

#endif
