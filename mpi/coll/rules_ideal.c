/* SPDX-License-Identifier: BSD-3-Clause */
/* Everything by formula, as far as there is one. */
#include "mpi/coll/ideal.h"
#include "mpi/coll/profile.h"

static const struct mpi_coll_rule rules[] = {{0, 0, 0, &mpi_coll_ideal}, {0}};

const struct mpi_coll_profile mpi_coll_profile_ideal = {
    .name = "ideal",
    .title = "formulas instead of messages",
    .rules = {[COLL_BARRIER] = rules,
	      [COLL_BCAST] = rules,
	      [COLL_GATHER] = rules,
	      [COLL_GATHERV] = rules,
	      [COLL_SCATTER] = rules,
	      [COLL_SCATTERV] = rules,
	      [COLL_ALLGATHER] = rules,
	      [COLL_ALLGATHERV] = rules,
	      [COLL_ALLTOALL] = rules,
	      [COLL_ALLTOALLV] = rules,
	      [COLL_ALLTOALLW] = rules,
	      [COLL_REDUCE] = rules,
	      [COLL_ALLREDUCE] = rules,
	      [COLL_REDUCE_SCATTER] = rules,
	      [COLL_REDUCE_SCATTER_BLOCK] = rules,
	      [COLL_SCAN] = rules,
	      [COLL_EXSCAN] = rules},
};
