/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack and MPI_Unpack. The packed form is the data as it lies in memory, without a header. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/datatype/transfer.h"
#include "mpi/datatype/typemap.h"

int mpi_transfer_check(struct mpi_rank *me, struct mpi_comm *comm, const struct mpi_transfer *t,
		       const struct mpi_datatype *type)
{
	if (!type->is_committed)
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
static int transfer(struct mpi_rank *me, struct mpi_comm *comm, struct mpi_transfer *t,
		    MPI_Count *position, bool is_unpacking, struct mpi_datatype *type)
{
	MPI_Count need_B;
	int code = mpi_transfer_check(me, comm, t, type);

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
	*position += need_B;
	return MPI_SUCCESS;
}

int mpi_pack(struct mpi_rank *me, const void *inbuf, MPI_Count incount, struct mpi_datatype *type,
	     void *outbuf, MPI_Count outsize, MPI_Count *position, struct mpi_comm *comm)
{
	struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, *position};

	return transfer(me, comm, &t, position, false, type);
}

int mpi_unpack(struct mpi_rank *me, const void *inbuf, MPI_Count insize, MPI_Count *position,
	       void *outbuf, MPI_Count outcount, struct mpi_datatype *type, struct mpi_comm *comm)
{
	struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, *position};

	return transfer(me, comm, &t, position, true, type);
}

int mpi_pack_size(struct mpi_rank *me, MPI_Count incount, struct mpi_datatype *type,
		  struct mpi_comm *comm, MPI_Count *size)
{
	const struct mpi_transfer t = {.count = incount};
	int code = mpi_transfer_check(me, comm, &t, type);

	if (code == MPI_SUCCESS && __builtin_mul_overflow(incount, type->size_B, size))
		code = mpi_raise(me, comm, MPI_ERR_VALUE_TOO_LARGE,
				 "the packed size does not fit into MPI_Count");
	return code;
}
