/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_DYNAMIC_PORT_H
#define MPI_DYNAMIC_PORT_H

#include "mpi/core/rank.h"

/*
 * Ports, where the roots of two groups that know nothing of each other meet, and the names that
 * they are published under. Both are known to all processes of the run at once; what meeting costs
 * are the messages that the two roots exchange then.
 */
enum mpi_port_side { PORT_ACCEPT, PORT_CONNECT, PORT_EITHER };

/* Opens a port; its name, MPI_MAX_PORT_NAME characters at most, is the library's. NULL when out of
 * memory. */
const char *mpi_port_open(struct mpi_world *world);
/* False when there is no such port. Who waits at it is told so. */
bool mpi_port_close(struct mpi_world *world, const char *name);
/*
 * Waits at the port until a root comes to the other side of it, and meets the one that came first.
 * MPI_SUCCESS with the rank of the other root in the world, and the number of the meeting, which
 * both get and nobody else; MPI_ERR_PORT when there is no such port, or it was closed meanwhile.
 */
int mpi_port_meet(struct mpi_rank *me, const char *name, enum mpi_port_side side, int *other,
		  uint64_t *meeting);
/* The same at a port that is there for two, and gone when they have met. */
int mpi_port_meet_once(struct mpi_rank *me, const char *name, int *other, uint64_t *meeting);

/* MPI_ERR_SERVICE when the name is taken; MPI_ERR_NO_MEM. */
int mpi_name_publish(struct mpi_world *world, const char *service, const char *port);
/* The port of a name; NULL when nothing is published under it. */
const char *mpi_name_lookup(const struct mpi_world *world, const char *service);
bool mpi_name_unpublish(struct mpi_world *world, const char *service);

/* At the root the meeting is that of a recorded run. */
int mpi_comm_meet_again(struct mpi_rank *me, uint64_t meeting, int root, struct mpi_comm *local,
			MPI_Comm *newcomm);

void mpi_ports_destroy(struct mpi_world *world);

#endif
