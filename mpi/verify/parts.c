/* SPDX-License-Identifier: BSD-3-Clause */
/* The data of collectives: what each member gives and takes, and whether that agrees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/topology.h"
#include "mpi/verify/shadow.h"

enum { OUT, IN }; /* what a member sends, what it receives */

/* --- signatures of the arguments --- */

struct arguments { /* of one call */
	const struct mpi_verify_call *call;
	const struct mpi_comm *comm;
	struct mpi_shadow_part *part;
};

static int64_t integer(const struct arguments *a, enum mpi_argument argument)
{
	return mpi_verify_value(a->call, argument).i;
}

static const void *pointer(const struct arguments *a, enum mpi_argument argument)
{
	return mpi_verify_value(a->call, argument).p;
}

static bool has(const struct arguments *a, enum mpi_argument argument)
{
	return mpi_verify_has(a->call, argument);
}

static bool is_a(const struct arguments *a, const char *operation)
{
	return strncmp(a->call->function->operation, operation, strlen(operation)) == 0;
}

static MPI_Count count_at(const struct arguments *a, enum mpi_argument argument, int i)
{
	const void *counts = pointer(a, argument);

	if (!counts)
		return 0;
	return a->call->function->is_large ? ((const MPI_Count *)counts)[i]
					   : ((const int *)counts)[i];
}

static struct mpi_signature signature(const struct arguments *a, const void *handle,
				      MPI_Count count)
{
	const struct mpi_datatype *type =
	    mpi_datatype_get(a->call->me, (MPI_Datatype)(uintptr_t)handle);

	if (!type || count <= 0)
		return (struct mpi_signature){.n = 0};
	return mpi_signature_of(type, count);
}

static struct mpi_shadow_blocks *blocks_of(struct mpi_shadow_part *part)
{
	if (!part->blocks && (part->blocks = calloc(1, sizeof *part->blocks)))
		part->blocks->n_references = 1;
	return part->blocks;
}

void mpi_shadow_release_blocks(struct mpi_shadow_blocks *blocks)
{
	if (!blocks || --blocks->n_references > 0)
		return;
	for (int side = OUT; side <= IN; side++) {
		free(blocks->each[side]);
		free(blocks->peers[side]);
	}
	mpi_shadow_release_given(blocks->given);
	free(blocks);
}

static const struct side {
	enum mpi_argument buffer, count, counts, type, types;
} sides[] = {
    [OUT] = {MPI_ARG_SENDBUF, MPI_ARG_SENDCOUNT, MPI_ARG_SENDCOUNTS, MPI_ARG_SENDTYPE,
	     MPI_ARG_SENDTYPES},
    [IN] = {MPI_ARG_RECVBUF, MPI_ARG_RECVCOUNT, MPI_ARG_RECVCOUNTS, MPI_ARG_RECVTYPE,
	    MPI_ARG_RECVTYPES},
    /* the reductions with an array of counts */
    [IN + 1] = {MPI_ARG_SENDBUF, MPI_ARG_RECVCOUNT, MPI_ARG_RECVCOUNTS, MPI_ARG_DATATYPE,
		MPI_ARG_SENDTYPES},
};

/* One side of a function that has counts for each of n peers. */
static void describe_each(const struct arguments *a, const struct side *from, int n, int side)
{
	const MPI_Datatype *handles = has(a, from->types) ? pointer(a, from->types) : NULL;
	struct mpi_shadow_blocks *blocks = blocks_of(a->part);
	struct mpi_signature *all = side == OUT ? &a->part->send : &a->part->recv, *each;

	*all = (struct mpi_signature){.n = 0};
	each = blocks ? calloc((size_t)n + 1, sizeof *each) : NULL;
	if (!each)
		return;
	for (int i = 0; i < n; i++) {
		each[i] = signature(a, handles ? handles[i] : pointer(a, from->type),
				    count_at(a, from->counts, i));
		*all = mpi_signature_join(*all, each[i]);
	}
	blocks->each[side] = each;
	blocks->n[side] = n;
}

static int n_neighbours(const struct mpi_comm *comm, int side)
{
	return side == OUT ? mpi_topology_n_destinations(comm->topology, comm->rank)
			   : mpi_topology_n_sources(comm->topology, comm->rank);
}

static void describe_edges(const struct arguments *a)
{
	const struct mpi_topology *topology = a->comm->topology;
	struct mpi_shadow_blocks *blocks = blocks_of(a->part);

	for (int side = OUT; blocks && side <= IN; side++) {
		int n = n_neighbours(a->comm, side);

		blocks->n[side] = n;
		blocks->peers[side] = calloc((size_t)n + 1, sizeof *blocks->peers[side]);
		for (int i = 0; blocks->peers[side] && i < n; i++)
			blocks->peers[side][i] =
			    side == OUT ? mpi_topology_destination(topology, a->comm->rank, i)
					: mpi_topology_source(topology, a->comm->rank, i);
	}
	if (blocks)
		blocks->is_grid = topology->kind == MPI_CART;
}

