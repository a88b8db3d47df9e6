/* SPDX-License-Identifier: BSD-3-Clause */
/* What every MPI function does first and last, and how it fails. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "mpi/comm/comm.h"
#include "mpi/core/entry.h"
#include "mpi/core/errhandler.h"
#include "mpi/record/record.h"
#include "mpi/rma/window.h"
#include "mpi/verify/verify.h"
#include "pdexec/arch.h"

/*
 * A program that was started without mpisim-run has no simulator around it: nobody else could tell
 * its user.
 */
static _Noreturn void fail_outside(const char *function)
{
	fprintf(stderr,
		"mpisim: %s: this program is linked to the simulator's MPI library; start it with "
		"`mpisim-run --cluster cluster.yaml -n RANKS PROGRAM …`\n",
		function);
	exit(2);
}

/* A process of its own: nobody simulates it. Its parent sees how it ends. */
static _Noreturn void fail_child(const struct pd_rank *pd, const char *function, const void *site)
{
	char place[256];

	fprintf(stderr,
		"mpisim: %s at %s: called by a child of fork() of rank %d: only ranks may call "
		"MPI\n",
		function, pd_describe_site(pd->world, site, place, sizeof place), pd->rank);
	_exit(1);
}

/* The thread that the ranks run on may wait for this one: nobody else could end the run. */
static __attribute__((cold, noinline)) _Noreturn void
fail_thread(const struct pd_rank *pd, const char *function, const void *site)
{
	char place[256];

	fprintf(
	    stderr,
	    "mpisim: %s at %s: called by a thread that the program started (while rank %d ran): "
	    "only the thread that calls MPI_Init may call MPI\n",
	    function, pd_describe_site(pd->world, site, place, sizeof place), pd->rank);
	_exit(1);
}

static inline struct mpi_rank *enter(const char *function, const void *site)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me;

	if (__builtin_expect(!pd && pd_rank_before_fork(), 0))
		fail_child(pd_rank_before_fork(), function, site);
	if (__builtin_expect(!pd, 0))
		fail_outside(function);
	if (__builtin_expect(pd->world->thread != pd_arch_thread_pointer(), 0))
		fail_thread(pd, function, site);
	me = pd->mpi;
	if (me->depth != 0) {
		if (me->depth > 0) { /* from a callback of a call that is recorded already */
			me->depth++;
			return me;
		}
		site = mpi_foreign_site(me);
	}
	if (me->world->record)
		mpi_record_refuse(me, function, site);
	if (me->world->verify)
		mpi_verify_unseen(me, function, site);
	mpi_enter_described(me, function, site);
	return me;
}

const void *mpi_foreign_site(struct mpi_rank *me)
{
	me->depth = 0;
	return me->foreign_site;
}

void mpi_enter_described(struct mpi_rank *me, const char *function, const void *site)
{
	mpi_entry_begin(me, function, site);
}

struct mpi_rank *mpi_enter_anytime(const char *function, const void *site)
{
	return enter(function, site);
}

static __attribute__((cold, noinline)) void fail_state(const struct mpi_rank *me,
						       const char *function)
{
	pd_fail(me->pd, PD_FAILURE_MPI_ERROR, "%s was called %s", function,
		me->state == MPI_STATE_FINALIZED ? "after MPI_Finalize"
		: me->n_opened > 0		 ? "after MPI_Session_finalize"
						 : "before MPI_Init");
}

struct mpi_rank *mpi_entry_slow(const char *function, const void *site)
{
	struct mpi_rank *me = enter(function, site);

	if (me->n_open == 0)
		fail_state(me, function);
	return me;
}

struct mpi_rank *mpi_enter(const char *function, const void *site)
{
	return mpi_entry_enter(function, site);
}

void mpi_entry_record(const struct mpi_rank *me)
{
	const struct pd_rank *pd = me->pd;
	const struct sim_observers *observers = &pd->world->observers;
	struct sim_record_call record;

	if (!(observers->wanted & SIM_OBSERVED_CALL))
		return;
	record = (struct sim_record_call){
	    .rank = me->rank,
	    .function = pd->function,
	    .site = pd->site,
	    .begin = me->call_begin,
	    .end = pd->world->engine.now,
	    .waiting = me->call_waiting,
	};
	sim_tell_call(observers, &record);
}

