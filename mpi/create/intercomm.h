/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CREATE_INTERCOMM_H
#define MPI_CREATE_INTERCOMM_H

#include "mpi/comm/comm.h"

/*
 * Constructions that involve intercommunicators; collective, blocking, real messages: between the
 * two leaders, and in each group. Return MPI_SUCCESS with *out (no handle; NULL where the caller is
 * no member), or an error class that is yet to be raised.
 */
/* Where the leader of a group finds the other leader. */
struct mpi_leader_link {
	struct mpi_comm *comm; /* NULL: not the leader, or `error` says what is wrong with it */
	int peer, tag;
	int error; /* the leader's alone; all members get it */
	/* The leaders send in turn; after that both wait for each other, and after each broadcast all
	 * of both groups do. The same on all members; NULL: the leaders swap, and nobody waits. `number`:
	 * the leaders', which all get. */
	void (*wait)(struct mpi_rank *me, int number, bool are_leaders);
	int number;
};
/*
 * MPI_Intercomm_create: the members of `local`, an intracommunicator, call with one leader, who
 * has a valid `link`. The error handler is local's. MPI_ERR_COMM when the groups overlap.
 */
int mpi_intercomm_create(struct mpi_rank *me, struct mpi_comm *local, int leader,
			 const struct mpi_leader_link *link, struct mpi_comm **out);
/* MPI_Intercomm_merge. MPI_ERR_ARG when the members of a group differ about `high`. */
int mpi_intercomm_merge(struct mpi_rank *me, struct mpi_comm *inter, bool high,
			struct mpi_comm **out);
/* MPI_Comm_split and MPI_Comm_create of an intercommunicator. */
int mpi_intercomm_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
			struct mpi_comm **out);
int mpi_intercomm_subset(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *group,
			 struct mpi_comm **out);
/* MPI_Comm_create_from_group: the members of `group` call, with the same name. */
int mpi_comm_create_by_name(struct mpi_rank *me, struct mpi_group *group, const char *name,
			    struct mpi_comm **out);
/* A communicator of two ranks of the world, who call with the same name: leaders meet there. */
int mpi_comm_create_pair(struct mpi_rank *me, int other_world_rank, const char *name,
			 struct mpi_comm **out);
/* The same without messages; nobody else comes with that name, ever. */
int mpi_comm_create_pair_once(struct mpi_rank *me, int other_world_rank, const char *name,
			      struct mpi_comm **out);

#endif
