/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of communicators: duplicate, create, split; and their end. */
#include "mpi/create/create.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/coll/coll.h"
#include "mpi/create/board.h"
#include "mpi/comm/context.h"
#include "mpi/create/intercomm.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/p2p/buffer.h"
#include "mpi/p2p/p2p.h"
#include "mpi/comm/topology.h"

void mpi_comm_destroy(struct mpi_rank *me, struct mpi_comm *comm)
{
	mpi_group_release(me, comm->group);
	mpi_group_release(me, comm->remote);
	mpi_comm_release(me, comm->local);
	mpi_errhandler_release(me, comm->errhandler);
	mpi_attributes_discard(comm->attributes);
	mpi_topology_release(comm->topology);
	mpi_info_destroy(comm->info);
	mpi_buffer_abandon(comm->buffer);
	free(comm->name);
	free(comm);
}

int mpi_comm_publish(struct mpi_rank *me, struct mpi_comm *parent, int code, struct mpi_comm *comm,
		     MPI_Comm *newcomm)
{
	if (code != MPI_SUCCESS)
		return mpi_raise(me, parent, code, "the communicator could not be made: %s",
				 code == MPI_ERR_NO_MEM ? "out of memory"
							: "its members could not agree");
	if (!comm) {
		*newcomm = MPI_COMM_NULL;
		return MPI_SUCCESS;
	}
	comm->handle = (MPI_Comm)mpi_handle_create(me, KIND_COMM, comm);
	if (!comm->handle) {
		mpi_comm_release(me, comm);
		return mpi_raise(me, parent, MPI_ERR_NO_MEM, "out of memory for a communicator");
	}
	*newcomm = comm->handle;
	return MPI_SUCCESS;
}

struct mpi_comm *mpi_comm_create_child(struct mpi_rank *me, struct mpi_comm *parent,
				       struct mpi_group *group, struct mpi_group *remote,
				       uint32_t context)
{
	struct mpi_comm *comm =
	    mpi_comm_create_local(me, group, remote, mpi_group_index(group, me->rank), context);

	if (!comm)
		return NULL;
	comm->session = parent->session;
	mpi_errhandler_release(me, comm->errhandler);
	comm->errhandler = parent->errhandler;
	mpi_errhandler_retain(comm->errhandler);
	return comm;
}

int mpi_comm_agree(struct mpi_rank *me, struct mpi_comm *comm)
{
	int mine = 0, all = 0;

	return mpi_coll_allreduce(me, &mine, &all, 1, mpi_datatype_get(me, MPI_INT),
				  mpi_op_get(me, MPI_MAX), comm);
}

/* Without data, which would have to outlive the call. */
struct mpi_request *mpi_comm_iagree(struct mpi_rank *me, struct mpi_comm *comm)
{
	void *nowhere = pd_memory_absent();

	return mpi_coll_iallreduce(me, nowhere, nowhere, 1, mpi_datatype_get(me, MPI_INT),
				   mpi_op_get(me, MPI_MAX), comm);
}

int mpi_comm_duplicate(struct mpi_rank *me, struct mpi_comm *parent, bool is_blocking,
		       struct mpi_comm **out)
{
	uint32_t sequence = parent->collective_count++;
	int code = is_blocking ? mpi_comm_agree(me, parent) : MPI_SUCCESS;
	struct mpi_birth *birth;
	struct mpi_comm *comm;

	if (code != MPI_SUCCESS)
		return code;
	birth = mpi_birth_join(me->world, parent->context, sequence, 0);
	if (!birth)
		return MPI_ERR_NO_MEM;
	if (birth->meeting.n_left == 0)
		birth->meeting.n_left = parent->size + (parent->remote ? parent->remote->size : 0);
	comm = mpi_comm_create_child(me, parent, parent->group, parent->remote, birth->context);
	mpi_birth_leave(me->world, birth);
	if (!comm)
		return MPI_ERR_NO_MEM;
	comm->topology = mpi_topology_retain(parent->topology);
	*out = comm;
	return MPI_SUCCESS;
}

/*
 * The caller is one of those who make a communicator of `group` (taken over by the first that
 * comes; the birth's own for the others). NULL for the birth or the group: out of memory.
 */
static int join_members(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_birth *birth,
			struct mpi_group *group, struct mpi_comm **out)
{
	if (!birth || !group)
		return MPI_ERR_NO_MEM;
	if (!birth->group) {
		birth->meeting.n_left = group->size;
		birth->group = group;
	}
	*out = mpi_comm_create_child(me, parent, group, NULL, birth->context);
	mpi_birth_leave(me->world, birth);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

int mpi_comm_create(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *group,
		    struct mpi_comm **out)
{
	struct mpi_birth *birth;
	uint32_t sequence;
	int code;

	if (parent->remote)
		return mpi_intercomm_subset(me, parent, group, out);
	sequence = parent->collective_count++;
	code = mpi_comm_agree(me, parent);
	*out = NULL;
	if (code != MPI_SUCCESS || mpi_group_index(group, me->rank) == MPI_UNDEFINED)
		return code;
	/* disjoint groups of one call differ in their first member */
	birth =
	    mpi_birth_join(me->world, parent->context, sequence, mpi_group_world_rank(group, 0));
	if (birth && birth->group)
		group = birth->group;
	else if (birth)
		mpi_group_retain(group);
	return join_members(me, parent, birth, group, out);
}

/* The first n members; NULL when out of memory. */
static struct mpi_group *first_members(struct mpi_group *group, int n)
{
	int *ranks;

