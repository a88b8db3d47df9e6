/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the arguments of a collective and turns handles into objects, MPI_IN_PLACE into addresses.
 */
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"

/* --- one side --- */

static int check_array(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_array counts,
		       struct mpi_coll_array displs, MPI_Count *out_largest)
{
	*out_largest = 0;
	if (!mpi_coll_array_is_set(counts))
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of counts is NULL");
	if (!mpi_coll_array_is_set(displs) && coll->kind != COLL_REDUCE_SCATTER)
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of displacements is NULL");
	for (int i = 0; i < coll->size; i++) {
		MPI_Count count = mpi_coll_array_at(counts, i);

		if (count < 0)
			return mpi_raise(me, coll->comm, MPI_ERR_COUNT,
					 "the count for rank %d is %lld, wanted >= 0", i,
					 (long long)count);
		if (count > *out_largest)
			*out_largest = count;
	}
	return MPI_SUCCESS;
}

/*
 * Alltoallw: a datatype per rank. The array of objects belongs to the operation: handles may be
 * freed while it is under way.
 */
static int resolve_types(struct mpi_rank *me, struct mpi_coll *coll,
			 const struct mpi_coll_side_args *from, struct mpi_coll_side *to)
{
	int slot = to == &coll->given.send ? 0 : 1;
	int code = MPI_SUCCESS;

	if (!from->types)
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of datatypes is NULL");
	to->types = calloc((size_t)coll->size, sizeof *to->types);
	if (!to->types)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d datatypes", coll->size);
	coll->owned[slot] = to->types;
	for (int i = 0; i < coll->size && code == MPI_SUCCESS; i++)
		code =
		    mpi_check_buffer(me, coll->comm, from->buf, mpi_coll_array_at(from->counts, i),
				     from->types[i], &to->types[i]);
	return code;
}

static int resolve_side(struct mpi_rank *me, struct mpi_coll *coll,
			const struct mpi_coll_side_args *from, struct mpi_coll_side *to)
{
	MPI_Count largest = from->count;
	int code = MPI_SUCCESS;

	to->buf = (char *)from->buf;
	to->count = from->count;
	if (from->has_counts) {
		code = check_array(me, coll, from->counts, from->displs, &largest);
		to->counts = from->counts;
		to->displs = from->displs;
	}
	if (code != MPI_SUCCESS)
		return code;
	if (from->has_types)
		return resolve_types(me, coll, from, to);
	return mpi_check_buffer(me, coll->comm, from->buf, largest, from->type, &to->type);
}

static int refuse_in_place(struct mpi_rank *me, struct mpi_coll *coll, const char *what)
{
	return mpi_raise(me, coll->comm, MPI_ERR_BUFFER,
			 "%s is MPI_IN_PLACE, which is not allowed here", what);
}

static bool overlap(struct mpi_coll_block a, struct mpi_coll_block b)
{
	return a.buf == b.buf && a.buf && mpi_coll_block_size_B(a) > 0 &&
	       mpi_coll_block_size_B(b) > 0;
}

static int refuse_alias(struct mpi_rank *me, struct mpi_coll *coll)
{
	return mpi_raise(
	    me, coll->comm, MPI_ERR_BUFFER,
	    "sendbuf and recvbuf are the same memory; MPI_IN_PLACE says so where it is allowed");
}

/*
 * The single-count side `one` stands for block `rank` of the other, which is where its data are
 * already.
 */
static void stand_for_own_block(const struct mpi_coll *coll, const struct mpi_coll_side *blocks,
				struct mpi_coll_side *one)
{
	struct mpi_coll_block own = mpi_coll_block(blocks, coll->rank);

	*one = (struct mpi_coll_side){.buf = own.buf, .count = own.count, .type = own.type};
}

/* --- per shape of operation --- */

static int resolve_bcast(struct mpi_rank *me, const struct mpi_coll_args *args,
			 struct mpi_coll *coll)
{
	if (args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "buffer");
	return resolve_side(me, coll, &args->recv, &coll->given.recv);
}

