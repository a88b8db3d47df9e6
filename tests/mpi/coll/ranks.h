/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_COLL_RANKS_H
#define TESTS_MPI_COLL_RANKS_H

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"

/*
 * Ranks of a simulated run whose only work is the collectives that a test gives them. All messages
 * go by rendezvous, so a send completes as late as it can, from a buffer that must not have changed;
 * their times vary. Errors return.
 */
#define RANKS_MOST 67 /* more than two batches of a scattered alltoall */

/* Items of up to three ints; gaps between them must never be written. */
enum item_type { TYPE_INT, TYPE_TRIPLE, TYPE_GAPPY, TYPE_SHIFTED, N_TYPES };
/*
 * Two that add, and one on triples (from, to, valid) that joins adjacent ranges: any other order, or
 * a rank left out, shows. OP_SUM alone commutes.
 */
enum item_op { OP_SUM, OP_SUM_IN_ORDER, OP_JOIN, N_OPS };

/* Where ranks are: one on each node; three on each; over three in turn; as it comes. */
enum layout { LAYOUT_APART, LAYOUT_BLOCKS, LAYOUT_CYCLIC, LAYOUT_SCATTERED, N_LAYOUTS };

/* Makes the ranks, unless they are there already. */
void ranks_begin(int n, enum layout layout);
/* Lets them leave MPI. */
void ranks_end(void);
struct mpi_world *ranks_world(void);
/* Which algorithms the next collectives have. */
void ranks_select(const struct mpi_coll_selection *selection);

/* Handles are each rank's own. */
MPI_Datatype ranks_type(int rank, enum item_type type);
MPI_Op ranks_op(int rank, enum item_op op, enum item_type type);
MPI_Count item_extent(enum item_type type);
int item_n_elements(enum item_type type);
/* Element `element` of item `item`. */
int *item_element(enum item_type type, char *buf, int64_t item, int element);

/* A rank is to call this collective, after a time; `args` stays as it is until ranks_settle. */
void ranks_call(int rank, const struct mpi_coll_args *args, sim_time_ps after);
/* Goes on until nothing happens any more. The error class of each rank's call, -1 if it is in it. */
void ranks_settle(int out_errors[]);
/* Both for all ranks, which call after times that are drawn from `seed`. */
void ranks_run(const struct mpi_coll_args args[], unsigned int seed, int out_errors[]);
/* From now on: messages of the rounds from or to memory that is not absent are counted. */
void ranks_count_present(int *n_present);
/* Requests, messages or meetings that nobody waits for any more. */
bool ranks_left_something(void);

#endif
