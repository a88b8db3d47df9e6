/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/arguments.h"

#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/info/info.h"
#include "mpi/io/file.h"
#include "mpi/op/op.h"
#include "mpi/rma/window.h"

struct kind {
	int error_class;
	const char *null; /* the name of the null handle */
	const char *what;
};

static int tell(struct mpi_rank *me, struct mpi_comm *comm, const struct kind *kind,
		const char *name, bool is_null)
{
	return mpi_raise(me, comm, kind->error_class, "%s is %s%s", name, is_null ? "" : "not ",
			 is_null ? kind->null : kind->what);
}

int mpi_find_comm(struct mpi_rank *me, struct mpi_comm *comm, MPI_Comm handle, const char *name,
		  bool may_be_null, struct mpi_comm **out)
{
	static const struct kind kind = {MPI_ERR_COMM, "MPI_COMM_NULL", "a communicator"};
	bool is_null = handle == MPI_COMM_NULL;

	*out = mpi_comm_get(me, handle);
	return *out || (is_null && may_be_null) ? MPI_SUCCESS
						: tell(me, comm, &kind, name, is_null);
}

int mpi_find_datatype(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype handle,
		      const char *name, bool may_be_null, struct mpi_datatype **out)
{
	static const struct kind kind = {MPI_ERR_TYPE, "MPI_DATATYPE_NULL", "a datatype"};
	bool is_null = handle == MPI_DATATYPE_NULL;

	*out = mpi_datatype_get(me, handle);
	return *out || (is_null && may_be_null) ? MPI_SUCCESS
						: tell(me, comm, &kind, name, is_null);
}

int mpi_find_file(struct mpi_rank *me, struct mpi_comm *comm, MPI_File handle, const char *name,
		  bool may_be_null, struct mpi_file **out)
{
	*out = NULL;
	return handle == MPI_FILE_NULL && may_be_null ? MPI_SUCCESS
						      : io_check_file(me, handle, out);
}

int mpi_find_group(struct mpi_rank *me, struct mpi_comm *comm, MPI_Group handle, const char *name,
		   bool may_be_null, struct mpi_group **out)
{
	static const struct kind kind = {MPI_ERR_GROUP, "MPI_GROUP_NULL", "a group"};
	bool is_null = handle == MPI_GROUP_NULL;

	*out = mpi_group_get(me, handle);
	return *out || (is_null && may_be_null) ? MPI_SUCCESS
						: tell(me, comm, &kind, name, is_null);
}

int mpi_find_info(struct mpi_rank *me, struct mpi_comm *comm, MPI_Info handle, const char *name,
		  bool may_be_null, struct mpi_info **out)
{
	static const struct kind kind = {MPI_ERR_INFO, "MPI_INFO_NULL", "an info object"};
	bool is_null = handle == MPI_INFO_NULL;

	*out = mpi_info_get(me, handle);
	return *out || (is_null && may_be_null) ? MPI_SUCCESS
						: tell(me, comm, &kind, name, is_null);
}

int mpi_find_op(struct mpi_rank *me, struct mpi_comm *comm, MPI_Op handle, const char *name,
		bool may_be_null, struct mpi_op **out)
{
	static const struct kind kind = {MPI_ERR_OP, "MPI_OP_NULL", "an operation"};
	bool is_null = handle == MPI_OP_NULL;

	*out = mpi_op_get(me, handle);
	return *out || (is_null && may_be_null) ? MPI_SUCCESS
						: tell(me, comm, &kind, name, is_null);
}

int mpi_find_win(struct mpi_rank *me, struct mpi_comm *comm, MPI_Win handle, const char *name,
		 bool may_be_null, struct mpi_win **out)
{
	*out = NULL;
	return handle == MPI_WIN_NULL && may_be_null ? MPI_SUCCESS : rma_check_win(me, handle, out);
}

int mpi_check_place(struct mpi_rank *me, struct mpi_comm *comm, const void *place, const char *name)
{
	return place ? MPI_SUCCESS : mpi_raise(me, comm, MPI_ERR_ARG, "%s is NULL", name);
}

int mpi_check_place_of_win(struct mpi_rank *me, struct mpi_win *win, const void *place,
			   const char *name)
{
	if (!win)
		return mpi_check_place(me, NULL, place, name);
	return place ? MPI_SUCCESS : rma_raise(me, win, MPI_ERR_ARG, "%s is NULL", name);
}

int mpi_check_place_of_file(struct mpi_rank *me, struct mpi_file *file, const void *place,
			    const char *name)
{
	return place ? MPI_SUCCESS : io_raise(me, file, MPI_ERR_ARG, "%s is NULL", name);
}

int mpi_check_list(struct mpi_rank *me, struct mpi_comm *comm, int n, const char *name_of_n,
		   const void *list, const char *name)
{
	if (n < 0)
		return mpi_raise(me, comm, MPI_ERR_ARG, "%s is %d, it must not be negative",
				 name_of_n, n);
	return n > 0 ? mpi_check_place(me, comm, list, name) : MPI_SUCCESS;
}
