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
	/* asked on the rank's fiber, by mpi_ask: */
	MPI_CHOICE_WAIT, /* which of several complete requests MPI_Waitany or MPI_Waitsome tells of */
	MPI_CHOICE_POLL, /* whether a test or a nonblocking probe finds something, and what */
	MPI_CHOICE_LOCK, /* who gets a lock of a window: mpi_rma_grant */
	MPI_CHOICE_CANCEL, /* whether a receive is cancelled (0), or the message comes first (1); a question */
	MPI_CHOICE_ACCEPT, /* which rank's connect an accept meets: its world rank; a question */
	MPI_N_CHOICE_KINDS
};

struct mpi_candidate {
	struct mpi_message *message;
	struct mpi_request *recv; /* that would take it; NULL: a probe finds it */
};

/* None now. Of messages the hook is asked again after each arrival, post and mpi_choose_again; a test
 * or nonblocking probe finds nothing. */
#define MPI_CHOOSE_NONE (-1)
/*
 * Which of `n` > 0 candidates is taken: all that the standard allows now, one of each source, in order
 * of arrival. Returns an index or MPI_CHOOSE_NONE. Must not change a queue.
 */
typedef int (*mpi_choose_fn)(void *context, struct mpi_rank *me, enum mpi_choice_kind kind, int n,
			     const struct mpi_candidate candidates[]);

/* What a rank asks and waits for the answer of. */
struct mpi_question {
	enum mpi_choice_kind kind;
	/* How many answers there are now, 0 …; of a MPI_CHOICE_POLL MPI_CHOOSE_NONE is one besides. */
	int (*count)(struct mpi_rank *me, const struct mpi_question *question);
	/* Whether one of them is possible; NULL: all are. */
	bool (*allows)(struct mpi_rank *me, const struct mpi_question *question, int answer);
	/* What an answer says: "tells of request 1 of 2, …"; the message that it tells of, or NULL.
	   May be NULL: the kind says all. */
	const struct mpi_message *(*describe)(struct mpi_rank *me,
					      const struct mpi_question *question, int answer,
					      char *text, size_t size);
	const void *context; /* of these, borrowed */
	int answer;	     /* valid when is_answered */
	bool is_answered;
};

struct mpi_choice { /* world->choice; NULL: time decides */
	mpi_choose_fn choose;
	void *context;
	/* The rest may be NULL. A question: whoever answers it wakes the rank (mpi_endpoint_wake);
	   without this, time decides. */
	void (*ask)(void *context, struct mpi_rank *me, struct mpi_question *question);
	/* A message was delivered, a receive is posted: before they are matched. */
	void (*arrived)(void *context, struct mpi_message *message);
	void (*posted)(void *context, struct mpi_request *recv);
	void (*finalizes)(void *context, struct mpi_rank *me); /* in MPI_Finalize */
	bool counts_clocks; /* clocks of a rank tell how often it has read them, not the time */
};

/* From now on `choice`, borrowed, decides. Before the ranks start. */
void mpi_choose_by(struct mpi_world *world, const struct mpi_choice *choice);
/* Matches what can match now; asks the hook where it has to choose. From anywhere but the hook. */
void mpi_choose_again(struct mpi_rank *me);
/* For matching: an envelope that was delivered, a receive that was posted; with a hook only. */
void mpi_choose_arrived(struct mpi_message *message);
void mpi_choose_posted(struct mpi_rank *me, struct mpi_request *recv);
/* The rank has nothing to do with MPI any more: tells the hook, if there is one. */
void mpi_choose_finalizes(struct mpi_rank *me);
/* The message that a probe finds, or NULL. With a hook only. */
struct mpi_message *mpi_choose_probed(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				      int tag);
/*
 * How many messages a probe could find, and the i-th of them. O(unexpected messages²).
 */
int mpi_choose_count(struct mpi_rank *me, const struct mpi_comm *comm, int source, int tag);
struct mpi_message *mpi_choose_nth(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag, int i);

/* How many messages a posted receive could take now. With a hook only. */
int mpi_choose_count_for(struct mpi_rank *me, const struct mpi_request *recv);

/* Whether questions are put at all. */
static inline bool mpi_asks(const struct mpi_rank *me)
{
	return __builtin_expect(me->world->choice != NULL, 0) && me->world->choice->ask;
}
/* Puts a question that has its kind, count and context, and blocks until it is answered. Where mpi_asks;
 * on the rank's fiber. */
int mpi_ask(struct mpi_rank *me, struct mpi_question *question);

static inline int mpi_choose(struct mpi_rank *me, enum mpi_choice_kind kind, int n,
			     const struct mpi_candidate candidates[])
{
	const struct mpi_choice *choice = me->world->choice;

	return choice->choose(choice->context, me, kind, n, candidates);
}

#endif
