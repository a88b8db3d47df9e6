/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_MATCH_H
#define MPI_P2P_MATCH_H

#include <stdbool.h>

#include "mpi/p2p/message.h"

/*
 * Matching, in one place. Two decisions are left open by the standard: who is taken where several
 * could be, and whether a standard send buffers. The default is what time brings: the first envelope
 * that arrives, and the protocol's threshold. A run may decide otherwise: mpi/p2p/choose.h,
 * mpi_buffering_set.
 */

/* What a standard send does before its receive is there. */
enum mpi_buffering {
	MPI_BUFFERS_SMALL, /* completes up to the threshold of the cluster file */
	MPI_BUFFERS_NONE,  /* strict: waits, whatever its size */
	MPI_BUFFERS_ALL,   /* loose: completes, whatever its size */
};

/* Before the ranks start. Holds for the messages of collectives, too. */
void mpi_buffering_set(struct mpi_world *world, enum mpi_buffering buffering);

/* Does a standard send of this size complete without its receive? */
static inline bool mpi_match_buffers(const struct mpi_rank *sender, int64_t size_B)
{
	return size_B <= sender->world->buffered_B;
}

/* An envelope was delivered: matches it with the first posted receive that fits, or queues it as
 * unexpected. O(1) where a deep queue holds no wildcards, else O(posted receives). */
void mpi_match_message(struct mpi_message *message);
/* A receive was posted: matches it with the first unexpected message that fits, or queues it.
 * O(unexpected messages) with wildcards, else O(1). */
void mpi_match_recv(struct mpi_request *recv);
/* Has the rank posted a receive that fits, for a message that is yet to come? */
bool mpi_match_is_posted(const struct mpi_rank *me, uint32_t context, int source_rank, int tag);
/* The unexpected message that a probe finds (source and tag may be wildcards): the first that fits, or
 * what is chosen. NULL: none. */
struct mpi_message *mpi_match_find(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag);
/* Takes a message out of the unexpected queue. */
void mpi_match_remove_message(struct mpi_message *message);
/* Takes a receive out of the posted queue. */
void mpi_match_remove_recv(struct mpi_request *recv);

#endif
