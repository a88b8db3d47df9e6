// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/collectives.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/error.h"
#include "util/map.h"

struct entry {
	int rank, comm_rank, site;
	sim_time_ps time;
};

struct instance {
	enum sim_collective_shape shape;
	int n_ranks, root;
	bool is_barrier;
	struct entry *entries; /* [n] in order of time */
	int n;
};

struct trace_collectives {
	trace_collective_fn wait;
	void *context;
	struct util_map
	    instances; /* by communicator and sequence: those that not all have entered */
};

int trace_collectives_create(trace_collective_fn wait, void *context,
			     struct trace_collectives **out)
{
	struct trace_collectives *collectives = calloc(1, sizeof *collectives);

	if (!collectives)
		return UTIL_ENOMEM;
	collectives->wait = wait;
	collectives->context = context;
	*out = collectives;
	return 0;
}

static void instance_free(struct instance *instance)
{
	if (instance)
		free(instance->entries);
	free(instance);
}

void trace_collectives_destroy(struct trace_collectives *collectives)
{
	if (!collectives)
		return;
	for (size_t i = 0; i < collectives->instances.n_slots; i++)
		instance_free(collectives->instances.slots[i].item);
	util_map_finish(&collectives->instances);
	free(collectives);
}

static struct instance *create(struct trace_collectives *collectives, uint64_t key,
			       const struct sim_cause_collective *entered)
{
	struct instance *instance = calloc(1, sizeof *instance);

	if (!instance || util_map_put(&collectives->instances, key, instance)) {
		free(instance);
		return NULL;
	}
	instance->shape = entered->shape;
	instance->root = entered->root;
	instance->n_ranks = entered->n_ranks;
	instance->is_barrier = strcmp(entered->place.function, "MPI_Barrier") == 0;
	return instance;
}

static int append(struct instance *instance, struct entry entry)
{
	if (!util_array_room(&instance->entries, (size_t)instance->n, sizeof *instance->entries))
		return -1;
	instance->entries[instance->n++] = entry;
	return 0;
}

/* Whether `entry` does not leave before the rank of the communicator has come. */
static bool needs(const struct instance *instance, const struct entry *entry, int comm_rank)
{
	switch (instance->shape) {
	case SIM_COLLECTIVE_FROM:
		return comm_rank == instance->root;
	case SIM_COLLECTIVE_TO:
		return entry->comm_rank == instance->root;
	case SIM_COLLECTIVE_SCAN:
		return comm_rank <= entry->comm_rank;
	default:
		return true;
	}
}

/* The last of those that came whom `entry` needs. Entries are in order of time. */
static const struct entry *last_needed(const struct instance *instance, const struct entry *entry)
{
	for (int i = instance->n - 1; i >= 0; i--)
		if (needs(instance, entry, instance->entries[i].comm_rank))
			return &instance->entries[i];
	return entry;
}

static void settle(struct trace_collectives *collectives, const struct instance *instance)
{
	for (int i = 0; i < instance->n; i++) {
		const struct entry *entry = &instance->entries[i];
		const struct entry *last = last_needed(instance, entry);
		const struct trace_collective_wait wait = {
		    .rank = entry->rank,
		    .site = entry->site,
		    .by = last->rank,
		    .is_barrier = instance->is_barrier,
		    .begin = entry->time,
		    .end = last->time,
		};

		if (wait.end > wait.begin)
			collectives->wait(collectives->context, &wait);
	}
}

/* How many of the communicator's ranks `entry` needs. */
static int n_needed(const struct instance *instance, const struct entry *entry)
{
	switch (instance->shape) {
	case SIM_COLLECTIVE_FROM:
		return 1;
	case SIM_COLLECTIVE_TO:
		return entry->comm_rank == instance->root ? instance->n_ranks : 0;
	case SIM_COLLECTIVE_SCAN:
		return entry->comm_rank + 1;
	default:
		return instance->n_ranks;
	}
}

/* Not all have come. */
static void settle_open(struct trace_collectives *collectives, const struct instance *instance,
			sim_time_ps now)
{
	for (int i = 0; i < instance->n; i++) {
		const struct entry *entry = &instance->entries[i];
		int n_missing = n_needed(instance, entry);
		struct trace_collective_wait wait = {
		    .rank = entry->rank,
		    .site = entry->site,
		    .by = -1,
		    .is_barrier = instance->is_barrier,
		    .begin = entry->time,
		    .end = now,
		};

		for (int k = 0; k < instance->n; k++)
			n_missing -= needs(instance, entry, instance->entries[k].comm_rank);
		if (n_missing <= 0)
			wait.end = last_needed(instance, entry)->time;
		wait.is_open = n_missing > 0;
		if (wait.end > wait.begin)
			collectives->wait(collectives->context, &wait);
	}
}

void trace_collectives_close(struct trace_collectives *collectives, sim_time_ps now)
{
	for (size_t i = 0; i < collectives->instances.n_slots; i++)
		if (collectives->instances.slots[i].item)
			settle_open(collectives, collectives->instances.slots[i].item, now);
}

int trace_collectives_enter(struct trace_collectives *collectives,
			    const struct sim_cause_collective *entered, int site, sim_time_ps now)
{
	uint64_t key = (uint64_t)entered->comm << 32 | entered->sequence;
	const struct util_map_slot *slot = util_map_find(&collectives->instances, key);
	struct instance *instance = slot ? slot->item : create(collectives, key, entered);

	if (!instance ||
	    append(instance, (struct entry){entered->place.rank, entered->rank, site, now}))
		return UTIL_ENOMEM;
	if (instance->n < entered->n_ranks)
		return 0;
	settle(collectives, instance);
	util_map_remove(&collectives->instances, key, instance);
	instance_free(instance);
	return 0;
}
