/* SPDX-License-Identifier: BSD-3-Clause */
/* Sessions as arguments. */
#include "mpi/core/session.h"

#include "mpi/comm/group.h"
#include "mpi/record/internal.h"

/* Of a group the one that it comes from, and with it the communicators that are made of it. */
static MPI_Session session_of(const struct mpi_record_call *call, const struct mpi_parameter *p,
			      union mpi_value value)
{
	const struct mpi_group *group;

	if (p->kind == PARAMETER_GROUP) {
		group = mpi_group_get(call->me, (MPI_Group)value.p);
		return group ? group->session : MPI_SESSION_NULL;
	}
	if (!p->is_place)
		return (MPI_Session)value.p;
	return value.p ? *(const MPI_Session *)value.p : MPI_SESSION_NULL;
}

void mpi_record_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			union mpi_value value)
{
	MPI_Session session = session_of(call, p, value);

	call->session = mpi_session_get(call->me, session)
			    ? mpi_record_id(call->record, (uintptr_t)session)
			    : 0;
	mtrace_put_uint(call->stream, call->session);
}

static void put_new(struct mpi_record_call *call, MPI_Session session, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS) {
		id = mpi_record_number(&mpi_record_rank_of(call)->sessions, 1);
		mpi_record_set_id(call->record, (uintptr_t)session, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_given_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			      const void *place, int code)
{
	const MPI_Session *session = place;

	if (p->kind != PARAMETER_SESSION || !p->is_place)
		return;
	if (p->direction == MPI_ARGUMENT_OUT)
		put_new(call, *session, code);
	else if (call->session && *session == MPI_SESSION_NULL)
		mpi_record_free_number(&mpi_record_rank_of(call)->sessions, call->session);
}
