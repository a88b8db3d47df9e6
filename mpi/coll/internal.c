/* SPDX-License-Identifier: BSD-3-Clause */
/* Collectives that the library itself uses: see coll.h. */
#include <stdlib.h>

#include "mpi/coll/coll.h"
#include "mpi/coll/operation.h"

static int run(struct mpi_rank *me, struct mpi_coll *coll)
{
	mpi_coll_schedule(me, coll);
	return mpi_coll_run(me, coll);
}

static struct mpi_coll_side side(const void *buf, MPI_Count count, struct mpi_datatype *type)
{
	return (struct mpi_coll_side){.buf = (char *)buf, .count = count, .type = type};
}

int mpi_coll_barrier(struct mpi_rank *me, struct mpi_comm *comm)
{
	struct mpi_coll coll;

	mpi_coll_init(&coll, COLL_BARRIER, comm);
	return run(me, &coll);
}

int mpi_coll_bcast(struct mpi_rank *me, void *buf, MPI_Count count, struct mpi_datatype *type,
		   int root, struct mpi_comm *comm)
{
	struct mpi_coll coll;

	mpi_coll_init(&coll, COLL_BCAST, comm);
	coll.given.recv = side(buf, count, type);
	coll.given.root = root;
	return run(me, &coll);
}

int mpi_coll_allgather(struct mpi_rank *me, const void *sendbuf, void *recvbuf, MPI_Count count,
		       struct mpi_datatype *type, struct mpi_comm *comm)
{
	struct mpi_coll coll;

	mpi_coll_init(&coll, COLL_ALLGATHER, comm);
	coll.given.recv = side(recvbuf, count, type);
	coll.given.send = side(sendbuf, count, type);
	if (sendbuf == MPI_IN_PLACE)
		coll.given.send.buf = mpi_coll_block(&coll.given.recv, comm->rank).buf;
	return run(me, &coll);
}

int mpi_coll_reduce_scatter_block(struct mpi_rank *me, const void *sendbuf, void *recvbuf,
				  MPI_Count count, struct mpi_datatype *type, struct mpi_op *op,
				  struct mpi_comm *comm)
{
	struct mpi_coll coll;

	mpi_coll_init(&coll, COLL_REDUCE_SCATTER_BLOCK, comm);
	coll.op = op;
	coll.given.send = side(sendbuf, count, type);
	coll.given.send.n_blocks = comm->size;
	coll.given.recv = side(recvbuf, count, type);
	return run(me, &coll);
}

static void init_allreduce(struct mpi_coll *coll, const void *sendbuf, void *recvbuf,
			   MPI_Count count, struct mpi_datatype *type, struct mpi_op *op,
			   struct mpi_comm *comm)
{
	mpi_coll_init(coll, COLL_ALLREDUCE, comm);
	coll->op = op;
	coll->given.recv = side(recvbuf, count, type);
	coll->given.send = side(sendbuf == MPI_IN_PLACE ? recvbuf : sendbuf, count, type);
}

int mpi_coll_allreduce(struct mpi_rank *me, const void *sendbuf, void *recvbuf, MPI_Count count,
		       struct mpi_datatype *type, struct mpi_op *op, struct mpi_comm *comm)
{
	struct mpi_coll coll;

	init_allreduce(&coll, sendbuf, recvbuf, count, type, op, comm);
	return run(me, &coll);
}

struct mpi_request *mpi_coll_iallreduce(struct mpi_rank *me, const void *sendbuf, void *recvbuf,
					MPI_Count count, struct mpi_datatype *type,
					struct mpi_op *op, struct mpi_comm *comm)
{
	struct mpi_coll *coll = malloc(sizeof *coll);

	if (!coll)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a collective operation");
	init_allreduce(coll, sendbuf, recvbuf, count, type, op, comm);
	mpi_coll_schedule(me, coll);
	return mpi_coll_start(me, coll);
}
