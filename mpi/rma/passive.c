/* SPDX-License-Identifier: BSD-3-Clause */
/* Passive target synchronization: locks, flushes, sync. */
#include "mpi/abi/mpi-calls.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/rma/epoch.h"
#include "mpi/rma/operation.h"

static void lock(struct mpi_rank *me, struct mpi_win *win, int target, int type, bool is_checked)
{
	struct rma_peer *peer = rma_peer(win, target);
	struct rma_op *op;

	win->access = ACCESS_LOCKED;
	win->n_locks++;
	peer->lock_type = type;
	peer->is_unchecked = !is_checked;
	if (!is_checked)
		return;
	op = rma_op_create(win, RMA_LOCK, target);
	op->lock_type = type;
	rma_op_start(me, op);
	rma_wait_for(me, win, WAIT_LOCK, target);
}

/* May this target be locked besides those that are? */
static int check_lock(struct mpi_rank *me, struct mpi_win *win, int target)
{
	const struct rma_peer *peer = rma_peer_find(win, target);

	if (win->access != ACCESS_LOCKED)
		return rma_check_no_access(me, win);
	if (!peer || peer->lock_type == 0)
		return MPI_SUCCESS;
	return rma_raise(me, win, MPI_ERR_RMA_SYNC, "rank %d is locked already", target);
}

int mpi_win_lock(struct mpi_rank *me, int lock_type, int rank, int assert, struct mpi_win *win)
{
	int code = MPI_SUCCESS;

	if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
		code = rma_raise(me, win, MPI_ERR_LOCKTYPE, "lock_type is %d", lock_type);
	if (code == MPI_SUCCESS)
		code = rma_check_rank(me, win, rank);
	if (code == MPI_SUCCESS)
		code = rma_check_assert(me, win, assert, MPI_MODE_NOCHECK);
	if (code == MPI_SUCCESS && rank != MPI_PROC_NULL)
		code = check_lock(me, win, rank);
	if (code == MPI_SUCCESS && rank != MPI_PROC_NULL)
		lock(me, win, rank, lock_type, !(assert &MPI_MODE_NOCHECK));
	return code;
}

/* A rank that the program gave, where -1 has a meaning of its own. */
static int wanted(int rank)
{
	return rank == -1 ? INT32_MIN : rank;
}

/* In a passive epoch that has `rank` as a target; -1: any. */
static int check_passive(struct mpi_rank *me, struct mpi_win *win, int rank)
{
	const struct rma_peer *peer;
	int code = rank == -1 ? MPI_SUCCESS : rma_check_rank(me, win, rank);

	if (code != MPI_SUCCESS || rank == MPI_PROC_NULL || win->access == ACCESS_LOCKED_ALL)
		return code;
	peer = rank >= 0 ? rma_peer_find(win, rank) : NULL;
	if (win->access == ACCESS_LOCKED && (rank == -1 || (peer && peer->lock_type != 0)))
		return MPI_SUCCESS;
	return rank == -1 ? rma_raise(me, win, MPI_ERR_RMA_SYNC, "nothing is locked")
			  : rma_raise(me, win, MPI_ERR_RMA_SYNC, "rank %d is not locked", rank);
}

static void unlock(struct mpi_rank *me, struct mpi_win *win, int target)
{
	struct rma_peer *peer = rma_peer(win, target);
	int type = peer->lock_type;

	rma_wait_for(me, win, WAIT_REMOTE, target);
	peer->lock_type = 0;
	peer->is_granted = false;
	if (--win->n_locks == 0)
		win->access = ACCESS_NONE;
	if (!peer->is_unchecked)
		rma_notify(me, win, RMA_UNLOCK, target, type);
	mpi_endpoint_looked(me);
}

int mpi_win_unlock(struct mpi_rank *me, int rank, struct mpi_win *win)
{
	int code = check_passive(me, win, wanted(rank));

	if (code == MPI_SUCCESS && rank != MPI_PROC_NULL && win->access == ACCESS_LOCKED_ALL)
		code = rma_raise(me, win, MPI_ERR_RMA_SYNC, "the lock is one of MPI_Win_lock_all");
	if (code == MPI_SUCCESS && rank != MPI_PROC_NULL)
		unlock(me, win, rank);
	return code;
}

int mpi_win_lock_all(struct mpi_rank *me, int assert, struct mpi_win *win)
{
	int code = rma_check_assert(me, win, assert, MPI_MODE_NOCHECK);

	if (code == MPI_SUCCESS)
		code = rma_check_no_access(me, win);
	if (code != MPI_SUCCESS)
		return code;
	win->access = ACCESS_LOCKED_ALL;
	win->is_all_unchecked = assert &MPI_MODE_NOCHECK;
	if (!win->is_all_unchecked) {
		rma_op_start(me, rma_op_create(win, RMA_LOCK_ALL, 0));
		rma_wait_for(me, win, WAIT_LOCK_ALL, -1);
	}
	return MPI_SUCCESS;
}

int mpi_win_unlock_all(struct mpi_rank *me, struct mpi_win *win)
{
	if (win->access != ACCESS_LOCKED_ALL)
		return rma_raise(me, win, MPI_ERR_RMA_SYNC, "there was no MPI_Win_lock_all");
	rma_wait_for(me, win, WAIT_REMOTE, -1);
	win->access = ACCESS_NONE;
	win->is_all_granted = false;
	if (!win->is_all_unchecked)
		rma_notify(me, win, RMA_UNLOCK_ALL, 0, 0);
	return MPI_SUCCESS;
}

static int flush(struct mpi_rank *me, struct mpi_win *win, int rank, enum rma_wait wait)
{
	int code = check_passive(me, win, rank);

	if (code == MPI_SUCCESS && rank != MPI_PROC_NULL) {
		rma_wait_for(me, win, wait, rank);
		mpi_endpoint_looked(me);
	}
	return code;
}

int mpi_win_flush(struct mpi_rank *me, int wait, int rank, struct mpi_win *win)
{
	return flush(me, win, wanted(rank), wait);
}

int mpi_win_flush_all(struct mpi_rank *me, int wait, struct mpi_win *win)
{
	return flush(me, win, -1, wait);
}

/*
 * Both copies of the window are one here, whatever the model is said to be, so there is nothing to synchronize. But who
 * waits for a store of another rank to show in shared memory calls this again and again: it is a
 * poll, so that the other comes to store.
 */
int mpi_win_sync(struct mpi_rank *me, struct mpi_win *win)
{
	mpi_progress_poll(me, 0, NULL, false);
	mpi_endpoint_poll_failed(me);
	return MPI_SUCCESS;
}
