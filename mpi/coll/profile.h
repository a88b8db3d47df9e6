/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_PROFILE_H
#define MPI_COLL_PROFILE_H

#include "mpi/coll/algorithms.h"
#include "cluster/cluster.h"

/*
 * A profile says which algorithm does an operation: a table of rules, by communicator size and
 * message size. `mpisim-run --coll rules` prints them all.
 */
enum mpi_coll_condition {
	RULE_COMMUTES = 1,
	RULE_NOT_COMMUTES = 2,
	RULE_PREDEFINED = 4,   /* the operation is one of the standard's */
	RULE_POWER_OF_TWO = 8, /* the number of ranks is one */
};

/* Holds for fewer than `ranks_below` ranks and less than `below_B` bytes, when all `conditions` do.
 */
struct mpi_coll_rule {
	int ranks_below;	 /* 0: any number */
	int64_t below_B;	 /* 0: any size, also where ranks do not know a common one */
	unsigned int conditions; /* enum mpi_coll_condition */
	const struct mpi_coll_algorithm *algorithm; /* NULL: the end of the table */
};

/* What does the work of an algorithm that a rule names and that cannot do this operation. */
struct mpi_coll_substitute {
	const struct mpi_coll_algorithm *algorithm, *instead;
};

struct mpi_coll_profile {
	const char *name, *title;
	/* The first rule that holds, and whose algorithm or substitute can do it, is obeyed. */
	const struct mpi_coll_rule *rules[N_COLL_KINDS];
	const struct mpi_coll_substitute *substitutes; /* ends with NULL */
	/*
	 * The size is that of all ranks' blocks together for these kinds, else of one (of
	 * allgatherv the mean): MPI_COLL_KIND(…) | …
	 */
	uint32_t by_total;
	/* Kinds with rules for algorithms that need to know who shares a node: MPI_COLL_KIND(…) | …
	 */
	uint32_t by_node;
};

extern const struct mpi_coll_profile mpi_coll_profile_default, mpi_coll_profile_openmpi,
    mpi_coll_profile_mpich, mpi_coll_profile_ideal;
/* By enum cluster_coll_profile, in its order; ends with NULL. */
extern const struct mpi_coll_profile *const mpi_coll_profiles[];

#endif
