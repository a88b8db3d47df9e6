/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/coll/rounds.h"

#include "mpi/coll/ideal.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/endpoint.h"
#include "pdexec/arch.h"

/* One run of data without gaps that is there whoever runs. */
static bool stays(const struct mpi_rank *me, const struct mpi_coll_side *side)
{
	if (mpi_counts_are_set(side->counts) || side->types)
		return false;
	return !side->type ||
	       (side->type->is_contiguous && pd_rank_memory_stays(me->pd, side->buf));
}

bool mpi_coll_can_run_apart(const struct mpi_rank *me, const struct mpi_coll *coll)
{
	const struct cluster *cluster = me->world->pd->cluster;

	return !mpi_causes_of(me) && !me->world->streams &&
	       cluster->protocol.progress == CLUSTER_PROGRESS_ASYNC &&
	       !me->world->has_send_overhead && cluster->protocol.recv_overhead_s == 0 &&
	       cluster->protocol.recv_costs.n == 0 &&
	       cluster->protocol.recv_overhead_per_B_s == 0 && coll->remote_size == 0 &&
	       coll->kind < N_COLL_KINDS && coll->algorithm != &mpi_coll_ideal &&
	       (!coll->op || coll->op->is_predefined) && stays(me, &coll->given.send) &&
	       stays(me, &coll->given.recv);
}

/* Has more to do than the collective. */
static bool is_busy(const struct mpi_rank *me)
{
	const struct mpi_endpoint *endpoint = me->endpoint;

	return endpoint->arrived.first || endpoint->deferred.first || me->in_progress;
}

/* Rounds up to one that has to be waited for; true: there is none left. */
static bool advance(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	do {
		if (mpi_coll_continue(me, coll))
			return true;
		endpoint->n_to_go = 0;
		for (int i = 0; i < coll->n_posted; i++) {
			coll->posted[i]->is_waited = coll->posted[i]->state != REQUEST_COMPLETE;
			endpoint->n_to_go += coll->posted[i]->is_waited;
		}
	} while (endpoint->n_to_go == 0);
	return false;
}

static void begin_wait(struct mpi_rank *me, const struct mpi_coll *coll)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	mpi_wait_for(endpoint, coll->n_posted, coll->posted);
	endpoint->blocked_since = me->world->pd->engine.now;
	endpoint->last_started = SIM_TIME_MAX;
	endpoint->is_blocked = true;
}

static void end_wait(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	mpi_endpoint_add_waiting(me, endpoint, endpoint->blocked_since, me->world->pd->engine.now);
	endpoint->is_blocked = false;
	mpi_wait_is_over(endpoint);
}

/* mpi_endpoint.go_on */
static bool go_on(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_coll *coll = endpoint->apart;
	struct pd_world *world = me->world->pd;
	void *outer = world->unwind, *here[PD_UNWIND_WORDS];

	/* on a fiber, or behind others that were woken: its own has its turn later */
	if (world->engine.running || world->engine.ready_first || is_busy(me) ||
	    coll->float_control != pd_arch_float_control())
		return false;
	end_wait(me);
	world->unwind = here;
	if (__builtin_setjmp(here)) { /* the run has failed */
		world->unwind = outer;
		return true;
	}
	coll->has_ended = advance(me, coll);
	world->unwind = outer;
	begin_wait(me, coll);
	return !coll->has_ended;
}

void mpi_coll_run_apart(struct mpi_rank *me, struct mpi_coll *coll)
{
	struct mpi_endpoint *endpoint = me->endpoint;

	coll->is_apart = true;
	coll->float_control = pd_arch_float_control();
	coll->has_ended = advance(me, coll);
	while (!coll->has_ended) {
		if (!is_busy(me)) {
			endpoint->apart = coll;
			endpoint->go_on = go_on;
			begin_wait(me, coll);
			sim_task_block(&me->pd->task);
			end_wait(me);
			endpoint->go_on = NULL;
		}
		if (coll->has_ended)
			break;
		if (endpoint->n_to_go > 0 && is_busy(me)) {
			for (int i = 0; i < coll->n_posted; i++)
				coll->posted[i]->is_waited = false;
			mpi_requests_wait(me, coll->n_posted, coll->posted, false);
		}
		if (endpoint->n_to_go <= 0)
			coll->has_ended = advance(me, coll);
	}
	endpoint->n_polls = 0;
	mpi_request_destroy(me, coll->spare);
}
