/* SPDX-License-Identifier: BSD-3-Clause */
/* The fields of a status as functions. They may be called at any time. */
#include "mpi/abi/mpi-calls.h"

int mpi_status_get_source(struct mpi_rank *me, const MPI_Status *status, int *source)
{
	*source = status->MPI_SOURCE;
	return MPI_SUCCESS;
}

int mpi_status_get_tag(struct mpi_rank *me, const MPI_Status *status, int *tag)
{
	*tag = status->MPI_TAG;
	return MPI_SUCCESS;
}

int mpi_status_get_error(struct mpi_rank *me, const MPI_Status *status, int *error)
{
	*error = status->MPI_ERROR;
	return MPI_SUCCESS;
}

int mpi_status_set_source(struct mpi_rank *me, MPI_Status *status, int source)
{
	status->MPI_SOURCE = source;
	return MPI_SUCCESS;
}

int mpi_status_set_tag(struct mpi_rank *me, MPI_Status *status, int tag)
{
	status->MPI_TAG = tag;
	return MPI_SUCCESS;
}

int mpi_status_set_error(struct mpi_rank *me, MPI_Status *status, int error)
{
	status->MPI_ERROR = error;
	return MPI_SUCCESS;
}
