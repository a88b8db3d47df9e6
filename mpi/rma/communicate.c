/* SPDX-License-Identifier: BSD-3-Clause */
/* What all communication calls do. */
#include "mpi/rma/call.h"
#include "mpi/rma/memory.h"

/* The request of MPI_Rput and the like, published. */
static struct mpi_request *create_request(struct mpi_rank *me, const struct rma_call *call,
					  struct mpi_win *win)
{
	struct mpi_request *request = mpi_request_create(me, REQUEST_RMA);

	mpi_comm_retain(win->comm);
	request->comm = win->comm;
	request->peer = call->target_rank;
	*call->request = mpi_request_publish(me, request);
	return request;
}

static void retain(const struct rma_data *data)
{
	if (data->type)
		mpi_datatype_retain(data->type);
}

static struct rma_op *create_op(const struct rma_call *call, const struct rma_resolved *what)
{
	struct rma_op *op = rma_op_create(what->win, call->kind, call->target_rank);

	op->from = what->from;
	op->to = what->to;
	op->result = what->result;
	retain(&op->from);
	retain(&op->to);
	retain(&op->result);
	op->op = what->op;
	op->size_B = what->size_B;
	op->compare = call->compare_addr;
	return op;
}

int rma_communicate(struct mpi_rank *me, const struct rma_call *call)
{
	struct rma_resolved what = {.win = NULL};
	struct mpi_request *request = NULL;
	struct rma_op *op;
	int code = rma_resolve(me, call, &what);

	if (code != MPI_SUCCESS)
		return code;
	if (call->has_request)
		request = create_request(me, call, what.win);
	if (what.is_nothing) {
		if (request)
			mpi_request_complete(request, MPI_SUCCESS);
		return MPI_SUCCESS;
	}
	if (what.from.type)
		rma_touch(&what.from);
	if (what.result.type)
		rma_touch(&what.result);
	op = create_op(call, &what);
	op->request = request;
	rma_op_start(me, op);
	return MPI_SUCCESS;
}
