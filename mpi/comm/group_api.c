/* SPDX-License-Identifier: BSD-3-Clause */
/* Group accessors. */
#include "mpi/comm/comm.h"
#include "mpi/io/file.h"
#include "mpi/rma/window.h"

/* MPI_SUCCESS and *group, or the error. */
static int check(struct mpi_rank *me, MPI_Group handle, const char *name, struct mpi_group **group)
{
	*group = mpi_group_get(me, handle);
	if (*group)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_GROUP, "%s is %s", name,
			 handle == MPI_GROUP_NULL ? "MPI_GROUP_NULL" : "not a group");
}

static int check_output(struct mpi_rank *me, const void *output, const char *name)
{
	return output ? MPI_SUCCESS : mpi_raise(me, NULL, MPI_ERR_ARG, "%s is NULL", name);
}

int MPI_Group_size(MPI_Group group, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_group *g;
	int code = check(me, group, "group", &g);

	if (code == MPI_SUCCESS)
		code = check_output(me, size, "size");
	if (code == MPI_SUCCESS)
		*size = g->size;
	return mpi_leave(me, code);
}

int MPI_Group_rank(MPI_Group group, int *rank)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_group *g;
	int code = check(me, group, "group", &g);

	if (code == MPI_SUCCESS)
		code = check_output(me, rank, "rank");
	if (code == MPI_SUCCESS)
		*rank = mpi_group_index(g, me->rank);
	return mpi_leave(me, code);
}

static int translate(struct mpi_rank *me, const struct mpi_group *from, int n, const int ranks1[],
		     const struct mpi_group *to, int ranks2[])
{
	for (int i = 0; i < n; i++)
		if (ranks1[i] != MPI_PROC_NULL && (ranks1[i] < 0 || ranks1[i] >= from->size))
			return mpi_raise(me, NULL, MPI_ERR_RANK,
					 "ranks1[%d] is %d, it must be in 0 … %d or MPI_PROC_NULL",
					 i, ranks1[i], from->size - 1);
	for (int i = 0; i < n; i++)
		ranks2[i] = ranks1[i] == MPI_PROC_NULL
				? MPI_PROC_NULL
				: mpi_group_index(to, mpi_group_world_rank(from, ranks1[i]));
	return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(MPI_Group group1, int n, const int ranks1[], MPI_Group group2,
			      int ranks2[])
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_group *from, *to;
	int code = check(me, group1, "group1", &from);

	if (code == MPI_SUCCESS)
		code = check(me, group2, "group2", &to);
	if (code == MPI_SUCCESS && n < 0)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "n is %d, it must not be negative", n);
	if (code == MPI_SUCCESS && n > 0)
		code = check_output(me, ranks1, "ranks1");
	if (code == MPI_SUCCESS && n > 0)
		code = check_output(me, ranks2, "ranks2");
	if (code == MPI_SUCCESS)
		code = translate(me, from, n, ranks1, to, ranks2);
	return mpi_leave(me, code);
}

int MPI_Group_compare(MPI_Group group1, MPI_Group group2, int *result)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_group *a, *b;
	int code = check(me, group1, "group1", &a);

	if (code == MPI_SUCCESS)
		code = check(me, group2, "group2", &b);
	if (code == MPI_SUCCESS)
		code = check_output(me, result, "result");
	if (code == MPI_SUCCESS)
		*result = mpi_group_compare(a, b);
	return mpi_leave(me, code);
}

int MPI_Group_free(MPI_Group *group)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_group *g;
	int code = check_output(me, group, "group");

	if (code == MPI_SUCCESS)
		code = check(me, *group, "*group", &g);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (*group != MPI_GROUP_EMPTY) {
		mpi_handle_destroy(me, (uintptr_t)*group);
		mpi_group_release(me, g);
	}
	*group = MPI_GROUP_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

static int publish(struct mpi_rank *me, struct mpi_group *group, MPI_Group *newgroup)
{
	MPI_Group handle = (MPI_Group)mpi_handle_create(me, KIND_GROUP, group);

	if (!handle)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a group");
	mpi_group_retain(group);
	*newgroup = handle;
	return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group *group)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c = mpi_comm_get(me, comm);

	if (!c)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	if (!group)
		return mpi_leave(me, mpi_raise(me, c, MPI_ERR_ARG, "group is NULL"));
	return mpi_leave(me, publish(me, c->group, group));
}

int MPI_Win_get_group(MPI_Win win, MPI_Group *group)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_win *w;
	int code = rma_check_win(me, win, &w);

	if (code == MPI_SUCCESS && !group)
		code = rma_raise(me, w, MPI_ERR_ARG, "group is NULL");
	return mpi_leave(me, code == MPI_SUCCESS ? publish(me, w->comm->group, group) : code);
}

int MPI_File_get_group(MPI_File fh, MPI_Group *group)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_file *file;
	int code = io_check_file(me, fh, &file);

	if (code == MPI_SUCCESS && !group)
		code = io_raise(me, file, MPI_ERR_ARG, "group is NULL");
	return mpi_leave(me, code == MPI_SUCCESS ? publish(me, file->comm->group, group) : code);
}

int MPI_Comm_remote_group(MPI_Comm comm, MPI_Group *group)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c = mpi_comm_get(me, comm);

	if (!c)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator"));
	if (!c->remote)
		return mpi_leave(me,
				 mpi_raise(me, c, MPI_ERR_COMM,
					   "comm is an intracommunicator, it has no remote group"));
	if (!group)
		return mpi_leave(me, mpi_raise(me, c, MPI_ERR_ARG, "group is NULL"));
	return mpi_leave(me, publish(me, c->remote, group));
}
