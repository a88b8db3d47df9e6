/* SPDX-License-Identifier: BSD-3-Clause */
/* Vector clocks, and what carries them from rank to rank. */
#include <stdlib.h>
#include <string.h>

#include "mpi/verify/races.h"
#include "util/array.h"

struct mpi_race_stamp *mpi_races_stamp(struct mpi_races *races, int rank)
{
	size_t size_B = (size_t)races->n * sizeof(uint32_t);
	struct mpi_race_stamp *stamp = races->stamps[rank];

	if (!stamp) {
		stamp = malloc(sizeof *stamp + size_B);
		if (!stamp)
			mpi_request_fail_memory(&races->world->ranks[rank]);
		stamp->n_references = 1;
		memcpy(stamp->clock, mpi_races_clock(races, rank), size_B);
		races->stamps[rank] = stamp;
	}
	stamp->n_references++;
	return stamp;
}

void mpi_races_release(struct mpi_race_stamp *stamp)
{
	if (stamp && --stamp->n_references == 0)
		free(stamp);
}

static void forget(struct mpi_races *races, int rank)
{
	mpi_races_release(races->stamps[rank]);
	races->stamps[rank] = NULL;
}

void mpi_races_tick(struct mpi_races *races, int rank)
{
	forget(races, rank);
	mpi_races_clock(races, rank)[rank]++;
}

static void later(uint32_t *into, const uint32_t *clock, int n)
{
	for (int i = 0; i < n; i++)
		into[i] = clock[i] > into[i] ? clock[i] : into[i];
}

void mpi_races_join(struct mpi_races *races, int rank, const uint32_t *clock)
{
	if (!clock)
		return;
	forget(races, rank);
	later(mpi_races_clock(races, rank), clock, races->n);
}

void mpi_races_merge(const struct mpi_races *races, uint32_t **into, const uint32_t *clock)
{
	if (!clock)
		return;
	if (!*into)
		*into = calloc((size_t)races->n, sizeof **into);
	if (*into)
		later(*into, clock, races->n);
}

/* --- messages --- */

struct sent {
	int tag;
	struct mpi_race_stamp *stamp;
};

struct queue {
	struct sent *messages; /* [n], oldest first */
	size_t n;
};

static uint64_t key_of(uint64_t channel, int from, int to)
{
	uint64_t words[] = {channel, (uint64_t)from << 32 | (uint32_t)to};

	return util_hash(words, sizeof words, 0);
}

void mpi_races_send(struct mpi_races *races, uint64_t channel, int from, int to, int tag)
{
	uint64_t key = key_of(channel, from, to);
	struct util_map_slot *slot = util_map_find(&races->queues, key);
	struct queue *queue = slot ? slot->item : calloc(1, sizeof *queue);

	if (!queue || (!slot && util_map_put(&races->queues, key, queue)))
		return;
	if (!util_array_room(&queue->messages, queue->n, sizeof *queue->messages))
		return;
	queue->messages[queue->n++] = (struct sent){tag, mpi_races_stamp(races, from)};
	mpi_races_tick(races, from);
}

static struct queue *queue_of(const struct mpi_races *races, uint64_t channel, int from, int to)
{
	struct util_map_slot *slot = util_map_find(&races->queues, key_of(channel, from, to));

	return slot ? slot->item : NULL;
}

/* The oldest one of that tag; n: there is none. */
static size_t find(const struct queue *queue, int tag)
{
	size_t i = 0;

	while (i < queue->n && queue->messages[i].tag != tag)
		i++;
	return i;
}

const struct mpi_race_stamp *mpi_races_peek(const struct mpi_races *races, uint64_t channel,
					    int from, int to, int tag)
{
	const struct queue *queue = queue_of(races, channel, from, to);
	size_t i = queue ? find(queue, tag) : 0;

	return queue && i < queue->n ? queue->messages[i].stamp : NULL;
}

struct mpi_race_stamp *mpi_races_recv(struct mpi_races *races, uint64_t channel, int from, int to,
				      int tag)
{
	struct queue *queue = queue_of(races, channel, from, to);
	size_t i = queue ? find(queue, tag) : 0;
	struct mpi_race_stamp *stamp;

	if (!queue || i == queue->n)
		return NULL;
	stamp = queue->messages[i].stamp;
	queue->n--;
	memmove(queue->messages + i, queue->messages + i + 1,
		(queue->n - i) * sizeof *queue->messages);
	return stamp;
}

void mpi_races_publish(struct mpi_races *races, uint64_t key, int rank)
{
	struct util_map_slot *slot = util_map_find(&races->published, key);
	uint32_t *clock = slot ? slot->item : NULL;

	mpi_races_merge(races, &clock, mpi_races_clock(races, rank));
	if (!slot && clock && util_map_put(&races->published, key, clock))
		free(clock);
	mpi_races_tick(races, rank);
}

void mpi_races_learn(struct mpi_races *races, uint64_t key, int rank)
{
	struct util_map_slot *slot = util_map_find(&races->published, key);

	if (slot)
		mpi_races_join(races, rank, slot->item);
}

/* --- all of it --- */

static bool allocate(struct mpi_races *races)
{
	size_t n = (size_t)races->n;

	races->clocks = calloc(n * n, sizeof *races->clocks);
	races->stamps = calloc(n, sizeof *races->stamps);
	races->freed = calloc(n, sizeof *races->freed);
	races->deeds = calloc(n, sizeof *races->deeds);
	races->spaces = calloc(n + 1, sizeof *races->spaces);
	for (int i = 0; races->clocks && i < races->n; i++)
		mpi_races_clock(races, i)[i] = 1;
	return races->clocks && races->stamps && races->freed && races->deeds && races->spaces;
}

int mpi_races_create(struct mpi_memory *memory, struct mpi_races **out)
{
	struct mpi_races *races = calloc(1, sizeof *races);

	if (!races)
		return UTIL_ENOMEM;
	races->memory = memory;
	races->world = memory->world;
	races->n = memory->world->n_ranks;
	races->is_separate = rma_is_separate(memory->world);
	if (!allocate(races)) {
		mpi_races_destroy(races);
		return UTIL_ENOMEM;
	}
	mpi_races_look_at_synchronous(races);
	*out = races;
	return 0;
}

static void finish_spaces(struct mpi_races *races)
{
	for (int i = 0; races->spaces && i <= races->n; i++) {
		for (size_t k = 0; k < races->spaces[i].n; k++) {
			mpi_races_drop(races->spaces[i].accesses[k].operation);
			mpi_races_release(races->spaces[i].accesses[k].start);
		}
		free(races->spaces[i].accesses);
	}
	free(races->spaces);
}

void mpi_races_destroy(struct mpi_races *races)
{
	if (!races)
		return;
	finish_spaces(races);
	for (size_t i = 0; i < races->queues.n_slots; i++) {
		struct queue *queue = races->queues.slots[i].item;

		for (size_t k = 0; queue && k < queue->n; k++)
			mpi_races_release(queue->messages[k].stamp);
		if (queue)
			free(queue->messages);
	}
	for (int i = 0; races->stamps && i < races->n; i++)
		mpi_races_release(races->stamps[i]);
	util_map_finish_items(&races->queues);
	util_map_finish_items(&races->published);
	util_map_finish(&races->epochs); /* what windows left open goes with the process */
	util_map_finish_items(&races->meetings);
	util_map_finish(&races->counts);
	free(races->regions);
	free(races->stamps);
	free(races->freed);
	free(races->deeds);
	free(races->clocks);
	free(races);
}