static bool is_root(const struct arguments *a)
{
	int64_t root = integer(a, MPI_ARG_ROOT);

	return a->comm->remote ? root == MPI_ROOT : root == a->comm->rank;
}

/* Whether the rank has this side; with a root only that has the one, in an intercommunicator only
 * the others the other one. */
static bool has_side(const struct arguments *a, int side)
{
	int of_root = is_a(a, "Gather") || is_a(a, "Reduce") ? IN : OUT;

	if (has(a, sides[side].buffer) && pointer(a, sides[side].buffer) == MPI_IN_PLACE)
		return false;
	if (!has(a, MPI_ARG_ROOT))
		return true;
	if (a->comm->remote && integer(a, MPI_ARG_ROOT) == MPI_PROC_NULL)
		return false;
	return side == of_root ? is_root(a) : !a->comm->remote || !is_root(a);
}

static void describe_side(const struct arguments *a, int side)
{
	const struct side *from = &sides[side];
	struct mpi_signature *all = side == OUT ? &a->part->send : &a->part->recv;
	bool has_edges = a->part->blocks && a->part->blocks->peers[side];

	if (!has_side(a, side))
		return;
	*(side == OUT ? &a->part->has_send : &a->part->has_recv) = true;
	if (has(a, from->counts))
		describe_each(a, from,
			      has_edges ? a->part->blocks->n[side] : (int)mpi_comm_n_peers(a->comm),
			      side);
	else
		*all = signature(a, pointer(a, from->type), integer(a, from->count));
}

/* All have one datatype: MPI_Bcast and the reductions. */
static void describe_uniform(const struct arguments *a)
{
	struct mpi_shadow_part *part = a->part;

	if (a->comm->remote && has(a, MPI_ARG_ROOT)) {
		part->has_send = has_side(a, OUT);
		part->has_recv = has_side(a, IN);
	} else {
		part->has_send = part->is_uniform = true;
		part->is_of_group = is_a(a, "Reduce_scatter");
	}
	if (has(a, MPI_ARG_RECVCOUNTS))
		describe_each(a, &sides[IN + 1], a->comm->size, OUT);
	else
		part->send = signature(
		    a, pointer(a, MPI_ARG_DATATYPE),
		    integer(a, has(a, MPI_ARG_RECVCOUNT) ? MPI_ARG_RECVCOUNT : MPI_ARG_COUNT));
	part->recv = part->send;
}

void mpi_shadow_describe_part(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			      struct mpi_shadow_part *out)
{
	struct arguments a = {call, comm, out};
	struct mpi_shadow_given *given = mpi_shadow_take_given(call, comm);

	if (given && blocks_of(out))
		out->blocks->given = given;
	else
		mpi_shadow_release_given(given);
	if (is_a(&a, "Neighbor")) {
		if (!comm->topology)
			return; /* an error of the call */
		describe_edges(&a);
	}
	if (has(&a, MPI_ARG_SENDTYPE) || has(&a, MPI_ARG_SENDTYPES)) {
		describe_side(&a, OUT);
		describe_side(&a, IN);
	} else if (has(&a, MPI_ARG_DATATYPE)) {
		describe_uniform(&a);
	}
}

/* --- comparing --- */

static void report(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
		   const struct mpi_shadow_part *a, const struct mpi_shadow_part *b,
		   struct mpi_signature sig_a, struct mpi_signature sig_b)
{
	bool is_type = sig_a.n == sig_b.n || sig_a.size_B == sig_b.size_B;
	char text[256];

	snprintf(
	    text, sizeof text,
	    a->is_uniform
		? "MPI_%s: rank %d has %llu basic element%s, %lld B; rank %d has %llu, %lld B%s"
		: "MPI_%s: rank %d sends %llu basic element%s, %lld B; rank %d receives %llu "
		  "from it, %lld B%s",
	    together->operation, a->call.rank, (unsigned long long)sig_a.n, sig_a.n == 1 ? "" : "s",
	    (long long)sig_a.size_B, b->call.rank, (unsigned long long)sig_b.n,
	    (long long)sig_b.size_B, is_type ? ", of other basic datatypes" : "");
	mpi_verify_report(shadow->world,
			  &(struct mpi_finding){
			      .class_name = is_type ? "datatype-mismatch" : "count-mismatch",
			      .severity = MPI_FINDING_ERROR,
			      .calls = {a->call, b->call},
			      .n_calls = a == b ? 1 : 2,
			      .found = text,
			      .wanted = "counts and datatypes that agree between the ranks",
			      .why = "data is lost, or what was not sent is taken for data",
			  });
}

/* What `a` sends against what `b` receives. */
static bool compare(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
		    const struct mpi_shadow_part *a, const struct mpi_shadow_part *b,
		    struct mpi_signature sig_a, struct mpi_signature sig_b)
{
	if (mpi_signature_is_equal(sig_a, sig_b))
		return true;
	report(shadow, together, a, b, sig_a, sig_b);
	return false;
}

