/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/arguments.h"

#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/core/session.h"
#include "mpi/info/info.h"
#include "mpi/io/file.h"
#include "mpi/op/op.h"
#include "mpi/p2p/request.h"
#include "mpi/rma/window.h"

struct mpi_raiser mpi_on_comm(const struct mpi_comm *comm)
{
	return (struct mpi_raiser){comm->errhandler, (uintptr_t)comm->handle};
}

struct mpi_raiser mpi_on_file(const struct mpi_file *file)
{
	return (struct mpi_raiser){file->errhandler, (uintptr_t)file->handle};
}

struct mpi_raiser mpi_on_no_file(struct mpi_rank *me)
{
	return (struct mpi_raiser){io_rank(me)->errhandler, (uintptr_t)MPI_FILE_NULL};
}

struct mpi_raiser mpi_on_request(const struct mpi_request *request)
{
	return request->comm ? mpi_on_comm(request->comm) : MPI_ON_NONE;
}

struct mpi_raiser mpi_on_session(const struct mpi_session *session)
{
	return (struct mpi_raiser){session->errhandler, (uintptr_t)session->handle};
}

struct mpi_raiser mpi_on_win(const struct mpi_win *win)
{
	return (struct mpi_raiser){win->errhandler, (uintptr_t)win->handle};
}

/* What is said of a handle that leads to no object. */
struct kind {
	int error_class;
	const char *null; /* the name of the null handle */
	const char *what;
};

static int tell(struct mpi_rank *me, struct mpi_raiser on, const struct kind *kind,
		const char *name, bool is_null)
{
	return mpi_raise_for(me, on, kind->error_class, "%s is %s%s", name, is_null ? "" : "not ",
			     is_null ? kind->null : kind->what);
}

int mpi_find_comm(struct mpi_rank *me, struct mpi_raiser on, MPI_Comm handle, const char *name,
		  bool may_be_null, struct mpi_comm **out)
{
	static const struct kind kind = {MPI_ERR_COMM, "MPI_COMM_NULL", "a communicator"};

	*out = mpi_comm_get(me, handle);
	return *out || (handle == MPI_COMM_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_COMM_NULL);
}

int mpi_find_datatype(struct mpi_rank *me, struct mpi_raiser on, MPI_Datatype handle,
		      const char *name, bool may_be_null, struct mpi_datatype **out)
{
	static const struct kind kind = {MPI_ERR_TYPE, "MPI_DATATYPE_NULL", "a datatype"};

	*out = mpi_datatype_get(me, handle);
	return *out || (handle == MPI_DATATYPE_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_DATATYPE_NULL);
}

int mpi_find_file(struct mpi_rank *me, struct mpi_raiser on, MPI_File handle, const char *name,
		  bool may_be_null, struct mpi_file **out)
{
	static const struct kind kind = {MPI_ERR_FILE, "MPI_FILE_NULL", "a file"};

	*out = mpi_handle_object(me, KIND_FILE, (uintptr_t)handle);
	return *out || (handle == MPI_FILE_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, mpi_on_no_file(me), &kind, name, handle == MPI_FILE_NULL);
}

int mpi_find_group(struct mpi_rank *me, struct mpi_raiser on, MPI_Group handle, const char *name,
		   bool may_be_null, struct mpi_group **out)
{
	static const struct kind kind = {MPI_ERR_GROUP, "MPI_GROUP_NULL", "a group"};

	*out = mpi_group_get(me, handle);
	return *out || (handle == MPI_GROUP_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_GROUP_NULL);
}

int mpi_find_info(struct mpi_rank *me, struct mpi_raiser on, MPI_Info handle, const char *name,
		  bool may_be_null, struct mpi_info **out)
{
	static const struct kind kind = {MPI_ERR_INFO, "MPI_INFO_NULL", "an info object"};

	*out = mpi_info_get(me, handle);
	return *out || (handle == MPI_INFO_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_INFO_NULL);
}

int mpi_find_op(struct mpi_rank *me, struct mpi_raiser on, MPI_Op handle, const char *name,
		bool may_be_null, struct mpi_op **out)
{
	static const struct kind kind = {MPI_ERR_OP, "MPI_OP_NULL", "an operation"};

	*out = mpi_op_get(me, handle);
	return *out || (handle == MPI_OP_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_OP_NULL);
}

int mpi_find_request(struct mpi_rank *me, struct mpi_raiser on, MPI_Request handle,
		     const char *name, bool may_be_null, struct mpi_request **out)
{
	static const struct kind kind = {MPI_ERR_REQUEST, "MPI_REQUEST_NULL",
					 "a request of this rank"};

	*out = mpi_request_get(me, handle);
	return *out || (handle == MPI_REQUEST_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_REQUEST_NULL);
}

int mpi_find_session(struct mpi_rank *me, struct mpi_raiser on, MPI_Session handle,
		     const char *name, bool may_be_null, struct mpi_session **out)
{
	static const struct kind kind = {MPI_ERR_SESSION, "MPI_SESSION_NULL", "a session"};

	*out = mpi_session_get(me, handle);
	return *out || (handle == MPI_SESSION_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_SESSION_NULL);
}

int mpi_find_win(struct mpi_rank *me, struct mpi_raiser on, MPI_Win handle, const char *name,
		 bool may_be_null, struct mpi_win **out)
{
	static const struct kind kind = {MPI_ERR_WIN, "MPI_WIN_NULL", "a window"};

	*out = mpi_win_get(me, handle);
	return *out || (handle == MPI_WIN_NULL && may_be_null)
		   ? MPI_SUCCESS
		   : tell(me, on, &kind, name, handle == MPI_WIN_NULL);
}

int mpi_check_intra(struct mpi_rank *me, struct mpi_raiser on, const struct mpi_comm *comm,
		    const char *name)
{
	return comm->remote
		   ? mpi_raise_for(me, on, MPI_ERR_COMM, "%s is an intercommunicator", name)
		   : MPI_SUCCESS;
}

int mpi_check_inter(struct mpi_rank *me, struct mpi_raiser on, const struct mpi_comm *comm,
		    const char *name)
{
	return comm->remote
		   ? MPI_SUCCESS
		   : mpi_raise_for(me, on, MPI_ERR_COMM, "%s is an intracommunicator", name);
}

int mpi_check_device(struct mpi_rank *me, const void *buf, const char *name)
{
	if (pd_memory_is_device(buf))
		pd_fail(me->pd, PD_FAILURE_UNSUPPORTED,
			"%s does not take memory of accelerators, where %s is", me->pd->function, name);
	return MPI_SUCCESS;
}
