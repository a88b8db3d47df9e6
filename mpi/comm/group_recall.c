/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/comm/group_recall.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/core/objects.h"

#define N_PLACES 64

/* The last N_PLACES groups. */
struct mpi_group_recall {
	struct memory {
		struct mpi_group_recipe recipe; /* `numbers` and references are its own */
		uint64_t hash;			/* of recipe: what differs in it is not the same */
		struct mpi_group *made;		/* NULL: free */
	} places[N_PLACES];
	int oldest;
};

static struct mpi_group_recall *recall_of(const struct mpi_world *world)
{
	const struct mpi_world_objects *objects = world->predefined;

	return objects->recall;
}

int mpi_group_recall_create(struct mpi_world *world)
{
	struct mpi_world_objects *objects = world->predefined;

	objects->recall = calloc(1, sizeof *objects->recall);
	return objects->recall ? 0 : UTIL_ENOMEM;
}

static void forget(struct memory *memory)
{
	mpi_group_release(NULL, memory->recipe.a);
	mpi_group_release(NULL, memory->recipe.b);
	mpi_group_release(NULL, memory->made);
	free((void *)memory->recipe.numbers);
	*memory = (struct memory){.made = NULL};
}

void mpi_group_recall_destroy(struct mpi_world *world)
{
	struct mpi_group_recall *recall = recall_of(world);

	for (int i = 0; recall && i < N_PLACES; i++)
		forget(&recall->places[i]);
	free(recall);
}

/* Addresses differ from run to run, so nothing but speed may depend on it. */
static uint64_t hash_of(const struct mpi_group_recipe *recipe)
{
	uint64_t hash = recipe->operation;

	hash = (hash ^ (uintptr_t)recipe->a) * 0x9e3779b97f4a7c15u;
	hash = (hash ^ (uintptr_t)recipe->b) * 0x9e3779b97f4a7c15u;
	for (int64_t i = 0; i < recipe->n; i++)
		hash = (hash ^ (uint32_t)recipe->numbers[i]) * 0x9e3779b97f4a7c15u;
	return hash;
}

static bool is_same(const struct mpi_group_recipe *a, const struct mpi_group_recipe *b)
{
	return a->operation == b->operation && a->a == b->a && a->b == b->b && a->n == b->n &&
	       (a->n == 0 || memcmp(a->numbers, b->numbers, (size_t)a->n * sizeof(int)) == 0);
}

struct mpi_group *mpi_group_recall(const struct mpi_rank *me, const struct mpi_group_recipe *recipe)
{
	struct mpi_group_recall *recall = recall_of(me->world);
	uint64_t hash = hash_of(recipe);

	for (int i = 0; i < N_PLACES; i++) {
		struct memory *memory = &recall->places[i];

		if (memory->made && memory->hash == hash && is_same(&memory->recipe, recipe)) {
			mpi_group_retain(memory->made);
			return memory->made;
		}
	}
	return NULL;
}

void mpi_group_remember(struct mpi_rank *me, const struct mpi_group_recipe *recipe,
			struct mpi_group *made)
{
	struct mpi_group_recall *recall = recall_of(me->world);
	struct memory *memory = &recall->places[recall->oldest];
	int *numbers = malloc(((size_t)recipe->n + 1) * sizeof *numbers);

	if (!numbers)
		return;
	if (recipe->n > 0)
		memcpy(numbers, recipe->numbers, (size_t)recipe->n * sizeof *numbers);
	mpi_group_retain(made);
	mpi_group_retain(recipe->a);
	if (recipe->b)
		mpi_group_retain(recipe->b);
	forget(memory);
	*memory = (struct memory){.recipe = *recipe, .hash = hash_of(recipe), .made = made};
	memory->recipe.numbers = numbers;
	recall->oldest = (recall->oldest + 1) % N_PLACES;
}
