/* SPDX-License-Identifier: BSD-3-Clause */
/* Argument checks of point-to-point. */
#include "mpi/p2p/internal.h"

int mpi_check_buffer(struct mpi_rank *me, struct mpi_comm *comm, const void *buf, MPI_Count count,
		     MPI_Datatype handle, struct mpi_datatype **out_type)
{
	struct mpi_datatype *type = mpi_datatype_get(me, handle);

	if (count < 0)
		return mpi_raise(me, comm, MPI_ERR_COUNT, "count is %lld, wanted at least 0",
				 (long long)count);
	if (!type)
		return mpi_raise(me, comm, MPI_ERR_TYPE, "datatype is %s",
				 handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
							     : "not a datatype");
	if (!type->is_committed)
		return mpi_raise(me, comm, MPI_ERR_TYPE, "datatype is not committed");
	if (!buf && count > 0 && type->size_B > 0 && mpi_datatype_is_relative(type))
		return mpi_raise(me, comm, MPI_ERR_BUFFER, "the buffer is NULL for %lld items",
				 (long long)count);
	if (buf == MPI_IN_PLACE)
		return mpi_raise(me, comm, MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE");
	*out_type = type;
	return MPI_SUCCESS;
}

static int check_comm(struct mpi_rank *me, MPI_Comm handle, struct mpi_comm **out)
{
	*out = mpi_comm_get(me, handle);
	if (*out)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is %s",
			 handle == MPI_COMM_NULL ? "MPI_COMM_NULL" : "not a communicator");
}

static int check_peer(struct mpi_rank *me, struct mpi_comm *comm, int peer, const char *what)
{
	int n = mpi_comm_n_peers(comm);

	if (peer == MPI_PROC_NULL || (peer >= 0 && peer < n))
		return MPI_SUCCESS;
	return mpi_raise(me, comm, MPI_ERR_RANK, "%s is %d, wanted 0 to %d or MPI_PROC_NULL", what,
			 peer, n - 1);
}

static int check_tag(struct mpi_rank *me, struct mpi_comm *comm, int tag)
{
	if (tag >= 0)
		return MPI_SUCCESS;
	return mpi_raise(me, comm, MPI_ERR_TAG, "tag is %d, wanted 0 to MPI_TAG_UB", tag);
}

/* Sizes of messages are added up later: half the range leaves room. */
static int check_size(struct mpi_rank *me, struct mpi_comm *comm, MPI_Count count,
		      const struct mpi_datatype *type)
{
	if (type->size_B == 0 || count <= INT64_MAX / 2 / type->size_B)
		return MPI_SUCCESS;
	return mpi_raise(me, comm, MPI_ERR_COUNT,
			 "%lld items of %lld B are more than a message can have", (long long)count,
			 (long long)type->size_B);
}

int mpi_check_source(struct mpi_rank *me, struct mpi_comm *comm, int source, int tag)
{
	int code = source == MPI_ANY_SOURCE ? MPI_SUCCESS : check_peer(me, comm, source, "source");

	if (code == MPI_SUCCESS && tag != MPI_ANY_TAG)
		code = check_tag(me, comm, tag);
	return code;
}

int mpi_check_send_slowly(struct mpi_rank *me, struct mpi_p2p_args *a, MPI_Datatype datatype,
			  MPI_Comm comm)
{
	int code = check_comm(me, comm, &a->comm);

	if (code == MPI_SUCCESS)
		code = mpi_check_buffer(me, a->comm, a->buf, a->count, datatype, &a->type);
	if (code == MPI_SUCCESS)
		code = check_size(me, a->comm, a->count, a->type);
	if (code == MPI_SUCCESS)
		code = check_peer(me, a->comm, a->peer, "dest");
	if (code == MPI_SUCCESS)
		code = check_tag(me, a->comm, a->tag);
	return code;
}

int mpi_check_recv_slowly(struct mpi_rank *me, struct mpi_p2p_args *a, MPI_Datatype datatype,
			  MPI_Comm comm)
{
	int code = check_comm(me, comm, &a->comm);

	if (code == MPI_SUCCESS)
		code = mpi_check_buffer(me, a->comm, a->buf, a->count, datatype, &a->type);
	if (code == MPI_SUCCESS)
		code = mpi_check_source(me, a->comm, a->peer, a->tag);
	return code;
}
