/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_PACKED_H
#define MPI_COLL_PACKED_H

#include "mpi/coll/operation.h"

/*
 * Blocks of all ranks without gaps, so that those of consecutive ranks are one message, for
 * allgathers whose blocks have any length and place. coll->packed; memory is the operation's.
 */

/* Makes room, with the block of rank `first` in front, and copies in this rank's own. O(n). */
void mpi_coll_packed_begin(struct mpi_rank *me, struct mpi_coll *coll, int first);
/* The blocks at places [from, from + n), counted from that of rank `first`; none beyond the last.
 */
struct mpi_coll_block mpi_coll_packed_blocks(struct mpi_rank *me, const struct mpi_coll *coll,
					     int from, int n);
/* Copies all blocks to where they belong in call.recv. */
void mpi_coll_packed_end(struct mpi_rank *me, struct mpi_coll *coll,
			 const struct mpi_coll_side *recv);

#endif
