/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_COLL_H
#define MPI_COLL_COLL_H

#include "mpi/comm/comm.h"
#include "mpi/op/op.h"

/*
 * Collectives for the rest of the library (communicator construction and the like); blocking, on
 * the rank's fiber, real messages on the collective channel. Arguments as in the MPI function of
 * the same name, without MPI_IN_PLACE on intercommunicators. Return MPI_SUCCESS or an error class.
 */
int mpi_coll_barrier(struct mpi_rank *me, struct mpi_comm *comm);
int mpi_coll_bcast(struct mpi_rank *me, void *buf, MPI_Count count, struct mpi_datatype *type,
		   int root, struct mpi_comm *comm);
int mpi_coll_allgather(struct mpi_rank *me, const void *sendbuf, void *recvbuf, MPI_Count count,
		       struct mpi_datatype *type, struct mpi_comm *comm);
int mpi_coll_reduce_scatter_block(struct mpi_rank *me, const void *sendbuf, void *recvbuf,
				  MPI_Count count, struct mpi_datatype *type, struct mpi_op *op,
				  struct mpi_comm *comm);
int mpi_coll_allreduce(struct mpi_rank *me, const void *sendbuf, void *recvbuf, MPI_Count count,
		       struct mpi_datatype *type, struct mpi_op *op, struct mpi_comm *comm);
/* The same in the background: a request, never NULL, that has no handle yet. */
struct mpi_request *mpi_coll_iallreduce(struct mpi_rank *me, const void *sendbuf, void *recvbuf,
					MPI_Count count, struct mpi_datatype *type,
					struct mpi_op *op, struct mpi_comm *comm);

#endif
