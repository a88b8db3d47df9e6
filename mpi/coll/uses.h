/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_COLL_USES_H
#define MPI_COLL_USES_H

#include "mpi/coll/operation.h"

/* Which algorithm did how many operations of a kind; the library's own ones too. */
struct mpi_coll_use {
	enum mpi_coll_kind kind;
	const struct mpi_coll_algorithm *algorithm;
	uint64_t n, n_at_mark;
};
struct mpi_coll_uses {
	int n;
	struct mpi_coll_use *list; /* [n], in the order of their first use */
};

/*
 * An operation begins on a rank. Counted once per operation, on an intercommunicator once per
 * group: by its rank 0. Cost: the list's length there, nothing on others. Out of memory it is not
 * counted.
 */
void mpi_coll_note_use(struct mpi_coll_uses *uses, const struct mpi_coll *coll);
/* Remembers the counts as they are; adds what has come since then `n` times more. */
void mpi_coll_uses_mark(struct mpi_coll_uses *uses);
void mpi_coll_uses_repeat(struct mpi_coll_uses *uses, uint64_t n);
void mpi_coll_uses_finish(struct mpi_coll_uses *uses);

#endif
