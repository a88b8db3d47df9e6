/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a status as functions. They may be called at any time. */
#include "mpi/core/rank.h"

static int check(struct mpi_rank *me, const void *status, const void *output)
{
	if (status && output)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_ARG,
			 status ? "the output argument is NULL"
				: "status is NULL or MPI_STATUS_IGNORE");
}

int MPI_Status_get_source(const MPI_Status *status, int *source)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, source);

	if (code == MPI_SUCCESS)
		*source = status->MPI_SOURCE;
	return mpi_leave(me, code);
}

int MPI_Status_get_tag(const MPI_Status *status, int *tag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, tag);

	if (code == MPI_SUCCESS)
		*tag = status->MPI_TAG;
	return mpi_leave(me, code);
}

int MPI_Status_get_error(const MPI_Status *status, int *error)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, error);

	if (code == MPI_SUCCESS)
		*error = status->MPI_ERROR;
	return mpi_leave(me, code);
}

int MPI_Status_set_source(MPI_Status *status, int source)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, status);

	if (code == MPI_SUCCESS)
		status->MPI_SOURCE = source;
	return mpi_leave(me, code);
}

int MPI_Status_set_tag(MPI_Status *status, int tag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, status);

	if (code == MPI_SUCCESS)
		status->MPI_TAG = tag;
	return mpi_leave(me, code);
}

int MPI_Status_set_error(MPI_Status *status, int error)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));
	int code = check(me, status, status);

	if (code == MPI_SUCCESS)
		status->MPI_ERROR = error;
	return mpi_leave(me, code);
}
