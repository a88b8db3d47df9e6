/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_ORDERS_ORDERS_H
#define MPI_ORDERS_ORDERS_H

#include "mpi/orders/registered.h"
#include "mpi/p2p/choose.h"

/*
 * One run whose order of events is decided, not timed. Matches that are certain happen at once; what
 * has to be chosen waits until no rank can go on (quiescence). Then mpi_orders_collect lists what is
 * enabled over all ranks, and the caller lets one of it happen:
 *
 *     while (step world until idle, and it is not over)
 *             if (mpi_orders_collect(orders) > 0)
 *                     mpi_orders_apply(orders, &orders->enabled[i]);
 *             else if (!mpi_orders_tick(orders))
 *                     …deadlock…
 *
 * A rank's state follows from what was decided for it, so the vector of these histories names the
 * state of all (docs/decisions/0080-orders.md).
 */

/* Equal in all orders: ranks count their receives and questions, pairs of ranks their messages. */
struct mpi_decision {
	int32_t rank;	  /* of MPI_COMM_WORLD, whom it is made for */
	int32_t kind;	  /* enum mpi_choice_kind */
	uint32_t ordinal; /* of the receive, probe or question on the rank, from 0; of a lock: among
			     those that were granted at its target */
	int32_t source;	  /* that the message comes from; -1: no message */
	int32_t value;	  /* ordinal of the message from source to rank; of a question: the answer;
			     of a lock: the target, -1: all */
};

struct mpi_orders_place { /* where a receive or message of a decision comes from */
	const void *site;
	const char *function;
};

struct mpi_orders_rank {
	uint64_t history[2];
	uint64_t matches[2]; /* the same without polls that found nothing */
	uint32_t n_recvs, n_probes, n_questions;
	uint32_t n_failed;		 /* polls in a row */
	struct mpi_question *question;	 /* that it waits for; NULL: none */
	struct mpi_orders_place *posted; /* [n_recvs] of the receives with MPI_ANY_SOURCE */
	bool has_finalized;
	uint64_t received[2]; /* with MPI_ANY_SOURCE: which receive got what data, not from whom */
	uint64_t sent[2];     /* what it has sent so far: whom, how much, which content */
	struct mpi_registered registered;
};

struct mpi_orders {
	struct mpi_choice choice;
	struct mpi_world *world;
	uint32_t max_polls; /* failed ones in a row that are explored */
	double epsilon;	    /* relative, of floating-point numbers in registered memory */
	bool is_partial;    /* kernels are skipped: contents mean nothing */
	struct mpi_orders_rank *ranks; /* [n_ranks] */
	uint32_t *n_granted; /* [n_ranks + 1] locks by target; the last one: of all members */
	uint32_t *n_arrived; /* [n_ranks * n_ranks] from source to destination */
	struct mpi_decision *enabled; /* [n_enabled] at quiescence, in the order of ranks */
	int n_enabled, n_reserved;
	bool is_collecting, has_target;
	struct mpi_decision target; /* what mpi_orders_apply lets happen */
	/* of the message and the call that the last decision joined; NULL sites: of a question */
	struct mpi_orders_place sent_at, taken_at;
	int sent_by;	  /* the same rank, where it is known; else -1 */
	char answer[128]; /* of a question: what it says, "finds the message from rank 1 (…)" */
	int tag;
	int64_t size_B;
	uint32_t n_ticks; /* in a row */
};

/* Decides for `world` from now on; before the ranks start. 0 or UTIL_ENOMEM. */
int mpi_orders_create(struct mpi_world *world, uint32_t max_polls, struct mpi_orders **out);
void mpi_orders_destroy(struct mpi_orders *orders); /* NULL is fine */

/* All that may happen next, in orders->enabled; how many. The world must be idle. */
int mpi_orders_collect(struct mpi_orders *orders);
/* Keeps only what has to be tried so that no final state is missed (a persistent set). */
void mpi_orders_reduce(struct mpi_orders *orders);
/* Lets it happen; false: it is not enabled. */
bool mpi_orders_apply(struct mpi_orders *orders, const struct mpi_decision *decision);
/*
 * Nothing is enabled but ranks poll: their polls find nothing, once more. False: none polls, or they
 * did so MPI_ORDERS_MAX_TICKS times in a row.
 */
bool mpi_orders_tick(struct mpi_orders *orders);
enum { MPI_ORDERS_MAX_TICKS = 1000 };

/* The state of all ranks, by the histories, or (`by_memory`) for ranks that registered memory by
 * that, by where they are and by what is on its way to them. */
void mpi_orders_hash(struct mpi_orders *orders, bool by_memory, uint64_t out[2]);
/* By histories, of the state in which the next decision is made if this enabled one happens now. */
void mpi_orders_hash_after(struct mpi_orders *orders, const struct mpi_decision *decision,
			   uint64_t out[2]);
/* The match map: the same histories without polls that found nothing. */
void mpi_orders_hash_matches(const struct mpi_orders *orders, uint64_t out[2]);
/* Messages that nobody received. */
int mpi_orders_count_unmatched(const struct mpi_orders *orders);
/* What all ranks have sent, whatever the order. */
void mpi_orders_hash_sent(const struct mpi_orders *orders, uint64_t out[2]);

/* --- between the files --- */
void mpi_orders_note_received(struct mpi_orders_rank *rank, uint32_t ordinal,
			      const struct mpi_message *message);
void mpi_orders_note_sent(struct mpi_orders *orders, const struct mpi_message *message);
void mpi_orders_mix(uint64_t hash[2], uint64_t value);

#endif
