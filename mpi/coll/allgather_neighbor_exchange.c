/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks 2q and 2q + 1 exchange their blocks and have those of pair q; then in each round a rank
 * swaps what it got last with the neighbour on its other side, in turn: n/2 rounds, n even. In
 * round i > 0 the even rank of pair q gets pair q - ceil(i/2) when i is odd and q + i/2 when it is
 * even, and the odd rank the other way round.
 */
#include "mpi/coll/algorithms.h"
#include "mpi/coll/packed.h"

static bool fits(const struct mpi_coll *coll)
{
	return coll->size % 2 == 0;
}

/* The pair whose blocks the rank gets in round i; in round 0, its own. */
static int pair_of(const struct mpi_coll *coll, int rank, int i)
{
	int n_pairs = coll->size / 2, distance = (i + 1) / 2;
	bool is_up = (i % 2 == 0) == (rank % 2 == 0);

	return (rank / 2 + (is_up ? distance : n_pairs - distance)) % n_pairs;
}

static bool run_round(struct mpi_rank *me, struct mpi_coll *coll)
{
	int n = coll->size, rank = coll->rank, i = coll->step;
	bool is_up = (i % 2 == 0) == (rank % 2 == 0);
	int peer = (rank + (is_up ? 1 : n - 1)) % n;
	struct mpi_coll_block in, out;

	if (i == 0)
		mpi_coll_packed_begin(me, coll, 0);
	if (i == n / 2) {
		mpi_coll_packed_end(me, coll, &coll->call.recv);
		return true;
	}
	in = i == 0 ? mpi_coll_packed_blocks(me, coll, peer, 1)
		    : mpi_coll_packed_blocks(me, coll, 2 * pair_of(coll, rank, i), 2);
	out = i == 0 ? mpi_coll_packed_blocks(me, coll, rank, 1)
		     : mpi_coll_packed_blocks(me, coll, 2 * pair_of(coll, rank, i - 1), 2);
	mpi_coll_recv_some(me, coll, in, peer);
	mpi_coll_send_some(me, coll, out, peer);
	return false;
}

const struct mpi_coll_algorithm mpi_coll_allgather_neighbor_exchange = {
    .name = "neighbor_exchange",
    .kinds = MPI_COLL_KIND(COLL_ALLGATHER) | MPI_COLL_KIND(COLL_ALLGATHERV),
    .fits = fits,
    .stages = {{NULL, run_round}},
};