int mpi_leave(struct mpi_rank *me, int code)
{
	if (me->has_handled && me->depth == 1) {
		me->has_handled = false;
		code = code == MPI_SUCCESS ? code : me->handled_code;
	}
	return mpi_entry_leave(me, code);
}

/*
 * Errors without a communicator go to MPI_COMM_SELF's handler since MPI 4.0, before to
 * MPI_COMM_WORLD's: when the program changed only that one, it means that one.
 */
static const struct mpi_errhandler *handler_of(const struct mpi_rank *me,
					       const struct mpi_comm *comm)
{
	if (comm)
		return comm->errhandler;
	if (!me->comm_self)
		return NULL;
	return me->comm_self->errhandler == mpi_errhandler_fatal() ? me->comm_world->errhandler
								   : me->comm_self->errhandler;
}

/*
 * The handler is the program's code: what it computes counts, the calls that it makes are calls,
 * and it may leave by longjmp, so that the call that failed has to be over as far as this rank's
 * state goes. It gets "the error code to be returned by the MPI routine" (MPI 4.1, §9.3.1) and may
 * change it: what the library does goes by the code that was, what the call returns by what it is
 * then.
 */
static int call_handler(struct mpi_rank *me, const struct mpi_errhandler *handler, uintptr_t object,
			int code)
{
	/* all kinds of handler get a pointer to a handle, and all handles are pointers */
	void (*user)(void *, int *, ...) = (void (*)(void *, int *, ...))handler->user;
	struct pd_rank *pd = me->pd;
	const char *function = pd->function;
	const void *site = pd->site;
	int depth = me->depth, given = code;

	me->depth = 1;
	mpi_leave(me, code);
	if (handler->language == MPI_LANGUAGE_C)
		user(&object, &given);
	else
		((mpi_fortran_errhandler_fn *)handler->user)(
		    (int[]){(int)mpi_handle_number(object)}, &given);
	pd_compute_end(pd);
	me->depth = depth;
	pd->function = function;
	pd->site = site;
	me->call_begin = pd->world->engine.now;
	me->call_waiting = 0;
	me->has_handled = given != code; /* what waits for many has a code of its own */
	me->handled_code = given;
	return code;
}

static int raise_with(struct mpi_rank *me, const struct mpi_errhandler *handler, uintptr_t object,
		      int code, const char *format, va_list arguments)
{
	char text[768];

	if (me->world->verify) {
		va_list again;

		va_copy(again, arguments);
		mpi_verify_raised(me, mpi_error_class_of(me, code), format, again);
		va_end(again);
	}
	if (handler && handler->kind == ERRHANDLER_RETURN)
		return code;
	if (handler && handler->kind == ERRHANDLER_USER)
		return call_handler(me, handler, object, code);
	vsnprintf(text, sizeof text, format, arguments);
	pd_fail(me->pd, PD_FAILURE_MPI_ERROR, "%s: %s",
		mpi_error_class_name(mpi_error_class_of(me, code)), text);
}

int mpi_raise(struct mpi_rank *me, struct mpi_comm *comm, int error_class, const char *format, ...)
{
	MPI_Comm object = comm ? comm->handle : MPI_COMM_SELF;
	va_list arguments;
	int code;

	va_start(arguments, format);
	code =
	    raise_with(me, handler_of(me, comm), (uintptr_t)object, error_class, format, arguments);
	va_end(arguments);
	return code;
}

int mpi_raise_on(struct mpi_rank *me, const struct mpi_errhandler *handler, uintptr_t object,
		 int error_class, const char *format, ...)
{
	va_list arguments;
	int code;

	va_start(arguments, format);
	code = raise_with(me, handler, object, error_class, format, arguments);
	va_end(arguments);
	return code;
}

int mpi_raise_about(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle, int error_class,
		    const char *text)
{
	struct mpi_win *win = kind == KIND_WIN ? mpi_win_get(me, (MPI_Win)handle) : NULL;
	struct mpi_comm *comm = kind == KIND_COMM ? mpi_comm_get(me, (MPI_Comm)handle) : NULL;

	if (win)
		return rma_raise(me, win, error_class, "%s", text);
	return mpi_raise(me, comm, error_class, "%s", text);
}

int mpi_unsupported(const char *function, const void *site)
{
	struct mpi_rank *me = mpi_enter_anytime(function, site);

	pd_fail(me->pd, PD_FAILURE_UNSUPPORTED, "%s is not implemented in this version of mpisim",
		function);
}
