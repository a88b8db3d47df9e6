/* SPDX-License-Identifier: BSD-3-Clause */
/* Handles as numbers, for languages without pointers. Allowed before MPI_Init and after
 * MPI_Finalize. */
#include <limits.h>

#include "mpi/core/rank.h"

static int to_int(const char *function, const void *site, const void *handle)
{
	struct mpi_rank *me = mpi_enter_anytime(function, site);
	int64_t number = mpi_handle_number((uintptr_t)handle);

	if (number > INT_MAX)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "more handles than an int can number");
	return mpi_leave(me, (int)number);
}

/* A number that stands for no handle of this rank gives `null`. */
static uintptr_t from_int(const char *function, const void *site, enum mpi_kind kind, int number,
			  const void *null)
{
	struct mpi_rank *me = mpi_enter_anytime(function, site);
	uintptr_t handle = mpi_handle_of_number(me, kind, number);

	mpi_leave(me, MPI_SUCCESS);
	return handle ? handle : (uintptr_t)null;
}

int MPI_Comm_toint(MPI_Comm comm)
{
	return to_int(__func__, __builtin_return_address(0), comm);
}

MPI_Comm MPI_Comm_fromint(int comm)
{
	return (MPI_Comm)from_int(__func__, __builtin_return_address(0), KIND_COMM, comm,
				  MPI_COMM_NULL);
}

int MPI_Errhandler_toint(MPI_Errhandler errhandler)
{
	return to_int(__func__, __builtin_return_address(0), errhandler);
}

MPI_Errhandler MPI_Errhandler_fromint(int errhandler)
{
	return (MPI_Errhandler)from_int(__func__, __builtin_return_address(0), KIND_ERRHANDLER,
					errhandler, MPI_ERRHANDLER_NULL);
}

int MPI_File_toint(MPI_File file)
{
	return to_int(__func__, __builtin_return_address(0), file);
}

MPI_File MPI_File_fromint(int file)
{
	return (MPI_File)from_int(__func__, __builtin_return_address(0), KIND_FILE, file,
				  MPI_FILE_NULL);
}

int MPI_Group_toint(MPI_Group group)
{
	return to_int(__func__, __builtin_return_address(0), group);
}

MPI_Group MPI_Group_fromint(int group)
{
	return (MPI_Group)from_int(__func__, __builtin_return_address(0), KIND_GROUP, group,
				   MPI_GROUP_NULL);
}

int MPI_Info_toint(MPI_Info info)
{
	return to_int(__func__, __builtin_return_address(0), info);
}

MPI_Info MPI_Info_fromint(int info)
{
	return (MPI_Info)from_int(__func__, __builtin_return_address(0), KIND_INFO, info,
				  MPI_INFO_NULL);
}

int MPI_Message_toint(MPI_Message message)
{
	return to_int(__func__, __builtin_return_address(0), message);
}

MPI_Message MPI_Message_fromint(int message)
{
	return (MPI_Message)from_int(__func__, __builtin_return_address(0), KIND_MESSAGE, message,
				     MPI_MESSAGE_NULL);
}

int MPI_Op_toint(MPI_Op op)
{
	return to_int(__func__, __builtin_return_address(0), op);
}

MPI_Op MPI_Op_fromint(int op)
{
	return (MPI_Op)from_int(__func__, __builtin_return_address(0), KIND_OP, op, MPI_OP_NULL);
}

int MPI_Request_toint(MPI_Request request)
{
	return to_int(__func__, __builtin_return_address(0), request);
}

MPI_Request MPI_Request_fromint(int request)
{
	return (MPI_Request)from_int(__func__, __builtin_return_address(0), KIND_REQUEST, request,
				     MPI_REQUEST_NULL);
}

int MPI_Session_toint(MPI_Session session)
{
	return to_int(__func__, __builtin_return_address(0), session);
}

MPI_Session MPI_Session_fromint(int session)
{
	return (MPI_Session)from_int(__func__, __builtin_return_address(0), KIND_SESSION, session,
				     MPI_SESSION_NULL);
}

int MPI_Type_toint(MPI_Datatype datatype)
{
	return to_int(__func__, __builtin_return_address(0), datatype);
}

MPI_Datatype MPI_Type_fromint(int datatype)
{
	return (MPI_Datatype)from_int(__func__, __builtin_return_address(0), KIND_DATATYPE,
				      datatype, MPI_DATATYPE_NULL);
}

int MPI_Win_toint(MPI_Win win)
{
	return to_int(__func__, __builtin_return_address(0), win);
}

MPI_Win MPI_Win_fromint(int win)
{
	return (MPI_Win)from_int(__func__, __builtin_return_address(0), KIND_WIN, win,
				 MPI_WIN_NULL);
}
