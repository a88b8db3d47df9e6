/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of intercommunicators, and of communicators from them. */
#include "mpi/comm/intercomm.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/context.h"
#include "mpi/comm/create.h"
#include "mpi/p2p/p2p.h"

/* Members of a group by their ranks in the world. */
struct members {
	int n;
	int *ranks; /* malloc */
};

static void members_finish(struct members *members)
{
	free(members->ranks);
	members->ranks = NULL;
}

static bool members_allocate(struct members *members, int n)
{
	members->n = n;
	members->ranks = malloc(((size_t)n + 1) * sizeof *members->ranks);
	return members->ranks != NULL;
}

static bool members_of_group(struct members *members, const struct mpi_group *group)
{
	if (!members_allocate(members, group->size))
		return false;
	for (int i = 0; i < group->size; i++)
		members->ranks[i] = mpi_group_world_rank(group, i);
	return true;
}

/* Two leaders send each other numbers. */
static int swap(struct mpi_rank *me, const struct mpi_leader_link *link, const int mine[],
		int n_mine, int theirs[], int n_theirs)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	struct mpi_request *both[2];
	int code;

	both[0] = mpi_recv_start(me, theirs, n_theirs, type, link->peer, link->tag, link->comm,
				 CHANNEL_COLL);
	both[1] = mpi_send_start(me, mine, n_mine, type, link->peer, link->tag, link->comm,
				 SEND_STANDARD, CHANNEL_COLL);
	mpi_requests_wait(me, 2, both, false);
	code = both[0]->status.MPI_ERROR;
	mpi_request_destroy(me, both[0]);
	mpi_request_destroy(me, both[1]);
	return code;
}

/* The leaders (ranks 0) of an intercommunicator swap numbers and tell their groups. */
static int swap_between_groups(struct mpi_rank *me, struct mpi_comm *inter, int tag,
			       const int mine[], int n_mine, int theirs[], int n_theirs)
{
	struct mpi_leader_link link = {.comm = inter, .peer = 0, .tag = tag};
	int code = MPI_SUCCESS;

	if (inter->rank == 0)
		code = swap(me, &link, mine, n_mine, theirs, n_theirs);
	if (code != MPI_SUCCESS)
		return code;
	return mpi_coll_bcast(me, theirs, n_theirs, mpi_datatype_get(me, MPI_INT), 0, inter->local);
}

static int next_tag(struct mpi_comm *comm)
{
	return (int)(comm->collective_count++ & 0x7fffffff);
}

/* The groups of a birth, made by the first that comes; of equal members on all ranks. */
static bool settle_groups(struct mpi_birth *birth, struct members *local, struct members *remote)
{
	bool is_first = local->ranks[0] < remote->ranks[0];
	struct members *first = is_first ? local : remote, *second = is_first ? remote : local;

	if (birth->n_left == 0)
		birth->n_left = local->n + remote->n;
	if (birth->group)
		return true;
	birth->group = mpi_group_create(first->n, first->ranks);
	birth->other = mpi_group_create(second->n, second->ranks);
	first->ranks = second->ranks = NULL; /* taken over */
	return birth->group && birth->other;
}

/*
 * All members of both groups make an intercommunicator out of what they know; (parent, sequence,
 * color) is the same for all. The error handler is `model`'s.
 */
