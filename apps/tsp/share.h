/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_TSP_SHARE_H
#define APPS_TSP_SHARE_H

#include <mpi.h>

#include "search.h"

/* The two ways of dealing tasks to ranks. Each returns when all tasks are searched and every message has been received; tsp->best is then the
 * best that this rank heard of. Collective. */

/* Task k belongs to rank k mod n_ranks; whoever improves the bound tells everybody. */
void share_round_robin(struct tsp *tsp, MPI_Comm comm);
/* Rank 0 hands out one task at a time to whoever asks, and passes on bounds; it searches itself only when it is alone. */
void share_balanced(struct tsp *tsp, MPI_Comm comm);

#endif
