/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack and MPI_Unpack. The packed form is the data as it lies in memory, without a header. */
#include <limits.h>

#include "mpi/comm/comm.h"
#include "mpi/datatype/transfer.h"
#include "mpi/datatype/typemap.h"

int mpi_transfer_check(struct mpi_rank *me, struct mpi_comm *comm, const struct mpi_transfer *t,
		       MPI_Datatype handle, struct mpi_datatype **type)
{
	*type = mpi_datatype_get(me, handle);
	if (!*type)
		return mpi_raise(me, comm, MPI_ERR_TYPE, "datatype is %s",
				 handle == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
							     : "not a datatype");
	if (!(*type)->is_committed)
		return mpi_raise(me, comm, MPI_ERR_TYPE,
				 "datatype was not committed with MPI_Type_commit");
	if (t->count < 0)
		return mpi_raise(me, comm, MPI_ERR_COUNT,
				 "the count is %lld, it must not be negative", (long long)t->count);
	if (t->packed_B < 0)
		return mpi_raise(me, comm, MPI_ERR_ARG,
				 "the size of the packed buffer is %lld, it must not be negative",
				 (long long)t->packed_B);
	if (t->position_B < 0 || t->position_B > t->packed_B)
		return mpi_raise(me, comm, MPI_ERR_ARG, "position is %lld, it must be in 0 … %lld",
				 (long long)t->position_B, (long long)t->packed_B);
	return MPI_SUCCESS;
}

int mpi_transfer_check_size(struct mpi_rank *me, struct mpi_comm *comm,
			    const struct mpi_transfer *t, const struct mpi_datatype *type,
			    MPI_Count item_B, MPI_Count *need_B)
{
	if (__builtin_mul_overflow(t->count, item_B, need_B) ||
	    *need_B > t->packed_B - t->position_B)
		return mpi_raise(
		    me, comm, MPI_ERR_TRUNCATE,
		    "%lld items of %lld bytes do not fit into the %lld bytes behind position %lld",
		    (long long)t->count, (long long)item_B,
		    (long long)(t->packed_B - t->position_B), (long long)t->position_B);
	if (*need_B > 0 && !t->packed)
		return mpi_raise(me, comm, MPI_ERR_BUFFER, "the packed buffer is NULL");
	/* MPI_BOTTOM is NULL too: right for types with absolute displacements, which never begin
	 * near 0 */
	if (*need_B > 0 && !t->buf && type->true_lb_B == 0)
		return mpi_raise(me, comm, MPI_ERR_BUFFER, "the data buffer is NULL");
	return MPI_SUCCESS;
}

/* Common to all: MPI_SUCCESS with the position behind the data, or the error. */
static int transfer(struct mpi_rank *me, MPI_Comm handle, struct mpi_transfer *t, bool has_position,
		    bool is_unpacking, MPI_Datatype datatype)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);
	struct mpi_datatype *type;
	MPI_Count need_B;
	int code;

	if (!comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator");
	if (!has_position)
		return mpi_raise(me, comm, MPI_ERR_ARG, "position is NULL");
	code = mpi_transfer_check(me, comm, t, datatype, &type);
	if (code == MPI_SUCCESS)
		code = mpi_transfer_check_size(me, comm, t, type, type->size_B, &need_B);
	if (code != MPI_SUCCESS)
		return code;
	if (need_B > 0 && !pd_memory_is_absent(t->buf) && !pd_memory_is_absent(t->packed)) {
		if (is_unpacking)
			mpi_datatype_unpack(type, t->buf, t->count, t->packed + t->position_B,
					    need_B);
		else
			mpi_datatype_pack(type, t->buf, t->count, t->packed + t->position_B);
	}
	t->position_B += need_B;
	return MPI_SUCCESS;
}

int MPI_Pack(const void *inbuf, int incount, MPI_Datatype datatype, void *outbuf, int outsize,
	     int *position, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, position ? *position : 0};
	int code = transfer(me, comm, &t, position, false, datatype);

	if (code == MPI_SUCCESS)
		*position = (int)t.position_B;
	return mpi_leave(me, code);
}

int MPI_Pack_c(const void *inbuf, MPI_Count incount, MPI_Datatype datatype, void *outbuf,
	       MPI_Count outsize, MPI_Count *position, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, position ? *position : 0};
	int code = transfer(me, comm, &t, position, false, datatype);

	if (code == MPI_SUCCESS)
		*position = t.position_B;
	return mpi_leave(me, code);
}

int MPI_Unpack(const void *inbuf, int insize, int *position, void *outbuf, int outcount,
	       MPI_Datatype datatype, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, position ? *position : 0};
	int code = transfer(me, comm, &t, position, true, datatype);

	if (code == MPI_SUCCESS)
		*position = (int)t.position_B;
	return mpi_leave(me, code);
}

int MPI_Unpack_c(const void *inbuf, MPI_Count insize, MPI_Count *position, void *outbuf,
		 MPI_Count outcount, MPI_Datatype datatype, MPI_Comm comm)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, position ? *position : 0};
	int code = transfer(me, comm, &t, position, true, datatype);

	if (code == MPI_SUCCESS)
		*position = t.position_B;
	return mpi_leave(me, code);
}

static int pack_size(struct mpi_rank *me, MPI_Count incount, MPI_Datatype datatype, MPI_Comm handle,
		     bool has_size, MPI_Count *size_B)
{
	struct mpi_comm *comm = mpi_comm_get(me, handle);
	struct mpi_transfer t = {.count = incount};
	struct mpi_datatype *type;
	int code;

	if (!comm)
		return mpi_raise(me, NULL, MPI_ERR_COMM, "comm is not a communicator");
	if (!has_size)
		return mpi_raise(me, comm, MPI_ERR_ARG, "size is NULL");
	code = mpi_transfer_check(me, comm, &t, datatype, &type);
	if (code == MPI_SUCCESS && __builtin_mul_overflow(incount, type->size_B, size_B))
		code = mpi_raise(me, comm, MPI_ERR_VALUE_TOO_LARGE,
				 "the packed size does not fit into MPI_Count");
	return code;
}

int MPI_Pack_size(int incount, MPI_Datatype datatype, MPI_Comm comm, int *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count size_B = 0;
	int code = pack_size(me, incount, datatype, comm, size, &size_B);

	if (code == MPI_SUCCESS)
		*size = size_B > INT_MAX ? MPI_UNDEFINED : (int)size_B;
	return mpi_leave(me, code);
}

int MPI_Pack_size_c(MPI_Count incount, MPI_Datatype datatype, MPI_Comm comm, MPI_Count *size)
{
	struct mpi_rank *me = MPI_ENTER();
	MPI_Count size_B = 0;
	int code = pack_size(me, incount, datatype, comm, size, &size_B);

	if (code == MPI_SUCCESS)
		*size = size_B;
	return mpi_leave(me, code);
}
