/* SPDX-License-Identifier: BSD-3-Clause */
/* The info functions; all of them work before MPI_Init and after MPI_Finalize. */
#include <string.h>

#include "mpi/info/info.h"

#define ENTER_ANYTIME() mpi_enter_anytime(__func__, __builtin_return_address(0))

static int check(struct mpi_rank *me, MPI_Info handle, struct mpi_info **info)
{
	*info = mpi_info_get(me, handle);
	if (*info)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO, "info is %s",
			 handle == MPI_INFO_NULL ? "MPI_INFO_NULL" : "not an info object");
}

static int check_output(struct mpi_rank *me, const void *output, const char *name)
{
	return output ? MPI_SUCCESS : mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL", name);
}

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

static int check_changeable(struct mpi_rank *me, MPI_Info handle)
{
	if (handle != MPI_INFO_ENV)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_INFO, "MPI_INFO_ENV cannot be changed or freed");
}

int MPI_Info_create(MPI_Info *info)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	int code = check_output(me, info, "info");

	if (code == MPI_SUCCESS)
		code = mpi_info_publish(me, mpi_info_create(), info);
	return mpi_leave(me, code);
}

int MPI_Info_create_env(int argc, char *argv[], MPI_Info *info)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	int code = check_output(me, info, "info");

	if (code == MPI_SUCCESS)
		code = mpi_info_publish(me, mpi_info_create_env(me), info);
	return mpi_leave(me, code);
}

int MPI_Info_dup(MPI_Info info, MPI_Info *newinfo)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object, *copy = NULL;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_output(me, newinfo, "newinfo");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	mpi_info_duplicate(object, &copy);
	return mpi_leave(me, mpi_info_publish(me, copy, newinfo));
}

int MPI_Info_free(MPI_Info *info)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object;
	int code = check_output(me, info, "info");

	if (code == MPI_SUCCESS)
		code = check(me, *info, &object);
	if (code == MPI_SUCCESS)
		code = check_changeable(me, *info);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	mpi_handle_destroy(me, (uintptr_t)*info);
	mpi_info_destroy(object);
	*info = MPI_INFO_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Info_set(MPI_Info info, const char *key, const char *value)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_changeable(me, info);
	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS)
		code = check_value(me, value);
	if (code == MPI_SUCCESS && mpi_info_set(object, key, value) < 0)
		code = mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info value");
	return mpi_leave(me, code);
}

int MPI_Info_delete(MPI_Info info, const char *key)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_changeable(me, info);
	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS && !mpi_info_delete(object, key))
		code = mpi_raise(me, NULL, MPI_ERR_INFO_NOKEY, "info has no key \"%s\"", key);
	return mpi_leave(me, code);
}

/* The deprecated MPI_Info_get: `valuelen` does not count the terminating zero. */
int MPI_Info_get(MPI_Info info, const char *key, int valuelen, char *value, int *flag)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	const char *found;
	struct mpi_info *object;
	size_t n;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS && valuelen < 0)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "valuelen is %d, it must not be negative",
				 valuelen);
	if (code == MPI_SUCCESS)
		code = check_output(me, flag, "flag");
	if (code == MPI_SUCCESS)
		code = check_output(me, value, "value");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	found = mpi_info_value(object, key);
	*flag = found != NULL;
	if (found) {
		n = strnlen(found, (size_t)valuelen);
		memcpy(value, found, n);
		value[n] = '\0';
	}
	return mpi_leave(me, MPI_SUCCESS);
}

/* `buflen` counts the terminating zero, in and out. */
int MPI_Info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	const char *found;
	struct mpi_info *object;
	size_t n;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS)
		code = check_output(me, buflen, "buflen");
	if (code == MPI_SUCCESS && *buflen < 0)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "*buflen is %d, it must not be negative",
				 *buflen);
	if (code == MPI_SUCCESS && *buflen > 0)
		code = check_output(me, value, "value");
	if (code == MPI_SUCCESS)
		code = check_output(me, flag, "flag");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	found = mpi_info_value(object, key);
	*flag = found != NULL;
	if (!found)
		return mpi_leave(me, MPI_SUCCESS);
	if (*buflen > 0) {
		n = strnlen(found, (size_t)*buflen - 1);
		memcpy(value, found, n);
		value[n] = '\0';
	}
	*buflen = (int)strlen(found) + 1;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Info_get_valuelen(MPI_Info info, const char *key, int *valuelen, int *flag)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	const char *found;
	struct mpi_info *object;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_key(me, key);
	if (code == MPI_SUCCESS)
		code = check_output(me, valuelen, "valuelen");
	if (code == MPI_SUCCESS)
		code = check_output(me, flag, "flag");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	found = mpi_info_value(object, key);
	*flag = found != NULL;
	if (found)
		*valuelen = (int)strlen(found);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Info_get_nkeys(MPI_Info info, int *nkeys)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_output(me, nkeys, "nkeys");
	if (code == MPI_SUCCESS)
		*nkeys = object->n_pairs;
	return mpi_leave(me, code);
}

int MPI_Info_get_nthkey(MPI_Info info, int n, char *key)
{
	struct mpi_rank *me = ENTER_ANYTIME();
	struct mpi_info *object;
	int code = check(me, info, &object);

	if (code == MPI_SUCCESS)
		code = check_output(me, key, "key");
	if (code == MPI_SUCCESS && (n < 0 || n >= object->n_pairs))
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "n is %d, info has %d keys", n,
				 object->n_pairs);
	if (code == MPI_SUCCESS)
		memcpy(key, object->pairs[n].key, strlen(object->pairs[n].key) + 1);
	return mpi_leave(me, code);
}