/* Gather and scatter: `one` is what every rank has, `many` the blocks that only the root has. */
static int resolve_rooted(struct mpi_rank *me, struct mpi_coll *coll,
			  const struct mpi_coll_side_args *one_args, struct mpi_coll_side *one,
			  const struct mpi_coll_side_args *many_args, struct mpi_coll_side *many)
{
	bool is_root = coll->rank == coll->given.root;
	bool is_in_place = one_args->buf == MPI_IN_PLACE;
	int code = MPI_SUCCESS;

	if (is_root && many_args->buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, many == &coll->given.recv ? "recvbuf" : "sendbuf");
	if (is_in_place && !is_root)
		return refuse_in_place(me, coll, one == &coll->given.recv ? "recvbuf" : "sendbuf");
	if (!is_in_place)
		code = resolve_side(me, coll, one_args, one);
	if (code != MPI_SUCCESS || !is_root)
		return code;
	code = resolve_side(me, coll, many_args, many);
	if (code != MPI_SUCCESS)
		return code;
	if (is_in_place)
		stand_for_own_block(coll, many, one);
	else if (overlap(mpi_coll_whole(one), mpi_coll_block(many, coll->rank)))
		return refuse_alias(me, coll);
	return MPI_SUCCESS;
}

static int resolve_allgather(struct mpi_rank *me, const struct mpi_coll_args *args,
			     struct mpi_coll *coll)
{
	struct mpi_coll_side *send = &coll->given.send, *recv = &coll->given.recv;
	bool is_in_place = args->send.buf == MPI_IN_PLACE;
	int code = MPI_SUCCESS;

	if (args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "recvbuf");
	if (!is_in_place)
		code = resolve_side(me, coll, &args->send, send);
	if (code == MPI_SUCCESS)
		code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS)
		return code;
	if (is_in_place)
		stand_for_own_block(coll, recv, send);
	else if (overlap(mpi_coll_whole(send), mpi_coll_block(recv, coll->rank)) ||
		 overlap(mpi_coll_whole(send), mpi_coll_block(recv, 0)))
		return refuse_alias(me, coll);
	return MPI_SUCCESS;
}

static int resolve_alltoall(struct mpi_rank *me, const struct mpi_coll_args *args,
			    struct mpi_coll *coll)
{
	struct mpi_coll_side *send = &coll->given.send, *recv = &coll->given.recv;
	int code = MPI_SUCCESS;

	coll->is_in_place = args->send.buf == MPI_IN_PLACE;
	if (args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "recvbuf");
	code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS || coll->is_in_place) {
		*send = *recv;
		return code;
	}
	code = resolve_side(me, coll, &args->send, send);
	for (int i = 0; i < coll->size && code == MPI_SUCCESS; i++)
		if (overlap(mpi_coll_block(send, i), mpi_coll_block(recv, i)))
			code = refuse_alias(me, coll);
	return code;
}

static int resolve_op(struct mpi_rank *me, const struct mpi_coll_args *args, struct mpi_coll *coll,
		      const struct mpi_datatype *type)
{
	coll->op = mpi_op_get(me, args->op);
	if (!coll->op)
		return mpi_raise(me, coll->comm, MPI_ERR_OP, "op is not an operation");
	if (args->op == MPI_REPLACE || args->op == MPI_NO_OP)
		return mpi_raise(me, coll->comm, MPI_ERR_OP,
				 "MPI_REPLACE and MPI_NO_OP are for one-sided communication only");
	if (!mpi_op_accepts(coll->op, type))
		return mpi_raise(me, coll->comm, MPI_ERR_OP,
				 "the operation is not defined on this datatype");
	return MPI_SUCCESS;
}

/*
 * Reductions in which sendbuf and, on ranks that get a result, recvbuf have the same count and
 * datatype.
 */
static int resolve_reduce(struct mpi_rank *me, const struct mpi_coll_args *args,
			  struct mpi_coll *coll)
{
	struct mpi_coll_side *send = &coll->given.send, *recv = &coll->given.recv;
	struct mpi_coll_side_args from = args->recv;
	bool has_result = coll->kind != COLL_REDUCE || coll->rank == coll->given.root;
	bool is_in_place = args->send.buf == MPI_IN_PLACE;
	int code = MPI_SUCCESS;

	if (is_in_place && !has_result)
		return refuse_in_place(me, coll, "sendbuf");
	if (has_result && args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "recvbuf");
	if (has_result)
		code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS)
		return code;
	if (!is_in_place)
		from.buf = args->send.buf;
	code = resolve_side(me, coll, &from, send);
	if (code != MPI_SUCCESS)
		return code;
	if (!is_in_place && has_result && overlap(mpi_coll_whole(send), mpi_coll_whole(recv)))
		return refuse_alias(me, coll);
	return resolve_op(me, args, coll, send->type);
}

