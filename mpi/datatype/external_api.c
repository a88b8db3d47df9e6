/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack_external and its relatives. */
#include <string.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/datatype/transfer.h"

static int check_representation(struct mpi_rank *me, const char *datarep)
{
	if (strcmp(datarep, "external32") == 0)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_ARG,
			 "datarep is \"%.40s\", only \"external32\" is known", datarep);
}

static int transfer(struct mpi_rank *me, const char *datarep, const struct mpi_transfer *t,
		    MPI_Count *position, bool is_unpacking, struct mpi_datatype *type)
{
	MPI_Count need_B;
	int code = check_representation(me, datarep);

	if (code == MPI_SUCCESS)
		code = mpi_transfer_check(me, NULL, t, type);
	if (code == MPI_SUCCESS)
		code = mpi_transfer_check_size(me, NULL, t, type, mpi_external_size(type), &need_B);
	if (code != MPI_SUCCESS)
		return code;
	if (need_B > 0 && !pd_memory_is_absent(t->buf) && !pd_memory_is_absent(t->packed)) {
		if (is_unpacking)
			mpi_external_unpack(type, t->buf, t->count, t->packed + t->position_B);
		else
			mpi_external_pack(type, t->buf, t->count, t->packed + t->position_B);
	}
	*position += need_B;
	return MPI_SUCCESS;
}

int mpi_pack_external(struct mpi_rank *me, const char *datarep, const void *inbuf,
		      MPI_Count incount, struct mpi_datatype *type, void *outbuf, MPI_Count outsize,
		      MPI_Count *position)
{
	const struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, *position};

	return transfer(me, datarep, &t, position, false, type);
}

int mpi_unpack_external(struct mpi_rank *me, const char datarep[], const void *inbuf,
			MPI_Count insize, MPI_Count *position, void *outbuf, MPI_Count outcount,
			struct mpi_datatype *type)
{
	const struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, *position};

	return transfer(me, datarep, &t, position, true, type);
}

int mpi_pack_external_size(struct mpi_rank *me, const char *datarep, MPI_Count incount,
			   struct mpi_datatype *type, MPI_Count *size)
{
	const struct mpi_transfer t = {.count = incount};
	int code = check_representation(me, datarep);

	if (code == MPI_SUCCESS)
		code = mpi_transfer_check(me, NULL, &t, type);
	if (code == MPI_SUCCESS && __builtin_mul_overflow(incount, mpi_external_size(type), size))
		code = mpi_raise(me, NULL, MPI_ERR_VALUE_TOO_LARGE,
				 "the packed size does not fit into MPI_Count");
	return code;
}
