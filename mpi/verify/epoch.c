/* SPDX-License-Identifier: BSD-3-Clause */
/* Epochs of windows that the library lets pass, and the standard does not. */
#include "mpi/rma/window.h"
#include "mpi/verify/request.h"

/*
 * A fence begins an epoch if another one follows and the window is accessed in between (MPI 4.1,
 * §12.5.1); it must not be locked then (§12.5.3): asserts say where no epoch begins.
 */
void mpi_verify_fence(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	struct mpi_shadow_queue *queue = mpi_shadow_queue(shadow, call->me->rank, call->context);
	int assertion = (int)mpi_verify_value(call, MPI_ARG_ASSERT).i;

	if (queue->is_fenced && queue->lock.function && !(assertion & MPI_MODE_NOPRECEDE) &&
	    mpi_verify_wants(shadow->world, MPI_VERIFY_MATCHING))
		mpi_verify_report(
		    shadow->world,
		    &(struct mpi_finding){
			.class_name = "rma-epoch",
			.severity = MPI_FINDING_WARNING,
			.calls = {queue->lock,
				  {call->me->rank, call->me->pd->function, call->me->pd->site}},
			.n_calls = 2,
			.found = "the window is locked between two fences, which are an epoch of "
				 "their own",
			.wanted =
			    "MPI_MODE_NOSUCCEED at the fence before, or MPI_MODE_NOPRECEDE at "
			    "the one behind",
			.why = "a window that is exposed by a fence must not be locked",
		    });
	queue->is_fenced = !(assertion & MPI_MODE_NOSUCCEED);
	queue->lock.function = NULL;
}

void mpi_verify_lock(struct mpi_shadow *shadow, const struct mpi_verify_call *call)
{
	const struct mpi_win *win =
	    mpi_handle_object(call->me, KIND_WIN, (uintptr_t)mpi_verify_value(call, MPI_ARG_WIN).p);
	struct mpi_shadow_queue *queue;

	if (!win)
		return;
	queue = mpi_shadow_queue(shadow, call->me->rank, win->comm->context);
	if (queue->is_fenced)
		queue->lock = (struct mpi_finding_call){call->me->rank, call->me->pd->function,
							call->me->pd->site};
}
