/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/meeting.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/core/rank.h"
#include "util/map.h"

struct mpi_meetings {
	struct util_map of; /* struct mpi_meeting */
	size_t n_of[MPI_N_MEETING_KINDS];
};

static uint64_t hash_of(const struct mpi_meeting_key *key)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t hash = (uint64_t)key->kind << 32 | key->context;

	hash = hash * factor ^ key->sequence;
	return hash * factor ^ (uint32_t)key->part;
}

static bool is_same(const void *item, const void *wanted)
{
	const struct mpi_meeting_key *a = &((const struct mpi_meeting *)item)->key, *b = wanted;

	return a->kind == b->kind && a->context == b->context && a->sequence == b->sequence &&
	       a->part == b->part && !a->name == !b->name &&
	       (!a->name || strcmp(a->name, b->name) == 0);
}

/* The caller's key, with a copy of its name. */
static struct mpi_meeting *create(const struct mpi_meeting_key *key, size_t size_B,
				  void (*finish)(void *shared))
{
	struct mpi_meeting *meeting = calloc(1, size_B);

	if (!meeting)
		return NULL;
	meeting->key = *key;
	meeting->finish = finish;
	if (key->name && !(meeting->key.name = strdup(key->name))) {
		free(meeting);
		return NULL;
	}
	return meeting;
}

void *mpi_meeting_join(struct mpi_world *world, struct mpi_meeting_key key, size_t size_B,
		       void (*finish)(void *shared))
{
	struct mpi_meetings *meetings = world->meetings;
	struct mpi_meeting *meeting;
	uint64_t hash = hash_of(&key);

	if (!meetings)
		meetings = world->meetings = calloc(1, sizeof *meetings);
	if (!meetings)
		return NULL;
	meeting = util_map_find_equal(&meetings->of, hash, is_same, &key);
	if (meeting)
		return meeting;
	meeting = create(&key, size_B, finish);
	if (!meeting || util_map_put(&meetings->of, hash, meeting)) {
		free(meeting ? (void *)(uintptr_t)meeting->key.name : NULL);
		free(meeting);
		return NULL;
	}
	meetings->n_of[key.kind]++;
	return meeting;
}

static void destroy(struct mpi_meeting *meeting)
{
	meeting->finish(meeting);
	free((void *)(uintptr_t)meeting->key.name);
	free(meeting);
}

void mpi_meeting_leave(struct mpi_world *world, struct mpi_meeting *meeting)
{
	struct mpi_meetings *meetings = world->meetings;

	if (--meeting->n_left > 0)
		return;
	util_map_remove(&meetings->of, hash_of(&meeting->key), meeting);
	meetings->n_of[meeting->key.kind]--;
	destroy(meeting);
}

size_t mpi_meetings_count(const struct mpi_world *world, enum mpi_meeting_kind kind)
{
	return world->meetings ? world->meetings->n_of[kind] : 0;
}

void mpi_meetings_destroy(struct mpi_world *world)
{
	struct mpi_meetings *meetings = world->meetings;

	if (!meetings)
		return;
	for (size_t i = 0; i < meetings->of.n_slots; i++)
		if (meetings->of.slots[i].item)
			destroy(meetings->of.slots[i].item);
	util_map_finish(&meetings->of);
	free(meetings);
	world->meetings = NULL;
}
