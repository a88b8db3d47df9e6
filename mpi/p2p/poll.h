/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_POLL_H
#define MPI_P2P_POLL_H

#include "mpi/p2p/endpoint.h"
#include "pdexec/arch.h"

/*
 * Quick polls. Where computation is measured, a poll ends the computation step and begins another:
 * two readings of the host's clock and an event, many times what the loop around it computes. While
 * a step goes on simulated time stands still, so that nothing can arrive: of a streak of polls that
 * find nothing (docs/decisions/0010-polling.md) most are answered without the end of the step.
 * The poll that ends it lets the time of all pass, and when they computed next to nothing only
 * until something happens that concerns the rank.
 */
#define MPI_POLL_QUICK_FROM 32

struct mpi_polls { /* that were answered, and how long the rank pauses for them at most */
	uint32_t n;
	sim_time_ps pause;
};

#define MPI_ENTER_POLL() mpi_poll_enter(__func__, __builtin_return_address(0))

/* Whether the step is the one in which polls were answered, or no poll was yet. */
static inline bool mpi_poll_is_open(const struct mpi_rank *me)
{
	double step_s = me->endpoint->quick_step_s;

	return me->pd->is_measuring && (step_s == 0 || step_s == me->pd->host_mark_s);
}

/* The rank, where a poll that finds nothing may be answered by mpi_poll_answer; NULL: it has to
 * enter. */
static inline struct mpi_rank *mpi_poll_quick(void)
{
	struct pd_rank *pd = pd_current;
	struct mpi_rank *me = pd ? pd->mpi : NULL;

	if (!me || !me->endpoint || me->endpoint->n_quick == 0 ||
	    me->endpoint->n_polls < MPI_POLL_QUICK_FROM || me->depth > 0 || me->n_open == 0 ||
	    pd->world->thread != pd_arch_thread_pointer() || !mpi_poll_is_open(me))
		return NULL;
	return me;
}

/* Counts a poll that found nothing; MPI_SUCCESS. */
int mpi_poll_answer(struct mpi_rank *me, const char *function);
/* What a probe costs its rank, where the cluster says so: it passes with what the rank computes next. */
void mpi_poll_charge(struct mpi_rank *me);
/* MPI_ENTER of polls. */
struct mpi_rank *mpi_poll_enter(const char *function, const void *site);
/* mpi_entry_begin of a call that is watched, after polls that nobody was told of. */
struct mpi_polls mpi_poll_begin(struct mpi_rank *me, const char *function, const void *site);
/* Such polls in a replay: as many, taken to be of the function of the last one that found nothing, and a
 * pause of at most so long, within the call that follows them. */
void mpi_poll_again(struct mpi_rank *me, uint32_t n, sim_time_ps pause);

#endif
