/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_File_set_view and what asks for views. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/info/info.h"
#include "mpi/io/datarep.h"
#include "mpi/io/file.h"
#include "util/map.h"

struct wanted {
	MPI_Offset disp;
	struct mpi_datatype *etype, *filetype;
	const struct io_datarep *datarep;
};

static int check_type(struct mpi_rank *me, const struct mpi_file *file, struct mpi_datatype *type,
		      const char *name)
{
	const char *problem;

	if (!type->is_committed)
		return io_raise(me, file, MPI_ERR_TYPE, "%s is not committed", name);
	problem = io_view_problem(type, !(file->amode & MPI_MODE_RDONLY));
	if (problem)
		return io_raise(me, file, MPI_ERR_IO, "%s %s", name, problem); /* ROMIO's class */
	return MPI_SUCCESS;
}

static int check_types(struct mpi_rank *me, const struct mpi_file *file,
		       const struct wanted *wanted)
{
	int code = check_type(me, file, wanted->etype, "etype");

	if (code == MPI_SUCCESS)
		code = check_type(me, file, wanted->filetype, "filetype");
	if (code != MPI_SUCCESS)
		return code;
	if (wanted->etype->size_B == 0)
		return io_raise(me, file, MPI_ERR_ARG, "etype has no data");
	if (wanted->filetype->size_B % wanted->etype->size_B != 0)
		return io_raise(
		    me, file, MPI_ERR_ARG,
		    "filetype has %lld bytes of data, which are no whole etypes of %lld",
		    (long long)wanted->filetype->size_B, (long long)wanted->etype->size_B);
	return MPI_SUCCESS;
}

static int check(struct mpi_rank *me, const struct mpi_file *file, const char *datarep,
		 struct wanted *wanted)
{
	bool is_sequential = file->amode & MPI_MODE_SEQUENTIAL;

	if (is_sequential != (wanted->disp == MPI_DISPLACEMENT_CURRENT) ||
	    (wanted->disp < 0 && !is_sequential))
		return io_raise(me, file, MPI_ERR_ARG, "disp is %lld, wanted %s",
				(long long)wanted->disp,
				is_sequential ? "MPI_DISPLACEMENT_CURRENT with MPI_MODE_SEQUENTIAL"
					      : "at least 0");
	wanted->datarep = io_datarep_find(me, datarep);
	if (!wanted->datarep)
		return io_raise(me, file, MPI_ERR_UNSUPPORTED_DATAREP,
				"datarep is \"%.128s\", wanted native, internal, external32 or a "
				"registered one",
				datarep);
	if (file->split.is_active)
		return io_raise(me, file, MPI_ERR_IO, "a split collective is under way");
	return check_types(me, file, wanted);
}

/* The view that is wanted, holding what it names. An error class. */
static int build(struct mpi_rank *me, const struct mpi_file *file, const struct wanted *wanted,
		 struct io_view *out)
{
	struct mpi_datatype *etype_layout = NULL, *tile = NULL;
	int code = io_datarep_layout(me, wanted->datarep, wanted->etype, &etype_layout);

	if (code == MPI_SUCCESS)
		code = io_datarep_layout(me, wanted->datarep, wanted->filetype, &tile);
	if (code == MPI_SUCCESS) {
		mpi_datatype_retain(wanted->etype);
		mpi_datatype_retain(wanted->filetype);
		*out = (struct io_view){.disp_B = wanted->disp,
					.etype = wanted->etype,
					.filetype = wanted->filetype,
					.tile = tile,
					.etype_B = etype_layout->size_B,
					.etype_extent_B = etype_layout->extent_B,
					.datarep = wanted->datarep};
		if (wanted->disp == MPI_DISPLACEMENT_CURRENT)
			out->disp_B =
			    io_view_offset(&file->view, file->shared->pointer * file->view.etype_B);
	} else {
		mpi_datatype_release(me, tile);
	}
	mpi_datatype_release(me, etype_layout);
	return code;
}

/* Ranks may have views of their own, but etypes of one size in one representation. */
static int agree(struct mpi_rank *me, struct mpi_file *file, const struct io_view *view)
{
	const char *name = view->datarep->name;
	uint64_t sum = util_hash(name, strlen(name), 0);

	sum = util_hash(&view->etype_extent_B, sizeof view->etype_extent_B, sum);
	return io_agree(me, file, (int64_t)(sum >> 1));
}

int mpi_file_set_view(struct mpi_rank *me, struct mpi_file *file, MPI_Offset disp,
		      struct mpi_datatype *etype, struct mpi_datatype *filetype,
		      const char *datarep, struct mpi_info *info)
{
	struct wanted wanted = {.disp = disp, .etype = etype, .filetype = filetype};
	struct io_view view;
	int code = check(me, file, datarep, &wanted);

	if (code != MPI_SUCCESS)
		return code;
	code = build(me, file, &wanted, &view);
	if (code != MPI_SUCCESS)
		return io_raise(me, file, code, "the view cannot be made");
	code = agree(me, file, &view);
	if (code == MPI_SUCCESS)
		code = io_hints_set(file, info);
	if (code != MPI_SUCCESS) {
		io_view_finish(me, &view);
		return io_raise(me, file, code,
				"the extent of etype, or datarep, differs between "
				"ranks, or there is no memory");
	}
	io_view_finish(me, &file->view);
	file->view = view;
	file->pointer = 0;
	if (io_is_first(file))
		file->shared->pointer = 0;
	return MPI_SUCCESS;
}

int mpi_file_get_view(struct mpi_rank *me, struct mpi_file *file, MPI_Offset *disp,
		      MPI_Datatype *etype, MPI_Datatype *filetype, char *datarep)
{
	*disp = file->view.disp_B;
	*etype = mpi_datatype_new_handle(me, file->view.etype);
	*filetype = mpi_datatype_new_handle(me, file->view.filetype);
	strcpy(datarep, file->view.datarep->name);
	return MPI_SUCCESS;
}

int mpi_file_get_type_extent(struct mpi_rank *me, struct mpi_file *file, struct mpi_datatype *type,
			     MPI_Count *extent)
{
	struct mpi_datatype *layout;
	int code = io_datarep_layout(me, file->view.datarep, type, &layout);

	if (code != MPI_SUCCESS)
		return io_raise(me, file, code, "the extent cannot be found");
	*extent = layout->extent_B;
	mpi_datatype_release(me, layout);
	return MPI_SUCCESS;
}
