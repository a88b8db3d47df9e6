/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows as arguments. */
#include <string.h>

#include "mpi/record/internal.h"
#include "mpi/rma/window.h"

void mpi_record_win(struct mpi_record_call *call, MPI_Win win)
{
	call->win = mpi_win_get(call->me, win) ? mpi_record_id(call->record, (uintptr_t)win) : 0;
	mtrace_put_uint(call->stream, call->win);
}

void mpi_record_new_win(struct mpi_record_call *call, const MPI_Win *win, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *win != MPI_WIN_NULL) {
		id = mpi_record_number(&mpi_record_rank_of(call)->wins, 1);
		mpi_record_set_id(call->record, (uintptr_t)*win, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_freed_win(struct mpi_record_call *call, const MPI_Win *win)
{
	if (call->win && *win == MPI_WIN_NULL)
		mpi_record_free_number(&mpi_record_rank_of(call)->wins, call->win);
}

/* Between fences, and where targets expose their windows, a get alone reads what it always reads.
 */
void mpi_record_fetches(struct mpi_record_call *call, MPI_Win handle)
{
	const struct mpi_win *win = mpi_win_get(call->me, handle);
	bool is_get = call->function->window == MPI_WINDOW_GET;

	if (win && win->size > 1 && (!is_get || win->access >= ACCESS_LOCKED))
		mpi_record_doubt(call, MTRACE_DOUBT_FETCH);
}
