/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_P2P_H
#define MPI_P2P_P2P_H

#include "mpi/p2p/request.h"

/*
 * Point-to-point for the rest of the library. Arguments are valid already; peers are ranks of
 * `comm` or MPI_PROC_NULL (receives: MPI_ANY_SOURCE, MPI_ANY_TAG too). On the rank's fiber; a send
 * may block it for the per-message overhead o. The request has no handle; whoever gets it waits for
 * it and destroys it.
 */
struct mpi_request *mpi_send_start(struct mpi_rank *me, const void *buf, MPI_Count count,
				   struct mpi_datatype *type, int dest, int tag,
				   struct mpi_comm *comm, enum mpi_send_mode mode,
				   enum mpi_channel channel);
struct mpi_request *mpi_recv_start(struct mpi_rank *me, void *buf, MPI_Count count,
				   struct mpi_datatype *type, int source, int tag,
				   struct mpi_comm *comm, enum mpi_channel channel);
/*
 * A message of a collective that its sender does not lend the data of, without a request. False: it
 * is not small enough, and nothing happened. The same limits as above.
 */
bool mpi_send_small(struct mpi_rank *me, const void *buf, MPI_Count count,
		    struct mpi_datatype *type, int dest, int tag, struct mpi_comm *comm);
/* Starts a COMPLETE receive anew, with the communicator and channel that it has. */
void mpi_recv_again(struct mpi_rank *me, struct mpi_request *recv, void *buf, MPI_Count count,
		    struct mpi_datatype *type, int source, int tag);

/* Argument checks shared by all calls with (buf, count, datatype[, peer, tag]): MPI_SUCCESS, or
 * what mpi_raise returned. */
int mpi_check_buffer(struct mpi_rank *me, struct mpi_comm *comm, const void *buf, MPI_Count count,
		     MPI_Datatype handle, struct mpi_datatype **out_type);

#endif
