/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session tells of itself, and its process sets. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/group.h"
#include "mpi/core/objects.h"
#include "mpi/core/session.h"
#include "mpi/info/info.h"

/* The process sets that every session has; their names are URIs, upper or lower case. */
static const char *const pset_names[] = {"mpi://WORLD", "mpi://SELF"};
enum { PSET_WORLD, PSET_SELF, N_PSETS };

static int find_pset(const char *name)
{
	for (int i = 0; i < N_PSETS; i++)
		if (strcasecmp(pset_names[i], name) == 0)
			return i;
	return -1;
}

/* Gives an info object with one pair to the application. */
static int give_info(struct mpi_rank *me, const struct mpi_session *session, const char *key,
		     const char *value, MPI_Info *out)
{
	struct mpi_info *info = mpi_info_create();

	if (info && mpi_info_set(info, key, value) == 0)
		return mpi_info_publish(me, info, out);
	mpi_info_destroy(info);
	return mpi_raise_for(me, mpi_on_session(session), MPI_ERR_NO_MEM,
			     "out of memory for an info object");
}

int mpi_session_get_info(struct mpi_rank *me, struct mpi_session *session, MPI_Info *info_used)
{
	return give_info(me, session, "thread_level",
			 mpi_session_thread_name(session->thread_level), info_used);
}

int mpi_session_get_num_psets(struct mpi_rank *me, struct mpi_session *session,
			      struct mpi_info *info, int *npset_names)
{
	*npset_names = N_PSETS;
	return MPI_SUCCESS;
}

/* As much of the name as there is room for, and how much room all of it takes. */
static void give_name(const char *text, int *room, char *name)
{
	if (*room > 0)
		snprintf(name, (size_t)*room, "%s", text);
	*room = (int)strlen(text) + 1;
}

int mpi_session_get_nth_pset(struct mpi_rank *me, struct mpi_session *session,
			     struct mpi_info *info, int n, int *pset_len, char *pset_name)
{
	if (n < 0 || n >= N_PSETS)
		return mpi_raise_for(me, mpi_on_session(session), MPI_ERR_ARG,
				     "n is not the number of a process set");
	if (*pset_len < 0 || (*pset_len > 0 && !pset_name))
		return mpi_raise_for(me, mpi_on_session(session), MPI_ERR_ARG,
				     "pset_name is NULL, or *pset_len is negative");
	give_name(pset_names[n], pset_len, pset_name);
	return MPI_SUCCESS;
}

static int raise_no_pset(struct mpi_rank *me, const struct mpi_session *session)
{
	return mpi_raise_for(me, mpi_on_session(session), MPI_ERR_ARG,
			     "pset_name is no process set; there are mpi://WORLD and "
			     "mpi://SELF");
}

int mpi_session_get_pset_info(struct mpi_rank *me, struct mpi_session *session,
			      const char *pset_name, MPI_Info *info)
{
	int pset = find_pset(pset_name);
	char size[16];

	if (pset < 0)
		return raise_no_pset(me, session);
	snprintf(size, sizeof size, "%d", pset == PSET_SELF ? 1 : mpi_rank_job(me)->group->size);
	return give_info(me, session, "mpi_size", size, info);
}

static int give_group(struct mpi_rank *me, const struct mpi_session *session, int pset,
		      MPI_Group *out)
{
	const struct mpi_group *world = mpi_rank_job(me)->group;
	struct mpi_group *group =
	    pset == PSET_SELF ? mpi_group_create_sequence(1, me->rank, 1)
			      : mpi_group_create_sequence(world->size, world->first, world->stride);
	MPI_Group handle = group ? (MPI_Group)mpi_handle_create(me, KIND_GROUP, group) : NULL;

	if (!handle) {
		mpi_group_release(me, group);
		return mpi_raise_for(me, mpi_on_session(session), MPI_ERR_NO_MEM,
				     "out of memory for a group");
	}
	group->session = session->handle;
	*out = handle;
	return MPI_SUCCESS;
}

int mpi_group_from_session_pset(struct mpi_rank *me, struct mpi_session *session,
				const char *pset_name, MPI_Group *newgroup)
{
	int pset = find_pset(pset_name);

	return pset < 0 ? raise_no_pset(me, session) : give_group(me, session, pset, newgroup);
}
