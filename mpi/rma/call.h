/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_CALL_H
#define MPI_RMA_CALL_H

#include "mpi/rma/operation.h"

/* The arguments of a communication call, as the program gave them. */
struct rma_call {
	enum rma_kind kind;
	void *origin_addr, *result_addr;
	const void *compare_addr;
	MPI_Count origin_count, result_count, target_count;
	MPI_Datatype origin_datatype, result_datatype, target_datatype;
	int target_rank;
	MPI_Aint target_disp;
	MPI_Op op;
	MPI_Win win;
	bool is_single; /* MPI_Fetch_and_op, MPI_Compare_and_swap: one item of a basic type … */
	MPI_Datatype datatype; /* … which is this */
	bool has_request;      /* MPI_Rput and the like */
	MPI_Request *request;  /* has_request: where the handle goes */
};

/* The same with the objects of the handles, all right. */
struct rma_resolved {
	struct mpi_win *win;
	struct rma_data from, result, to;
	struct mpi_op *op;
	int64_t size_B;
	bool is_nothing; /* no data, or MPI_PROC_NULL: there is nothing to do */
};

/* Checks everything that can be wrong. MPI_SUCCESS, or what was raised. */
int rma_resolve(struct mpi_rank *me, const struct rma_call *call, struct rma_resolved *out);
/* Checks and starts; what all communication calls do. */
int rma_communicate(struct mpi_rank *me, const struct rma_call *call);

#endif
