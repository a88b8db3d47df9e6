/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "mpi/coll/algorithms.h"
#include "mpi/coll/order.h"
#include "mpi/coll/uses.h"
#include "mpi/comm/comm.h"
#include "mpi/core/rank.h"
#include "mpi/dynamic/port.h"
#include "mpi/dynamic/spawn.h"
#include "mpi/env/env.h"
#include "mpi/io/io.h"
#include "mpi/p2p/endpoint.h"
#include "mpi/rma/rma.h"
#include "mpi/verify/verify.h"
#include "mpi/watch/watch.h"

void mpi_world_extend(struct mpi_world *world)
{
	const struct sim_observers *observers = &world->pd->observers;

	for (; world->n_ranks < world->pd->n_ranks; world->n_ranks++) {
		struct mpi_rank *me = &world->ranks[world->n_ranks];

		me->pd = &world->pd->ranks[world->n_ranks];
		me->world = world;
		me->rank = world->n_ranks;
		me->causes = observers->causes;
		if (observers->tally)
			me->tally = observers->tally->rank(observers->tally->context, me->rank);
		me->pd->mpi = me;
		if (world->verify)
			mpi_verify_add_rank(me);
	}
}

static int create_ranks(struct mpi_world *world)
{
	const struct pd_world *pd = world->pd;
	size_t capacity = (size_t)pd->n_ranks + (size_t)pd->config.max_spawned;

	world->ranks = calloc(capacity, sizeof *world->ranks);
	if (!world->ranks)
		return UTIL_ENOMEM;
	mpi_world_extend(world);
	return 0;
}

static int select_collectives(struct mpi_world *world, struct util_error *err)
{
	struct mpi_coll_selection *selection = calloc(1, sizeof *selection);

	world->coll_selection = selection;
	world->coll_uses = calloc(1, sizeof *world->coll_uses);
	if (!selection || !world->coll_uses)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the MPI layer");
	return mpi_coll_select_cluster(selection, world->pd->cluster, err);
}

int mpi_world_create(struct pd_world *pd, struct mpi_world **out, struct util_error *err)
{
	struct mpi_world *world = calloc(1, sizeof *world);
	int failed;

	if (!world)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the MPI layer");
	world->pd = pd;
	if (mpi_handle_table_create(&world->handles) < 0 || create_ranks(world) < 0 ||
	    mpi_p2p_create(world) < 0 || mpi_objects_create(world) < 0 ||
	    mpi_rma_create(world) < 0 || mpi_io_create(world) < 0) {
		mpi_world_destroy(world);
		return util_error_set(err, UTIL_ENOMEM,
				      "out of memory for the MPI layer of %d ranks", pd->n_ranks);
	}
	failed = select_collectives(world, err);
	if (failed) {
		mpi_world_destroy(world);
		return failed;
	}
	pd->mpi = world;
	pd->mpi_rank_end = mpi_env_rank_end;
	*out = world;
	return 0;
}

void mpi_world_destroy(struct mpi_world *world)
{
	if (!world)
		return;
	mpi_verify_destroy(world->verify);
	mpi_leaks_destroy(world->leaks);
	mpi_watch_destroy(world->watch);
	mpi_ports_destroy(world);
	mpi_spawns_destroy(world);
	mpi_io_destroy(world);
	mpi_rma_destroy(world);
	mpi_objects_destroy(world);
	mpi_p2p_destroy(world);
	mpi_coll_orders_destroy(world->coll_orders);
	if (world->coll_uses)
		mpi_coll_uses_finish(world->coll_uses);
	free(world->coll_uses);
	free((void *)(uintptr_t)world->coll_selection);
	free(world->ranks);
	mpi_handle_table_destroy(world->handles);
	free(world);
}
