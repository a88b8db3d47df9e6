/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_ENTRY_H
#define MPI_CORE_ENTRY_H

#include "mpi/core/rank.h"
#include "pdexec/arch.h"

/*
 * mpi_enter and mpi_leave as parts of their callers: for the functions that most messages pass.
 * mpi/core/rank.h says what they do.
 */
#define MPI_HOT inline __attribute__((always_inline))

#define MPI_ENTER_HOT() mpi_entry_enter(__func__, __builtin_return_address(0))

/* Whatever is not the plain case. */
__attribute__((cold)) struct mpi_rank *mpi_entry_slow(const char *function, const void *site);
/* Tells the observers of the call, where they do not only add them up. */
void mpi_entry_record(const struct mpi_rank *me);

static MPI_HOT void mpi_entry_begin(struct mpi_rank *me, const char *function, const void *site)
{
	struct pd_rank *pd = me->pd;

	me->depth++;
	pd->function = function;
	pd->site = site;
	pd_compute_end(pd);
	me->call_begin = pd->world->engine.now;
	me->call_waiting = 0;
}

static MPI_HOT struct mpi_rank *mpi_entry_enter(const char *function, const void *site)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;

	if (__builtin_expect(!me || me->depth != 0 || me->n_open == 0 || me->world->described ||
				 pd->world->thread != pd_arch_thread_pointer(),
			     0))
		return mpi_entry_slow(function, site);
	mpi_entry_begin(me, function, site);
	return me;
}

static MPI_HOT int mpi_entry_leave(struct mpi_rank *me, int code)
{
	struct pd_rank *pd = me->pd;
	struct pd_world *world = pd->world;
	struct sim_tally *tally = world->observers.tally;

	if (__builtin_expect(--me->depth > 0, 0))
		return code;
	if (__builtin_expect(tally != NULL, 1))
		sim_tally_add_call(tally, me->tally, pd->function, me->call_begin,
				   world->engine.now, me->call_waiting);
	else
		mpi_entry_record(me);
	pd->function = NULL;
	pd->site = NULL;
	pd_compute_begin(pd);
	return code;
}

#endif
