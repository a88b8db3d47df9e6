/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_IDEAL_H
#define MPI_COLL_IDEAL_H

#include "mpi/coll/operation.h"
#include "mpi/comm/nodes.h"
#include "mpi/core/meeting.h"
#include "simcore/queue.h"
#include "simcore/observer.h"
#include "util/list.h"

/*
 * Collectives by formula (docs/collectives.md, "Ideal"): the ranks of one operation meet in an
 * object that all of them share, hand over what they send, and leave with what they get when a
 * formula says so. No messages. O(ranks) for each operation, and the data.
 */
struct mpi_ideal_slot { /* what one rank hands over */
	char *data; /* packed; NULL: nothing, nobody needs it any more, or memory that is absent */
	MPI_Count size_B;
	MPI_Count *ends; /* [n] of the parts for each rank; NULL: they are all of `part_B` */
	MPI_Count part_B;
	struct mpi_request *request; /* what the rank waits for; NULL: nothing */
	int64_t mark;		     /* mpi/p2p/causes.h: of its entry */
	bool has_entered;
};

/* Ranks that leave at the same time. */
struct mpi_ideal_leaving {
	struct util_link link; /* among those of the operation */
	struct sim_event event;
	struct mpi_ideal *ideal;
	struct util_list requests; /* of the ranks */
	void *cause;		   /* mpi/p2p/causes.h */
	int64_t mark;
	sim_time_ps since;
	struct sim_cause_formula formula;
};

/* Where the bytes go: units are nodes, or on one node alone its ranks. */
struct mpi_ideal_traffic {
	const struct mpi_nodes *nodes; /* of the communicator */
	int n_units, largest;	       /* the most ranks of a node */
	int64_t *out_B, *in_B; /* [n_units] what crosses each one's link; NULL: nothing yet */
	int64_t through_B;     /* of one contribution, or that crosses the root's link */
};

struct mpi_ideal {
	struct mpi_meeting meeting; /* first */
	enum mpi_coll_kind kind;
	int root, n;
	int n_entered;
	/* Ranks 0 … n_prefix-1 have entered; of a reduction slot n_prefix-1 is their result. */
	int n_prefix;
	struct mpi_ideal_slot *slots;	     /* [n] */
	struct util_list leaving;	     /* that have not left yet */
	struct mpi_ideal_leaving *from_root; /* broadcasts and scatters: who waits for the root */
	struct mpi_ideal_traffic traffic;
	int64_t mark; /* the latest of ranks 0 … n_prefix-1 */
	int error;    /* what all get; MPI_SUCCESS */
};

extern const struct mpi_coll_algorithm mpi_coll_ideal;

/* --- between the files --- */

_Noreturn void mpi_ideal_fail_memory(struct mpi_rank *me, const struct mpi_ideal *ideal);
static inline bool mpi_ideal_is_reduction(enum mpi_coll_kind kind)
{
	return kind >= COLL_REDUCE && kind <= COLL_EXSCAN;
}

/* ideal_data.c: what this rank hands over; folds what can be folded in the order of ranks, and
 * moves n_prefix on; what it takes away. */
void mpi_ideal_put(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal);
void mpi_ideal_fold(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal);
void mpi_ideal_take(struct mpi_rank *me, struct mpi_coll *coll, struct mpi_ideal *ideal);

/* ideal_time.c: who shares which link, for the first rank. What this rank's data adds, 0 or
 * UTIL_ENOMEM. */
void mpi_ideal_traffic_init(struct mpi_rank *me, const struct mpi_coll *coll,
			    struct mpi_ideal *ideal);
int mpi_ideal_traffic_add(const struct mpi_coll *coll, struct mpi_ideal *ideal);
void mpi_ideal_traffic_finish(struct mpi_ideal_traffic *traffic);
/* What the formula makes of it. */
struct sim_cause_formula mpi_ideal_formula(const struct mpi_ideal *ideal);
sim_time_ps mpi_ideal_time(const struct mpi_rank *me, const struct sim_cause_formula *formula);

#endif
