/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows as arguments. */
#include <string.h>

#include "real/trace/trace.h"

/* Of the MPI 5.0 ABI, which the trace speaks. */
enum { ABI_MODE_NOCHECK = 1024, ABI_LOCK_EXCLUSIVE = 301, ABI_LOCK_SHARED = 302 };

int mpi_trace_assertion(int assertion)
{
	static const int modes[] = {MPI_MODE_NOCHECK, MPI_MODE_NOPRECEDE, MPI_MODE_NOPUT,
				    MPI_MODE_NOSTORE, MPI_MODE_NOSUCCEED};
	int abi = 0;

	for (int i = 0; i < 5; i++) /* the ABI has them as bits in this order */
		if (assertion & modes[i])
			abi |= ABI_MODE_NOCHECK << i;
	return abi;
}

int mpi_trace_lock_type(int type)
{
	return type == MPI_LOCK_SHARED ? ABI_LOCK_SHARED : ABI_LOCK_EXCLUSIVE;
}

void mpi_record_win(struct mpi_record_call *call, MPI_Win win)
{
	uint32_t id = win == MPI_WIN_NULL ? 0 : mpi_trace_map_get(&mpi_trace.wins, (uintptr_t)win);

	if (id == MPI_TRACE_NONE) {
		mpi_trace_refuse("used a window whose making is not in the trace");
		id = 0;
	}
	if (call->function->window == MPI_WINDOW_LOCK ||
	    call->function->window == MPI_WINDOW_LOCK_ALL)
		mpi_trace.has_locked = true;
	call->win = id;
	mtrace_put_uint(call->stream, id);
}

void mpi_record_new_win(struct mpi_record_call *call, const MPI_Win *win, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *win != MPI_WIN_NULL) {
		id = mpi_record_number(&mpi_trace.win_numbers, 1);
		mpi_trace_map_set(&mpi_trace.wins, (uintptr_t)*win, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_freed_win(struct mpi_record_call *call, const MPI_Win *win)
{
	if (call->win && *win == MPI_WIN_NULL)
		mpi_record_free_number(&mpi_trace.win_numbers, call->win);
}

/* A get alone reads what it always reads, in a program that locks no window. */
void mpi_record_fetches(struct mpi_record_call *call, MPI_Win win)
{
	bool is_get = call->function->window == MPI_WINDOW_GET;

	if (mpi_trace.n_ranks > 1 && (!is_get || mpi_trace.has_locked))
		mpi_record_doubt(call, MTRACE_DOUBT_FETCH);
}

/* Calls that have these letters are refused here. */
void mpi_record_processes(struct mpi_record_call *call, char letter, const MPI_Comm *made, int code)
{
	mtrace_put_uint(call->stream, 0);
}
