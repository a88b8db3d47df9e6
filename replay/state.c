/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay/state.h"

#include "mpi/coll/ideal.h"
#include "mpi/p2p/internal.h"
#include "netmodel/repeat.h"
#include "replay/call.h"

static bool is_quiet(const struct mpi_rank *me)
{
	const struct mpi_endpoint *endpoint = me->endpoint;

	if (me->in_progress)
		return false;
	return !endpoint || (!endpoint->posted.first && !endpoint->unexpected.first &&
			     !endpoint->arrived.first && !endpoint->deferred.first &&
			     !endpoint->lent.first && !endpoint->unmatched_partitioned);
}

/* Requests that are complete, or persistent ones that wait to be started: what else they hold has
 * no effect on times. */
static void describe_requests(const struct replay_rank *rank, struct util_words *out)
{
	for (uint32_t id = 0; id < rank->n_requests; id++) {
		const struct mpi_request *request = mpi_request_get(rank->mpi, rank->requests[id]);

		if (request)
			util_words_add(out, (uint64_t)id << 8 | request->state);
	}
	util_words_add(out, UINT64_MAX);
}

static void describe_step(const struct pd_rank *pd, struct util_words *out)
{
	util_words_add_double(out, pd->pending_s);
	for (int i = 0; i < pd->n_parts; i++) {
		util_words_add(out, (uint64_t)(uintptr_t)pd->parts[i].kernel);
		util_words_add_double(out, pd->parts[i].seconds);
	}
	util_words_add(out, (uint64_t)pd->n_parts << 1 | pd->has_ended);
}

bool replay_state_describe(const struct replay *replay, struct util_words *out,
			   struct util_words *order)
{
	const struct mpi_world *mpi = replay->mpi;

	if (mpi->messages.n_live > 0 || mpi_meetings_count(mpi, MPI_MEETING_COLL) > 0)
		return false;
	for (int i = 0; i < replay->file->n_ranks; i++) {
		const struct replay_rank *rank = &replay->ranks[i];

		if (!is_quiet(rank->mpi) ||
		    (!rank->mpi->pd->is_computing && !rank->mpi->pd->has_ended))
			return false;
		util_words_add(out, rank->at[0]);
		util_words_add(out, rank->at[1]);
		util_words_add(out, (uint64_t)rank->depth);
		describe_step(rank->mpi->pd, out);
		describe_requests(rank, out);
	}
	return net_model_describe(replay->world->model, out, order);
}
