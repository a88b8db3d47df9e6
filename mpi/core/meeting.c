/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/core/meeting.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/core/rank.h"

enum { FIRST_BUCKETS = 64 };

struct mpi_meetings {
	struct mpi_meeting **buckets; /* [n_buckets], a power of two; NULL: none yet */
	size_t n_buckets, n;
	size_t n_of[MPI_N_MEETING_KINDS];
};

static struct mpi_meeting **bucket(const struct mpi_meetings *meetings,
				   const struct mpi_meeting_key *key)
{
	const uint64_t factor = 0x9e3779b97f4a7c15u;
	uint64_t hash = (uint64_t)key->kind << 32 | key->context;

	hash = hash * factor ^ key->sequence;
	hash = hash * factor ^ (uint32_t)key->part;
	hash *= factor;
	return &meetings->buckets[hash >> 32 & (meetings->n_buckets - 1)];
}

static bool is_same(const struct mpi_meeting_key *a, const struct mpi_meeting_key *b)
{
	return a->kind == b->kind && a->context == b->context && a->sequence == b->sequence &&
	       a->part == b->part && !a->name == !b->name &&
	       (!a->name || strcmp(a->name, b->name) == 0);
}

/* More buckets; stays as it is when there is no memory. */
static void grow(struct mpi_meetings *meetings)
{
	struct mpi_meetings larger = *meetings;

	larger.n_buckets = meetings->n_buckets ? 2 * meetings->n_buckets : FIRST_BUCKETS;
	larger.buckets = calloc(larger.n_buckets, sizeof(struct mpi_meeting *));
	if (!larger.buckets)
		return;
	for (size_t i = 0; i < meetings->n_buckets; i++) {
		while (meetings->buckets[i]) {
			struct mpi_meeting *meeting = meetings->buckets[i];
			struct mpi_meeting **to = bucket(&larger, &meeting->key);

			meetings->buckets[i] = meeting->next;
			meeting->next = *to;
			*to = meeting;
		}
	}
	free(meetings->buckets);
	*meetings = larger;
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
	struct mpi_meeting **at, *meeting;

	if (!meetings)
		meetings = world->meetings = calloc(1, sizeof *meetings);
	if (meetings && meetings->n >= meetings->n_buckets)
		grow(meetings);
	if (!meetings || !meetings->buckets)
		return NULL;
	at = bucket(meetings, &key);
	for (meeting = *at; meeting; meeting = meeting->next)
		if (is_same(&meeting->key, &key))
			return meeting;
	meeting = create(&key, size_B, finish);
	if (!meeting)
		return NULL;
	meeting->next = *at;
	*at = meeting;
	meetings->n++;
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
	struct mpi_meeting **link;

	if (--meeting->n_left > 0)
		return;
	link = bucket(meetings, &meeting->key);
	while (*link != meeting)
		link = &(*link)->next;
	*link = meeting->next;
	meetings->n--;
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
	for (size_t i = 0; i < meetings->n_buckets; i++) {
		for (struct mpi_meeting *m = meetings->buckets[i], *next; m; m = next) {
			next = m->next;
			destroy(m);
		}
	}
	free(meetings->buckets);
	free(meetings);
	world->meetings = NULL;
}
