/* SPDX-License-Identifier: BSD-3-Clause */
/* Construction of intercommunicators, and of communicators from them. */
#include "mpi/create/intercomm.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/coll/coll.h"
#include "mpi/comm/context.h"
#include "mpi/create/create.h"
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

/* Two leaders send each other numbers: the one that comes later in the world begins. */
static int take_turns(struct mpi_rank *me, const struct mpi_leader_link *link, const int mine[],
		      int n_mine, int theirs[], int n_theirs)
{
	bool is_second = me->rank > mpi_comm_peer(link->comm, link->peer);
	int code = MPI_SUCCESS;

	for (int turn = 0; turn < 2 && code == MPI_SUCCESS; turn++) {
		struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
		struct mpi_request *one =
		    is_second == (turn == 0)
			? mpi_send_start(me, mine, n_mine, type, link->peer, link->tag, link->comm,
					 SEND_STANDARD, CHANNEL_COLL)
			: mpi_recv_start(me, theirs, n_theirs, type, link->peer, link->tag,
					 link->comm, CHANNEL_COLL);

		mpi_requests_wait(me, 1, &one, false);
		code = one->status.MPI_ERROR;
		mpi_request_destroy(me, one);
	}
	link->wait(me, link->number, true);
	return code;
}

/* Two leaders send each other numbers. */
static int swap(struct mpi_rank *me, const struct mpi_leader_link *link, const int mine[],
		int n_mine, int theirs[], int n_theirs)
{
	struct mpi_datatype *type = mpi_datatype_get(me, MPI_INT);
	struct mpi_request *both[2];
	int code;

	if (link->wait)
		return take_turns(me, link, mine, n_mine, theirs, n_theirs);
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

/* The two groups, which are taken over, of an intercommunicator that is being made. False: one is
 * NULL, out of memory. */
static bool settle(struct mpi_birth *birth, struct mpi_group *one, struct mpi_group *other)
{
	birth->group = one;
	birth->other = other;
	if (!one || !other)
		return false;
	birth->meeting.n_left = one->size + other->size;
	return true;
}

/* The same of the local group and a list, which is taken over. True: they were there already. */
static bool settle_list(struct mpi_birth *birth, struct mpi_group *local, struct members *others)
{
	if (birth->group)
		return birth->other;
	mpi_group_retain(local);
	if (!settle(birth, local, mpi_group_create(others->n, others->ranks)))
		birth->meeting.n_left = 1;
	others->ranks = NULL;
	return birth->other;
}

/*
 * A member of either group makes its side of an intercommunicator whose groups are settled. The
 * error handler is `model`'s.
 */
static int join(struct mpi_rank *me, struct mpi_comm *model, struct mpi_birth *birth,
		struct mpi_comm **out)
{
	bool is_one;

	if (!birth || !birth->group || !birth->other)
		return MPI_ERR_NO_MEM;
	is_one = mpi_group_index(birth->group, me->rank) != MPI_UNDEFINED;
	*out = mpi_comm_create_child(me, model, is_one ? birth->group : birth->other,
				     is_one ? birth->other : birth->group, birth->context);
	mpi_birth_leave(me->world, birth);
	return *out ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

/* --- from two groups --- */

/* What a leader tells its group: an error class, the size of the other group, a number of their
 * own. */
enum { ERROR, SIZE, KEY, N_NEWS, NUMBER = N_NEWS, N_ALL_NEWS }; /* NUMBER: with link->wait */

static bool overlaps(const struct mpi_group *group, const struct members *others)
{
	for (int i = 0; i < others->n; i++)
		if (mpi_group_index(group, others->ranks[i]) != MPI_UNDEFINED)
			return true;
	return false;
}

/* The leaders tell each other the sizes of their groups. The key is the number of the leader that
 * comes first in the world. */
static void meet(struct mpi_rank *me, const struct mpi_comm *local,
		 const struct mpi_leader_link *link, int news[N_ALL_NEWS])
{
	int mine[2] = {local->size, (int)mpi_context_new(me->world)}, theirs[2] = {0, 0};
	bool is_first = me->rank < mpi_comm_peer(link->comm, link->peer);

	news[ERROR] = swap(me, link, mine, 2, theirs, 2);
	news[SIZE] = theirs[0];
	news[KEY] = is_first ? mine[1] : theirs[1];
	news[NUMBER] = link->number;
}

/* … and then the members, and settle the groups. */
static void introduce(struct mpi_rank *me, const struct mpi_comm *local,
		      const struct mpi_leader_link *link, int news[N_ALL_NEWS])
{
	struct members own = {0}, others = {0};
	struct mpi_birth *birth;

	if (members_of_group(&own, local->group) && members_allocate(&others, news[SIZE]))
		news[ERROR] = swap(me, link, own.ranks, own.n, others.ranks, others.n);
	else
		news[ERROR] = MPI_ERR_NO_MEM;
	members_finish(&own);
	if (news[ERROR] == MPI_SUCCESS && overlaps(local->group, &others))
		news[ERROR] = MPI_ERR_COMM;
	if (news[ERROR] == MPI_SUCCESS) {
		birth = mpi_birth_join(me->world, (uint32_t)news[KEY], 0, 0);
		if (!birth || !settle_list(birth, local->group, &others))
			news[ERROR] = MPI_ERR_NO_MEM;
	}
	members_finish(&others);
}

/* The ranks of a group are passed on as messages without data: the leader has settled them. */
static int pass_on(struct mpi_rank *me, int n, int leader, struct mpi_comm *local)
{
	return mpi_coll_bcast(me, pd_memory_absent(), n, mpi_datatype_get(me, MPI_INT), leader,
			      local);
}

int mpi_intercomm_create(struct mpi_rank *me, struct mpi_comm *local, int leader,
			 const struct mpi_leader_link *link, struct mpi_comm **out)
{
	int news[N_ALL_NEWS] = {link->error, 0, 0, 0}, code;
	bool leads = local->rank == leader && link->comm;

	*out = NULL;
	if (leads)
		meet(me, local, link, news);
	if (leads && news[ERROR] == MPI_SUCCESS && !link->wait)
		introduce(me, local, link, news);
	code = mpi_coll_bcast(me, news, link->wait ? N_ALL_NEWS : N_NEWS,
			      mpi_datatype_get(me, MPI_INT), leader, local);
	if (code == MPI_SUCCESS)
		code = news[ERROR];
	if (code == MPI_SUCCESS && link->wait) {
		link->wait(me, news[NUMBER], false);
		if (leads)
			introduce(me, local, link, news);
	}
	if (code == MPI_SUCCESS)
		code = pass_on(me, news[SIZE], leader, local);
	if (code == MPI_SUCCESS && link->wait)
		link->wait(me, news[NUMBER], false);
	if (code == MPI_SUCCESS)
		code = join(me, local, mpi_birth_join(me->world, (uint32_t)news[KEY], 0, 0), out);
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
	if (birth->meeting.n_left == 0)
		birth->meeting.n_left = inter->size + inter->remote->size;
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

/* `wishes`: colours and keys of the local group; those of the other group are on its board. */
static int split(struct mpi_rank *me, struct mpi_comm *parent, uint32_t sequence,
		 struct mpi_board *wishes, struct mpi_board *others, int color,
		 struct mpi_comm **out)
{
	const struct mpi_board_entry *entries;
	struct mpi_birth *birth;

	if (!others)
		return MPI_ERR_OTHER;
	if (mpi_board_find(others, color, &entries) == 0)
		return MPI_SUCCESS;
	birth = mpi_birth_join(me->world, parent->context, sequence, color);
	if (birth && !birth->group &&
	    !settle(birth, mpi_comm_group_of_color(parent->group, wishes, color),
		    mpi_comm_group_of_color(parent->remote, others, color)))
		return MPI_ERR_NO_MEM;
	return join(me, parent, birth, out);
}

/*
 * The leaders swap the wishes of their groups and pass on what they get: messages without data, for
 * the other board is there for all to see.
 */
static int swap_wishes(struct mpi_rank *me, struct mpi_comm *parent, int tag)
{
	int *nowhere = pd_memory_absent();

	return swap_between_groups(me, parent, tag, nowhere, 2 * parent->size, nowhere,
				   2 * parent->remote->size);
}

int mpi_intercomm_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
			struct mpi_comm **out)
{
	bool is_first =
	    mpi_group_world_rank(parent->group, 0) < mpi_group_world_rank(parent->remote, 0);
	struct mpi_board_place place = {.parent = parent->context,
					.sequence = parent->collective_count,
					.side = is_first ? MPI_BIRTH_BOARD : MPI_BIRTH_OTHER_BOARD,
					.n_readers = parent->size + parent->remote->size};
	int other_side = is_first ? MPI_BIRTH_OTHER_BOARD : MPI_BIRTH_BOARD;
	int tag = next_tag(parent), code;
	struct mpi_birth *wishes, *others;

	*out = NULL;
	code =
	    mpi_board_share_at(me, parent->local, MPI_INT, (int64_t[]){color, key}, place, &wishes);
	if (code == MPI_SUCCESS)
		code = swap_wishes(me, parent, tag);
	if (code != MPI_SUCCESS)
		return code;
	others = mpi_birth_join(me->world, place.parent, place.sequence, other_side);
	if (!others)
		return MPI_ERR_NO_MEM;
	if (color != MPI_UNDEFINED)
		code = split(me, parent, place.sequence, mpi_board_of(wishes), mpi_board_of(others),
			     color, out);
	mpi_birth_leave(me->world, wishes);
	mpi_birth_leave(me->world, others);
	return code;
}

/* The leaders swap the members of their subgroups and settle them. */
static int meet_subsets(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *group,
			int tag, int n_remote)
{
	struct mpi_leader_link link = {.comm = parent, .peer = 0, .tag = tag};
	struct members own = {0}, others = {0};
	struct mpi_birth *birth;
	int code = MPI_ERR_NO_MEM;

	if (members_of_group(&own, group) && members_allocate(&others, n_remote))
		code = swap(me, &link, own.ranks, own.n, others.ranks, others.n);
	if (code == MPI_SUCCESS) {
		birth = mpi_birth_join(me->world, parent->context, (uint32_t)tag, 0);
		if (!birth || !settle_list(birth, group, &others))
			code = MPI_ERR_NO_MEM;
	}
	members_finish(&own);
	members_finish(&others);
	return code;
}

int mpi_intercomm_subset(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *group,
			 struct mpi_comm **out)
{
	int tag = next_tag(parent), n_remote = 0, code;

	*out = NULL;
	code = swap_between_groups(me, parent, tag, &group->size, 1, &n_remote, 1);
	/* both groups know when there is nothing to make */
	if (code != MPI_SUCCESS || group->size == 0 || n_remote == 0)
		return code;
	if (parent->rank == 0)
		code = meet_subsets(me, parent, group, tag, n_remote);
	if (code == MPI_SUCCESS)
		code = pass_on(me, n_remote, 0, parent->local);
	if (code == MPI_SUCCESS && mpi_group_index(group, me->rank) != MPI_UNDEFINED)
		code = join(me, parent,
			    mpi_birth_join(me->world, parent->context, (uint32_t)tag, 0), out);
	return code;
}

/* --- without a parent --- */

static int create_by_name(struct mpi_rank *me, struct mpi_group *group, const char *name,
			  struct mpi_comm **out)
{
	struct mpi_birth *birth =
	    mpi_birth_join_by_name(me->world, name, mpi_group_world_rank(group, 0));

	*out = NULL;
	if (!birth)
		return MPI_ERR_NO_MEM;
	if (birth->meeting.n_left == 0)
		birth->meeting.n_left = group->size;
	*out = mpi_comm_create_local(me, group, NULL, mpi_group_index(group, me->rank),
				     birth->context);
	mpi_birth_leave(me->world, birth);
	if (!*out)
		return MPI_ERR_NO_MEM;
	if (group->session)
		(*out)->session = group->session;
	return MPI_SUCCESS;
}

int mpi_comm_create_by_name(struct mpi_rank *me, struct mpi_group *group, const char *name,
			    struct mpi_comm **out)
{
	int code = create_by_name(me, group, name, out);

	if (code != MPI_SUCCESS)
		return code;
	/* nobody may come a second time, with the same name, before all have come once */
	code = mpi_comm_agree(me, *out);
	if (code != MPI_SUCCESS) {
		mpi_comm_release(me, *out);
		*out = NULL;
	}
	return code;
}

static struct mpi_group *pair_of(const struct mpi_rank *me, int other_world_rank)
{
	bool is_first = me->rank < other_world_rank;
	int first = is_first ? me->rank : other_world_rank;

	return mpi_group_create_sequence(2, first,
					 is_first ? other_world_rank - first : me->rank - first);
}

int mpi_comm_create_pair(struct mpi_rank *me, int other_world_rank, const char *name,
			 struct mpi_comm **out)
{
	struct mpi_group *pair = pair_of(me, other_world_rank);
	int code = pair ? mpi_comm_create_by_name(me, pair, name, out) : MPI_ERR_NO_MEM;

	mpi_group_release(me, pair);
	return code;
}

int mpi_comm_create_pair_once(struct mpi_rank *me, int other_world_rank, const char *name,
			      struct mpi_comm **out)
{
	struct mpi_group *pair = pair_of(me, other_world_rank);
	int code = pair ? create_by_name(me, pair, name, out) : MPI_ERR_NO_MEM;

	mpi_group_release(me, pair);
	return code;
}
