/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_MATCH_H
#define MPI_P2P_MATCH_H

#include <stdbool.h>

#include "mpi/p2p/message.h"

/*
 * Matching, in one place. Two decisions are left open by the standard and taken by a policy that a
 * run may replace: which message a wildcard receive gets, and whether a standard send buffers. The
 * default is what time brings: the first envelope that arrives, and the protocol's threshold.
 */
struct mpi_match_policy {
	void *context;
	/* May this receive with MPI_ANY_SOURCE take this message now? A message that is refused
	 * stays unexpected and is offered again with every later receive or arrival. */
	bool (*accept)(void *context, const struct mpi_request *recv,
		       const struct mpi_message *message);
	/* Does a standard send of this size complete without its receive? */
	bool (*buffers)(void *context, const struct mpi_rank *sender, int64_t size_B);
};

/* The default policy for a threshold from the cluster file; world->policy. */
const struct mpi_match_policy *mpi_match_policy_timed(void);
extern const struct mpi_match_policy mpi_match_timed;

/* Does a standard send of this size complete without its receive? */
static inline bool mpi_match_buffers(const struct mpi_rank *sender, int64_t size_B)
{
	const struct mpi_match_policy *policy = sender->world->policy;

	return policy == &mpi_match_timed
		   ? size_B <= sender->world->pd->cluster->protocol.eager_threshold_B
		   : policy->buffers(policy->context, sender, size_B);
}

/* An envelope was delivered: matches it with the first posted receive that fits, or queues it as
 * unexpected. O(1) where a deep queue holds no wildcards, else O(posted receives). */
void mpi_match_message(struct mpi_message *message);
/* A receive was posted: matches it with the first unexpected message that fits, or queues it.
 * O(unexpected messages) with wildcards, else O(1). */
void mpi_match_recv(struct mpi_request *recv);
/* Has the rank posted a receive that fits, for a message that is yet to come? */
bool mpi_match_is_posted(const struct mpi_rank *me, uint32_t context, int source_rank, int tag);
/* The first unexpected message that fits (source and tag may be wildcards), or NULL. */
struct mpi_message *mpi_match_find(struct mpi_rank *me, const struct mpi_comm *comm, int source,
				   int tag);
/* Takes a message out of the unexpected queue. */
void mpi_match_remove_message(struct mpi_message *message);
/* Takes a receive out of the posted queue. */
void mpi_match_remove_recv(struct mpi_request *recv);

#endif
