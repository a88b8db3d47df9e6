/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_STATUS_H
#define MPI_CORE_STATUS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The library's part of MPI_Status: MPI_internal[0..1] number of bytes, [2] cancelled, [3..4]
 * unused. */
static inline void mpi_status_set_bytes(MPI_Status *status, int64_t n_B)
{
	memcpy(status->MPI_internal, &n_B, sizeof n_B);
}

static inline int64_t mpi_status_bytes(const MPI_Status *status)
{
	int64_t n_B;

	memcpy(&n_B, status->MPI_internal, sizeof n_B);
	return n_B;
}

static inline void mpi_status_set_cancelled(MPI_Status *status, bool cancelled)
{
	status->MPI_internal[2] = cancelled;
}

static inline bool mpi_status_cancelled(const MPI_Status *status)
{
	return status->MPI_internal[2] != 0;
}

/* The empty status: any source, any tag, success, nothing received. */
static inline void mpi_status_set_empty(MPI_Status *status)
{
	*status = (MPI_Status){
	    .MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG, .MPI_ERROR = MPI_SUCCESS};
}

/*
 * Gives the application a status (which may be MPI_STATUS_IGNORE). The error field keeps its value:
 * only calls that return several statuses may write it.
 */
static inline void mpi_status_give(MPI_Status *to, const MPI_Status *from)
{
	int kept;

	if (to == MPI_STATUS_IGNORE)
		return;
	kept = to->MPI_ERROR;
	*to = *from;
	to->MPI_ERROR = kept;
}

#endif
