/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI_Op_create and its relatives, MPI_Reduce_local. */
#include <stdlib.h>

#include "mpi/op/op.h"

static int create(struct mpi_rank *me, MPI_User_function *user, MPI_User_function_c *user_c,
		  int commute, MPI_Op *out)
{
	struct mpi_op *op;

	if (!user && !user_c)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "user_fn is NULL"));
	if (!out)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "op is NULL"));
	op = calloc(1, sizeof *op);
	if (op)
		op->handle = (MPI_Op)mpi_handle_create(me, KIND_OP, op);
	if (!op || !op->handle) {
		free(op);
		return mpi_leave(
		    me, mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory for an operation"));
	}
	op->n_references = 1;
	op->is_commutative = commute != 0;
	op->user = user;
	op->user_c = user_c;
	op->language = mpi_foreign_take_language(me);
	*out = op->handle;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	return create(MPI_ENTER(), user_fn, NULL, commute, op);
}

int MPI_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	return create(MPI_ENTER(), NULL, user_fn, commute, op);
}

/* MPI_SUCCESS and *op, or the error. */
static int check(struct mpi_rank *me, MPI_Op handle, struct mpi_op **op)
{
	*op = mpi_op_get(me, handle);
	if (*op)
		return MPI_SUCCESS;
	return mpi_raise(me, NULL, MPI_ERR_OP, "op is %s",
			 handle == MPI_OP_NULL ? "MPI_OP_NULL" : "not an operation");
}

int MPI_Op_free(MPI_Op *op)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_op *object;
	int code;

	if (!op)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "op is NULL"));
	code = check(me, *op, &object);
	if (code == MPI_SUCCESS && object->is_predefined)
		code = mpi_raise(me, NULL, MPI_ERR_OP, "op is predefined and cannot be freed");
	if (code != MPI_SUCCESS)
		return mpi_leave(me, code);
	mpi_handle_destroy(me, (uintptr_t)*op);
	mpi_op_release(me, object);
	*op = MPI_OP_NULL;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Op_commutative(MPI_Op op, int *commute)
{
	struct mpi_rank *me = MPI_ENTER();
	struct mpi_op *object;
	int code = check(me, op, &object);

	if (code == MPI_SUCCESS && !commute)
		code = mpi_raise(me, NULL, MPI_ERR_ARG, "commute is NULL");
	if (code == MPI_SUCCESS)
		*commute = object->is_commutative;
	return mpi_leave(me, code);
}

static int reduce_local(struct mpi_rank *me, const void *inbuf, void *inoutbuf, MPI_Count count,
			MPI_Datatype datatype, MPI_Op op)
{
	struct mpi_datatype *type = mpi_datatype_get(me, datatype);
	struct mpi_op *object;
	int code = MPI_SUCCESS;

	if (count < 0)
		code = mpi_raise(me, NULL, MPI_ERR_COUNT, "count is %lld, it must not be negative",
				 (long long)count);
	else if (!type)
		code = mpi_raise(me, NULL, MPI_ERR_TYPE, "datatype is %s",
				 datatype == MPI_DATATYPE_NULL ? "MPI_DATATYPE_NULL"
							       : "not a datatype");
	else if (!type->is_committed)
		code = mpi_raise(me, NULL, MPI_ERR_TYPE,
				 "datatype was not committed with MPI_Type_commit");
	else
		code = check(me, op, &object);
	if (code == MPI_SUCCESS && !mpi_op_accepts(object, type))
		code = mpi_raise(me, NULL, MPI_ERR_OP, "the operation is not defined on %s",
				 type->name ? type->name : "this type");
	if (code == MPI_SUCCESS && count > 0 &&
	    (!inbuf || !inoutbuf || inbuf == MPI_IN_PLACE || inoutbuf == MPI_IN_PLACE))
		code = mpi_raise(me, NULL, MPI_ERR_BUFFER, "a buffer is NULL or MPI_IN_PLACE");
	if (code == MPI_SUCCESS && count > 0 && inbuf == inoutbuf)
		code = mpi_raise(me, NULL, MPI_ERR_BUFFER, "inbuf and inoutbuf are the same");
	if (code == MPI_SUCCESS)
		mpi_op_apply(me, object, type, inbuf, inoutbuf, count);
	return mpi_leave(me, code);
}

int MPI_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
	return reduce_local(MPI_ENTER(), inbuf, inoutbuf, count, datatype, op);
}

int MPI_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype,
		       MPI_Op op)
{
	return reduce_local(MPI_ENTER(), inbuf, inoutbuf, count, datatype, op);
}
