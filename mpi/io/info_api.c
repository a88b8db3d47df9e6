/* SPDX-License-Identifier: BSD-3-Clause */
/* What belongs to a file besides its bytes: hints, access mode, error handler. */
#include <stdio.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/io/file.h"

/* The standard's reserved hints. The library uses the first three; the others are kept for whoever
 * asks. */
static const char *const hints[] = {
    "striping_factor",
    "striping_unit",
    "file_perm",
    "access_style",
    "collective_buffering",
    "cb_block_size",
    "cb_buffer_size",
    "cb_nodes",
    "chunked",
    "chunked_item",
    "chunked_size",
    "filename",
    "io_node_list",
    "nb_proc",
    "num_io_nodes",
    "mpi_assert_memory_alloc_kinds",
};

int io_hints_set(struct mpi_file *file, const struct mpi_info *given)
{
	if (!file->info && !(file->info = mpi_info_create()))
		return MPI_ERR_NO_MEM;
	for (size_t i = 0; given && i < sizeof hints / sizeof hints[0]; i++) {
		const char *value = mpi_info_value(given, hints[i]);

		if (value && mpi_info_set(file->info, hints[i], value) < 0)
			return MPI_ERR_NO_MEM;
	}
	return MPI_SUCCESS;
}

int mpi_file_set_info(struct mpi_rank *me, struct mpi_file *file, MPI_Info info)
{
	struct mpi_info *given = mpi_info_get(me, info);

	if (!given)
		return io_raise(me, file, MPI_ERR_INFO, "info is not an info object");
	if (io_hints_set(file, given) != MPI_SUCCESS)
		return io_raise(me, file, MPI_ERR_NO_MEM, "out of memory for hints");
	return MPI_SUCCESS;
}

/* What the file really has, in place of what was asked for. */
static int set_number(struct mpi_info *info, const char *key, long long number)
{
	char text[32];

	snprintf(text, sizeof text, "%lld", number);
	return mpi_info_set(info, key, text);
}

int mpi_file_get_info(struct mpi_rank *me, struct mpi_file *file, MPI_Info *info_used)
{
	struct mpi_info *copy = NULL;

	if (mpi_info_duplicate(file->info, &copy) < 0 ||
	    set_number(copy, "striping_factor", file->shared->stripes.n) < 0 ||
	    set_number(copy, "striping_unit", file->shared->stripes.size_B) < 0) {
		mpi_info_destroy(copy);
		return io_raise(me, file, MPI_ERR_NO_MEM, "out of memory for an info object");
	}
	return mpi_info_publish(me, copy, info_used);
}

int mpi_file_get_amode(struct mpi_rank *me, struct mpi_file *file, int *amode)
{
	*amode = file->amode;
	return MPI_SUCCESS;
}

/* --- error handlers --- */

/* Where a file, or for NULL MPI_FILE_NULL, keeps its handler. */
static struct mpi_errhandler **slot_of(struct mpi_rank *me, struct mpi_file *file)
{
	return file ? &file->errhandler : &io_rank(me)->errhandler;
}

int mpi_file_set_errhandler(struct mpi_rank *me, struct mpi_file *file, MPI_Errhandler errhandler)
{
	return mpi_errhandler_set(me, KIND_FILE, (uintptr_t)(file ? file->handle : MPI_FILE_NULL),
				  errhandler, slot_of(me, file));
}

int mpi_file_get_errhandler(struct mpi_rank *me, struct mpi_file *file, MPI_Errhandler *errhandler)
{
	return mpi_errhandler_give(*slot_of(me, file), errhandler);
}

int mpi_file_call_errhandler(struct mpi_rank *me, struct mpi_file *file, int errorcode)
{
	mpi_raise_on(me, *slot_of(me, file), (uintptr_t)(file ? file->handle : MPI_FILE_NULL),
		     errorcode, "the program called the error handler with code %d", errorcode);
	return MPI_SUCCESS;
}