static int join(struct mpi_rank *me, struct mpi_comm *model, uint32_t parent, uint32_t sequence,
		int color, struct members *local, struct members *remote, struct mpi_comm **out)
{
	bool is_first = local->ranks[0] < remote->ranks[0];
	struct mpi_birth *birth = mpi_birth_join(me->world, parent, sequence, color);

	if (!birth)
		return MPI_ERR_NO_MEM;
	if (settle_groups(birth, local, remote))
		*out =
		    mpi_comm_create_child(me, model, is_first ? birth->group : birth->other,
					  is_first ? birth->other : birth->group, birth->context);
	mpi_birth_leave(me->world, birth);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* --- from two groups --- */

/* What a leader tells its group: an error class, the size of the other group, a number of their
 * own. */
enum { ERROR, SIZE, KEY, N_NEWS };

static bool overlaps(const struct mpi_group *group, const struct members *others)
{
	for (int i = 0; i < others->n; i++)
		if (mpi_group_index(group, others->ranks[i]) != MPI_UNDEFINED)
			return true;
	return false;
}

/* The leaders tell each other their groups. The key is the number of the leader that comes first
 * in the world. */
static void meet(struct mpi_rank *me, const struct mpi_comm *local,
		 const struct mpi_leader_link *link, int news[N_NEWS], struct members *others)
{
	int mine[2] = {local->size, (int)mpi_context_new(me->world)}, theirs[2] = {0, 0};
	bool is_first = me->rank < mpi_comm_peer(link->comm, link->peer);
	struct members own = {0};

	news[ERROR] = swap(me, link, mine, 2, theirs, 2);
	if (news[ERROR] != MPI_SUCCESS)
		return;
	news[SIZE] = theirs[0];
	news[KEY] = is_first ? mine[1] : theirs[1];
	if (members_of_group(&own, local->group) && members_allocate(others, news[SIZE]))
		news[ERROR] = swap(me, link, own.ranks, own.n, others->ranks, others->n);
	else
		news[ERROR] = MPI_ERR_NO_MEM;
	members_finish(&own);
	if (news[ERROR] == MPI_SUCCESS && overlaps(local->group, others))
		news[ERROR] = MPI_ERR_COMM;
}

int mpi_intercomm_create(struct mpi_rank *me, struct mpi_comm *local, int leader,
			 const struct mpi_leader_link *link, struct mpi_comm **out)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	struct members own = {0}, others = {0};
	int news[N_NEWS] = {link->error, 0, 0}, code;

	*out = NULL;
	if (local->rank == leader && link->comm)
		meet(me, local, link, news, &others);
	code = mpi_coll_bcast(me, news, N_NEWS, type, leader, local);
	if (code == MPI_SUCCESS)
		code = news[ERROR];
	if (code == MPI_SUCCESS && local->rank != leader && !members_allocate(&others, news[SIZE]))
		code = MPI_ERR_NO_MEM;
	if (code == MPI_SUCCESS)
		code = mpi_coll_bcast(me, others.ranks, others.n, type, leader, local);
	if (code == MPI_SUCCESS && !members_of_group(&own, local->group))
		code = MPI_ERR_NO_MEM;
	if (code == MPI_SUCCESS)
		code = join(me, local, (uint32_t)news[KEY], 0, 0, &own, &others, out);
	members_finish(&own);
	members_finish(&others);
	return code;
}

/* --- merge --- */

/* 0 or 1 when the group agrees, -1 when not. */
static int agree_on_high(struct mpi_rank *me, struct mpi_comm *inter, bool high, int *agreed)
{
	int mine[2] = {high, -high}, least[2] = {0, 0};
	int code = mpi_coll_allreduce(me, mine, least, 2, mpi_datatype_get(me, MPI_INT),
				      mpi_op_get(me, MPI_MIN), inter->local);

	*agreed = least[0] == -least[1] ? least[0] : -1;
	return code;
}

/* The low group first; of two that say the same, the one whose first rank comes first in the
 * world. */
static struct mpi_group *join_groups(const struct mpi_comm *inter, bool is_first)
{
	const struct mpi_group *first = is_first ? inter->group : inter->remote;
	const struct mpi_group *second = is_first ? inter->remote : inter->group;
	int *ranks = malloc(((size_t)first->size + (size_t)second->size) * sizeof *ranks);

	if (!ranks)
		return NULL;
	for (int i = 0; i < first->size; i++)
		ranks[i] = mpi_group_world_rank(first, i);
	for (int i = 0; i < second->size; i++)
		ranks[first->size + i] = mpi_group_world_rank(second, i);
	return mpi_group_create(first->size + second->size, ranks);
}

static struct mpi_comm *merge(struct mpi_rank *me, struct mpi_comm *inter, struct mpi_birth *birth,
			      bool is_first)
{
	if (birth->n_left == 0)
		birth->n_left = inter->size + inter->remote->size;
	if (!birth->group)
		birth->group = join_groups(inter, is_first);
	return birth->group ? mpi_comm_create_child(me, inter, birth->group, NULL, birth->context)
			    : NULL;
}

int mpi_intercomm_merge(struct mpi_rank *me, struct mpi_comm *inter, bool high,
			struct mpi_comm **out)
{
	uint32_t sequence = inter->collective_count;
	int tag = next_tag(inter), mine, theirs = 0, code = agree_on_high(me, inter, high, &mine);
	bool is_first =
	    mpi_group_world_rank(inter->group, 0) < mpi_group_world_rank(inter->remote, 0);
	struct mpi_birth *birth;

