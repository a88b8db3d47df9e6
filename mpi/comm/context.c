/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/context.h"

#include "mpi/comm/topology.h"

#define CONTEXTS_PER_COMM 3
#define NO_PARENT UINT32_MAX

uint32_t mpi_context_new(struct mpi_world *world)
{
	uint32_t context = world->next_context ? world->next_context : MPI_CONTEXT_SELF + 1;

	world->next_context = context + CONTEXTS_PER_COMM;
	return context;
}

static void finish(void *shared)
{
	struct mpi_birth *birth = shared;

	mpi_group_release(NULL, birth->group);
	mpi_group_release(NULL, birth->other);
	mpi_topology_release(birth->topology);
	if (birth->shared)
		birth->free_shared(birth->shared);
}

static struct mpi_birth *join(struct mpi_world *world, uint32_t parent, uint32_t sequence,
			      int color, const char *name)
{
	const struct mpi_meeting_key key = {MPI_MEETING_COMM, parent, sequence, color, name};
	struct mpi_birth *birth = mpi_meeting_join(world, key, sizeof *birth, finish);

	if (birth && birth->context == 0) /* for the first one */
		birth->context = mpi_context_new(world);
	return birth;
}

struct mpi_birth *mpi_birth_join(struct mpi_world *world, uint32_t parent, uint32_t sequence,
				 int color)
{
	return join(world, parent, sequence, color, NULL);
}

struct mpi_birth *mpi_birth_join_by_name(struct mpi_world *world, const char *name, int color)
{
	uint32_t hash = 0;

	for (const char *c = name; *c; c++)
		hash = hash * 31 + (unsigned char)*c;
	return join(world, NO_PARENT, hash, color, name);
}

void mpi_birth_leave(struct mpi_world *world, struct mpi_birth *birth)
{
	mpi_meeting_leave(world, &birth->meeting);
}
