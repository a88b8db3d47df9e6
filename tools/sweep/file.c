// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "util/array.h"
#include "util/file.h"

#define CHUNK_B 65536

struct sweep_hash {
	XXH3_state_t *state;
};

struct hashed_file {
	char *path;
	char hash[SWEEP_HASH_SIZE];
};

struct sweep_files {
	struct hashed_file **entries; /* [n] each stays where it is: callers borrow its hash */
	int n;
};

int sweep_file_read(const char *path, size_t max_B, char **out, size_t *out_length,
		    struct util_error *err)
{
	int failed = util_file_read(path, max_B, out, out_length, err);

	if (failed || *out_length <= max_B)
		return failed;
	free(*out);
	return util_refuse(err, "%s: found more than %zu bytes, wanted fewer", path, max_B);
}

struct sweep_hash *sweep_hash_create(void)
{
	struct sweep_hash *hash = malloc(sizeof *hash);

	if (!hash)
		return NULL;
	hash->state = XXH3_createState();
	if (!hash->state) {
		free(hash);
		return NULL;
	}
	XXH3_128bits_reset(hash->state);
	return hash;
}

void sweep_hash_add(struct sweep_hash *hash, const char *text)
{
	XXH3_128bits_update(hash->state, text, strlen(text) + 1);
}

static void print_digest(XXH128_hash_t digest, char out[SWEEP_HASH_SIZE])
{
	snprintf(out, SWEEP_HASH_SIZE, "%016llx%016llx", (unsigned long long)digest.high64,
		 (unsigned long long)digest.low64);
}

void sweep_hash_get(const struct sweep_hash *hash, char out[SWEEP_HASH_SIZE])
{
	print_digest(XXH3_128bits_digest(hash->state), out);
}

void sweep_hash_destroy(struct sweep_hash *hash)
{
	if (!hash)
		return;
	XXH3_freeState(hash->state);
	free(hash);
}

struct sweep_files *sweep_files_create(void)
{
	return calloc(1, sizeof(struct sweep_files));
}

void sweep_files_destroy(struct sweep_files *files)
{
	if (!files)
		return;
	for (int i = 0; i < files->n; i++) {
		free(files->entries[i]->path);
		free(files->entries[i]);
	}
	free(files->entries);
	free(files);
}

static int hash_contents(const char *path, char out[SWEEP_HASH_SIZE], struct util_error *err)
{
	FILE *file = fopen(path, "rbe");
	XXH3_state_t *state = XXH3_createState();
	char *chunk = malloc(CHUNK_B);
	size_t length;
	int failed = 0;

	if (!state || !chunk) {
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory while reading %s", path);
	} else if (file) {
		errno = 0;
		XXH3_128bits_reset(state);
		while ((length = fread(chunk, 1, CHUNK_B, file)) > 0)
			XXH3_128bits_update(state, chunk, length);
		print_digest(XXH3_128bits_digest(state), out);
	}
	if (!failed && (!file || ferror(file)))
		failed = util_refuse(err, "cannot read %s: %s", path, strerror(errno));
	if (file)
		fclose(file);
	XXH3_freeState(state);
	free(chunk);
	return failed;
}

static int add_entry(struct sweep_files *files, struct hashed_file *entry)
{
	if (!util_array_room(&files->entries, (size_t)files->n, sizeof(struct hashed_file *)))
		return -1;
	files->entries[files->n++] = entry;
	return 0;
}

int sweep_files_hash(struct sweep_files *files, const char *path, const char **out,
		     struct util_error *err)
{
	struct hashed_file *entry;
	int failed;

	for (int i = 0; i < files->n; i++) {
		if (strcmp(files->entries[i]->path, path) == 0) {
			*out = files->entries[i]->hash;
			return 0;
		}
	}
	entry = calloc(1, sizeof *entry);
	if (!entry)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = hash_contents(path, entry->hash, err);
	if (!failed) {
		entry->path = strdup(path);
		if (!entry->path || add_entry(files, entry))
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	if (failed) {
		free(entry->path);
		free(entry);
		return failed;
	}
	*out = entry->hash;
	return 0;
}
