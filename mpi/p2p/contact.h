/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_CONTACT_H
#define MPI_P2P_CONTACT_H

#include "mpi/core/rank.h"
#include "mpi/p2p/message.h"

/*
 * What messages cost between processes that did not start together (docs/model.md §9): connections
 * are set up on first contact, half of it on each side; messages are made reliable piece by piece,
 * addresses translated, by the sender's CPU before it sends.
 */
struct mpi_contacts;

/* world->contacts, where the cluster has any such cost. Errors: UTIL_ENOMEM. */
int mpi_contacts_create(struct mpi_world *world);
void mpi_contacts_destroy(struct mpi_world *world);

/* Before the message is sent, or when it is received, on that rank's fiber. */
__attribute__((cold)) void mpi_contact_spend(struct mpi_rank *me, const struct mpi_message *message,
					     bool is_send);

/* Connections that were set up, and the most of one process. */
struct mpi_contact_counts {
	uint64_t n;
	int most;
};
struct mpi_contact_counts mpi_contacts_count(const struct mpi_world *world);

#endif
