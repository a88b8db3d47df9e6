/* SPDX-License-Identifier: BSD-3-Clause */
/* Group accessors. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"

int mpi_group_size(struct mpi_rank *me, struct mpi_group *group, int *size)
{
	*size = group->size;
	return MPI_SUCCESS;
}

int mpi_group_rank(struct mpi_rank *me, struct mpi_group *group, int *rank)
{
	*rank = mpi_group_index(group, me->rank);
	return MPI_SUCCESS;
}

int mpi_group_translate_ranks(struct mpi_rank *me, struct mpi_group *from, int n,
			      const int ranks1[], struct mpi_group *to, int ranks2[])
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

int mpi_groups_compare(struct mpi_rank *me, struct mpi_group *group1, struct mpi_group *group2,
		       int *result)
{
	*result = mpi_group_compare(group1, group2);
	return MPI_SUCCESS;
}

int mpi_group_free(struct mpi_rank *me, struct mpi_group *group, MPI_Group *place)
{
	if (*place != MPI_GROUP_EMPTY) {
		mpi_handle_destroy(me, (uintptr_t)*place);
		mpi_group_release(me, group);
	}
	*place = MPI_GROUP_NULL;
	return MPI_SUCCESS;
}

int mpi_group_publish(struct mpi_rank *me, struct mpi_group *group, MPI_Group *newgroup)
{
	MPI_Group handle = (MPI_Group)mpi_handle_create(me, KIND_GROUP, group);

	if (!handle)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for a group");
	mpi_group_retain(group);
	*newgroup = handle;
	return MPI_SUCCESS;
}

int mpi_comm_group(struct mpi_rank *me, struct mpi_comm *comm, MPI_Group *group)
{
	return mpi_group_publish(me, comm->group, group);
}

int mpi_comm_remote_group(struct mpi_rank *me, struct mpi_comm *comm, MPI_Group *group)
{
	if (!comm->remote)
		return mpi_raise(me, comm, MPI_ERR_COMM,
				 "comm is an intracommunicator, it has no remote group");
	if (!group)
		return mpi_raise(me, comm, MPI_ERR_ARG, "group is NULL");
	return mpi_group_publish(me, comm->remote, group);
}
