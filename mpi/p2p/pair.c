/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Order of delivery: an open-addressing hash from (source, destination) to the last message of the
 * pair that was sent and not yet delivered. A pair with nothing under way takes no room.
 */
#include <stdlib.h>

#include "mpi/p2p/endpoint.h"
#include "mpi/p2p/message.h"

struct mpi_pair_table {
	struct mpi_message **last; /* [capacity], NULL: free */
	uint64_t capacity, n;	   /* capacity: a power of two, at least 2 n */
};

int mpi_pair_table_create(struct mpi_pair_table **out)
{
	struct mpi_pair_table *table = calloc(1, sizeof *table);

	if (!table)
		return UTIL_ENOMEM;
	table->capacity = 256;
	table->last = calloc(table->capacity, sizeof *table->last);
	if (!table->last) {
		free(table);
		return UTIL_ENOMEM;
	}
	*out = table;
	return 0;
}

void mpi_pair_table_destroy(struct mpi_pair_table *table)
{
	if (!table)
		return;
	free(table->last);
	free(table);
}

static uint64_t home(const struct mpi_pair_table *table, const struct mpi_message *message)
{
	uint64_t key =
	    (uint64_t)(uint32_t)message->source->rank << 32 | (uint32_t)message->dest->rank;

	return (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (table->capacity - 1);
}

static bool same_pair(const struct mpi_message *a, const struct mpi_message *b)
{
	return a->source == b->source && a->dest == b->dest;
}

/* The slot of the message's pair, or the free one where it belongs. */
static uint64_t find(const struct mpi_pair_table *table, const struct mpi_message *message)
{
	uint64_t i = home(table, message);

	while (table->last[i] && !same_pair(table->last[i], message))
		i = (i + 1) & (table->capacity - 1);
	return i;
}

static int grow(struct mpi_pair_table *table)
{
	struct mpi_pair_table larger = {.capacity = 4 * table->capacity, .n = table->n};

	larger.last = calloc(larger.capacity, sizeof *larger.last);
	if (!larger.last)
		return UTIL_ENOMEM;
	for (uint64_t i = 0; i < table->capacity; i++)
		if (table->last[i])
			larger.last[find(&larger, table->last[i])] = table->last[i];
	free(table->last);
	*table = larger;
	return 0;
}

bool mpi_pair_append(struct mpi_world *world, struct mpi_message *message)
{
	struct mpi_pair_table *table = world->pairs;
	struct mpi_message *before;
	uint64_t slot;

	if (2 * table->n >= table->capacity && grow(table) < 0)
		pd_fail(message->source->pd, PD_FAILURE_MEMORY,
			"out of memory with %llu pairs of ranks communicating",
			(unsigned long long)table->n);
	slot = find(table, message);
	before = table->last[slot];
	table->last[slot] = message;
	if (!before) {
		table->n++;
		return false;
	}
	before->pair_next = message;
	return true;
}

/* Frees a slot and closes the gap in its run, so that look-ups need no marks for deleted entries.
 */
static void erase(struct mpi_pair_table *table, uint64_t hole)
{
	uint64_t mask = table->capacity - 1, i = hole;

	table->n--;
	for (;;) {
		table->last[hole] = NULL;
		do {
			i = (i + 1) & mask;
			if (!table->last[i])
				return;
		} while (((i - home(table, table->last[i])) & mask) < ((i - hole) & mask));
		table->last[hole] = table->last[i];
		hole = i;
	}
}

struct mpi_message *mpi_pair_advance(struct mpi_world *world, struct mpi_message *message)
{
	struct mpi_message *next = message->pair_next;

	if (!next)
		erase(world->pairs, find(world->pairs, message));
	message->pair_next = NULL;
	return next;
}

void mpi_pair_visit(struct mpi_world *world, mpi_message_visit_fn visit, void *context)
{
	const struct mpi_pair_table *table = world->pairs;

	for (uint64_t i = 0; i < table->capacity; i++) {
		const struct mpi_message *message = table->last[i];

		if (message && !(message->context & CHANNEL_COLL) && !message->is_cancelled)
			visit(context, message->source, message->site);
	}
}
