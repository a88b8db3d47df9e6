/* SPDX-License-Identifier: BSD-3-Clause */
/* Accessors of communicators, their names and hints, and MPI_Comm_free. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/info/info.h"

int mpi_comm_size(struct mpi_rank *me, struct mpi_comm *comm, int *size)
{
	*size = comm->size;
	return MPI_SUCCESS;
}

int mpi_comm_rank(struct mpi_rank *me, struct mpi_comm *comm, int *rank)
{
	*rank = comm->rank;
	return MPI_SUCCESS;
}

int mpi_comm_test_inter(struct mpi_rank *me, struct mpi_comm *comm, int *flag)
{
	*flag = comm->remote != NULL;
	return MPI_SUCCESS;
}

int mpi_comm_remote_size(struct mpi_rank *me, struct mpi_comm *comm, int *size)
{
	if (!comm->remote)
		return mpi_raise(me, comm, MPI_ERR_COMM,
				 "comm is an intracommunicator, it has no remote group");
	if (!size)
		return mpi_raise(me, comm, MPI_ERR_ARG, "size is NULL");
	*size = comm->remote->size;
	return MPI_SUCCESS;
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

int mpi_comm_compare(struct mpi_rank *me, struct mpi_comm *comm1, struct mpi_comm *comm2,
		     int *result)
{
	*result = compare(comm1, comm2);
	return MPI_SUCCESS;
}

int mpi_comm_free(struct mpi_rank *me, struct mpi_comm *comm, MPI_Comm *place)
{
	int code;

	if (comm == me->comm_world || comm == me->comm_self)
		return mpi_raise(me, comm, MPI_ERR_COMM, "%s cannot be freed",
				 comm == me->comm_world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
	code = mpi_attributes_delete_all(me, KIND_COMM, (uintptr_t)*place, &comm->attributes);
	if (code != MPI_SUCCESS)
		return mpi_raise(me, comm, code, "the delete function of an attribute failed");
	mpi_handle_destroy(me, (uintptr_t)*place);
	mpi_comm_forget_parent(me, comm);
	mpi_comm_release(me, comm); /* operations under way keep it until they end */
	*place = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int mpi_comm_get_parent(struct mpi_rank *me, MPI_Comm *parent)
{
	*parent = me->parent ? me->parent->handle : MPI_COMM_NULL;
	return MPI_SUCCESS;
}

int mpi_comm_set_name(struct mpi_rank *me, struct mpi_comm *comm, const char *comm_name)
{
	char *copy = strndup(comm_name, MPI_MAX_OBJECT_NAME - 1);

	if (!copy)
		return mpi_raise(me, comm, MPI_ERR_NO_MEM, "out of memory for a name");
	free(comm->name);
	comm->name = copy;
	return MPI_SUCCESS;
}

int mpi_comm_get_name(struct mpi_rank *me, struct mpi_comm *comm, char *comm_name, int *resultlen)
{
	const char *name = !comm ? "MPI_COMM_NULL" : comm->name ? comm->name : "";

	*resultlen = (int)strlen(name);
	memcpy(comm_name, name, (size_t)*resultlen + 1);
	return MPI_SUCCESS;
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

int mpi_comm_set_info(struct mpi_rank *me, struct mpi_comm *comm, struct mpi_info *info)
{
	struct mpi_info *copy = NULL;

	if (mpi_info_duplicate(info, &copy) < 0)
		return mpi_raise(me, comm, MPI_ERR_NO_MEM, "out of memory for an info object");
	drop_unknown_hints(copy);
	mpi_info_destroy(comm->info);
	comm->info = copy;
	return MPI_SUCCESS;
}

/* A new object with the hints that were given, none when there were none. */
int mpi_comm_get_info(struct mpi_rank *me, struct mpi_comm *comm, MPI_Info *info_used)
{
	struct mpi_info *copy = NULL;

	if (mpi_info_duplicate(comm->info, &copy) < 0)
		return mpi_raise(me, comm, MPI_ERR_NO_MEM, "out of memory for an info object");
	return mpi_info_publish(me, copy, info_used);
}
