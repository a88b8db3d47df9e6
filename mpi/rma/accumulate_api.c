/* SPDX-License-Identifier: BSD-3-Clause */
/* Accumulates, with their forms that fetch and with requests, and the atomic operations on one
 * item. */
#include "mpi/rma/call.h"

int MPI_Accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
		   int target_rank, MPI_Aint target_disp, int target_count,
		   MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win});
}

int MPI_Accumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
		     int target_rank, MPI_Aint target_disp, MPI_Count target_count,
		     MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win});
}

int MPI_Raccumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
		    int target_rank, MPI_Aint target_disp, int target_count,
		    MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Raccumulate_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
		      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
		      MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Get_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
		       void *result_addr, int result_count, MPI_Datatype result_datatype,
		       int target_rank, MPI_Aint target_disp, int target_count,
		       MPI_Datatype target_datatype, MPI_Op op, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .result = {result_addr, result_count, result_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win});
}

int MPI_Get_accumulate_c(const void *origin_addr, MPI_Count origin_count,
			 MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
			 MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
			 MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
			 MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .result = {result_addr, result_count, result_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win});
}

int MPI_Rget_accumulate(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
			void *result_addr, int result_count, MPI_Datatype result_datatype,
			int target_rank, MPI_Aint target_disp, int target_count,
			MPI_Datatype target_datatype, MPI_Op op, MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .result = {result_addr, result_count, result_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Rget_accumulate_c(const void *origin_addr, MPI_Count origin_count,
			  MPI_Datatype origin_datatype, void *result_addr, MPI_Count result_count,
			  MPI_Datatype result_datatype, int target_rank, MPI_Aint target_disp,
			  MPI_Count target_count, MPI_Datatype target_datatype, MPI_Op op,
			  MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET_ACCUMULATE,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .result = {result_addr, result_count, result_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .op = op,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Fetch_and_op(const void *origin_addr, void *result_addr, MPI_Datatype datatype,
		     int target_rank, MPI_Aint target_disp, MPI_Op op, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(me, &(struct rma_call){.kind = RMA_GET_ACCUMULATE,
						      .origin = {(void *)origin_addr, 1, datatype},
						      .result = {result_addr, 1, datatype},
						      .target = target_rank,
						      .disp = target_disp,
						      .target_count = 1,
						      .target_type = datatype,
						      .op = op,
						      .win = win,
						      .is_single = true});
}

int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr, void *result_addr,
			 MPI_Datatype datatype, int target_rank, MPI_Aint target_disp, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(me, &(struct rma_call){.kind = RMA_COMPARE_AND_SWAP,
						      .origin = {(void *)origin_addr, 1, datatype},
						      .result = {result_addr, 1, datatype},
						      .compare = compare_addr,
						      .target = target_rank,
						      .disp = target_disp,
						      .target_count = 1,
						      .target_type = datatype,
						      .win = win,
						      .is_single = true});
}
