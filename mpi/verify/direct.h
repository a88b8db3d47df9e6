/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_DIRECT_H
#define MPI_VERIFY_DIRECT_H

#include "mpi/core/entry.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/shadow.h"

/*
 * The calls that most messages are made of. They do what the generated functions do
 * (mpi/verify/call.h), without giving their arguments to anybody by name: that costs more than a
 * small message. Whatever is unusual about a call is left to the generated function.
 */
static const char *const mpi_direct_names[N_DIRECT] = {
    [DIRECT_SEND] = "MPI_Send",		[DIRECT_RECV] = "MPI_Recv",
    [DIRECT_ISEND] = "MPI_Isend",	[DIRECT_IRECV] = "MPI_Irecv",
    [DIRECT_WAIT] = "MPI_Wait",		[DIRECT_WAITALL] = "MPI_Waitall",
    [DIRECT_SENDRECV] = "MPI_Sendrecv",
};

/* The generated function. */
void (*mpi_direct_other(enum mpi_verify_direct which, const void *site))(void);

/* The rank that calls, where the call can be looked at here; else NULL. */
static MPI_HOT struct mpi_rank *mpi_direct_caller(void)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;

	return __builtin_expect(me && me->depth == 0 && me->n_open > 0 && me->shadow &&
				    pd->world->thread == pd_arch_thread_pointer(),
				1)
		   ? me
		   : NULL;
}

static MPI_HOT void mpi_direct_enter(struct mpi_rank *me, enum mpi_verify_direct which,
				     const void *site)
{
	const struct mpi_shadow_rank *rank = me->shadow;

	mpi_entry_begin(me, mpi_direct_names[which], site);
	if (rank->has_plain[SHADOW_SEND] || rank->has_plain[SHADOW_RECV])
		mpi_shadow_settle(me->shadow);
}

static MPI_HOT void mpi_direct_look(struct mpi_shadow *shadow)
{
	if (__builtin_expect(shadow->n_to_look > 0 || shadow->is_full ||
				 shadow->n_calls + 1 >= shadow->next_look,
			     0))
		mpi_verify_look(shadow);
	else
		shadow->n_calls++;
}

int mpi_direct_wait(MPI_Request *request, MPI_Status *status);
int mpi_direct_waitall(int n, MPI_Request requests[], MPI_Status *statuses);

#endif