	if (n == group->size) {
		mpi_group_retain(group);
		return group;
	}
	if (!group->ranks)
		return mpi_group_create_sequence(n, group->first, group->stride);
	ranks = malloc(((size_t)n + 1) * sizeof *ranks);
	if (!ranks)
		return NULL;
	memcpy(ranks, group->ranks, (size_t)n * sizeof *ranks);
	return mpi_group_create(n, ranks);
}

int mpi_comm_create_grid(struct mpi_rank *me, struct mpi_comm *parent, int n,
			 const struct mpi_topology *like, struct mpi_comm **out)
{
	uint32_t sequence = parent->collective_count++;
	int code = mpi_comm_agree(me, parent);
	struct mpi_topology *topology;
	struct mpi_birth *birth;

	*out = NULL;
	if (code != MPI_SUCCESS || parent->rank >= n)
		return code;
	birth = mpi_birth_join(me->world, parent->context, sequence, 0);
	topology = birth ? mpi_topology_share(&birth->topology, like) : NULL;
	if (!topology)
		return MPI_ERR_NO_MEM;
	code = join_members(me, parent, birth,
			    birth->group ? birth->group : first_members(parent->group, n), out);
	if (code == MPI_SUCCESS)
		(*out)->topology = topology;
	else
		mpi_topology_release(topology);
	return code;
}

struct mpi_group *mpi_comm_group_of_color(const struct mpi_group *group, struct mpi_board *board,
					  int color)
{
	const struct mpi_board_entry *wishes;
	int n = mpi_board_find(board, color, &wishes);
	int *ranks = malloc(((size_t)n + 1) * sizeof *ranks);

	for (int i = 0; ranks && i < n; i++)
		ranks[i] = mpi_group_world_rank(group, wishes[i].rank);
	return ranks ? mpi_group_create(n, ranks) : NULL;
}

/* `board`: colour and key of every member of the parent. */
static int join_color(struct mpi_rank *me, struct mpi_comm *parent, uint32_t sequence,
		      struct mpi_board *board, int color, struct mpi_comm **out)
{
	struct mpi_birth *birth = mpi_birth_join(me->world, parent->context, sequence, color);
	struct mpi_group *group = birth ? birth->group : NULL;

	if (birth && !group)
		group = mpi_comm_group_of_color(parent->group, board, color);
	return join_members(me, parent, birth, group, out);
}

int mpi_comm_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
		   struct mpi_comm **out)
{
	struct mpi_birth *wishes;
	uint32_t sequence;
	int code;

	if (parent->remote)
		return mpi_intercomm_split(me, parent, color, key, out);
	sequence = parent->collective_count++;
	*out = NULL;
	code = mpi_board_share(me, parent, MPI_INT, (int64_t[]){color, key}, &wishes);
	if (code != MPI_SUCCESS)
		return code;
	if (color != MPI_UNDEFINED)
		code = join_color(me, parent, sequence, mpi_board_of(wishes), color, out);
	mpi_birth_leave(me->world, wishes);
	return code;
}

/* Tags of MPI_Comm_create_group on the collective channel: apart from the numbers of collectives.
 */
#define CREATE_GROUP_TAG 0x40000000

static int exchange(struct mpi_rank *me, struct mpi_comm *parent, int peer_world_rank, int tag,
		    uint32_t *context, bool is_sending)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_UINT32_T);
	int peer = mpi_group_index(parent->group, peer_world_rank);
	struct mpi_request *request =
	    is_sending ? mpi_send_start(me, context, 1, type, peer, tag, parent, SEND_STANDARD,
					CHANNEL_COLL)
		       : mpi_recv_start(me, context, 1, type, peer, tag, parent, CHANNEL_COLL);
	int code;

	mpi_requests_wait(me, 1, &request, false);
	code = request->status.MPI_ERROR;
	mpi_request_destroy(me, request);
	return code;
}

/*
 * Only the members of `group` call: they find each other through a binomial tree on the parent,
 * upwards to say that they are there, downwards with the context id.
 */
int mpi_comm_create_from_members(struct mpi_rank *me, struct mpi_comm *parent,
				 struct mpi_group *group, int user_tag, struct mpi_comm **out)
{
	int rank = mpi_group_index(group, me->rank),
	    tag = CREATE_GROUP_TAG | (user_tag & (CREATE_GROUP_TAG - 1));
	int code = MPI_SUCCESS, mask = 1;
	uint32_t context = 0;

	for (; mask < group->size && !(rank & mask) && code == MPI_SUCCESS; mask <<= 1)
		if (rank + mask < group->size)
			code = exchange(me, parent, mpi_group_world_rank(group, rank + mask), tag,
					&context, false);
	if (rank == 0)
		context = mpi_context_new(me->world);
	if (rank != 0 && code == MPI_SUCCESS)
		code = exchange(me, parent, mpi_group_world_rank(group, rank - mask), tag, &context,
				true);
	if (rank != 0 && code == MPI_SUCCESS)
		code = exchange(me, parent, mpi_group_world_rank(group, rank - mask), tag, &context,
				false);
	for (mask >>= 1; mask > 0 && code == MPI_SUCCESS; mask >>= 1)
		if (rank + mask < group->size)
			code = exchange(me, parent, mpi_group_world_rank(group, rank + mask), tag,
					&context, true);
	if (code != MPI_SUCCESS)
		return code;
	*out = mpi_comm_create_child(me, parent, group, NULL, context);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}
