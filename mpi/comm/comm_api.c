/* SPDX-License-Identifier: BSD-3-Clause */
/* Accessors of communicators, their names and hints, and MPI_Comm_free. */
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/info/info.h"

/* MPI_SUCCESS and *comm, or the error. */
static int check(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **comm)
{
	*comm = mpi_comm_get(me, handle);
	if (*comm)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
			 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
}

static int check_output(struct mpi_rank *me, struct mpi_comm *comm, const void *output,
			const char *name)
{
	return output ? MPI_SUCCESS : mpi_raise(me, comm, MPI_ERR_ARG, "%s is NULL", name);
}

int MPI_Comm_size(MPI_Comm comm, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, size, "size");
	if (code == MPI_SUCCESS)
		*size = c->size;
	return mpi_leave(me, code);
}

int MPI_Comm_rank(MPI_Comm comm, int *rank)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, rank, "rank");
	if (code == MPI_SUCCESS)
		*rank = c->rank;
	return mpi_leave(me, code);
}

int MPI_Comm_test_inter(MPI_Comm comm, int *flag)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, flag, "flag");
	if (code == MPI_SUCCESS)
		*flag = c->remote != NULL;
	return mpi_leave(me, code);
}

int MPI_Comm_remote_size(MPI_Comm comm, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS && !c->remote)
		code = mpi_raise(me, c, MPI_ERR_COMM,
				 "comm is an intracommunicator, it has no remote group");
	if (code == MPI_SUCCESS)
		code = check_output(me, c, size, "size");
	if (code == MPI_SUCCESS)
		*size = c->remote->size;
	return mpi_leave(me, code);
}

static int compare(const struct mpi_comm *a, const struct mpi_comm *b)
{
	int local, remote;

	if (a == b)
		return MPI_IDENT;
	if (!a->remote != !b->remote)
		return MPI_UNEQUAL;
	local = mpi_group_compare(a->group, b->group);
	remote = a->remote ? mpi_group_compare(a->remote, b->remote) : MPI_IDENT;
	if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
		return MPI_UNEQUAL;
	return local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

int MPI_Comm_compare(MPI_Comm comm1, MPI_Comm comm2, int *result)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *a, *b;
	int code = check(me, comm1, &a);

	if (code == MPI_SUCCESS)
		code = check(me, comm2, &b);
	if (code == MPI_SUCCESS)
		code = check_output(me, a, result, "result");
	if (code == MPI_SUCCESS)
		*result = compare(a, b);
	return mpi_leave(me, code);
}

int MPI_Comm_free(MPI_Comm *comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	int code = check_output(me, NULL, comm, "comm");

	if (code == MPI_SUCCESS)
		code = check(me, *comm, &c);
	if (code == MPI_SUCCESS && (c == me->comm_world || c == me->comm_self))
		code = mpi_raise(me, c, MPI_ERR_COMM, "%s cannot be freed",
				 c == me->comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)*comm, &c->attributes);
	if (code != MPI_SUCCESS)
		return mpi_leave(
		    me, mpi_raise(me, c, code, "the delete function of an attribute failed"));
	mpi_handle_destroy(me, (uintptr_t)*comm);
	mpi_comm_forget_parent(me, c);
	mpi_comm_release(me, c); /* operations under way keep it until they end */
	*comm = MPI_COMM_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Comm_get_parent(MPI_Comm *parent)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!parent)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "parent is NULL"));
	*parent = me->parent ? me->parent->handle : MPI_COMM_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Comm_set_name(MPI_Comm comm, const char *comm_name)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c;
	char *copy;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, comm_name, "comm_name");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	copy = strndup(comm_name, MPI_MAX_OBJECT_NAME - 1);
	if (!copy)
		return mpi_leave(me, mpi_raise(me, c, MPI_ERR_NO_MEM, "out of memory for a name"));
	free(c->name);
	c->name = copy;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Comm_get_name(MPI_Comm comm, char *comm_name, int *resultlen)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_comm *c = NULL;
	const char *name = "MPI_COMM_NULL";
	int code = comm == MPI_COMM_NULL ? MPI_SUCCESS : check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, comm_name, "comm_name");
	if (code == MPI_SUCCESS)
		code = check_output(me, c, resultlen, "resultlen");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (c)
		name = c->name ? c->name : "";
	*resultlen = (int)strlen(name);
	memcpy(comm_name, name, (size_t)*resultlen + 1);
	return mpi_leave(me, MPI_SUCCESS);
}

/* Hints that are not of the standard are ignored, as it says, and so not given back. */
static void drop_unknown_hints(struct mpi_info *info)
{
	static const char *const known[] = {"mpi_assert_no_any_tag",
					    "mpi_assert_no_any_source",
					    "mpi_assert_exact_length",
					    "mpi_assert_allow_overtaking",
					    "mpi_assert_strict_start_ordering",
					    "mpi_assert_memory_alloc_kinds",
					    "mpi_hw_resource_type"};

	for (int i = info->n_pairs - 1; i >= 0; i--) {
		size_t k = 0;

		while (k < sizeof known / sizeof known[0] &&
		       strcmp(info->pairs[i].key, known[k]) != 0)
			k++;
		if (k == sizeof known / sizeof known[0])
			mpi_info_delete(info, info->pairs[i].key);
	}
}

int MPI_Comm_set_info(MPI_Comm comm, MPI_Info info)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_info *given = mpi_info_get(me, info), *copy = NULL;
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS && !given)
		code = mpi_raise(me, c, MPI_ERR_INFO, "info is not an info object");
	if (code == MPI_SUCCESS && mpi_info_duplicate(given, &copy) < 0)
		code = mpi_raise(me, c, MPI_ERR_NO_MEM, "out of memory for an info object");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	drop_unknown_hints(copy);
	mpi_info_destroy(c->info);
	c->info = copy;
	return mpi_leave(me, MPI_SUCCESS);
}

/* A new object with the hints that were given, none when there were none. */
int MPI_Comm_get_info(MPI_Comm comm, MPI_Info *info_used)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_info *copy = NULL;
	struct mpi_comm *c;
	int code = check(me, comm, &c);

	if (code == MPI_SUCCESS)
		code = check_output(me, c, info_used, "info_used");
	if (code == MPI_SUCCESS && mpi_info_duplicate(c->info, &copy) < 0)
		code = mpi_raise(me, c, MPI_ERR_NO_MEM, "out of memory for an info object");
	if (code == MPI_SUCCESS)
		code = mpi_info_publish(me, copy, info_used);
	return mpi_leave(me, code);
}
