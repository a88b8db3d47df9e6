/* SPDX-License-Identifier: BSD-3-Clause */
/* Reductions on intercommunicators: each group gets the result of the other group's data. */
#include "mpi/coll/inter.h"

/* Of `count` items of given.send to the leader, who gets them at call.recv. */
static void prepare_reduce_of(struct mpi_rank *me, struct mpi_coll *coll, MPI_Count count)
{
	struct mpi_coll_side items = {
	    .buf = coll->given.send.buf, .count = count, .type = coll->given.send.type};

	coll->call.root = 0;
	coll->call.send = items;
	coll->call.recv = items;
	if (coll->rank == 0)
		coll->call.recv.buf = mpi_coll_scratch_like(me, coll, mpi_coll_whole(&items));
}

static void prepare_reduce(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->given.send.type)
		prepare_reduce_of(me, coll, coll->given.send.count);
}

/* --- to a root --- */

static bool reduce_for_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	return coll->given.root < 0 || mpi_coll_reduce_binomial_round(me, coll);
}

static bool send_to_root(struct mpi_rank *me, struct mpi_coll *coll)
{
	if (coll->step == 1)
		return true;
	if (coll->given.root == MPI_ROOT)
		mpi_coll_recv(me, coll, mpi_coll_whole(&coll->given.recv), 0);
	else if (coll->given.root >= 0 && coll->rank == 0)
		mpi_coll_send(me, coll, mpi_coll_whole(&coll->call.recv), coll->given.root);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_inter_reduce = {
    .name = "local_reduce_remote_send",
    .stages = {{prepare_reduce, reduce_for_root, SCOPE_LOCAL_GROUP}, {NULL, send_to_root}},
};

/* --- to all --- */

static void prepare_swap(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.send = coll->call.recv;
	coll->call.recv = coll->given.recv;
}

const struct mpi_coll_algorithm mpi_coll_inter_allreduce = {
    .name = "reduce_exchange_bcast",
    .stages = {{prepare_reduce, mpi_coll_reduce_binomial_round, SCOPE_LOCAL_GROUP},
	       {prepare_swap, mpi_coll_inter_exchange},
	       {mpi_coll_inter_prepare_bcast, mpi_coll_bcast_binomial_round, SCOPE_LOCAL_GROUP}},
};

/* --- to all, each its block --- */

static void prepare_reduce_all(struct mpi_rank *me, struct mpi_coll *coll)
{
	prepare_reduce_of(me, coll, mpi_coll_reduce_scatter_items(coll));
}

static void prepare_swap_all(struct mpi_rank *me, struct mpi_coll *coll)
{
	coll->call.send = coll->call.recv;
	if (coll->rank == 0)
		coll->call.recv.buf =
		    mpi_coll_scratch_like(me, coll, mpi_coll_whole(&coll->call.send));
}

static void prepare_scatter(struct mpi_rank *me, struct mpi_coll *coll)
{
	char *result = coll->call.recv.buf;

	coll->call.root = 0;
	coll->call.send = coll->given.send;
	coll->call.send.buf = result;
	coll->call.recv = coll->given.recv;
}

const struct mpi_coll_algorithm mpi_coll_inter_reduce_scatter = {
    .name = "remote_reduce_local_scatter",
    .stages = {{prepare_reduce_all, mpi_coll_reduce_binomial_round, SCOPE_LOCAL_GROUP},
	       {prepare_swap_all, mpi_coll_inter_exchange},
	       {prepare_scatter, mpi_coll_scatter_linear_round, SCOPE_LOCAL_GROUP}},
};
