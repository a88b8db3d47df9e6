/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of communicators. */
#include "mpi/comm/comm.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/context.h"
#include "mpi/comm/objects.h"
#include "mpi/env/errhandler.h"
#include "mpi/info/info.h"
#include "mpi/topo/topology.h"

struct mpi_comm *mpi_comm_get(const struct mpi_rank *me, MPI_Comm handle)
{
	if (handle == MPI_COMM_WORLD)
		return me->comm_world;
	if (handle == MPI_COMM_SELF)
		return me->comm_self;
	return mpi_handle_object(me, KIND_COMM, (uintptr_t)handle);
}

void mpi_comm_retain(struct mpi_comm *comm)
{
	comm->n_references++;
}

void mpi_comm_release(struct mpi_rank *me, struct mpi_comm *comm)
{
	if (!comm || --comm->n_references > 0)
		return;
	mpi_group_release(me, comm->group);
	mpi_group_release(me, comm->remote);
	mpi_errhandler_release(me, comm->errhandler);
	mpi_attributes_discard(comm->attributes);
	mpi_topology_release(comm->topology);
	mpi_info_destroy(comm->info);
	free(comm->name);
	free(comm);
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
	mpi_group_retain(group);
	if (remote)
		mpi_group_retain(remote);
	comm->errhandler = mpi_errhandler_get(me, MPI_ERRORS_ARE_FATAL);
	mpi_errhandler_retain(comm->errhandler);
	return comm;
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

int mpi_comm_init(struct mpi_rank *me)
{
	struct mpi_world_objects *objects = me->world->predefined;
	struct mpi_group *self = mpi_group_create_sequence(1, me->rank, 1);

	me->comm_world = create_predefined(me, objects->world_group, MPI_COMM_WORLD,
					   "MPI_COMM_WORLD", MPI_CONTEXT_WORLD);
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
}

void mpi_comm_delete_self_attributes(struct mpi_rank *me)
{
	int code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)MPI_COMM_SELF,
					     &me->comm_self->attributes);

	if (code != MPI_SUCCESS)
		mpi_raise(me, NULL, code,
			  "the delete function of an attribute of MPI_COMM_SELF failed");
}
