/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One-sided and partitioned communication. Windows are of memory that is not there, large enough
 * for everything that the program's own windows could hold; every access goes to their middle, as
 * where data lie takes no time.
 */
#include "mpi/p2p/internal.h"
#include "mpi/rma/operation.h"
#include "replay/call.h"

#define WINDOW_B ((MPI_Aint)1 << 41)

MPI_Win *replay_win_place(struct replay_rank *rank)
{
	return (MPI_Win *)replay_place(rank, (uintptr_t **)&rank->wins, &rank->n_wins,
				       mtrace_get_uint(&rank->cursor), (uintptr_t)MPI_WIN_NULL);
}

MPI_Win replay_win(struct replay_rank *rank)
{
	return *replay_win_place(rank);
}

MPI_Win *replay_new_win(struct replay_rank *rank)
{
	return replay_win_place(rank);
}

int replay_win_create(struct replay_rank *rank, MPI_Comm comm, MPI_Win *win)
{
	return MPI_Win_create(pd_memory_absent(), WINDOW_B, 1, MPI_INFO_NULL, comm, win);
}

MPI_Aint replay_displacement(struct replay_rank *rank)
{
	mtrace_get_int(&rank->cursor);
	return WINDOW_B / 2;
}

/* Datatypes of the program are bytes here, which no operation but these two reduces. */
MPI_Op replay_win_op(struct replay_rank *rank)
{
	MPI_Op op = replay_op(rank);

	return op == MPI_NO_OP ? op : MPI_REPLACE;
}

/* The target follows. */
int64_t replay_lock_type(struct replay_rank *rank)
{
	const struct replay_change *change = rank->replay->change;
	int64_t type = replay_int(rank);
	struct mtrace_cursor ahead = rank->cursor;

	if (change && change->lock)
		change->lock(change->context, rank->mpi->rank, (int)mtrace_get_int(&ahead),
			     type == MPI_LOCK_EXCLUSIVE, rank->passed.of);
	return change && change->shares_locks ? MPI_LOCK_SHARED : type;
}

int replay_own_Win_test(struct replay_rank *rank)
{
	MPI_Win handle = replay_win(rank);
	struct mpi_win *win = mpi_win_get(rank->mpi, handle);
	int code, flag = 0;

	if (!mtrace_get_int(&rank->cursor) && win) {
		mpi_progress_poll(rank->mpi, 0, NULL, false);
		if (!rma_is_so(win, WAIT_COMPLETES, -1))
			mpi_endpoint_poll_failed(rank->mpi);
		return MPI_SUCCESS;
	}
	code = MPI_Win_test(handle, &flag);
	return code == MPI_SUCCESS && !flag ? MPI_Win_wait(handle) : code;
}

int replay_own_Parrived(struct replay_rank *rank)
{
	MPI_Request *request = replay_request(rank);
	int partition = (int)replay_int(rank), flag = 0, code;
	bool has_arrived = mtrace_get_int(&rank->cursor) != 0;

	do
		code = MPI_Parrived(*request, partition, &flag);
	while (code == MPI_SUCCESS && has_arrived && !flag);
	return code;
}
