/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Handles as numbers, for languages without pointers, which the functions that mpi/abi/entries.py
 * writes call; statuses of Fortran. Those for Fortran are no calls of the program's: they enter
 * nothing, take no time and are not recorded.
 */
#include <limits.h>
#include <string.h>

#include "mpi/core/arguments.h"

int mpi_handle_to_int(const char *function, const void *site, const void *handle)
{
	struct mpi_rank *me = mpi_enter_anytime(function, site);
	int64_t number = mpi_handle_number((uintptr_t)handle);

	if (number > INT_MAX)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "more handles than an int can number");
	return mpi_leave(me, (int)number);
}

void *mpi_handle_from_int(const char *function, const void *site, enum mpi_kind kind, int number,
			  const void *null)
{
	struct mpi_rank *me = mpi_enter_anytime(function, site);
	uintptr_t handle = mpi_handle_of_number(me, kind, number);

	mpi_leave(me, MPI_SUCCESS);
	return handle ? (void *)handle : (void *)null;
}

void *mpi_handle_from_fint(enum mpi_kind kind, MPI_Fint number, const void *null)
{
	void *handle = mpisim_foreign_handle((int)kind, number);

	return handle == FOREIGN_NO_HANDLE ? (void *)null : handle;
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
