/* SPDX-License-Identifier: BSD-3-Clause */
/* From MPI_Init to MPI_Finalize. */
#include <stdio.h>

#include "mpi/abi/mpi-calls.h"
#include "mpi/comm/comm.h"
#include "mpi/dynamic/spawn.h"
#include "mpi/env/env.h"
#include "mpi/core/errhandler.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/choose.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/rma/rma.h"

void mpi_env_open(struct mpi_rank *me)
{
	if (mpi_endpoint_create(me) < 0 || mpi_comm_init_none(me) < 0)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the queues of rank %d",
			me->rank);
	me->n_open++;
	me->n_opened++;
}

/* A rank whose sessions have ended may begin another: only at its end is it known what it lost. */
static void report_leaks(struct mpi_rank *me)
{
	if (me->has_reported)
		return;
	me->has_reported = true;
	mpi_leaks_collect(me);
}

void mpi_env_close(struct mpi_rank *me)
{
	if (me->n_open == 1) {
		mpi_choose_finalizes(me);
		mpi_p2p_finalize(me);
		mpi_rma_finalize(me);
		if (me->n_opened == 1 && me->state == MPI_STATE_FINALIZED)
			report_leaks(me);
		mpi_errors_finish(me);
	}
	me->n_open--;
	if (me->n_open == 0) {
		mpi_message_progress(me);
		mpi_connections_attend(me);
	}
}

static int init(struct mpi_rank *me, int thread_level)
{
	if (me->state == MPI_STATE_RUNNING)
		return mpi_raise(me, NULL, MPI_ERR_OTHER, "MPI is initialized already");
	if (me->state == MPI_STATE_FINALIZED)
		return mpi_raise(me, NULL, MPI_ERR_OTHER,
				 "MPI cannot be initialized again after MPI_Finalize");
	if (mpi_comm_init(me) < 0)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for the communicators of rank %d",
			me->rank);
	mpi_env_open(me);
	me->thread_level = thread_level;
	me->state = MPI_STATE_RUNNING;
	return mpi_spawn_meet_parent(me);
}

int mpi_env_thread_level(int required)
{
	return required > MPI_THREAD_FUNNELED ? MPI_THREAD_FUNNELED : required;
}

int mpi_init(struct mpi_rank *me, int *argc, char ***argv)
{
	return init(me, MPI_THREAD_SINGLE);
}

int mpi_init_thread(struct mpi_rank *me, int *argc, char ***argv, int required, int *provided)
{
	if (required != MPI_THREAD_SINGLE && required != MPI_THREAD_FUNNELED &&
	    required != MPI_THREAD_SERIALIZED && required != MPI_THREAD_MULTIPLE)
		return mpi_raise(me, NULL, MPI_ERR_ARG,
				 "required is %d, no level of thread support", required);
	*provided = mpi_env_thread_level(required);
	return init(me, *provided);
}

int mpi_finalize(struct mpi_rank *me)
{
	if (me->state != MPI_STATE_RUNNING)
		return mpi_raise(me, NULL, MPI_ERR_OTHER,
				 "there is no MPI_Init whose end this could be; sessions end "
				 "with MPI_Session_finalize");
	mpi_comm_delete_self_attributes(me);
	me->state = MPI_STATE_FINALIZED;
	mpi_env_close(me);
	return MPI_SUCCESS;
}

int mpi_initialized(struct mpi_rank *me, int *flag)
{
	*flag = me->state != MPI_STATE_BEFORE_INIT;
	return MPI_SUCCESS;
}

int mpi_finalized(struct mpi_rank *me, int *flag)
{
	*flag = me->state == MPI_STATE_FINALIZED;
	return MPI_SUCCESS;
}

int mpi_query_thread(struct mpi_rank *me, int *provided)
{
	*provided = me->thread_level;
	return MPI_SUCCESS;
}

int MPI_Is_thread_main(int *flag)
{
	struct mpi_rank *me;

	if (flag && pd_current && !pd_is_own_thread(pd_current->world)) {
		*flag = 0; /* for this, other threads may ask */
		return MPI_SUCCESS;
	}
	me = MPI_ENTER();

	if (!flag)
		return mpi_leave(me, mpi_raise(me, NULL, MPI_ERR_ARG, "flag is NULL"));
	*flag = 1;
	return mpi_leave(me, MPI_SUCCESS);
}

int mpi_abort(struct mpi_rank *me, MPI_Comm comm, int errorcode)
{
	me->pd->world->failure.exit_code = errorcode;
	pd_fail(me->pd, PD_FAILURE_ABORT, "the program aborted with code %d", errorcode);
}

/* What it sent is delivered, as if it had called MPI_Finalize. */
static void end_unfinalized(struct mpi_rank *me)
{
	if (me->world->n_unfinalized++ == 0)
		me->world->first_unfinalized = me->rank;
	me->state = MPI_STATE_FINALIZED;
	mpi_env_close(me);
}

void mpi_env_rank_end(struct pd_rank *pd)
{
	struct mpi_rank *me = pd->mpi;

	if (me && me->state == MPI_STATE_RUNNING && pd->exit_code != 0)
		pd_fail(pd, PD_FAILURE_MPI_ERROR,
			"ended (exit code %d) without calling MPI_Finalize", pd->exit_code);
	if (me && me->state == MPI_STATE_RUNNING)
		end_unfinalized(me);
	if (me && me->n_opened > 0)
		report_leaks(me);
}
