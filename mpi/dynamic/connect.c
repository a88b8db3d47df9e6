/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Comm_accept, MPI_Comm_connect, MPI_Comm_join, MPI_Comm_disconnect. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "mpi/coll/coll.h"
#include "mpi/core/attribute.h"
#include "mpi/create/create.h"
#include "mpi/create/intercomm.h"
#include "mpi/dynamic/connect.h"
#include "mpi/dynamic/port.h"
#include "mpi/info/info.h"

void mpi_link_roots(struct mpi_rank *me, int other, const char *name, struct mpi_comm **pair,
		    struct mpi_leader_link *link)
{
	link->error = mpi_comm_create_pair(me, other, name, pair);
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
	mpi_link_roots(me, other, name, pair, link);
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

int mpi_check_roots(struct mpi_rank *me, int root, MPI_Comm comm, const MPI_Comm *newcomm,
		    struct mpi_comm **local)
{
	*local = mpi_comm_get(me, comm);
	if (!*local)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
				 comm == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
	if ((*local)->remote)
		return mpi_raise(me, *local, MPI_ERR_COMM, "comm is an intercommunicator");
	if (root < 0 || root >= (*local)->size)
		return mpi_raise(me, *local, MPI_ERR_ROOT, "root is %d, it must be in 0 … %d", root,
				 (*local)->size - 1);
	if (!newcomm)
		return mpi_raise(me, *local, MPI_ERR_ARG, "newcomm is NULL");
	return MPI_SUCCESS;
}

/* port_name and info count at the root only. */
static int meet(struct mpi_rank *me, const char *port_name, MPI_Info info, int root, MPI_Comm comm,
		MPI_Comm *newcomm, enum mpi_port_side side)
{
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *local, *pair = NULL;
	int code = mpi_check_roots(me, root, comm, newcomm, &local), other = -1;
	uint64_t meeting = 0;

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
	}
	return join_groups(me, local, root, &link, pair, newcomm);
}

int MPI_Comm_accept(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
		    MPI_Comm *newcomm)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, meet(me, port_name, info, root, comm, newcomm, PORT_ACCEPT));
}

int MPI_Comm_connect(const char *port_name, MPI_Info info, int root, MPI_Comm comm,
		     MPI_Comm *newcomm)
{
	struct mpi_rank *me = MPI_ENTER();

	return mpi_leave(me, meet(me, port_name, info, root, comm, newcomm, PORT_CONNECT));
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

int MPI_Comm_join(int fd, MPI_Comm *intercomm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_leader_link link = {.comm = NULL};
	struct mpi_comm *pair = NULL;
	char name[MPI_MAX_PORT_NAME];
	uint64_t meeting = 0;
	int other = -1;

	if (!intercomm)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "intercomm is NULL"));
	if (!name_connection(fd, name, sizeof name))
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG,
					       "fd %d is not a connected socket of TCP", fd));
	link.error = mpi_port_meet_once(me, name, &other, &meeting);
	if (link.error == MPI_SUCCESS)
		make_link(me, other, meeting, &pair, &link);
	return mpi_leave(me, join_groups(me, me->comm_self ? me->comm_self : me->comm_none, 0, &link, pair, intercomm));
}

/* --- disconnect --- */

int MPI_Comm_disconnect(MPI_Comm *comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c = comm ? mpi_comm_get(me, *comm) : NULL;
	int code;

	if (!c)
		return mpi_leave(me, mpi_raise(me, NULL, comm ? MPI_ERR_COMM : MPI_ERR_ARG,
					       "comm is not a communicator"));
	if (c == me->comm_world || c == me->comm_self)
		return mpi_leave(
		    me, mpi_raise(me, c, MPI_ERR_COMM,
				  "MPI_COMM_WORLD and MPI_COMM_SELF cannot be disconnected"));
	code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)*comm, &c->attributes);
	if (code != MPI_SUCCESS)
		return mpi_leave(
		    me, mpi_raise(me, c, code, "the delete function of an attribute failed"));
	/* the program has completed what it started; buffered sends go on without it */
	code = mpi_coll_barrier(me, c);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, mpi_raise(me, c, code, "the last barrier of comm failed"));
	mpi_handle_destroy(me, (uintptr_t)*comm);
	mpi_comm_forget_parent(me, c);
	mpi_comm_release(me, c);
	*comm = MPI_COMM_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}
