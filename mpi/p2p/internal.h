/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_INTERNAL_H
#define MPI_P2P_INTERNAL_H

#include <stddef.h>

#include "mpi/core/entry.h"
#include "mpi/core/status.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/p2p.h"

/* What the files of this chapter share. */

/* The arguments of a send or receive, checked. `type` and `comm` are borrowed. */
struct mpi_p2p_args {
	const void *buf;
	MPI_Count count;
	struct mpi_datatype *type;
	int peer, tag;
	struct mpi_comm *comm;
};

/* A request with its arguments, not started: type and comm are retained. */
static MPI_HOT struct mpi_request *mpi_request_prepare(struct mpi_rank *me,
						       enum mpi_request_kind kind, const void *buf,
						       MPI_Count count, struct mpi_datatype *type,
						       int peer, int tag, struct mpi_comm *comm,
						       enum mpi_channel channel)
{
	struct mpi_request *request = mpi_request_create(me, kind);

	request->buf = (void *)buf;
	request->count = count;
	request->type = type;
	request->peer = peer;
	request->tag = tag;
	request->comm = comm;
	request->channel = channel;
	mpi_datatype_retain(type);
	mpi_comm_retain(comm);
	return request;
}
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

/* The whole of the checks; buf, count, peer and tag of `a` are set. */
int mpi_check_send_slowly(struct mpi_rank *me, struct mpi_p2p_args *a, MPI_Datatype datatype,
			  MPI_Comm comm);
int mpi_check_recv_slowly(struct mpi_rank *me, struct mpi_p2p_args *a, MPI_Datatype datatype,
			  MPI_Comm comm);
/* A datatype that may be used, of items below 2^31 bytes: NULL when it is not. */
static MPI_HOT struct mpi_datatype *mpi_args_plain_type(const struct mpi_rank *me,
							MPI_Datatype datatype)
{
	uintptr_t number = (uintptr_t)datatype - MPI_DATATYPE_FIRST_NUMBER;
	struct mpi_datatype *type;

	if (__builtin_expect(number < MPI_DATATYPE_N_NUMBERS, 1)) {
		/* constant indeed, as mpi_datatype_get says */
		type = (struct mpi_datatype *)&mpi_datatypes_predefined[number];
		return type->is_committed ? type : NULL;
	}
	type = mpi_datatype_get(me, datatype);
	return type && type->is_committed && type->size_B <= INT32_MAX ? type : NULL;
}

/*
 * Most calls are right in the plainest way: all of that is seen at once. Every other one, right or
 * wrong, is looked at step by step. Counts up to 2^31 of items below 2^31 bytes have no size to
 * worry about.
 */
static MPI_HOT bool mpi_args_are_plain(const struct mpi_rank *me, MPI_Datatype datatype,
				       MPI_Comm comm, int peer, int tag, struct mpi_p2p_args *a)
{
	a->comm = mpi_comm_get(me, comm);
	a->type = mpi_args_plain_type(me, datatype);
	a->peer = peer;
	a->tag = tag;
	return a->comm && a->type && a->buf && a->buf != MPI_IN_PLACE &&
	       (uint64_t)a->count <= INT32_MAX && tag >= 0 &&
	       (unsigned int)peer < (unsigned int)mpi_comm_n_peers(a->comm);
}
/* MPI_SUCCESS, or the code that mpi_raise returned. */
static inline int mpi_check_send(struct mpi_rank *me, const void *buf, MPI_Count count,
				 MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
				 struct mpi_p2p_args *out)
{
	out->buf = buf;
	out->count = count;
	if (__builtin_expect(mpi_args_are_plain(me, datatype, comm, dest, tag, out), 1))
		return MPI_SUCCESS;
	return mpi_check_send_slowly(me, out, datatype, comm);
}

static inline int mpi_check_recv(struct mpi_rank *me, void *buf, MPI_Count count,
				 MPI_Datatype datatype, int source, int tag, MPI_Comm comm,
				 struct mpi_p2p_args *out)
{
	out->buf = buf;
	out->count = count;
	if (__builtin_expect(mpi_args_are_plain(me, datatype, comm, source, tag, out), 1))
		return MPI_SUCCESS;
	return mpi_check_recv_slowly(me, out, datatype, comm);
}

/* MPI_Send and MPI_Recv of the rank that runs, which has entered them (mpi_entry_begin) and leaves
 * them here. The arguments are plain. */
int mpi_send_entered(const void *buf, int count, struct mpi_datatype *type, int dest, int tag,
		     struct mpi_comm *comm);
int mpi_recv_entered(void *buf, int count, struct mpi_datatype *type, int source, int tag,
		     struct mpi_comm *comm, MPI_Status *status);
/* The same of arguments that are right, if not plain. */
int mpi_recv_right(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Status *status);
/* MPI_Isend, MPI_Irecv and MPI_Sendrecv of such arguments, which do not leave the call. */
int mpi_send_given(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Request *request);
int mpi_recv_given(struct mpi_rank *me, const struct mpi_p2p_args *a, MPI_Request *request);
int mpi_exchange(struct mpi_rank *me, const struct mpi_p2p_args *out, const struct mpi_p2p_args *in,
		 MPI_Status *status);
int mpi_check_source(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag);

/*
 * For sends whose buffer is received into at once: packs what is to be sent into *packed (malloc,
 * the caller's) and lets the arguments say so. Memory that is absent stays. MPI_SUCCESS, or what
 * was raised.
 */
int mpi_replace_by_packed(struct mpi_rank *me, struct mpi_p2p_args *out, void **packed);

/* Whether a buffered send fits the attached buffer: MPI_SUCCESS, or MPI_ERR_BUFFER raised. */
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
