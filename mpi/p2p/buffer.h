/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_BUFFER_H
#define MPI_P2P_BUFFER_H

#include "mpi/core/arguments.h"
#include "mpi/p2p/message.h"

/*
 * A buffer that the program attached for buffered sends: to a communicator, else to the session it
 * comes from, else to the process.
 * Only its size matters, the library keeps the data itself. A buffer whose communicator has gone
 * goes with its last message.
 */
struct mpi_flush;

struct mpi_buffer {
	struct mpi_rank *owner;
	void *address;
	int64_t size_B, used_B;
	int n_messages; /* that are in it */
	uint32_t epoch; /* flushes so far: a flush waits for messages of earlier epochs */
	bool is_abandoned;
	struct mpi_flush *flushes; /* that have not ended */
};

/* The buffer that a buffered send on this communicator takes; NULL: none is attached. O(1). */
struct mpi_buffer *mpi_buffer_of(const struct mpi_rank *me, const struct mpi_comm *comm);
/* What a message takes. */
int64_t mpi_buffered_size(int64_t size_B);
/* The message is in its buffer (message->buffer); its data has left. From anywhere. */
void mpi_buffer_enter(struct mpi_buffer *buffer, struct mpi_message *message);
void mpi_buffer_leave(struct mpi_message *message);
/* What has the buffer ends; NULL is fine. */
void mpi_buffer_abandon(struct mpi_buffer *buffer);

/*
 * MPI_X_attach_buffer and its siblings for the buffer at *slot, what MPI_X_… returns. `size` of a detached automatic buffer is 0.
 */
int mpi_buffer_attach(struct mpi_rank *me, struct mpi_raiser on, struct mpi_buffer **slot,
		      void *address, MPI_Count size_B);
int mpi_buffer_detach(struct mpi_rank *me, struct mpi_buffer **slot, void *buffer_addr,
		      MPI_Count *size);
int mpi_buffer_flush(struct mpi_rank *me, struct mpi_buffer *buffer);
int mpi_buffer_iflush(struct mpi_rank *me, struct mpi_buffer *buffer, MPI_Request *request);

#endif
