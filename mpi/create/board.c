/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/create/board.h"

#include <stdlib.h>

#include "mpi/coll/coll.h"
#include "util/array.h"

/* The board with the caller's numbers on it; NULL when out of memory. */
static struct mpi_birth *tell(struct mpi_rank *me, const struct mpi_comm *comm,
			      const int64_t numbers[2], struct mpi_board_place place)
{
	struct mpi_birth *birth =
	    mpi_birth_join(me->world, place.parent, place.sequence, place.side);
	struct mpi_board *board = birth ? birth->shared : NULL;

	if (!birth)
		return NULL;
	if (!board) {
		board = malloc(sizeof *board + (size_t)comm->size * sizeof board->entries[0]);
		if (!board)
			return NULL;
		*board = (struct mpi_board){.size = comm->size};
		birth->shared = board;
		birth->free_shared = free;
		birth->meeting.n_left = place.n_readers;
	}
	board->entries[comm->rank] = (struct mpi_board_entry){{numbers[0], numbers[1]}, comm->rank};
	board->n_told++;
	return birth;
}

int mpi_board_share_at(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype type,
		       const int64_t numbers[2], struct mpi_board_place place,
		       struct mpi_birth **out)
{
	struct mpi_birth *birth = tell(me, comm, numbers, place);
	void *nowhere = pd_memory_absent();
	int code;

	*out = NULL;
	if (!birth)
		return MPI_ERR_NO_MEM;
	code = mpi_coll_allgather(me, nowhere, nowhere, 2, mpi_datatype_get(me, type), comm);
	/* its messages were matched by those of another operation: somebody called that */
	if (code == MPI_SUCCESS && mpi_board_of(birth)->n_told < comm->size)
		code = MPI_ERR_OTHER;
	if (code == MPI_SUCCESS)
		*out = birth;
	else
		mpi_birth_leave(me->world, birth);
	return code;
}

int mpi_board_share(struct mpi_rank *me, struct mpi_comm *comm, MPI_Datatype type,
		    const int64_t numbers[2], struct mpi_birth **out)
{
	const struct mpi_board_place place = {comm->context, comm->collective_count,
					      MPI_BIRTH_BOARD, comm->size};

	return mpi_board_share_at(me, comm, type, numbers, place, out);
}

static int compare(const void *a, const void *b)
{
	const struct mpi_board_entry *left = a, *right = b;

	for (int i = 0; i < 2; i++)
		if (left->numbers[i] != right->numbers[i])
			return left->numbers[i] < right->numbers[i] ? -1 : 1;
	return (left->rank > right->rank) - (left->rank < right->rank);
}

static bool begins_below(const void *entry, const void *first)
{
	return ((const struct mpi_board_entry *)entry)->numbers[0] < *(const int64_t *)first;
}

/* How many entries begin with less than `first`. */
static int count_below(const struct mpi_board *board, int64_t first)
{
	return (int)util_count_before(board->entries, (size_t)board->size, sizeof *board->entries,
				      begins_below, &first);
}

int mpi_board_find(struct mpi_board *board, int64_t first, const struct mpi_board_entry **out)
{
	int begin;

	if (!board->is_sorted)
		qsort(board->entries, (size_t)board->size, sizeof board->entries[0], compare);
	board->is_sorted = true;
	begin = count_below(board, first);
	*out = board->entries + begin;
	return count_below(board, first + 1) - begin;
}
