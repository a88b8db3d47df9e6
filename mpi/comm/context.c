/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/context.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/topo/topology.h"

#define INITIAL_BUCKETS 64
#define CONTEXTS_PER_COMM 3
#define NO_PARENT UINT32_MAX

struct registry {
	struct mpi_birth **buckets; /* [n_buckets], a power of two */
	size_t n_buckets, n_births;
	uint32_t next_context;
};

int mpi_context_registry_create(struct mpi_world *world)
{
	struct registry *registry = calloc(1, sizeof *registry);

	if (!registry)
		return UTIL_ENOMEM;
	registry->next_context = MPI_CONTEXT_SELF + 1;
	registry->n_buckets = INITIAL_BUCKETS;
	registry->buckets = calloc(INITIAL_BUCKETS, sizeof(struct mpi_birth *));
	if (!registry->buckets) {
		free(registry);
		return UTIL_ENOMEM;
	}
	world->contexts = registry;
	return 0;
}

static void destroy(struct mpi_birth *birth)
{
	mpi_group_release(NULL, birth->group);
	mpi_group_release(NULL, birth->other);
	free(birth->name);
	mpi_topology_release(birth->topology);
	if (birth->shared)
		birth->free_shared(birth->shared);
	free(birth);
}

void mpi_context_registry_destroy(struct mpi_world *world)
{
	struct registry *registry = world->contexts;

	if (!registry)
		return;
	for (size_t i = 0; i < registry->n_buckets; i++) {
		while (registry->buckets[i]) {
			struct mpi_birth *next = registry->buckets[i]->next;

			destroy(registry->buckets[i]);
			registry->buckets[i] = next;
		}
	}
	free(registry->buckets);
	free(registry);
	world->contexts = NULL;
}

uint32_t mpi_context_new(struct mpi_world *world)
{
	struct registry *registry = world->contexts;

	registry->next_context += CONTEXTS_PER_COMM;
	return registry->next_context - CONTEXTS_PER_COMM;
}

static struct mpi_birth **bucket(const struct registry *registry, uint32_t parent,
				 uint32_t sequence, int color)
{
	uint64_t hash = parent;

	hash = (hash * 0x9e3779b97f4a7c15u) ^ sequence;
	hash = (hash * 0x9e3779b97f4a7c15u) ^ (uint32_t)color;
	hash *= 0x9e3779b97f4a7c15u;
	return &registry->buckets[hash >> 32 & (registry->n_buckets - 1)];
}

/* Doubles the table; stays as it is when there is no memory. */
static void grow(struct registry *registry)
{
	struct registry larger = {.n_buckets = 2 * registry->n_buckets};

	larger.buckets = calloc(larger.n_buckets, sizeof(struct mpi_birth *));
	if (!larger.buckets)
		return;
	for (size_t i = 0; i < registry->n_buckets; i++) {
		while (registry->buckets[i]) {
			struct mpi_birth *birth = registry->buckets[i];
			struct mpi_birth **to =
			    bucket(&larger, birth->parent, birth->sequence, birth->color);

			registry->buckets[i] = birth->next;
			birth->next = *to;
			*to = birth;
		}
	}
	free(registry->buckets);
	registry->buckets = larger.buckets;
	registry->n_buckets = larger.n_buckets;
}

static bool is_birth(const struct mpi_birth *birth, uint32_t parent, uint32_t sequence, int color,
		     const char *name)
{
	return birth->parent == parent && birth->sequence == sequence && birth->color == color &&
	       (!name || strcmp(birth->name, name) == 0);
}

static struct mpi_birth *join(struct mpi_world *world, uint32_t parent, uint32_t sequence,
			      int color, const char *name)
{
	struct registry *registry = world->contexts;
	struct mpi_birth **at = bucket(registry, parent, sequence, color);
	struct mpi_birth *birth = *at;

	while (birth && !is_birth(birth, parent, sequence, color, name))
		birth = birth->next;
	if (birth)
		return birth;
	birth = calloc(1, sizeof *birth);
	if (!birth)
		return NULL;
	*birth = (struct mpi_birth){.parent = parent, .sequence = sequence, .color = color};
	if (name && !(birth->name = strdup(name))) {
		free(birth);
		return NULL;
	}
	birth->context = mpi_context_new(world);
	if (++registry->n_births > registry->n_buckets) {
		grow(registry);
		at = bucket(registry, parent, sequence, color);
	}
	birth->next = *at;
	*at = birth;
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
	struct registry *registry = world->contexts;
	struct mpi_birth **link = bucket(registry, birth->parent, birth->sequence, birth->color);

	if (--birth->n_left > 0)
		return;
	while (*link != birth)
		link = &(*link)->next;
	*link = birth->next;
	registry->n_births--;
	destroy(birth);
}
