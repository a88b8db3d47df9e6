/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_ORDER_H
#define MPI_COLL_ORDER_H

#include "mpi/coll/operation.h"

/*
 * The ranks of a communicator have to call the same collectives in the same order, with the same
 * root and the same predefined operation (MPI 4.1, sections 6.1 and 6.12). Otherwise messages of
 * one operation may well match those of another, and the program goes on with wrong data. Each
 * communicator has a queue of the operations that some of its ranks have called and others have
 * not; the first rank's call is what the others' are compared with.
 */
struct mpi_coll_orders; /* of a world */

/*
 * `me` calls `coll`, whose tag is its place in the order; ends the run when another rank called
 * something else there. Communicators of one rank are not looked at. Cost: O(1), amortized; 64 B
 * for an operation that some ranks have not called yet.
 */
void mpi_coll_order_check(struct mpi_rank *me, const struct mpi_coll *coll);
/* Calls visit(context, rank, function, site, n) for each operation that `n` > 0 ranks never called:
 * the first rank that did, with its call; in the order of communicators. */
void mpi_coll_order_visit(const struct mpi_world *world,
			  void (*visit)(void *context, int rank, const char *function,
					const void *site, int n),
			  void *context);

/*
 * Collective accesses to a file that are not the same function, which the standard asks for and
 * libraries do not: two ranks with their calls. Of each pair of places the first, some 16 at most.
 */
struct mpi_coll_mixed {
	int ranks[2];
	const char *functions[2];
	const void *sites[2];
};
const struct mpi_coll_mixed *mpi_coll_order_mixed(const struct mpi_world *world, int *out_n);
void mpi_coll_orders_destroy(struct mpi_coll_orders *orders); /* NULL is fine */

#endif
