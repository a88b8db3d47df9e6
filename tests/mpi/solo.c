/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/mpi/solo.h"

#include <stdlib.h>

#include "mpi/comm/comm.h"
#include "mpi/core/errhandler.h"
#include "pdexec/arch.h"

struct solo {
	struct pd_world pd_world;
	struct pd_program program;
	struct pd_rank pd;
	struct mpi_world world;
	struct mpi_rank *ranks;
	int rank;
};

static void return_errors(struct mpi_rank *me, struct mpi_comm *comm)
{
	mpi_errhandler_release(me, comm->errhandler);
	comm->errhandler = mpi_errhandler_get(me, MPI_ERRORS_RETURN);
}

struct solo *solo_create(int n_ranks, int rank)
{
	static const struct cluster cluster = {.n_nodes = 1, .cores = 1};
	struct solo *solo = calloc(1, sizeof *solo);
	struct mpi_rank *me;

	if (!solo || !(solo->ranks = calloc((size_t)n_ranks, sizeof *solo->ranks)))
		abort();
	solo->pd_world.config.mode = PD_COMPUTE_MODELLED;
	solo->pd_world.cluster = &cluster;
	solo->pd_world.thread = pd_arch_thread_pointer();
	solo->program.config.n_ranks = n_ranks;
	solo->pd_world.programs = &solo->program;
	solo->pd_world.n_programs = 1;
	solo->pd =
	    (struct pd_rank){.rank = rank, .program = &solo->program, .world = &solo->pd_world};
	solo->world =
	    (struct mpi_world){.pd = &solo->pd_world, .n_ranks = n_ranks, .ranks = solo->ranks};
	solo->rank = rank;
	me = solo_rank(solo);
	*me = (struct mpi_rank){.pd = &solo->pd,
				.world = &solo->world,
				.rank = rank,
				.state = MPI_STATE_RUNNING,
				.n_open = 1,
				.n_opened = 1};
	solo->pd.mpi = me;
	if (mpi_handle_table_create(&solo->world.handles) < 0 ||
	    mpi_objects_create(&solo->world) < 0 || mpi_comm_init(me) < 0)
		abort();
	return_errors(me, me->comm_self);
	return_errors(me, me->comm_world);
	pd_current = &solo->pd;
	return solo;
}

void solo_destroy(struct solo *solo)
{
	mpi_comm_finish(solo_rank(solo));
	mpi_objects_destroy(&solo->world);
	mpi_handle_table_destroy(solo->world.handles);
	free(solo->ranks);
	free(solo);
	pd_current = NULL;
}

struct mpi_rank *solo_rank(struct solo *solo)
{
	return &solo->ranks[solo->rank];
}
