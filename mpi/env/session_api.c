/* SPDX-License-Identifier: BSD-3-Clause */
/* What a session tells of itself, and its process sets. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "mpi/comm/group.h"
#include "mpi/core/objects.h"
#include "mpi/core/session.h"
#include "mpi/info/info.h"

/* The process sets that every session has; their names are URIs, upper or lower case. */
static const char *const pset_names[] = {"mpi://WORLD", "mpi://SELF"};
enum { PSET_WORLD, PSET_SELF, N_PSETS };

static int find_pset(const char *name)
{
	for (int i = 0; name && i < N_PSETS; i++)
		if (strcasecmp(pset_names[i], name) == 0)
			return i;
	return -1;
}

static int check_info(struct mpi_rank *me, const struct mpi_session *session, MPI_Info info)
{
	if (info == MPI_INFO_NULL || mpi_info_get(me, info))
		return MPI_SUCCESS;
	return mpi_session_raise(me, session, MPI_ERR_INFO, "info is not an info object");
}

/* Gives an info object with one pair to the application. */
static int give_info(struct mpi_rank *me, const struct mpi_session *session, const char *key,
		     const char *value, MPI_Info *out)
{
	struct mpi_info *info = mpi_info_create();

	if (info && mpi_info_set(info, key, value) == 0)
		return mpi_info_publish(me, info, out);
	mpi_info_destroy(info);
	return mpi_session_raise(me, session, MPI_ERR_NO_MEM, "out of memory for an info object");
}

int MPI_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && !info_used)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "info_used is NULL");
	if (code == MPI_SUCCESS)
		code = give_info(me, object, "thread_level",
				 mpi_session_thread_name(object->thread_level), info_used);
	return mpi_leave(me, code);
}

int MPI_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS)
		code = check_info(me, object, info);
	if (code == MPI_SUCCESS && !npset_names)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "npset_names is NULL");
	if (code == MPI_SUCCESS)
		*npset_names = N_PSETS;
	return mpi_leave(me, code);
}

/* As much of the name as there is room for, and how much room all of it takes. */
static void give_name(const char *text, int *room, char *name)
{
	if (*room > 0)
		snprintf(name, (size_t)*room, "%s", text);
	*room = (int)strlen(text) + 1;
}

int MPI_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
			     char *pset_name)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS)
		code = check_info(me, object, info);
	if (code == MPI_SUCCESS && (n < 0 || n >= N_PSETS))
		code = mpi_session_raise(me, object, MPI_ERR_ARG,
					 "n is not the number of a process set");
	if (code == MPI_SUCCESS && (!pset_len || *pset_len < 0 || (*pset_len > 0 && !pset_name)))
		code = mpi_session_raise(me, object, MPI_ERR_ARG,
					 "pset_len or pset_name is NULL, or *pset_len is negative");
	if (code == MPI_SUCCESS)
		give_name(pset_names[n], pset_len, pset_name);
	return mpi_leave(me, code);
}

static int raise_no_pset(struct mpi_rank *me, const struct mpi_session *session)
{
	return mpi_session_raise(me, session, MPI_ERR_ARG,
				 "pset_name is no process set; there are mpi://WORLD and "
				 "mpi://SELF");
}

int MPI_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
	struct mpi_rank *me = MPI_ENTER();
	int pset = find_pset(pset_name);
	struct mpi_session *object;
	char size[16];
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && pset < 0)
		code = raise_no_pset(me, object);
	if (code == MPI_SUCCESS && !info)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "info is NULL");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	snprintf(size, sizeof size, "%d", pset == PSET_SELF ? 1 : mpi_rank_job(me)->group->size);
	return mpi_leave(me, give_info(me, object, "mpi_size", size, info));
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
		return mpi_session_raise(me, session, MPI_ERR_NO_MEM, "out of memory for a group");
	}
	group->session = session->handle;
	*out = handle;
	return MPI_SUCCESS;
}

int MPI_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
	struct mpi_rank *me = MPI_ENTER();
	int pset = find_pset(pset_name);
	struct mpi_session *object;
	int code = mpi_session_check(me, session, &object);

	if (code == MPI_SUCCESS && pset < 0)
		code = raise_no_pset(me, object);
	if (code == MPI_SUCCESS && !newgroup)
		code = mpi_session_raise(me, object, MPI_ERR_ARG, "newgroup is NULL");
	if (code == MPI_SUCCESS)
		code = give_group(me, object, pset, newgroup);
	return mpi_leave(me, code);
}
