/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalized requests: the program itself says when they are complete. */
#include <stdlib.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/internal.h"

struct generalized {
	MPI_Grequest_query_function *query;
	MPI_Grequest_free_function *free;
	MPI_Grequest_cancel_function *cancel;
	void *extra_state; /* of Fortran: the caller's variable, an MPI_Aint */
	enum mpi_language language;
};

static int query(struct mpi_request *request)
{
	const struct generalized *g = request->operation;

	int code = MPI_SUCCESS;

	if (g->language == MPI_LANGUAGE_C)
		return g->query(g->extra_state, &request->status);
	((mpi_fortran_query_fn *)(void (*)(void))g->query)(g->extra_state, &request->status, &code);
	return code;
}

static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct generalized *g = request->operation;
	int code = MPI_SUCCESS;

	if (g->free && g->language == MPI_LANGUAGE_C)
		g->free(g->extra_state);
	else if (g->free)
		((mpi_fortran_free_fn *)(void (*)(void))g->free)(g->extra_state, &code);
	free(g);
}

int mpi_generalized_cancel(struct mpi_request *request)
{
	const struct generalized *g = request->operation;

	int is_complete = request->state == REQUEST_COMPLETE, code = MPI_SUCCESS;

	if (g->cancel && g->language == MPI_LANGUAGE_C)
		return g->cancel(g->extra_state, is_complete);
	if (g->cancel)
		((mpi_fortran_cancel_fn *)(void (*)(void))g->cancel)(g->extra_state, &is_complete,
								     &code);
	return code;
}

int mpi_grequest_start(struct mpi_rank *me, MPI_Grequest_query_function *query_fn,
		       MPI_Grequest_free_function *free_fn, MPI_Grequest_cancel_function *cancel_fn,
		       void *extra_state, MPI_Request *request)
{
	struct mpi_request *r;
	struct generalized *g;

	if (!query_fn)
		return mpi_raise(me, NULL, MPI_ERR_ARG, "query_fn is NULL");
	g = malloc(sizeof *g);
	if (!g)
		return mpi_raise(me, NULL, MPI_ERR_NO_MEM, "out of memory");
	*g = (struct generalized){query_fn, free_fn, cancel_fn, extra_state,
				  mpi_foreign_take_language(me)};
	r = mpi_request_create(me, REQUEST_GENERALIZED);
	r->operation = g;
	r->query = query;
	r->release = release;
	*request = mpi_request_publish(me, r);
	return MPI_SUCCESS;
}

int mpi_grequest_complete(struct mpi_rank *me, struct mpi_request *request)
{
	if (request->kind != REQUEST_GENERALIZED || request->state == REQUEST_COMPLETE)
		return mpi_raise(me, NULL, MPI_ERR_REQUEST,
				 "request is not a pending generalized request");
	mpi_request_complete(request, MPI_SUCCESS);
	return MPI_SUCCESS;
}
