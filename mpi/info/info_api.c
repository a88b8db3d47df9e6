/* SPDX-License-Identifier: BSD-3-Clause */
/* The info functions; all of them work before MPI_Init and after MPI_Finalize. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/info/info.h"

/* Keys and values as the standard limits them; a value may be empty, a key not. */
static int check_key(struct mpi_rank *me, const char *key)
{
	size_t length = key ? strnlen(key, MPI_MAX_INFO_KEY) : 0;

	if (length > 0 && length < MPI_MAX_INFO_KEY)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO_KEY,
			 "key is NULL, empty, or has %d characters or more", MPI_MAX_INFO_KEY);
}

static int check_value(struct mpi_rank *me, const char *value)
{
	if (value && strnlen(value, MPI_MAX_INFO_VAL) < MPI_MAX_INFO_VAL)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO_VALUE, "value is NULL or has %d characters or more",
			 MPI_MAX_INFO_VAL);
}

static int check_changeable(struct mpi_rank *me, struct mpi_info *info)
{
	if (info != mpi_info_get(me, MPI_INFO_ENV))
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed or freed");
}

int mpi_info_give_new(struct mpi_rank *me, MPI_Info *info)
{
	return mpi_info_publish(me, mpi_info_create(), info);
}

int mpi_info_give_env(struct mpi_rank *me, int argc, char *argv[], MPI_Info *info)
{
	return mpi_info_publish(me, mpi_info_create_env(me), info);
}

int mpi_info_dup(struct mpi_rank *me, struct mpi_info *info, MPI_Info *newinfo)
{
	struct mpi_info *copy = NULL;

	mpi_info_duplicate(info, &copy);
	return mpi_info_publish(me, copy, newinfo);
}

int mpi_info_free(struct mpi_rank *me, struct mpi_info *info, MPI_Info *place)
{
	int code = check_changeable(me, info);

	if (code != MPI_SUCCESS)
		return code;
	mpi_handle_destroy(me, (uintptr_t)*place);
	mpi_info_destroy(info);
	*place = MPI_INFO_NULL;
	return MPI_SUCCESS;
}

int mpi_info_set_pair(struct mpi_rank *me, struct mpi_info *info, const char *key,
		      const char *value)
{
	int code = check_changeable(me, info);

	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS)
		code = check_value(me, value);
	if (code == MPI_SUCCESS && mpi_info_set(info, key, value) < 0)
		code = mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info value");
	return code;
}

int mpi_info_delete_pair(struct mpi_rank *me, struct mpi_info *info, const char *key)
{
	int code = check_changeable(me, info);

	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS && !mpi_info_delete(info, key))
		code = mpi_raise(me, NULL, MPI_ERR_INFO_NOKEY, "info has no key \"%s\"", key);
	return code;
}

/* As much of the value as `n_room` characters hold, and a terminating zero. */
static void give(char *to, const char *value, int n_room)
{
	size_t n = strnlen(value, (size_t)n_room);

	memcpy(to, value, n);
	to[n] = '\0';
}

/* The deprecated MPI_Info_get: `valuelen` does not count the terminating zero. */
int mpi_info_get_value(struct mpi_rank *me, struct mpi_info *info, const char *key, int valuelen,
		       char *value, int *flag)
{
	const char *found;
	int code = check_key(me, key);

	if (code != MPI_SUCCESS)
		return code;
	if (valuelen < 0)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "valuelen is %d, it must not be negative",
				 valuelen);
	found = mpi_info_value(info, key);
	*flag = found != NULL;
	if (found)
		give(value, found, valuelen);
	return MPI_SUCCESS;
}

/* `buflen` counts the terminating zero, in and out. */
int mpi_info_get_string(struct mpi_rank *me, struct mpi_info *info, const char *key, int *buflen,
			char *value, int *flag)
{
	const char *found;
	int code = check_key(me, key);

	if (code != MPI_SUCCESS)
		return code;
	if (*buflen < 0)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "*buflen is %d, it must not be negative",
				 *buflen);
	if (*buflen > 0 && !value)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "value is NULL");
	found = mpi_info_value(info, key);
	*flag = found != NULL;
	if (!found)
		return MPI_SUCCESS;
	if (*buflen > 0)
		give(value, found, *buflen - 1);
	*buflen = (int)strlen(found) + 1;
	return MPI_SUCCESS;
}

int mpi_info_get_valuelen(struct mpi_rank *me, struct mpi_info *info, const char *key,
			  int *valuelen, int *flag)
{
	const char *found;
	int code = check_key(me, key);

	if (code != MPI_SUCCESS)
		return code;
	found = mpi_info_value(info, key);
	*flag = found != NULL;
	if (found)
		*valuelen = (int)strlen(found);
	return MPI_SUCCESS;
}

int mpi_info_get_nkeys(struct mpi_rank *me, struct mpi_info *info, int *nkeys)
{
	*nkeys = info->n_pairs;
	return MPI_SUCCESS;
}

int mpi_info_get_nthkey(struct mpi_rank *me, struct mpi_info *info, int n, char *key)
{
	if (n < 0 || n >= info->n_pairs)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "n is %d, info has %d keys", n,
				 info->n_pairs);
	memcpy(key, info->pairs[n].key, strlen(info->pairs[n].key) + 1);
	return MPI_SUCCESS;
}
