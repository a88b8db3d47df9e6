/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles and statuses of Fortran in C. No calls of the program's: they enter nothing, take no time
 * and are not recorded. A number that stands for no handle gives the null handle.
 */
#include <string.h>

#include "mpi/core/rank.h"

static void *of_number(enum mpi_kind kind, MPI_Fint number, const void *null)
{
	void *handle = mpisim_foreign_handle((int)kind, number);

	return handle == FOREIGN_NO_HANDLE ? (void *)null : handle;
}

MPI_Fint MPI_Comm_c2f(MPI_Comm comm)
{
	return mpisim_foreign_number(comm);
}

MPI_Comm MPI_Comm_f2c(MPI_Fint comm)
{
	return of_number(KIND_COMM, comm, MPI_COMM_NULL);
}

MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler errhandler)
{
	return mpisim_foreign_number(errhandler);
}

MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint errhandler)
{
	return of_number(KIND_ERRHANDLER, errhandler, MPI_ERRHANDLER_NULL);
}

MPI_Fint MPI_File_c2f(MPI_File file)
{
	return mpisim_foreign_number(file);
}

MPI_File MPI_File_f2c(MPI_Fint file)
{
	return of_number(KIND_FILE, file, MPI_FILE_NULL);
}

MPI_Fint MPI_Group_c2f(MPI_Group group)
{
	return mpisim_foreign_number(group);
}

MPI_Group MPI_Group_f2c(MPI_Fint group)
{
	return of_number(KIND_GROUP, group, MPI_GROUP_NULL);
}

MPI_Fint MPI_Info_c2f(MPI_Info info)
{
	return mpisim_foreign_number(info);
}

MPI_Info MPI_Info_f2c(MPI_Fint info)
{
	return of_number(KIND_INFO, info, MPI_INFO_NULL);
}

MPI_Fint MPI_Message_c2f(MPI_Message message)
{
	return mpisim_foreign_number(message);
}

MPI_Message MPI_Message_f2c(MPI_Fint message)
{
	return of_number(KIND_MESSAGE, message, MPI_MESSAGE_NULL);
}

MPI_Fint MPI_Op_c2f(MPI_Op op)
{
	return mpisim_foreign_number(op);
}

MPI_Op MPI_Op_f2c(MPI_Fint op)
{
	return of_number(KIND_OP, op, MPI_OP_NULL);
}

MPI_Fint MPI_Request_c2f(MPI_Request request)
{
	return mpisim_foreign_number(request);
}

MPI_Request MPI_Request_f2c(MPI_Fint request)
{
	return of_number(KIND_REQUEST, request, MPI_REQUEST_NULL);
}

MPI_Fint MPI_Session_c2f(MPI_Session session)
{
	return mpisim_foreign_number(session);
}

MPI_Session MPI_Session_f2c(MPI_Fint session)
{
	return of_number(KIND_SESSION, session, MPI_SESSION_NULL);
}

MPI_Fint MPI_Type_c2f(MPI_Datatype datatype)
{
	return mpisim_foreign_number(datatype);
}

MPI_Datatype MPI_Type_f2c(MPI_Fint datatype)
{
	return of_number(KIND_DATATYPE, datatype, MPI_DATATYPE_NULL);
}

MPI_Fint MPI_Win_c2f(MPI_Win win)
{
	return mpisim_foreign_number(win);
}

MPI_Win MPI_Win_f2c(MPI_Fint win)
{
	return of_number(KIND_WIN, win, MPI_WIN_NULL);
}

/* All three kinds of status are the same eight integers. */
static int copy_status(const void *from, void *to)
{
	if (!from || !to)
		return MPI_ERR_ARG;
	memcpy(to, from, sizeof(MPI_Status));
	return MPI_SUCCESS;
}

int MPI_Status_c2f(const MPI_Status *c_status, MPI_Fint *f_status)
{
	return copy_status(c_status, f_status);
}

int MPI_Status_f2c(const MPI_Fint *f_status, MPI_Status *c_status)
{
	return copy_status(f_status, c_status);
}

int MPI_Status_c2f08(const MPI_Status *c_status, MPI_F08_status *f08_status)
{
	return copy_status(c_status, f08_status);
}

int MPI_Status_f082c(const MPI_F08_status *f08_status, MPI_Status *c_status)
{
	return copy_status(f08_status, c_status);
}

int MPI_Status_f2f08(const MPI_Fint *f_status, MPI_F08_status *f08_status)
{
	return copy_status(f_status, f08_status);
}

int MPI_Status_f082f(const MPI_F08_status *f08_status, MPI_Fint *f_status)
{
	return copy_status(f08_status, f_status);
}
