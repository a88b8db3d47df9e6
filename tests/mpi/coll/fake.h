/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_MPI_COLL_FAKE_H
#define TESTS_MPI_COLL_FAKE_H

#include "mpi/coll/algorithms.h"
#include "mpi/coll/operation.h"
#include "mpi/p2p/endpoint.h"

/*
 * What collectives stand on, without a simulator: ranks are stepped by hand, messages are matched
 * in order of posting and copied when both sides are there (so a send completes as late as it can,
 * from a buffer that must not have changed).
 */
#define FAKE_MAX_RANKS 67 /* more than two batches of a scattered alltoall */

/* Items of up to three ints; gaps between them must never be written. */
enum fake_type { FAKE_INT, FAKE_TRIPLE, FAKE_GAPPY, FAKE_SHIFTED, N_FAKE_TYPES };
/*
 * Two that commute, and one on triples (from, to, valid) that joins adjacent ranges: any other
 * order, or a rank left out, shows.
 */
enum fake_op { FAKE_SUM, FAKE_SUM_IN_ORDER, FAKE_JOIN, FAKE_REPLACE, N_FAKE_OPS };

struct fake_world {
	struct pd_world pd; /* nobody records */
	struct mpi_world world;
	struct mpi_rank ranks[FAKE_MAX_RANKS];
	struct pd_rank pd_ranks[FAKE_MAX_RANKS];
	struct mpi_comm comms[FAKE_MAX_RANKS];
	struct mpi_group group;
	struct mpi_endpoint endpoints[FAKE_MAX_RANKS];
	struct mpi_request *unmatched;
	struct sim_event *due; /* what collectives by formula have scheduled */
	int n_ranks, n_messages, n_requests;
	int raised;    /* class of the last mpi_raise */
	int n_present; /* messages from or to memory that is not absent */
};

extern struct fake_world fake;

/* Where ranks are: one on each node; three on each; over three in turn; as it comes. */
enum fake_layout { FAKE_APART, FAKE_BLOCKS, FAKE_CYCLIC, FAKE_SCATTERED, N_FAKE_LAYOUTS };

void fake_begin(int n_ranks, enum fake_layout layout);
/* Frees what is left; fake_begin does it, too. */
void fake_finish(void);
MPI_Datatype fake_type_handle(enum fake_type type);
struct mpi_datatype *fake_type(enum fake_type type);
MPI_Op fake_op_handle(enum fake_op op);
/* Element `element` of item `item`. */
int *fake_element(enum fake_type type, char *buf, int64_t item, int element);
int fake_n_elements(enum fake_type type);

/*
 * Runs the same collective on all ranks with the given arguments, stepping them in an order drawn
 * from `seed`. The error classes.
 */
void fake_run(const struct mpi_coll_args args[], unsigned int seed, int out_errors[]);

#endif
