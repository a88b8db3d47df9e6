/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Checks the arguments of a collective and turns handles into objects, MPI_IN_PLACE into addresses.
 */
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"
#include "mpi/comm/topology.h"

/* --- one side --- */

static bool has_no_displs(enum mpi_coll_kind kind)
{
	return kind == COLL_REDUCE_SCATTER;
}

static int check_array(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_counts counts,
		       struct mpi_counts displs, int n, MPI_Count *out_largest)
{
	*out_largest = 0;
	if (n == 0) /* no neighbours */
		return MPI_SUCCESS;
	if (!mpi_counts_are_set(counts))
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of counts is NULL");
	if (!mpi_counts_are_set(displs) && !has_no_displs(coll->kind))
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of displacements is NULL");
	for (int i = 0; i < n; i++) {
		MPI_Count count = mpi_counts_at(counts, i);

		if (count < 0)
			return mpi_raise(me, coll->comm, MPI_ERR_COUNT,
					 "the count for %s %d is %lld, wanted >= 0",
					 coll->kind < N_COLL_KINDS ? "rank" : "neighbour", i,
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
	int slot = to == &coll->given.send ? 0 : 1, n = to->n_blocks;
	int code = MPI_SUCCESS;

	if (n == 0)
		return MPI_SUCCESS;
	if (!from->types)
		return mpi_raise(me, coll->comm, MPI_ERR_ARG, "the array of datatypes is NULL");
	to->types = calloc((size_t)n, sizeof *to->types);
	if (!to->types)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d datatypes", n);
	coll->owned[slot] = to->types;
	for (int i = 0; i < n && code == MPI_SUCCESS; i++)
		code = mpi_check_buffer(me, coll->comm, from->buf, mpi_counts_at(from->counts, i),
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
		code = check_array(me, coll, from->counts, from->displs, to->n_blocks, &largest);
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
	if (coll->given.root == MPI_PROC_NULL)
		return MPI_SUCCESS;
	if (args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "buffer");
	return resolve_side(me, coll, &args->recv, &coll->given.recv);
}

/* The rank that has everything; on an intercommunicator it says MPI_ROOT, and is in nobody's way.
 */
static bool is_root(const struct mpi_coll *coll)
{
	return coll->remote_size ? coll->given.root == MPI_ROOT : coll->rank == coll->given.root;
}

/* A rank that contributes to the root, or gets from it: all, or those of the other group. */
static bool is_member(const struct mpi_coll *coll)
{
	return !coll->remote_size || coll->given.root >= 0;
}

/* Gather and scatter: `one` is what every rank has, `many` the blocks that only the root has. */
static int resolve_rooted(struct mpi_rank *me, struct mpi_coll *coll,
			  const struct mpi_coll_side_args *one_args, struct mpi_coll_side *one,
			  const struct mpi_coll_side_args *many_args, struct mpi_coll_side *many)
{
	bool is_in_place = is_member(coll) && one_args->buf == MPI_IN_PLACE;
	int code = MPI_SUCCESS;

	if (is_root(coll) && many_args->buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, many == &coll->given.recv ? "recvbuf" : "sendbuf");
	if (is_in_place && (!is_root(coll) || coll->remote_size))
		return refuse_in_place(me, coll, one == &coll->given.recv ? "recvbuf" : "sendbuf");
	if (is_member(coll) && !is_in_place)
		code = resolve_side(me, coll, one_args, one);
	if (code != MPI_SUCCESS || !is_root(coll))
		return code;
	code = resolve_side(me, coll, many_args, many);
	if (code != MPI_SUCCESS || coll->remote_size)
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
	if (is_in_place && coll->remote_size)
		return refuse_in_place(me, coll, "sendbuf");
	if (!is_in_place)
		code = resolve_side(me, coll, &args->send, send);
	if (code == MPI_SUCCESS)
		code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS || coll->remote_size)
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
	if (coll->is_in_place && coll->remote_size)
		return refuse_in_place(me, coll, "sendbuf");
	code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS || coll->is_in_place) {
		*send = *recv;
		return code;
	}
	code = resolve_side(me, coll, &args->send, send);
	for (int i = 0; i < send->n_blocks && code == MPI_SUCCESS; i++)
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
	bool has_result = coll->kind != COLL_REDUCE || is_root(coll);
	bool contributes = coll->kind != COLL_REDUCE || is_member(coll);
	bool is_in_place = contributes && args->send.buf == MPI_IN_PLACE;
	int code = MPI_SUCCESS;

	if (is_in_place && (!has_result || coll->remote_size))
		return refuse_in_place(me, coll, "sendbuf");
	if (has_result && args->recv.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll, "recvbuf");
	if (has_result)
		code = resolve_side(me, coll, &args->recv, recv);
	if (code != MPI_SUCCESS || (!has_result && !contributes))
		return code;
	if (!is_in_place)
		from.buf = args->send.buf;
	if (contributes)
		code = resolve_side(me, coll, &from, send);
	if (code != MPI_SUCCESS)
		return code;
	if (!is_in_place && has_result && contributes &&
	    overlap(mpi_coll_whole(send), mpi_coll_whole(recv)))
		return refuse_alias(me, coll);
	return resolve_op(me, args, coll, contributes ? send->type : recv->type);
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
		next += mpi_counts_at(side->counts, i);
	}
	side->displs = (struct mpi_counts){.wide = displs};
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
	if (is_in_place && coll->remote_size)
		return refuse_in_place(me, coll, "sendbuf");
	if (!is_in_place)
		from.buf = args->send.buf;
	send->n_blocks = coll->size; /* of an intercommunicator, too */
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

/* Asks the topology once: schedules then know ranks only. */
static void find_neighbors(struct mpi_rank *me, struct mpi_coll *coll)
{
	const struct mpi_topology *topology = coll->comm->topology;
	int n_in = mpi_topology_n_sources(topology, coll->rank);
	int n_out = mpi_topology_n_destinations(topology, coll->rank);

	coll->sources = malloc(((size_t)n_in + (size_t)n_out + 1) * sizeof *coll->sources);
	if (!coll->sources)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %d neighbours", n_in + n_out);
	coll->owned[2] = coll->sources;
	coll->destinations = coll->sources + n_in;
	for (int i = 0; i < n_in; i++)
		coll->sources[i] = mpi_topology_source(topology, coll->rank, i);
	for (int i = 0; i < n_out; i++)
		coll->destinations[i] = mpi_topology_destination(topology, coll->rank, i);
	coll->given.recv.n_blocks = n_in;
	coll->given.send.n_blocks = n_out;
}

/* Send: a block for each destination, or one for all; recv: a block of each source. */
static int resolve_neighbor(struct mpi_rank *me, const struct mpi_coll_args *args,
			    struct mpi_coll *coll)
{
	int code;

