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

/* MPI_NAME_toint and MPI_NAME_fromint. */
#define CONVERSIONS(NAME, TYPE, KIND, NONE)                                                       \
	int MPI_##NAME##_toint(TYPE handle)                                                       \
	{                                                                                         \
		return to_int(__func__, __builtin_return_address(0), handle);                     \
	}                                                                                         \
	TYPE MPI_##NAME##_fromint(int number)                                                     \
	{                                                                                         \
		return (TYPE)from_int(__func__, __builtin_return_address(0), KIND, number, NONE); \
	}

CONVERSIONS(Comm, MPI_Comm, KIND_COMM, MPI_COMM_NULL)
CONVERSIONS(Errhandler, MPI_Errhandler, KIND_ERRHANDLER, MPI_ERRHANDLER_NULL)
CONVERSIONS(File, MPI_File, KIND_FILE, MPI_FILE_NULL)
CONVERSIONS(Group, MPI_Group, KIND_GROUP, MPI_GROUP_NULL)
CONVERSIONS(Info, MPI_Info, KIND_INFO, MPI_INFO_NULL)
CONVERSIONS(Message, MPI_Message, KIND_MESSAGE, MPI_MESSAGE_NULL)
CONVERSIONS(Op, MPI_Op, KIND_OP, MPI_OP_NULL)
CONVERSIONS(Request, MPI_Request, KIND_REQUEST, MPI_REQUEST_NULL)
CONVERSIONS(Session, MPI_Session, KIND_SESSION, MPI_SESSION_NULL)
CONVERSIONS(Type, MPI_Datatype, KIND_DATATYPE, MPI_DATATYPE_NULL)
CONVERSIONS(Win, MPI_Win, KIND_WIN, MPI_WIN_NULL)
