/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Op_create and its relatives, MPI_Reduce_local. */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/op/op.h"

int mpi_op_create(struct mpi_rank *me, int is_large, void (*user)(void), int commute, MPI_Op *out)
{
	struct mpi_op *op;

	if (!user)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "user_fn is NULL");
	op = calloc(1, sizeof *op);
	if (op)
		op->handle = (MPI_Op)mpi_handle_create(me, KIND_OP, op);
	if (!op || !op->handle) {
		free(op);
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an operation");
	}
	op->n_references = 1;
	op->is_commutative = commute != 0;
	if (is_large)
		op->user_c = (MPI_User_function_c *)user;
	else
		op->user = (MPI_User_function *)user;
	op->language = mpi_foreign_take_language(me);
	*out = op->handle;
	return MPI_SUCCESS;
}

int mpi_op_free(struct mpi_rank *me, struct mpi_op *op, MPI_Op *place)
{
	if (op->is_predefined)
		return mpi_raise(me, NULL, MPI_ERR_OP, "op is predefined and cannot be freed");
	mpi_handle_destroy(me, (uintptr_t)*place);
	mpi_op_release(me, op);
	*place = MPI_OP_NULL;
	return MPI_SUCCESS;
}

int mpi_op_commutative(struct mpi_rank *me, struct mpi_op *op, int *commute)
{
	*commute = op->is_commutative;
	return MPI_SUCCESS;
}

int mpi_reduce_local(struct mpi_rank *me, const void *inbuf, void *inoutbuf, MPI_Count count,
		     struct mpi_datatype *datatype, struct mpi_op *op)
{
	if (count < 0)
		return mpi_raise(me, NULL, MPI_ERR_COUNT, "count is %lld, it must not be negative",
				 (long long)count);
	if (!datatype->is_committed)
		return mpi_raise(me, NULL, MPI_ERR_TYPE,
				 "datatype was not committed with MPI_Type_commit");
	if (!mpi_op_accepts(op, datatype))
		return mpi_raise(me, NULL, MPI_ERR_OP, "the operation is not defined on %s",
				 datatype->name ? datatype->name : "this type");
	if (count > 0 && (!inbuf || !inoutbuf || inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE))
		return mpi_raise(me, NULL, MPI_ERR_BUFFER, "a buffer is NULL or MPI_IN_PLACE");
	if (count > 0 && inbuf == inoutbuf)
		return mpi_raise(me, NULL, MPI_ERR_BUFFER, "inbuf and inoutbuf are the same");
	mpi_op_apply(me, op, datatype, inbuf, inoutbuf, count);
	return MPI_SUCCESS;
}