	*out = NULL;
	if (code == MPI_SUCCESS)
		code = swap_between_groups(me, inter, tag, &mine, 1, &theirs, 1);
	if (code == MPI_SUCCESS && (mine < 0 || theirs < 0))
		code = MPI_ERR_ARG;
	if (code != MPI_SUCCESS)
		return code;
	if (mine != theirs)
		is_first = mine < theirs;
	birth = mpi_birth_join(me->world, inter->context, sequence, 0);
	if (!birth)
		return MPI_ERR_NO_MEM;
	*out = merge(me, inter, birth, is_first);
	mpi_birth_leave(me->world, birth);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* --- parts of an intercommunicator --- */

static int split(struct mpi_rank *me, struct mpi_comm *parent, uint32_t sequence, const int pairs[],
		 const int remote_pairs[], int color, struct mpi_comm **out)
{
	struct members local = {0}, remote = {0};
	int code = MPI_SUCCESS;

	local.ranks = mpi_comm_ranks_of_color(parent->group, pairs, color, &local.n);
	remote.ranks = mpi_comm_ranks_of_color(parent->remote, remote_pairs, color, &remote.n);
	if (!local.ranks || !remote.ranks)
		code = MPI_ERR_NO_MEM;
	else if (remote.n > 0)
		code = join(me, parent, parent->context, sequence, color, &local, &remote, out);
	members_finish(&local);
	members_finish(&remote);
	return code;
}

int mpi_intercomm_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
			struct mpi_comm **out)
{
	int n = parent->size, n_remote = parent->remote->size, code = MPI_ERR_NO_MEM;
	uint32_t sequence = parent->collective_count;
	int tag = next_tag(parent);
	int *pairs = malloc(2 * ((size_t)n + (size_t)n_remote) * sizeof *pairs);

	*out = NULL;
	if (pairs)
		code = mpi_coll_allgather(me, (int[]){color, key}, pairs, 2,
					  mpi_datatype_get(me, MPI_INT), parent->local);
	if (code == MPI_SUCCESS)
		code = swap_between_groups(me, parent, tag, pairs, 2 * n, pairs + (size_t)2 * n,
					   2 * n_remote);
	if (code == MPI_SUCCESS && color != MPI_UNDEFINED)
		code = split(me, parent, sequence, pairs, pairs + (size_t)2 * n, color, out);
	free(pairs);
	return code;
}

int mpi_intercomm_subset(struct mpi_rank *me, struct mpi_comm *parent,
			 const struct mpi_group *group, struct mpi_comm **out)
{
	uint32_t sequence = parent->collective_count;
	int tag = next_tag(parent), n_remote = 0, code;
	struct members local = {0}, remote = {0};

	*out = NULL;
	code = swap_between_groups(me, parent, tag, &group->size, 1, &n_remote, 1);
	if (code == MPI_SUCCESS &&
	    (!members_of_group(&local, group) || !members_allocate(&remote, n_remote)))
		code = MPI_ERR_NO_MEM;
	/* both groups know when there is nothing to make */
	if (code == MPI_SUCCESS && local.n > 0 && remote.n > 0) {
		code = swap_between_groups(me, parent, tag, local.ranks, local.n, remote.ranks,
					   remote.n);
		if (code == MPI_SUCCESS && mpi_group_index(group, me->rank) != MPI_UNDEFINED)
			code = join(me, parent, parent->context, sequence, 0, &local, &remote, out);
	}
	members_finish(&local);
	members_finish(&remote);
	return code;
}

/* --- without a parent --- */

int mpi_comm_create_by_name(struct mpi_rank *me, struct mpi_group *group, const char *name,
			    struct mpi_comm **out)
{
	struct mpi_birth *birth =
	    mpi_birth_join_by_name(me->world, name, mpi_group_world_rank(group, 0));
	int code;

	*out = NULL;
	if (!birth)
		return MPI_ERR_NO_MEM;
	if (birth->n_left == 0)
		birth->n_left = group->size;
	*out = mpi_comm_create_local(me, group, NULL, mpi_group_index(group, me->rank),
				     birth->context);
	mpi_birth_leave(me->world, birth);
	if (!*out)
		return MPI_ERR_NO_MEM;
	if (group->session)
		(*out)->session = group->session;
	/* nobody may come a second time, with the same name, before all have come once */
	code = mpi_comm_agree(me, *out);
	if (code != MPI_SUCCESS) {
		mpi_comm_release(me, *out);
		*out = NULL;
	}
	return code;
}

int mpi_comm_create_pair(struct mpi_rank *me, int other_world_rank, const char *name,
			 struct mpi_comm **out)
{
	bool is_first = me->rank < other_world_rank;
	int first = is_first ? me->rank : other_world_rank;
	struct mpi_group *pair = mpi_group_create_sequence(
	    2, first, is_first ? other_world_rank - first : me->rank - first);
	int code = pair ? mpi_comm_create_by_name(me, pair, name, out) : MPI_ERR_NO_MEM;

	mpi_group_release(me, pair);
	return code;
}
