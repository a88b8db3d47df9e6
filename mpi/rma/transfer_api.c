/* SPDX-License-Identifier: BSD-3-Clause */
/* Put, get and their forms with requests. */
#include "mpi/rma/call.h"

int MPI_Put(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	    int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	    MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_PUT,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win});
}

int MPI_Put_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	      MPI_Datatype target_datatype, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_PUT,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win});
}

int MPI_Rput(const void *origin_addr, int origin_count, MPI_Datatype origin_datatype,
	     int target_rank, MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype,
	     MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_PUT,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Rput_c(const void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	       MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_PUT,
				   .origin = {(void *)origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Get(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	    MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET,
				   .result = {origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win});
}

int MPI_Get_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	      int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	      MPI_Datatype target_datatype, MPI_Win win)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET,
				   .result = {origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win});
}

int MPI_Rget(void *origin_addr, int origin_count, MPI_Datatype origin_datatype, int target_rank,
	     MPI_Aint target_disp, int target_count, MPI_Datatype target_datatype, MPI_Win win,
	     MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET,
				   .result = {origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win,
				   .has_request = true,
				   .request = request});
}

int MPI_Rget_c(void *origin_addr, MPI_Count origin_count, MPI_Datatype origin_datatype,
	       int target_rank, MPI_Aint target_disp, MPI_Count target_count,
	       MPI_Datatype target_datatype, MPI_Win win, MPI_Request *request)
{
	struct mpi_rank *me = MPI_ENTER();

	return rma_communicate(
	    me, &(struct rma_call){.kind = RMA_GET,
				   .result = {origin_addr, origin_count, origin_datatype},
				   .target = target_rank,
				   .disp = target_disp,
				   .target_count = target_count,
				   .target_type = target_datatype,
				   .win = win,
				   .has_request = true,
				   .request = request});
}
