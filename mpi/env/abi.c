/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Abi_*: the version, sizes of types, and what a Fortran program says about its compiler. */
#include <stdio.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/objects.h"
#include "mpi/info/info.h"

int mpi_abi_get_version(struct mpi_rank *me, int *abi_major, int *abi_minor)
{
	*abi_major = MPI_ABI_VERSION;
	*abi_minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}

static int set_size(struct mpi_info *info, const char *key, size_t size_B)
{
	char text[16];

	snprintf(text, sizeof text, "%zu", size_B);
	return mpi_info_set(info, key, text);
}

int mpi_abi_get_info(struct mpi_rank *me, MPI_Info *info)
{
	struct mpi_info *sizes = mpi_info_create();

	if (!sizes || set_size(sizes, "mpi_aint_size", sizeof(MPI_Aint)) < 0 ||
	    set_size(sizes, "mpi_count_size", sizeof(MPI_Count)) < 0 ||
	    set_size(sizes, "mpi_offset_size", sizeof(MPI_Offset)) < 0) {
		mpi_info_destroy(sizes);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object");
	}
	return mpi_info_publish(me, sizes, info);
}

/* MPI_SUCCESS and what is kept, or the error. */
static int fortran_of(struct mpi_rank *me, struct mpi_fortran_abi **fortran)
{
	struct mpi_rank_objects *objects = mpi_rank_objects(me);

	if (!objects)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory");
	*fortran = &objects->fortran;
	return MPI_SUCCESS;
}

int mpi_abi_get_fortran_info(struct mpi_rank *me, MPI_Info *info)
{
	struct mpi_fortran_abi *fortran = NULL;
	struct mpi_info *copy;
	int code = fortran_of(me, &fortran);

	if (code != MPI_SUCCESS)
		return code;
	if (!fortran->info) {
		*info = MPI_INFO_NULL;
		return MPI_SUCCESS;
	}
	if (mpi_info_duplicate(fortran->info, &copy) < 0)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object");
	return mpi_info_publish(me, copy, info);
}

int mpi_abi_set_fortran_info(struct mpi_rank *me, struct mpi_info *info)
{
	struct mpi_fortran_abi *fortran = NULL;
	int code = fortran_of(me, &fortran);

	if (code == MPI_SUCCESS && fortran->info)
		code = mpi_raise(me, NULL, MPI_ERR_ABI, "the Fortran compiler is known already");
	if (code == MPI_SUCCESS && mpi_info_duplicate(info, &fortran->info) < 0)
		code = mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an info object");
	return code;
}

/* Index of a size of LOGICAL: 1, 2, 4, 8 and 16 bytes; -1 for others. */
static int index_of_size(int size_B)
{
	for (int i = 0; i < MPI_LOGICAL_SIZES; i++)
		if (size_B == 1 << i)
			return i;
	return -1;
}

static int check_logical(struct mpi_rank *me, int size_B, const void *true_value,
			 const void *false_value)
{
	if (index_of_size(size_B) < 0)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "logical_size is %d, it must be a power of two up to %d", size_B,
				 MPI_LOGICAL_MAX_B);
	if (!true_value || !false_value)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL",
				 true_value ? "logical_false" : "logical_true");
	return MPI_SUCCESS;
}

int mpi_abi_get_fortran_booleans(struct mpi_rank *me, int logical_size, void *logical_true,
				 void *logical_false, int *is_set)
{
	struct mpi_fortran_abi *fortran = NULL;
	int i = index_of_size(logical_size), code = fortran_of(me, &fortran);

	if (code == MPI_SUCCESS)
		code = check_logical(me, logical_size, logical_true, logical_false);
	if (code != MPI_SUCCESS)
		return code;
	*is_set = fortran->logicals[i].is_set;
	if (*is_set) {
		memcpy(logical_true, fortran->logicals[i].true_bytes, (size_t)logical_size);
		memcpy(logical_false, fortran->logicals[i].false_bytes, (size_t)logical_size);
	}
	return MPI_SUCCESS;
}

int mpi_abi_set_fortran_booleans(struct mpi_rank *me, int logical_size, void *logical_true,
				 void *logical_false)
{
	struct mpi_fortran_abi *fortran = NULL;
	int i = index_of_size(logical_size), code = fortran_of(me, &fortran);

	if (code == MPI_SUCCESS)
		code = check_logical(me, logical_size, logical_true, logical_false);
	if (code == MPI_SUCCESS && fortran->logicals[i].is_set)
		code = mpi_raise(me, NULL, MPI_ERR_ABI,
				 "the values of a LOGICAL of %d bytes are known already",
				 logical_size);
	if (code != MPI_SUCCESS)
		return code;
	fortran->logicals[i].is_set = true;
	memcpy(fortran->logicals[i].true_bytes, logical_true, (size_t)logical_size);
	memcpy(fortran->logicals[i].false_bytes, logical_false, (size_t)logical_size);
	return MPI_SUCCESS;
}
