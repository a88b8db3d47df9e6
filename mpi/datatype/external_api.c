/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Pack_external and its relatives. */
#include <string.h>

#include "mpi/datatype/transfer.h"

static int check_representation(struct mpi_rank *me, const char *datarep)
{
	if (datarep && strcmp(datarep, "external32") == 0)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_ARG,
			 "datarep is \"%.40s\", only \"external32\" is known",
			 datarep ? datarep : "NULL");
}

static int transfer(struct mpi_rank *me, const char *datarep, struct mpi_transfer *t,
		    MPI_Count *position, bool is_unpacking, MPI_Datatype datatype)
{
	struct mpi_datatype *type;
	MPI_Count need_B;
	int code = check_representation(me, datarep);

	if (code == MPI_SUCCESS && !position)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "position is NULL");
	if (code == MPI_SUCCESS) {
		t->position_B = *position;
		code = mpi_transfer_check(me, NULL, t, datatype, &type);
	}
	if (code == MPI_SUCCESS)
		code = mpi_transfer_check_size(me, NULL, t, type, mpi_external_size(type), &need_B);
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	if (need_B > 0 && !pd_memory_is_absent(t->buf) && !pd_memory_is_absent(t->packed)) {
		if (is_unpacking)
			mpi_external_unpack(type, t->buf, t->count, t->packed + t->position_B);
		else
			mpi_external_pack(type, t->buf, t->count, t->packed + t->position_B);
	}
	*position = t->position_B + need_B;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Pack_external(const char *datarep, const void *inbuf, int incount, MPI_Datatype datatype,
		      void *outbuf, MPI_Aint outsize, MPI_Aint *position)
{
	struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, 0};

	return transfer(MPI_ENTER(), datarep, &t, position, false, datatype);
}

int MPI_Pack_external_c(const char *datarep, const void *inbuf, MPI_Count incount,
			MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
	struct mpi_transfer t = {(void *)inbuf, incount, outbuf, outsize, 0};

	return transfer(MPI_ENTER(), datarep, &t, position, false, datatype);
}

int MPI_Unpack_external(const char datarep[], const void *inbuf, MPI_Aint insize,
			MPI_Aint *position, void *outbuf, int outcount, MPI_Datatype datatype)
{
	struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, 0};

	return transfer(MPI_ENTER(), datarep, &t, position, true, datatype);
}

int MPI_Unpack_external_c(const char datarep[], const void *inbuf, MPI_Count insize,
			  MPI_Count *position, void *outbuf, MPI_Count outcount,
			  MPI_Datatype datatype)
{
	struct mpi_transfer t = {outbuf, outcount, (char *)inbuf, insize, 0};

	return transfer(MPI_ENTER(), datarep, &t, position, true, datatype);
}

static int pack_size(struct mpi_rank *me, const char *datarep, MPI_Count incount,
		     MPI_Datatype datatype, MPI_Count *size)
{
	struct mpi_transfer t = {.count = incount};
	struct mpi_datatype *type;
	int code = check_representation(me, datarep);

	if (code == MPI_SUCCESS)
		code = mpi_transfer_check(me, NULL, &t, datatype, &type);
	if (code == MPI_SUCCESS && !size)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "size is NULL");
	if (code == MPI_SUCCESS && __builtin_mul_overflow(incount, mpi_external_size(type), size))
		code = mpi_raise(me, NULL, MPI_ERR_VALUE_TOO_LARGE,
				 "the packed size does not fit into MPI_Count");
	return mpi_leave(me, code);
}

int MPI_Pack_external_size(const char *datarep, int incount, MPI_Datatype datatype, MPI_Aint *size)
{
	return pack_size(MPI_ENTER(), datarep, incount, datatype, size);
}

int MPI_Pack_external_size_c(const char *datarep, MPI_Count incount, MPI_Datatype datatype,
			     MPI_Count *size)
{
	return pack_size(MPI_ENTER(), datarep, incount, datatype, size);
}