static struct mpi_signature signature_at(const struct mpi_shadow_part *part, int side, int i)
{
	if (part->blocks && part->blocks->each[side])
		return i < part->blocks->n[side] ? part->blocks->each[side][i]
						 : (struct mpi_signature){.n = 0};
	return side == OUT ? part->send : part->recv;
}

/* Members of an intercommunicator are those of one group, then those of the other. */
static bool is_second(const struct mpi_shadow_together *together, int member)
{
	return member >= together->n_first;
}

static int rank_of(const struct mpi_shadow_together *together, int member)
{
	return is_second(together, member) ? member - together->n_first : member;
}

/* `a` sends to `b`. */
static bool compare_pair(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			 int a, int b)
{
	const struct mpi_shadow_part *from = &together->parts[a], *to = &together->parts[b];

	if (!from->has_send || !to->has_recv)
		return true;
	if (together->n_first < together->n_members &&
	    is_second(together, a) == is_second(together, b))
		return true;
	return compare(shadow, together, from, to, signature_at(from, OUT, rank_of(together, b)),
		       signature_at(to, IN, rank_of(together, a)));
}

static bool compare_blocks(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			   const struct mpi_shadow_part *part, const struct mpi_shadow_part *other)
{
	int n = part->blocks && other->blocks ? part->blocks->n[OUT] : 0;

	for (int k = 0; k < n; k++)
		if (!compare(shadow, together, part, other, signature_at(part, OUT, k),
			     signature_at(other, OUT, k)))
			return false;
	return true;
}

/* Every rank has the same: the first that called is whom all are compared with. */
static void compare_with_first(struct mpi_shadow *shadow,
			       const struct mpi_shadow_together *together, int member)
{
	const struct mpi_shadow_part *part = &together->parts[member], *first;
	int i = together->first[part->is_of_group && is_second(together, member)];

	if (i < 0) /* none of the first group */
		i = part->is_of_group ? member : together->first[1];
	if (i == member)
		return;
	first = &together->parts[i];
	if (compare_blocks(shadow, together, part, first))
		compare(shadow, together, part, first, part->send, first->send);
}

/* What the member sends to and receives from those that have called. */
static void compare_with_all(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			     int member)
{
	for (int i = 0; i < together->n_members; i++) {
		if (!together->parts[i].has_called)
			continue;
		if (!compare_pair(shadow, together, member, i) ||
		    (i != member && !compare_pair(shadow, together, i, member)))
			return;
	}
}

/*
 * Edge `i` of `part` is which one of `other`? In a grid what goes to the lower neighbour comes from
 * the upper one; else those of the same two ranks match in their order. -1: the graph has no such
 * edge there.
 */
static int edge_at(const struct mpi_shadow_together *together, int member, int side, int i,
		   int other)
{
	const struct mpi_shadow_blocks *mine = together->parts[member].blocks;
	const struct mpi_shadow_blocks *theirs = together->parts[other].blocks;
	int nth = 0;

	if (!theirs || !theirs->peers[!side])
		return -1;
	if (mine->is_grid)
		return (i ^ 1) < theirs->n[!side] ? i ^ 1 : -1;
	for (int k = 0; k < i; k++)
		nth += mine->peers[side][k] == other;
	for (int k = 0; k < theirs->n[!side]; k++)
		if (theirs->peers[!side][k] == member && nth-- == 0)
			return k;
	return -1;
}

static void compare_edges(struct mpi_shadow *shadow, const struct mpi_shadow_together *together,
			  int member)
{
	const struct mpi_shadow_part *part = &together->parts[member];
	const struct mpi_shadow_blocks *blocks = part->blocks;

	for (int side = OUT; side <= IN; side++)
		for (int i = 0; blocks->peers[side] && i < blocks->n[side]; i++) {
			int other = blocks->peers[side][i], k;
			const struct mpi_shadow_part *peer;

			if (other < 0 || other >= together->n_members ||
			    !together->parts[other].has_called)
				continue;
			peer = &together->parts[other];
			k = edge_at(together, member, side, i, other);
			if (k >= 0 && !compare(shadow, together, side == OUT ? part : peer,
					       side == OUT ? peer : part,
					       side == OUT ? signature_at(part, OUT, i)
							   : signature_at(peer, OUT, k),
					       side == OUT ? signature_at(peer, IN, k)
							   : signature_at(part, IN, i)))
				return;
		}
}

void mpi_shadow_compare_member(struct mpi_shadow *shadow,
			       const struct mpi_shadow_together *together, int member)
{
	const struct mpi_shadow_part *part = &together->parts[member];

	if ((!part->has_send && !part->has_recv) ||
	    !mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		return;
	if (part->is_uniform)
		compare_with_first(shadow, together, member);
	else if (part->blocks && part->blocks->peers[OUT])
		compare_edges(shadow, together, member);
	else
		compare_with_all(shadow, together, member);
}
