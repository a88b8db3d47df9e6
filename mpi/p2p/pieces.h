/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_PIECES_H
#define MPI_P2P_PIECES_H

#include "mpi/p2p/message.h"

/*
 * Data of buffers that are not there but for a part (mpisim_alloc_part): a message carries the bytes
 * that are there where it is sent, and those of them arrive that are there where it is received. All
 * others are neither read nor written. O(runs of the datatype + bytes that are there).
 */

/* What is there of such a buffer that is being sent becomes the message's data: pieces, or none. */
__attribute__((cold)) void mpi_pieces_take(struct mpi_rank *me, const struct mpi_datatype *type,
					   const void *buf, MPI_Count count,
					   struct mpi_message *message);
/* The data of a message into a receive, where the one or the other is in pieces: `data`, where they lie
 * in one piece; NULL: as the message has them. `message` NULL: only `data`. */
__attribute__((cold)) void mpi_pieces_give(const struct mpi_message *message, const void *data,
					   const struct mpi_request *recv);
void mpi_pieces_free(struct mpi_message *message);

/*
 * Memory of accelerators (mpisim_device_alloc) is of this kind, too. Where the cluster's MPI library does not take it
 * (accelerators.gpu_aware), the sender copies it to its node as it sends; the receiver has to copy
 * what it has received. Collectives do both as a whole: mpi/coll/staged.h.
 */
void mpi_pieces_stage_send(struct mpi_rank *me, const void *buf, int64_t size_B);
bool mpi_pieces_are_staged(const struct mpi_request *recv);
/* It does. On its fiber. */
void mpi_pieces_stage(struct mpi_rank *me, const struct mpi_request *recv);

#endif
