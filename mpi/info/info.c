/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/info/info.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/core/objects.h"
#include "util/array.h"

struct mpi_info *mpi_info_create(void)
{
	return calloc(1, sizeof(struct mpi_info));
}

void mpi_info_destroy(struct mpi_info *info)
{
	if (!info)
		return;
	for (int i = 0; i < info->n_pairs; i++) {
		free(info->pairs[i].key);
		free(info->pairs[i].value);
	}
	free(info->pairs);
	free(info);
}

static struct mpi_info_pair *find(const struct mpi_info *info, const char *key)
{
	for (int i = 0; i < info->n_pairs; i++)
		if (strcmp(info->pairs[i].key, key) == 0)
			return &info->pairs[i];
	return NULL;
}

const char *mpi_info_value(const struct mpi_info *info, const char *key)
{
	const struct mpi_info_pair *pair = find(info, key);

	return pair ? pair->value : NULL;
}

static int add(struct mpi_info *info, char *key, char *value)
{
	if (!util_array_room(&info->pairs, (size_t)info->n_pairs, sizeof *info->pairs))
		return UTIL_ENOMEM;
	info->pairs[info->n_pairs++] = (struct mpi_info_pair){key, value};
	return 0;
}

int mpi_info_set(struct mpi_info *info, const char *key, const char *value)
{
	struct mpi_info_pair *pair = find(info, key);
	char *value_copy = strdup(value), *key_copy;

	if (!value_copy)
		return UTIL_ENOMEM;
	if (pair) {
		free(pair->value);
		pair->value = value_copy;
		return 0;
	}
	key_copy = strdup(key);
	if (key_copy && add(info, key_copy, value_copy) == 0)
		return 0;
	free(key_copy);
	free(value_copy);
	return UTIL_ENOMEM;
}

bool mpi_info_delete(struct mpi_info *info, const char *key)
{
	struct mpi_info_pair *pair = find(info, key);
	size_t n_behind;

	if (!pair)
		return false;
	free(pair->key);
	free(pair->value);
	n_behind = (size_t)(&info->pairs[info->n_pairs] - pair - 1);
	memmove(pair, pair + 1, n_behind * sizeof *pair);
	info->n_pairs--;
	return true;
}

int mpi_info_duplicate(const struct mpi_info *info, struct mpi_info **out)
{
	struct mpi_info *copy = mpi_info_create();
	int n = info ? info->n_pairs : 0;

	for (int i = 0; copy && i < n; i++) {
		if (mpi_info_set(copy, info->pairs[i].key, info->pairs[i].value) < 0) {
			mpi_info_destroy(copy);
			copy = NULL;
		}
	}
	if (!copy)
		return UTIL_ENOMEM;
	*out = copy;
	return 0;
}

/* The arguments behind argv[0], separated by blanks, as far as a value holds them. */
static void join_arguments(char *const argv[], char *text, size_t size)
{
	size_t length = 0;

	text[0] = '\0';
	for (int i = 1; argv && argv[0] && argv[i] && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s%s", i > 1 ? " " : "",
					   argv[i]);
}

struct mpi_info *mpi_info_create_env(const struct mpi_rank *me)
{
	const struct pd_program_config *program = &me->pd->program->config;
	struct mpi_info *info = mpi_info_create();
	char text[MPI_MAX_INFO_VAL];
	int status;

	if (!info)
		return NULL;
	status = program->path ? mpi_info_set(info, "command", program->path) : 0;
	join_arguments(program->argv, text, sizeof text);
	if (status == 0 && text[0])
		status = mpi_info_set(info, "argv", text);
	snprintf(text, sizeof text, "%d", program->n_ranks);
	if (status == 0)
		status = mpi_info_set(info, "maxprocs", text);
	if (status == 0)
		status = mpi_info_set(info, "soft", text);
	snprintf(text, sizeof text, "node%d", me->pd->node);
	if (status == 0)
		status = mpi_info_set(info, "host", text);
	if (status == 0)
		status = mpi_info_set(info, "thread_level", "MPI_THREAD_FUNNELED");
	if (status == 0)
		return info;
	mpi_info_destroy(info);
	return NULL;
}

struct mpi_info *mpi_info_get(struct mpi_rank *me, MPI_Info handle)
{
	struct mpi_rank_objects *objects;

	if (handle != MPI_INFO_ENV)
		return mpi_handle_object(me, KIND_INFO, (uintptr_t)handle);
	objects = mpi_rank_objects(me);
	if (objects && !objects->info_env)
		objects->info_env = mpi_info_create_env(me);
	return objects ? objects->info_env : NULL;
}

int mpi_info_publish(struct mpi_rank *me, struct mpi_info *info, MPI_Info *out)
{
	MPI_Info handle = info ? (MPI_Info)mpi_handle_create(me, KIND_INFO, info) : NULL;

	if (!handle) {
		mpi_info_destroy(info);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object");
	}
	*out = handle;
	return MPI_SUCCESS;
}

void *mpi_info_aligned_alloc(const struct mpi_info *info, size_t size_B)
{
	const char *value = info ? mpi_info_value(info, "mpi_minimum_memory_alignment") : NULL;
	size_t align_B = value ? strtoul(value, NULL, 10) : 0;
	void *memory = NULL;

	size_B += size_B == 0;
	if (align_B <= alignof(max_align_t) || (align_B & (align_B - 1)) != 0)
		return malloc(size_B);
	return posix_memalign(&memory, align_B, size_B) ? NULL : memory;
}
