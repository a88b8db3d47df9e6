/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_accept, MPI_Comm_connect, MPI_Comm_join, MPI_Comm_disconnect. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/coll/coll.h"
#include "mpi/core/attribute.h"
#include "mpi/create/create.h"
#include "mpi/create/intercomm.h"
#include "mpi/dynamic/connect.h"
#include "mpi/dynamic/port.h"
#include "mpi/info/info.h"

void mpi_link_roots(struct mpi_rank *me, int other, const char *name, bool agrees,
		    struct mpi_comm **pair, struct mpi_leader_link *link)
{
	link->error = agrees ? mpi_comm_create_pair(me, other, name, pair)
			     : mpi_comm_create_pair_once(me, other, name, pair);
	if (link->error != MPI_SUCCESS)
		return;
	link->comm = *pair;
	link->peer = 1 - (*pair)->rank;
}

static void make_link(struct mpi_rank *me, int other, uint64_t meeting, struct mpi_comm **pair,
		      struct mpi_leader_link *link)
{
	char name[40];

	snprintf(name, sizeof name, "port meeting %llu", (unsigned long long)meeting);
	mpi_link_roots(me, other, name, true, pair, link);
}

/* What the root knows of the other side; an error goes to all of its group. */
static int join_groups(struct mpi_rank *me, struct mpi_comm *local, int root,
		       struct mpi_leader_link *link, struct mpi_comm *pair, MPI_Comm *newcomm)
{
	struct mpi_comm *made = NULL;
	int code = mpi_intercomm_create(me, local, root, link, &made);

	mpi_comm_release(me, pair);
	if (code == MPI_SUCCESS)
		return mpi_comm_publish(me, local, code, made, newcomm);
	*newcomm = MPI_COMM_NULL;
	return mpi_raise(me, local, code, "%s",
			 code == MPI_ERR_PORT	? "there is no port of that name, or it was closed"
			 : code == MPI_ERR_ARG	? "port_name is NULL at the root"
			 : code == MPI_ERR_INFO ? "info is not an info object at the root"
			 : code == MPI_ERR_COMM ? "the two groups have members in common"
						: "out of memory for a communicator");
}

int mpi_check_root(struct mpi_rank *me, int root, struct mpi_comm *comm)
{
	return root >= 0 && root < comm->size
		   ? MPI_SUCCESS
		   : mpi_raise(me, comm, MPI_ERR_ROOT, "root is %d, it must be in 0 … %d", root,
			       comm->size - 1);
}

/* port_name and info count at the root only. */
int mpi_comm_meet(struct mpi_rank *me, int side, const char *port_name, MPI_Info info, int root,
		  struct mpi_comm *local, MPI_Comm *newcomm)
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *pair = NULL;
	int code = mpi_check_root(me, root, local), other = -1;
	uint64_t meeting = 0;

	me->meeting = 0;
	if (code != MPI_SUCCESS)
		return code;
	if (local->rank == root) {
		if (!port_name)
			link.error = MPI_ERR_ARG;
		else if (info != MPI_INFO_NULL && !mpi_info_get(me, info))
			link.error = MPI_ERR_INFO;
		else
			link.error = mpi_port_meet(me, port_name, side, &other, &meeting);
		if (link.error == MPI_SUCCESS)
			make_link(me, other, meeting, &pair, &link);
		me->meeting = meeting;
	}
	return join_groups(me, local, root, &link, pair, newcomm);
}

/* --- join --- */

static bool name_end(const struct sockaddr_storage *end, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	const struct sockaddr_in *v4 = (const void *)end;
	const struct sockaddr_in6 *v6 = (const void *)end;
	bool is_v6 = end->ss_family == AF_INET6;

	if (!is_v6 && end->ss_family != AF_INET)
		return false;
	if (!inet_ntop(end->ss_family, is_v6 ? (const void *)&v6->sin6_addr : &v4->sin_addr,
		       address, sizeof address))
		return false;
	snprintf(text, size, "%s.%d", address, ntohs(is_v6 ? v6->sin6_port : v4->sin_port));
	return true;
}

/* A connection is known by its two ends, which both processes see: nothing is sent over it. */
static bool name_connection(int fd, char *name, size_t size)
{
	struct sockaddr_storage near_end, far_end;
	socklen_t near_B = sizeof near_end, far_B = sizeof far_end;
	char mine[64], theirs[64];
	bool is_first;

	if (getsockname(fd, (struct sockaddr *)&near_end, &near_B) != 0 ||
	    getpeername(fd, (struct sockaddr *)&far_end, &far_B) != 0 ||
	    !name_end(&near_end, mine, sizeof mine) || !name_end(&far_end, theirs, sizeof theirs))
		return false;
	is_first = strcmp(mine, theirs) < 0;
	snprintf(name, size, "socket %s %s", is_first ? mine : theirs, is_first ? theirs : mine);
	return true;
}

/* By a name that both roots know; other ranks of the groups need none. */
static int meet_once(struct mpi_rank *me, const char *name, int root, struct mpi_comm *local,
		     MPI_Comm *newcomm)
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *pair = NULL;
	int other = -1;

	me->meeting = 0;
	if (local->rank == root)
		link.error = mpi_port_meet_once(me, name, &other, &me->meeting);
	if (local->rank == root && link.error == MPI_SUCCESS)
		make_link(me, other, me->meeting, &pair, &link);
	return join_groups(me, local, root, &link, pair, newcomm);
}

static struct mpi_comm *alone(struct mpi_rank *me)
{
	return me->comm_self ? me->comm_self : me->comm_none;
}

int mpi_comm_join(struct mpi_rank *me, int fd, MPI_Comm *intercomm)
{
	char name[MPI_MAX_PORT_NAME];

	if (!name_connection(fd, name, sizeof name))
		return mpi_raise(me, NULL, MPI_ERR_ARG, "fd %d is not a connected socket of TCP",
				 fd);
	return meet_once(me, name, 0, alone(me), intercomm);
}

int mpi_comm_meet_again(struct mpi_rank *me, uint64_t meeting, int root, struct mpi_comm *local,
			MPI_Comm *newcomm)
{
	char name[MPI_MAX_PORT_NAME];

	snprintf(name, sizeof name, "meeting %llu", (unsigned long long)meeting);
	return meet_once(me, name, root, local ? local : alone(me), newcomm);
}

/* --- disconnect --- */

int mpi_comm_disconnect(struct mpi_rank *me, struct mpi_comm *comm, MPI_Comm *place)
{
	int code;

	if (comm == me->comm_world || comm == me->comm_self)
		return mpi_raise(me, comm, MPI_ERR_COMM,
				 "MPI_COMM_WORLD and MPI_COMM_SELF cannot be disconnected");
	code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)*place, &comm->attributes);
	if (code != MPI_SUCCESS)
		return mpi_raise(me, comm, code, "the delete function of an attribute failed");
	/* the program has completed what it started; buffered sends go on without it */
	code = mpi_coll_barrier(me, comm);
	if (code != MPI_SUCCESS)
		return mpi_raise(me, comm, code, "the last barrier of comm failed");
	mpi_handle_destroy(me, (uintptr_t)*place);
	mpi_comm_forget_parent(me, comm);
	mpi_comm_release(me, comm);
	*place = MPI_COMM_NULL;
	return MPI_SUCCESS;
}
