/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of communicators. */
#include "mpi/comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/context.h"
#include "mpi/core/objects.h"
#include "mpi/core/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/comm/topology.h"

/* Both groups must call their own communicators by different contexts. */
static uint32_t local_context(const struct mpi_group *group, const struct mpi_group *remote,
			      uint32_t context)
{
	bool is_first = mpi_group_world_rank(group, 0) < mpi_group_world_rank(remote, 0);

	return context + (is_first ? 1 : 2);
}

struct mpi_comm *mpi_comm_create_local(struct mpi_rank *me, struct mpi_group *group,
				       struct mpi_group *remote, int rank, uint32_t context)
{
	struct mpi_comm *comm = calloc(1, sizeof *comm);

	if (!comm)
		return NULL;
	comm->n_references = 1;
	comm->context = context;
	comm->rank = rank;
	comm->size = group->size;
	comm->group = group;
	comm->remote = remote;
	comm->peers = remote ? remote : group;
	mpi_group_retain(group);
	if (remote)
		mpi_group_retain(remote);
	comm->session = MPI_SESSION_NULL;
	comm->errhandler = mpi_errhandler_get(me, MPI_ERRORS_ARE_FATAL);
	mpi_errhandler_retain(comm->errhandler);
	if (!remote)
		return comm;
	comm->local =
	    mpi_comm_create_local(me, group, NULL, rank, local_context(group, remote, context));
	if (comm->local)
		return comm;
	mpi_comm_release(me, comm);
	return NULL;
}

static struct mpi_comm *create_predefined(struct mpi_rank *me, struct mpi_group *group,
					  MPI_Comm handle, const char *name, uint32_t context)
{
	struct mpi_comm *comm;

	if (!group)
		return NULL;
	comm = mpi_comm_create_local(me, group, NULL, mpi_group_index(group, me->rank), context);
	if (!comm)
		return NULL;
	comm->handle = handle;
	comm->name = strdup(name);
	return comm;
}

int mpi_comm_init_none(struct mpi_rank *me)
{
	struct mpi_group *self;

	if (me->comm_none)
		return 0;
	self = mpi_group_create_sequence(1, me->rank, 1);
	me->comm_none = create_predefined(me, self, MPI_COMM_NULL, "", MPI_CONTEXT_SELF);
	mpi_group_release(me, self);
	return me->comm_none ? 0 : UTIL_ENOMEM;
}

int mpi_comm_init(struct mpi_rank *me)
{
	const struct mpi_job *job = mpi_rank_job(me);
	struct mpi_group *self = mpi_group_create_sequence(1, me->rank, 1);

	me->comm_world =
	    create_predefined(me, job->group, MPI_COMM_WORLD, "MPI_COMM_WORLD", job->context);
	me->comm_self =
	    create_predefined(me, self, MPI_COMM_SELF, "MPI_COMM_SELF", MPI_CONTEXT_SELF);
	mpi_group_release(me, self);
	if (me->comm_world && me->comm_self)
		return 0;
	mpi_comm_finish(me);
	return UTIL_ENOMEM;
}

static void drop(struct mpi_rank *me, struct mpi_comm **comm)
{
	if (*comm)
		(*comm)->n_references = 1; /* operations that never ended went with the run */
	mpi_comm_release(me, *comm);
	*comm = NULL;
}

void mpi_comm_finish(struct mpi_rank *me)
{
	drop(me, &me->comm_world);
	drop(me, &me->comm_self);
	drop(me, &me->comm_none);
	drop(me, &me->parent);
}

void mpi_comm_delete_self_attributes(struct mpi_rank *me)
{
	int code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)MPI_COMM_SELF,
					     &me->comm_self->attributes);

	if (code != MPI_SUCCESS)
		mpi_raise(me, NULL, code,
			  "the delete function of an attribute of MPI_COMM_SELF failed");
}
