/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_ROUNDS_H
#define MPI_COLL_ROUNDS_H

#include "mpi/coll/operation.h"

/*
 * Rounds of a blocking collective without the fiber of its rank. The fiber runs the first one and
 * blocks; the event that completes the last request of a round runs the next one, and only the last
 * resumes the fiber. What is simulated is the same: a rank whose last request completes in an event
 * would be resumed right after it. Where that is not so, or the rank has anything else to do, its
 * fiber goes on as always.
 */

/* Whether all of the operation can be done so: nothing that spends time, nothing of the program but
 * data at addresses that stay valid when other ranks run. */
bool mpi_coll_can_run_apart(const struct mpi_rank *me, const struct mpi_coll *coll);
/* Runs an operation that has begun and waits for its end. On the rank's fiber. */
void mpi_coll_run_apart(struct mpi_rank *me, struct mpi_coll *coll);

#endif
