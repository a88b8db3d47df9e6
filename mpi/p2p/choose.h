/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_CHOOSE_H
#define MPI_P2P_CHOOSE_H

#include "mpi/core/rank.h"
#include "mpi/p2p/message.h"

/*
 * Who is taken where the standard lets several be: without a hook whoever is first in simulated time,
 * with one whom the hook names. It may put the answer off, for example until no rank can go on.
 */
enum mpi_choice_kind {
	MPI_CHOICE_RECV,  /* the message that a posted receive with MPI_ANY_SOURCE takes */
	MPI_CHOICE_PROBE, /* the message that a probe with MPI_ANY_SOURCE finds */
};

struct mpi_candidate {
	struct mpi_message *message;
	struct mpi_request *recv; /* that would take it; NULL: a probe finds it */
};

/* None now: the hook is asked again after each arrival, post and mpi_choose_again. */
#define MPI_CHOOSE_NONE (-1)
/*
 * Which of `n` > 0 candidates is taken: all that the standard allows now, one of each source, in order
 * of arrival. Returns an index or MPI_CHOOSE_NONE. Must not change a queue.
 */
typedef int (*mpi_choose_fn)(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
			     const struct mpi_candidate candidates[]);

struct mpi_choice { /* world->choice; NULL: time decides */
	mpi_choose_fn choose;
	void *context;
};

/* From now on `choice`, borrowed, decides. Before the ranks start. */
void mpi_choose_by(struct mpi_world *world, const struct mpi_choice *choice);
/* Matches what can match now; asks the hook where it has to choose. From anywhere but the hook. */
void mpi_choose_again(struct mpi_rank *me);
/* The message that a probe finds, or NULL. With a hook only. */
struct mpi_message *mpi_choose_probed(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				      int tag);

static inline int mpi_choose(struct mpi_rank *me, enum mpi_choice_kind kind, int n,
			     const struct mpi_candidate candidates[])
{
	const struct mpi_choice *choice = me->world->choice;

	return choice->choose(choice->context, me, kind, n, candidates);
}

#endif
