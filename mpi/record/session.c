/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions as arguments, and the texts by which their groups meet. */
#include "mpi/core/session.h"

#include "mpi/comm/group.h"
#include "mpi/record/internal.h"

void mpi_record_session(struct mpi_record_call *call, MPI_Session session)
{
	call->session = mpi_session_get(call->me, session)
			    ? mpi_record_id(call->record, (uintptr_t)session)
			    : 0;
	mtrace_put_uint(call->stream, call->session);
}

void mpi_record_new_session(struct mpi_record_call *call, const MPI_Session *session, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS) {
		id = mpi_record_number(&mpi_record_rank_of(call)->sessions, 1);
		mpi_record_set_id(call->record, (uintptr_t)*session, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_freed_session(struct mpi_record_call *call, const MPI_Session *session)
{
	if (call->session && *session == MPI_SESSION_NULL)
		mpi_record_free_number(&mpi_record_rank_of(call)->sessions, call->session);
}

/* The session that a group comes from, and with it the communicators that are made of it. */
static void put_session_of(struct mpi_record_call *call, MPI_Group handle)
{
	const struct mpi_group *group = mpi_group_get(call->me, handle);

	mpi_record_session(call, group ? group->session : MPI_SESSION_NULL);
}

static void put_text(struct mpi_record_call *call, const char *text)
{
	mtrace_put_uint(call->stream, mtrace_writer_string(call->record->writer, text ? text : ""));
}

int mpi_record_own_Comm_create_from_group(struct mpi_record_call *call, MPI_Group group,
					  const char *stringtag, MPI_Info info,
					  MPI_Errhandler errhandler, MPI_Comm *newcomm)
{
	int code;

	mpi_record_open(call);
	put_session_of(call, group);
	mpi_record_group(call, group);
	put_text(call, stringtag);
	code = MPI_Comm_create_from_group(group, stringtag, info, errhandler, newcomm);
	mpi_record_new_comm(call, newcomm, code);
	return mpi_record_end(call, code);
}

int mpi_record_own_Intercomm_create_from_groups(struct mpi_record_call *call, MPI_Group local_group,
						int local_leader, MPI_Group remote_group,
						int remote_leader, const char *stringtag,
						MPI_Info info, MPI_Errhandler errhandler,
						MPI_Comm *newintercomm)
{
	int code;

	mpi_record_open(call);
	put_session_of(call, local_group);
	mpi_record_group(call, local_group);
	mpi_record_int(call, local_leader);
	mpi_record_group(call, remote_group);
	mpi_record_int(call, remote_leader);
	put_text(call, stringtag);
	code = MPI_Intercomm_create_from_groups(local_group, local_leader, remote_group,
						remote_leader, stringtag, info, errhandler,
						newintercomm);
	mpi_record_new_comm(call, newintercomm, code);
	return mpi_record_end(call, code);
}
