/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_INTERNAL_H
#define MPI_P2P_INTERNAL_H

#include <stddef.h>

#include "mpi/core/status.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/p2p.h"

/* What the files of this chapter share. */

/* A request with its arguments, not started: type and comm are retained. */
struct mpi_request *mpi_send_prepare(struct mpi_rank *me, const void *buf, MPI_Count count,
				     struct mpi_datatype *type, int dest, int tag,
				     struct mpi_comm *comm, enum mpi_send_mode mode,
				     enum mpi_channel channel);
struct mpi_request *mpi_recv_prepare(struct mpi_rank *me, void *buf, MPI_Count count,
				     struct mpi_datatype *type, int source, int tag,
				     struct mpi_comm *comm, enum mpi_channel channel);
/* Starts a prepared request (once, or again and again when it is persistent). */
void mpi_send_begin(struct mpi_rank *me, struct mpi_request *send);
void mpi_recv_begin(struct mpi_rank *me, struct mpi_request *recv);

/* The arguments of a send or receive, checked. `type` and `comm` are borrowed. */
struct mpi_p2p_args {
	const void *buf;
	MPI_Count count;
	struct mpi_datatype *type;
	int peer, tag;
	struct mpi_comm *comm;
};
/* MPI_SUCCESS, or the code that mpi_raise returned. */
int mpi_check_send(struct mpi_rank *me, const void *buf, MPI_Count count, MPI_Datatype datatype,
		   int dest, int tag, MPI_Comm comm, struct mpi_p2p_args *out);
int mpi_check_recv(struct mpi_rank *me, void *buf, MPI_Count count, MPI_Datatype datatype,
		   int source, int tag, MPI_Comm comm, struct mpi_p2p_args *out);
int mpi_check_source(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag);

/* What a buffered send takes from the attached buffer; MPI_SUCCESS or MPI_ERR_BUFFER raised when it
 * does not fit. */
int64_t mpi_buffered_size(int64_t size_B);
int mpi_buffer_take(struct mpi_rank *me, const struct mpi_p2p_args *args);

/* MPI_Cancel of a generalized request: what the program's function returned. */
int mpi_generalized_cancel(struct mpi_request *request);

/*
 * The end of a COMPLETE request for the application: copies the status (may be MPI_STATUS_IGNORE),
 * makes a persistent one idle again, destroys any other and sets *handle to MPI_REQUEST_NULL.
 * Returns the operation's error class, not raised.
 */
int mpi_request_harvest(struct mpi_rank *me, struct mpi_request *request, MPI_Request *handle,
			MPI_Status *status);
/* Raises the error that harvest returned, with a sentence about the operation. MPI_SUCCESS passes.
 */
int mpi_raise_operation(struct mpi_rank *me, struct mpi_comm *comm, int error_class,
			const MPI_Status *status);

#endif