	if (args->recv.buf == MPI_IN_PLACE || args->send.buf == MPI_IN_PLACE)
		return refuse_in_place(me, coll,
				       args->recv.buf == MPI_IN_PLACE ? "recvbuf" : "sendbuf");
	find_neighbors(me, coll);
	code = resolve_side(me, coll, &args->send, &coll->given.send);
	if (code == MPI_SUCCESS)
		code = resolve_side(me, coll, &args->recv, &coll->given.recv);
	return code;
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
	case COLL_NEIGHBOR_ALLGATHER:
	case COLL_NEIGHBOR_ALLGATHERV:
	case COLL_NEIGHBOR_ALLTOALL:
	case COLL_NEIGHBOR_ALLTOALLV:
	case COLL_NEIGHBOR_ALLTOALLW:
		return resolve_neighbor(me, args, coll);
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

static bool is_for_intercommunicators(enum mpi_coll_kind kind)
{
	return kind < N_COLL_KINDS && kind != COLL_SCAN && kind != COLL_EXSCAN;
}

static int check_root(struct mpi_rank *me, struct mpi_comm *comm, int root)
{
	if (comm->remote && (root == MPI_ROOT || root == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (root >= 0 && root < mpi_comm_n_peers(comm))
		return MPI_SUCCESS;
	return mpi_raise(me, comm, MPI_ERR_ROOT, "root is %d, wanted 0 … %d%s", root,
			 mpi_comm_n_peers(comm) - 1,
			 comm->remote ? ", MPI_ROOT or MPI_PROC_NULL" : "");
}

static int check_comm(struct mpi_rank *me, const struct mpi_coll_args *args)
{
	struct mpi_comm *comm = mpi_comm_get(me, args->comm);

	if (!comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator");
	if (comm->remote && !is_for_intercommunicators(args->kind))
		return mpi_raise(me, comm, MPI_ERR_COMM,
				 "comm is an intercommunicator, which %s is not defined on",
				 mpi_coll_kind_name(args->kind));
	if (has_root(args->kind))
		return check_root(me, comm, args->root);
	if (args->kind >= N_COLL_KINDS && !comm->topology)
		return mpi_raise(me, comm, MPI_ERR_TOPOLOGY, "comm has no topology");
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
