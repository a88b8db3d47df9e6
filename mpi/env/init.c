/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. */
#include <stdio.h>

#include "mpi/comm/comm.h"
#include "mpi/env/env.h"
#include "mpi/env/errhandler.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/endpoint.h"

static int init(struct mpi_rank *me, int thread_level)
{
	if (me->state == MPI_STATE_RUNNING)
		return mpi_raise(me, NULL, MPI_ERR_OTHER, "MPI is initialized already");
	if (me->state == MPI_STATE_FINALIZED)
		return mpi_raise(me, NULL, MPI_ERR_OTHER,
				 "MPI cannot be initialized again after MPI_Finalize");
	if (mpi_endpoint_create(me) < 0 || mpi_comm_init(me) < 0)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the communicators of rank %d",
			me->rank);
	me->thread_level = thread_level;
	me->state = MPI_STATE_RUNNING;
	return MPI_SUCCESS;
}

int MPI_Init(int *argc, char ***argv)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	return mpi_leave(me, init(me, MPI_THREAD_SINGLE));
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!provided)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "provided is NULL"));
	if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
	    required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
		return mpi_leave(me,
				 mpi_raise(me, NULL, MPI_ERR_ARG,
					   "required is %d, no level of thread support", required));
	/* Threads other than the rank's own may not call MPI in the simulator. */
	*provided = required < MPI_THREAD_FUNNELED ? required : MPI_THREAD_FUNNELED;
	return mpi_leave(me, init(me, *provided));
}

int MPI_Finalize(void)
{
	struct mpi_rank *me = MPI_ENTER();

	mpi_comm_delete_self_attributes(me);
	mpi_p2p_finalize(me);
	mpi_leaks_collect(me);
	mpi_errors_finish(me);
	me->state = MPI_STATE_FINALIZED;
	mpi_message_progress(me);
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Initialized(int *flag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!flag)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "flag is NULL"));
	*flag = me->state != MPI_STATE_BEFORE_INIT;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Finalized(int *flag)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	if (!flag)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "flag is NULL"));
	*flag = me->state == MPI_STATE_FINALIZED;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Query_thread(int *provided)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!provided)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "provided is NULL"));
	*provided = me->thread_level;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Is_thread_main(int *flag)
{
	struct mpi_rank *me = MPI_ENTER();

	if (!flag)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "flag is NULL"));
	*flag = 1;
	return mpi_leave(me, MPI_SUCCESS);
}

int MPI_Abort(MPI_Comm comm, int errorcode)
{
	struct mpi_rank *me = mpi_enter_anytime(__func__, __builtin_return_address(0));

	me->pd->world->failure.exit_code = errorcode;
	pd_fail(me->pd, PD_FAILURE_ABORT, "the program aborted with code %d", errorcode);
}

void mpi_env_rank_end(struct pd_rank *pd)
{
	struct mpi_rank *me = pd->mpi;

	if (me && me->state == MPI_STATE_RUNNING)
		pd_fail(pd, PD_FAILURE_MPI_ERROR,
			"ended (exit code %d) without calling MPI_Finalize", pd->exit_code);
}
