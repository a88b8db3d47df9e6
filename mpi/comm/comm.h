/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COMM_COMM_H
#define MPI_COMM_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/core/attribute.h"
#include "mpi/comm/group.h"
#include "mpi/core/rank.h"

/* A communicator as one rank sees it. */
struct mpi_comm {
	MPI_Comm handle;
	int n_references; /* the handle, and operations under way */
	uint32_t context; /* equal on all members, unique in the run */
	int rank, size;	  /* of the local group */
	struct mpi_group *group;
	struct mpi_group *remote;      /* intercommunicators; NULL otherwise */
	const struct mpi_group *peers; /* whom messages go to: `remote`, else `group` */
	struct mpi_comm *local; /* intercommunicators: the local group among itself; no handle */
	struct mpi_errhandler *errhandler;
	struct mpi_attribute *attributes;
	struct mpi_topology *topology; /* mpi/topo; NULL: none */
	struct mpi_info *info;
	struct mpi_buffer *buffer; /* MPI_Comm_attach_buffer; NULL: none */
	MPI_Session session; /* that it comes from, which may have ended; MPI_SESSION_NULL: none */
	char *name;
	uint32_t collective_count; /* collectives started so far: their order is equal on all
				      members, so it serves as their tag */
};

/* The communicator of a handle; NULL when it is none (MPI_COMM_NULL included). O(1). */
static inline struct mpi_comm *mpi_comm_get(const struct mpi_rank *me, MPI_Comm handle)
{
	if (handle == MPI_COMM_WORLD)
		return me->comm_world;
	if (handle == MPI_COMM_SELF)
		return me->comm_self;
	return (struct mpi_comm *)mpi_handle_object(me, KIND_COMM, (uintptr_t)handle);
}
static inline void mpi_comm_retain(struct mpi_comm *comm)
{
	comm->n_references++;
}
void mpi_comm_destroy(struct mpi_rank *me, struct mpi_comm *comm); /* for mpi_comm_release */
/* Frees at the last reference; NULL is fine. */
static inline void mpi_comm_release(struct mpi_rank *me, struct mpi_comm *comm)
{
	if (comm && --comm->n_references <= 0)
		mpi_comm_destroy(me, comm);
}

/* World rank of the process that a rank argument names: of the remote group for an
 * intercommunicator. */
static inline int mpi_comm_peer(const struct mpi_comm *comm, int rank)
{
	return mpi_group_world_rank(comm->peers, rank);
}
/* How many ranks an argument may name. */
static inline int mpi_comm_n_peers(const struct mpi_comm *comm)
{
	return comm->peers->size;
}

/* The program frees `comm`: MPI_Comm_get_parent gives it no more. */
static inline void mpi_comm_forget_parent(struct mpi_rank *me, const struct mpi_comm *comm)
{
	if (me->parent == comm)
		me->parent = NULL;
}

/* Makes MPI_COMM_WORLD and MPI_COMM_SELF of `me` (in MPI_Init). 0 or negative. */
int mpi_comm_init(struct mpi_rank *me);
/* Makes me->comm_none when it is not there. 0 or negative. */
int mpi_comm_init_none(struct mpi_rank *me);
/* Frees them, with the world: operations may outlive MPI_Finalize of their rank. */
void mpi_comm_finish(struct mpi_rank *me);
/* Deletes the attributes of MPI_COMM_SELF, last set first: the first thing that MPI_Finalize does.
 */
void mpi_comm_delete_self_attributes(struct mpi_rank *me);

/*
 * Makes a communicator of `me` (no handle, error handler MPI_ERRORS_ARE_FATAL) from groups, to
 * which it takes references, and in the first of which it has `rank`. NULL when out of memory.
 * Context ids: mpi/comm/context.h. With `remote` it is an intercommunicator.
 */
struct mpi_comm *mpi_comm_create_local(struct mpi_rank *me, struct mpi_group *group,
				       struct mpi_group *remote, int rank, uint32_t context);

#endif
