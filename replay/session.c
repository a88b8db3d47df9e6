/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators that are made of groups of sessions. */
#include "replay/call.h"

int replay_own_Comm_create_from_group(struct replay_rank *rank)
{
	MPI_Group group;
	const char *text;

	rank->group_session = *replay_session(rank);
	group = replay_group(rank);
	text = replay_text(rank);
	return MPI_Comm_create_from_group(group, text, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
					  replay_new_comm(rank));
}

int replay_own_Intercomm_create_from_groups(struct replay_rank *rank)
{
	MPI_Group local, remote;
	const char *text;
	int local_leader, remote_leader;

	rank->group_session = *replay_session(rank);
	local = replay_group(rank);
	local_leader = (int)replay_int(rank);
	remote = replay_group(rank);
	remote_leader = (int)replay_int(rank);
	text = replay_text(rank);
	return MPI_Intercomm_create_from_groups(local, local_leader, remote, remote_leader, text,
						MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL,
						replay_new_comm(rank));
}
