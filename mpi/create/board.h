/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CREATE_BOARD_H
#define MPI_CREATE_BOARD_H

#include "mpi/comm/comm.h"
#include "mpi/comm/context.h"

/*
 * Two numbers from each member of a communicator, known to all. What is simulated is an allgather;
 * but as all ranks live in one process, they share one board instead of holding n pairs each, and
 * the messages carry no data. A board is a birth of its own (mpi/comm/context.h).
 */
struct mpi_board_entry {
	int64_t numbers[2];
	int rank; /* who said so */
};

struct mpi_board {
	int size, n_told;
	bool is_sorted;
	struct mpi_board_entry entries[]; /* [size] by rank, until they are sorted */
};

static inline struct mpi_board *mpi_board_of(const struct mpi_birth *birth)
{
	return birth->shared;
}

/*
 * Tells all members of `comm` the numbers, as two items of `type`, and waits until all have told
 * theirs: real messages on the collective channel. MPI_SUCCESS with *out, which everybody leaves
 * (mpi_birth_leave), or an error class. Cost: those of the allgather; O(size) memory for all.
 */
int mpi_board_share(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype type,
		    const int64_t numbers[2], struct mpi_birth **out);
/* A name that those outside `comm` can find the board by, and how many leave it in all. */
struct mpi_board_place {
	uint32_t parent, sequence;
	int side; /* MPI_BIRTH_BOARD, MPI_BIRTH_OTHER_BOARD */
	int n_readers;
};
int mpi_board_share_at(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype type,
		       const int64_t numbers[2], struct mpi_board_place place,
		       struct mpi_birth **out);
/*
 * The entries whose first number is this, ordered by the second and then by rank; returns how many.
 * Sorts at the first call: O(size log size) once for all, then O(log size).
 */
int mpi_board_find(struct mpi_board *board, int64_t first, const struct mpi_board_entry **out);

#endif