/* Where each rank's block begins in sendbuf: blocks of given counts, one after the other. */
static void make_displs(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_coll_side *side)
{
	MPI_Count *displs = malloc((size_t)coll->size * sizeof *displs), next = 0;

	if (!displs)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d displacements",
			coll->size);
	coll->owned[0] = displs;
	for (int i = 0; i < coll->size; i++) {
		displs[i] = next;
		next += mpi_coll_array_at(side->counts, i);
	}
	side->displs = (struct mpi_coll_array){.large = displs};
}

/* Send: the blocks of all ranks; recv: this rank's. */
static int resolve_reduce_scatter(struct mpi_rank *me, const struct mpi_coll_args *args,
				  struct mpi_coll *coll)
{
	struct mpi_coll_side *send = &coll->given.send, *recv = &coll->given.recv;
	struct mpi_coll_side_args from = args->recv;
	bool is_in_place = args->send.buf == MPI_IN_PLACE;
	int code;

	if (args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "recvbuf");
	if (!is_in_place)
		from.buf = args->send.buf;
	code = resolve_side(me, coll, &from, send);
	if (code != MPI_SUCCESS)
		return code;
	if (args->recv.has_counts)
		make_displs(me, coll, send);
	stand_for_own_block(coll, send, recv);
	code = mpi_check_buffer(me, coll->comm, args->recv.buf, recv->count, args->recv.type,
				&recv->type);
	if (code != MPI_SUCCESS)
		return code;
	recv->buf = (char *)args->recv.buf;
	if (!is_in_place &&
	    overlap(mpi_coll_block_at(mpi_coll_whole(recv), send->buf), mpi_coll_whole(recv)))
		return refuse_alias(me, coll);
	return resolve_op(me, args, coll, send->type);
}

static int resolve_data(struct mpi_rank *me, const struct mpi_coll_args *args,
			struct mpi_coll *coll)
{
	struct mpi_coll_call *given = &coll->given;

	switch (args->kind) {
	case COLL_BARRIER:
		return MPI_SUCCESS;
	case COLL_BCAST:
		return resolve_bcast(me, args, coll);
	case COLL_GATHER:
	case COLL_GATHERV:
		return resolve_rooted(me, coll, &args->send, &given->send, &args->recv,
				      &given->recv);
	case COLL_SCATTER:
	case COLL_SCATTERV:
		return resolve_rooted(me, coll, &args->recv, &given->recv, &args->send,
				      &given->send);
	case COLL_ALLGATHER:
	case COLL_ALLGATHERV:
		return resolve_allgather(me, args, coll);
	case COLL_ALLTOALL:
	case COLL_ALLTOALLV:
	case COLL_ALLTOALLW:
		return resolve_alltoall(me, args, coll);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return resolve_reduce_scatter(me, args, coll);
	default:
		return resolve_reduce(me, args, coll);
	}
}

/* --- all of it --- */

static bool has_root(enum mpi_coll_kind kind)
{
	return kind == COLL_BCAST || kind == COLL_GATHER || kind == COLL_GATHERV ||
	       kind == COLL_SCATTER || kind == COLL_SCATTERV || kind == COLL_REDUCE;
}

static int check_comm(struct mpi_rank *me, const struct mpi_coll_args *args)
{
	struct mpi_comm *comm = mpi_comm_get(me, args->comm);

	if (!comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator");
	if (comm->remote)
		pd_fail(me->pd, PD_FAILURE_UNSUPPORTED,
			"%s on an intercommunicator is not implemented in this version of mpisim",
			mpi_coll_kind_name(args->kind));
	if (has_root(args->kind) && (args->root < 0 || args->root >= comm->size))
		return mpi_raise(me, comm, MPI_ERR_ROOT, "root is %d, wanted 0 … %d", args->root,
				 comm->size - 1);
	return MPI_SUCCESS;
}

int mpi_coll_resolve(struct mpi_rank *me, const struct mpi_coll_args *args, struct mpi_coll *coll)
{
	int code;

	code = check_comm(me, args);
	if (code != MPI_SUCCESS)
		return code;
	mpi_coll_init(coll, args->kind, mpi_comm_get(me, args->comm));
	coll->given.root = has_root(args->kind) ? args->root : 0;
	code = resolve_data(me, args, coll);
	if (code != MPI_SUCCESS) {
		mpi_coll_finish(coll);
		return code;
	}
	mpi_coll_schedule(me, coll);
	return MPI_SUCCESS;
}
