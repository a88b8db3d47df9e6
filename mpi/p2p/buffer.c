/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/buffer.h"

#include <stdlib.h>

#include "mpi/core/session.h"
#include "mpi/p2p/compound.h"
#include "mpi/p2p/internal.h"

/* A nonblocking flush: as many parts as there are messages to wait for. */
struct mpi_flush {
	struct mpi_compound compound; /* first */
	struct mpi_flush *next;
	struct mpi_buffer *buffer; /* NULL: not in its list */
	uint32_t epoch;
};

struct mpi_buffer *mpi_buffer_of(const struct mpi_rank *me, const struct mpi_comm *comm)
{
	const struct mpi_session *session;

	if (comm->buffer)
		return comm->buffer;
	session = mpi_session_get(me, comm->session);
	return session && session->buffer ? session->buffer : me->endpoint->buffer;
}

/* Programs that guess instead of adding MPI_BSEND_OVERHEAD, the ABI's upper bound, fit into Open
 * MPI's 128 and MPICH's 96 bytes. */
enum { OVERHEAD_B = 96 };

int64_t mpi_buffered_size(int64_t size_B)
{
	return size_B + OVERHEAD_B;
}

int mpi_buffer_take(struct mpi_rank *me, const struct mpi_p2p_args *args)
{
	struct mpi_buffer *buffer = mpi_buffer_of(me, args->comm);
	int64_t needed_B = mpi_buffered_size(args->count * args->type->size_B);
	int64_t free_B = buffer ? buffer->size_B - buffer->used_B : 0;

	if (args->peer == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (needed_B > free_B)
		return mpi_raise(
		    me, args->comm, MPI_ERR_BUFFER,
		    "a buffered send needs %lld B (%d more than its data), the attached "
		    "buffer has %lld B left",
		    (long long)needed_B, OVERHEAD_B, (long long)free_B);
	return MPI_SUCCESS;
}

void mpi_buffer_enter(struct mpi_buffer *buffer, struct mpi_message *message)
{
	message->buffer = buffer;
	message->buffer_epoch = buffer->epoch;
	buffer->used_B += mpi_buffered_size(message->size_B);
	buffer->n_messages++;
}

static void unlink_flush(struct mpi_flush *flush)
{
	struct mpi_flush **link = &flush->buffer->flushes;

	while (*link != flush)
		link = &(*link)->next;
	*link = flush->next;
	flush->buffer = NULL;
}

static void tell_flushes(struct mpi_buffer *buffer, uint32_t epoch)
{
	struct mpi_flush *next;

	for (struct mpi_flush *flush = buffer->flushes; flush; flush = next) {
		next = flush->next;
		if (flush->epoch <= epoch)
			continue;
		if (flush->compound.n_left == 1)
			unlink_flush(flush);
		mpi_compound_end_part(&flush->compound, NULL);
	}
}

void mpi_buffer_leave(struct mpi_message *message)
{
	struct mpi_buffer *buffer = message->buffer;

	message->buffer = NULL;
	buffer->used_B -= mpi_buffered_size(message->size_B);
	buffer->n_messages--;
	tell_flushes(buffer, message->buffer_epoch);
	mpi_endpoint_wake(buffer->owner);
	if (buffer->is_abandoned && buffer->n_messages == 0)
		free(buffer);
}

void mpi_buffer_abandon(struct mpi_buffer *buffer)
{
	if (!buffer)
		return;
	buffer->is_abandoned = true;
	if (buffer->n_messages == 0)
		free(buffer);
}

int mpi_buffer_attach(struct mpi_rank *me, struct mpi_raiser on, struct mpi_buffer **slot,
		      void *address, MPI_Count size_B)
{
	struct mpi_buffer *buffer;

	if (size_B < 0)
		return mpi_raise_for(me, on, MPI_ERR_ARG, "size is %lld, wanted at least 0",
				     (long long)size_B);
	if (*slot)
		return mpi_raise_for(me, on, MPI_ERR_BUFFER, "a buffer is attached already");
	buffer = calloc(1, sizeof *buffer);
	if (!buffer)
		return mpi_raise_for(me, on, MPI_ERR_NO_MEM, "out of memory for a buffer");
	buffer->owner = me;
	buffer->address = address;
	buffer->size_B = address == MPI_BUFFER_AUTOMATIC ? INT64_MAX / 2 : size_B;
	*slot = buffer;
	return MPI_SUCCESS;
}

static bool has_left(struct mpi_rank *me, const struct mpi_wait *wait)
{
	const struct mpi_buffer *buffer = wait->context;

	return !buffer || buffer->n_messages == 0;
}

/* Returns when every buffered message has left. Collectives go on meanwhile: the receivers may be
 * waiting for them. */
int mpi_buffer_flush(struct mpi_rank *me, struct mpi_buffer *buffer)
{
	const struct mpi_wait wait = {.kind = MPI_WAIT_CONDITION,
				      .of.text = "its buffered messages to be received",
				      .is_satisfied = has_left,
				      .context = buffer};

	mpi_wait(me, &wait);
	return MPI_SUCCESS;
}

int mpi_buffer_detach(struct mpi_rank *me, struct mpi_buffer **slot, void *buffer_addr,
		      MPI_Count *size)
{
	struct mpi_buffer *buffer = *slot;

	mpi_buffer_flush(me, buffer);
	*(void **)buffer_addr = buffer ? buffer->address : NULL;
	*size = !buffer || buffer->address == MPI_BUFFER_AUTOMATIC ? 0 : buffer->size_B;
	mpi_buffer_abandon(buffer);
	*slot = NULL;
	return MPI_SUCCESS;
}

static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct mpi_flush *flush = request->operation;

	if (flush->buffer)
		unlink_flush(flush);
	free(flush);
}

int mpi_buffer_iflush(struct mpi_rank *me, struct mpi_buffer *buffer, MPI_Request *handle)
{
	struct mpi_request *request;
	struct mpi_flush *flush;

	request = mpi_request_create(me, REQUEST_COMPOUND);
	flush = calloc(1, sizeof *flush);
	if (!flush)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a request");
	flush->compound = (struct mpi_compound){.request = request, .peers = {-1, -1}};
	request->operation = flush;
	request->release = release;
	*handle = mpi_request_publish(me, request);
	if (!buffer || buffer->n_messages == 0) {
		mpi_request_complete(request, MPI_SUCCESS);
		return MPI_SUCCESS;
	}
	flush->compound.n_left = buffer->n_messages;
	flush->epoch = ++buffer->epoch;
	flush->buffer = buffer;
	flush->next = buffer->flushes;
	buffer->flushes = flush;
	return MPI_SUCCESS;
}
