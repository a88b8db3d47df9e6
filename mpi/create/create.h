/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CREATE_CREATE_H
#define MPI_CREATE_CREATE_H

#include "mpi/create/board.h"
#include "mpi/comm/comm.h"

/*
 * Communicators made from communicators; collective over the members of `parent`, blocking, real
 * messages on its collective channel. Return MPI_SUCCESS with *out (a communicator without a
 * handle, error handler of the parent; NULL where the caller is no member), or an error class that
 * is yet to be raised.
 */
/* MPI_Comm_split. `color` may be MPI_UNDEFINED. */
int mpi_comm_split(struct mpi_rank *me, struct mpi_comm *parent, int color, int key,
		   struct mpi_comm **out);
/* MPI_Comm_create: `group` is a subgroup of the parent's; disjoint groups may be given by disjoint
 * sets of callers. */
int mpi_comm_create(struct mpi_rank *me, struct mpi_comm *parent, struct mpi_group *group,
		    struct mpi_comm **out);
/*
 * The first `n` members, who keep their order, with a topology like this one: all members of the
 * intracommunicator `parent` call, with the same arguments. As in MPI_Comm_create nobody has to be
 * told who they are.
 */
int mpi_comm_create_grid(struct mpi_rank *me, struct mpi_comm *parent, int n,
			 const struct mpi_topology *like, struct mpi_comm **out);
/*
 * MPI_Comm_dup without the attributes. Not blocking: no messages; mpi_comm_iagree sends them.
 */
int mpi_comm_duplicate(struct mpi_rank *me, struct mpi_comm *parent, bool is_blocking,
		       struct mpi_comm **out);
/* MPI_Comm_create_group: only the members of `group`, a subgroup of the parent's, call. */
int mpi_comm_create_from_members(struct mpi_rank *me, struct mpi_comm *parent,
				 struct mpi_group *group, int user_tag, struct mpi_comm **out);

/* A communicator that inherits from `parent` what every new one does; NULL when out of memory. */
struct mpi_comm *mpi_comm_create_child(struct mpi_rank *me, struct mpi_comm *parent,
				       struct mpi_group *group, struct mpi_group *remote,
				       uint32_t context);
/* The messages by which a real library finds a context id that is free on all members: an
 * allreduce. */
int mpi_comm_agree(struct mpi_rank *me, struct mpi_comm *comm);
/* The same in the background: a request without a handle. */
struct mpi_request *mpi_comm_iagree(struct mpi_rank *me, struct mpi_comm *comm);
/*
 * Of a group whose members said colour and key, those of this colour, in order. NULL when out of
 * memory.
 */
struct mpi_group *mpi_comm_group_of_color(const struct mpi_group *group, struct mpi_board *board,
					  int color);

/*
 * Gives the outcome of a construction to the application: raises `code` on `parent` (may be NULL),
 * or puts a handle for `comm` (MPI_COMM_NULL for NULL) in *newcomm. Returns the code to leave with.
 */
int mpi_comm_publish(struct mpi_rank *me, struct mpi_comm *parent, int code, struct mpi_comm *comm,
		     MPI_Comm *newcomm);

#endif
