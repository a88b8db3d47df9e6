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

int MPI_File_create_errhandler(MPI_File_errhandler_function *file_errhandler_fn,
			       MPI_Errhandler *errhandler)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	return mpi_leave(me, mpi_errhandler_create(me, KIND_FILE,
						   (void (*)(void))file_errhandler_fn, errhandler));
}

/* Where a file, or MPI_FILE_NULL, keeps its handler. NULL: the error was raised, *code. */
static struct mpi_errhandler **slot_of(struct mpi_rank *me, MPI_File handle, int *code)
{
	struct mpi_file *file;

	*code = MPI_SUCCESS;
	if (handle == MPI_FILE_NULL)
		return &io_rank(me)->errhandler;
	*code = io_check_file(me, handle, &file);
	return *code == MPI_SUCCESS ? &file->errhandler : NULL;
}

int MPI_File_set_errhandler(MPI_File file, MPI_Errhandler errhandler)
{
	struct mpi_rank *me = MPI_ENTER();
	int code;
	struct mpi_errhandler **slot = slot_of(me, file, &code);

	if (slot)
		code = mpi_errhandler_set(me, KIND_FILE, (uintptr_t)file, errhandler, slot);
	return mpi_leave(me, code);
}

int MPI_File_get_errhandler(MPI_File file, MPI_Errhandler *errhandler)
{
	struct mpi_rank *me = MPI_ENTER();
	int code;
	struct mpi_errhandler **slot = slot_of(me, file, &code);

	if (!slot)
		return mpi_leave(me, code);
	code = mpi_errhandler_give(*slot, errhandler);
	if (code != MPI_SUCCESS)
		code = mpi_raise_on(me, *slot, (uintptr_t)file, code, "errhandler is NULL");
	return mpi_leave(me, code);
}

int MPI_File_call_errhandler(MPI_File fh, int errorcode)
{
	struct mpi_rank *me = MPI_ENTER();
	int code;
	struct mpi_errhandler **slot = slot_of(me, fh, &code);

	if (slot)
		mpi_raise_on(me, *slot, (uintptr_t)fh, errorcode,
			     "the program called the error handler with code %d", errorcode);
	return mpi_leave(me, code);
}
