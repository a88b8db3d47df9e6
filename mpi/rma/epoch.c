/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/rma/epoch.h"

#include "mpi/rma/operation.h"

static const char *const name_of[] = {
    [ACCESS_NONE] = "in no access epoch",
    [ACCESS_FENCE] = "in a fence epoch",
    [ACCESS_STARTED] = "in an epoch of MPI_Win_start",
    [ACCESS_LOCKED] = "holding locks",
    [ACCESS_LOCKED_ALL] = "in an epoch of MPI_Win_lock_all",
};

static bool may_access(const struct mpi_win *win, int target, bool is_request)
{
	const struct rma_peer *peer = rma_peer_find(win, target);

	switch (win->access) {
	case ACCESS_FENCE:
		return !is_request;
	case ACCESS_STARTED:
		return !is_request && peer && peer->is_accessed;
	case ACCESS_LOCKED:
		return peer && peer->lock_type != 0;
	default:
		return win->access == ACCESS_LOCKED_ALL;
	}
}

int rma_check_access(struct mpi_rank *me, struct mpi_win *win, int target, bool is_request)
{
	if (may_access(win, target, is_request)) {
		win->is_used = true;
		return MPI_SUCCESS;
	}
	return rma_raise(me, win, MPI_ERR_RMA_SYNC,
			 "the calling rank is %s, no epoch for this %s%d", name_of[win->access],
			 is_request ? "operation with a request on rank " : "operation on rank ",
			 target);
}

int rma_check_no_access(struct mpi_rank *me, struct mpi_win *win)
{
	if (win->access == ACCESS_NONE || (win->access == ACCESS_FENCE && !win->is_used))
		return MPI_SUCCESS;
	return rma_raise(me, win, MPI_ERR_RMA_SYNC, "the calling rank is %s already",
			 name_of[win->access]);
}

int rma_check_no_epoch(struct mpi_rank *me, struct mpi_win *win)
{
	int code = rma_check_no_access(me, win);

	if (code == MPI_SUCCESS && win->is_exposed)
		code =
		    rma_raise(me, win, MPI_ERR_RMA_SYNC,
			      "the window is exposed: MPI_Win_wait has not followed MPI_Win_post");
	return code;
}

int rma_check_assert(struct mpi_rank *me, struct mpi_win *win, int assert, int allowed)
{
	if (!(assert & ~allowed))
		return MPI_SUCCESS;
	return rma_raise(me, win, MPI_ERR_ASSERT, "assert is %d, with bits that this call has not",
			 assert);
}

int rma_check_rank(struct mpi_rank *me, struct mpi_win *win, int rank)
{
	if (rank == MPI_PROC_NULL || (rank >= 0 && rank < win->size))
		return MPI_SUCCESS;
	return rma_raise(me, win, MPI_ERR_RANK, "rank is %d, wanted 0 to %d or MPI_PROC_NULL", rank,
			 win->size - 1);
}
