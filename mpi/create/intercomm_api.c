/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Intercomm_*, MPI_Comm_create_from_group. */
#include "mpi/create/intercomm.h"

#include <stdio.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/create/create.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"

/* Tags of leaders on the collective channel of their communicator: apart from the numbers of
 * collectives. */
#define LEADERS_TAG 0x60000000

/* What only the leader has to give; what is wrong with it goes to all of its group. */
static struct mpi_leader_link check_link(struct mpi_rank *me, MPI_Comm peer_comm, int remote_leader,
					 int tag)
{
	struct mpi_leader_link link = {.comm = mpi_comm_get(me, peer_comm),
				       .peer = remote_leader,
				       .tag = LEADERS_TAG | (tag & (LEADERS_TAG - 1))};

	if (!link.comm)
		link.error = MPI_ERR_COMM;
	else if (remote_leader < 0 || remote_leader >= mpi_comm_n_peers(link.comm))
		link.error = MPI_ERR_RANK;
	else if (tag < 0)
		link.error = MPI_ERR_TAG;
	if (link.error)
		link.comm = NULL;
	return link;
}

static int raise_create(struct mpi_rank *me, struct mpi_comm *comm, int code)
{
	return mpi_raise(me, comm, code, "%s",
			 code == MPI_ERR_RANK	? "remote_leader is not a rank of peer_comm"
			 : code == MPI_ERR_TAG	? "tag is negative"
			 : code == MPI_ERR_COMM ? "the two groups have members in common, or "
						  "peer_comm is not a communicator"
						: "out of memory for a communicator");
}

int mpi_intercomm_give_created(struct mpi_rank *me, struct mpi_comm *local, int local_leader,
			       MPI_Comm peer_comm, int remote_leader, int tag,
			       MPI_Comm *newintercomm)
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *made = NULL;
	int code;

	if (local_leader < 0 || local_leader >= local->size)
		return mpi_raise(me, local, MPI_ERR_RANK,
				 "local_leader is %d, it must be in 0 … %d", local_leader,
				 local->size - 1);
	if (local->rank == local_leader)
		link = check_link(me, peer_comm, remote_leader, tag);
	code = mpi_intercomm_create(me, local, local_leader, &link, &made);
	if (code != MPI_SUCCESS)
		return raise_create(me, local, code);
	return mpi_comm_publish(me, local, code, made, newintercomm);
}

int mpi_intercomm_give_merged(struct mpi_rank *me, struct mpi_comm *inter, int high,
			      MPI_Comm *newintracomm)
{
	struct mpi_comm *made = NULL;
	int code = mpi_intercomm_merge(me, inter, high != 0, &made);

	if (code == MPI_ERR_ARG)
		return mpi_raise(me, inter, code,
				 "the members of one group do not all say the same for high");
	return mpi_comm_publish(me, inter, code, made, newintracomm);
}

/* --- without a parent --- */

/* The arguments that both functions have. */
static int check_named(struct mpi_rank *me, const struct mpi_group *group, const char *name,
		       MPI_Errhandler errhandler)
{
	const struct mpi_errhandler *handler = mpi_errhandler_get(me, errhandler);

	if (strlen(name) > MPI_MAX_STRINGTAG_LEN)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "stringtag is longer than %d",
				 MPI_MAX_STRINGTAG_LEN);
	if (!handler || (handler->kind == ERRHANDLER_USER && handler->object != KIND_COMM))
		return mpi_raise(me, NULL, MPI_ERR_ERRHANDLER,
				 "errhandler is not an error handler of communicators");
	if (group->size > 0 && mpi_group_index(group, me->rank) == MPI_UNDEFINED)
		return mpi_raise(me, NULL, MPI_ERR_GROUP, "the calling process is not in group");
	return MPI_SUCCESS;
}

static int publish_named(struct mpi_rank *me, struct mpi_comm *made, struct mpi_info *hints,
			 MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	mpi_errhandler_release(me, made->errhandler);
	made->errhandler = mpi_errhandler_get(me, errhandler);
	mpi_errhandler_retain(made->errhandler);
	if (hints && mpi_info_duplicate(hints, &made->info) < 0) {
		mpi_comm_release(me, made);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for hints");
	}
	return mpi_comm_publish(me, NULL, MPI_SUCCESS, made, newcomm);
}

int mpi_comm_create_from_group(struct mpi_rank *me, struct mpi_group *members,
			       const char *stringtag, struct mpi_info *info,
			       MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int code = check_named(me, members, stringtag, errhandler);

	if (code != MPI_SUCCESS)
		return code;
	if (members->size == 0)
		return mpi_comm_publish(me, NULL, MPI_SUCCESS, NULL, newcomm);
	code = mpi_comm_create_by_name(me, members, stringtag, &made);
	if (code != MPI_SUCCESS)
		return mpi_comm_publish(me, NULL, code, NULL, newcomm);
	return publish_named(me, made, info, errhandler, newcomm);
}

/* Where the leaders meet: a communicator of the two. */
static struct mpi_leader_link make_link(struct mpi_rank *me, MPI_Group remote_group,
					int remote_leader, const char *name)
{
	char pair_name[MPI_MAX_STRINGTAG_LEN + 16];
	struct mpi_group *remote = mpi_group_get(me, remote_group);
	struct mpi_leader_link link = {.tag = LEADERS_TAG};
	int other;

	if (!remote)
		link.error = MPI_ERR_GROUP;
	else if (remote_leader < 0 || remote_leader >= remote->size)
		link.error = MPI_ERR_RANK;
	else if ((other = mpi_group_world_rank(remote, remote_leader)) == me->rank)
		link.error = MPI_ERR_COMM;
	if (link.error)
		return link;
	snprintf(pair_name, sizeof pair_name, "leaders of %s", name);
	link.peer = me->rank < other ? 1 : 0;
	link.error = mpi_comm_create_pair(me, other, pair_name, &link.comm);
	return link;
}

static int create_named_inter(struct mpi_rank *me, struct mpi_group *members, int leader,
			      MPI_Group remote_group, int remote_leader, const char *name,
			      struct mpi_comm **made)
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *local = NULL;
	int code = mpi_comm_create_by_name(me, members, name, &local);

	if (code != MPI_SUCCESS)
		return code;
	if (local->rank == leader)
		link = make_link(me, remote_group, remote_leader, name);
	code = mpi_intercomm_create(me, local, leader, &link, made);
	mpi_comm_release(me, link.comm);
	mpi_comm_release(me, local);
	return code;
}

int mpi_intercomm_create_from_groups(struct mpi_rank *me, struct mpi_group *members,
				     int local_leader, MPI_Group remote_group, int remote_leader,
				     const char *stringtag, struct mpi_info *info,
				     MPI_Errhandler errhandler, MPI_Comm *newintercomm)
{
	struct mpi_comm *made = NULL;
	int code = check_named(me, members, stringtag, errhandler);

	if (code != MPI_SUCCESS)
		return code;
	if (members->size == 0)
		return mpi_comm_publish(me, NULL, MPI_SUCCESS, NULL, newintercomm);
	if (local_leader < 0 || local_leader >= members->size)
		return mpi_raise(me, NULL, MPI_ERR_RANK, "local_leader is %d, it must be in 0 … %d",
				 local_leader, members->size - 1);
	code = create_named_inter(me, members, local_leader, remote_group, remote_leader, stringtag,
				  &made);
	if (code == MPI_ERR_GROUP)
		return mpi_raise(me, NULL, code, "remote_group is not a group");
	if (code != MPI_SUCCESS)
		return raise_create(me, NULL, code);
	return publish_named(me, made, info, errhandler, newintercomm);
}
