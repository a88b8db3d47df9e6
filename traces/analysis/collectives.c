// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/collectives.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

enum { N_BUCKETS = 1024 };

struct entry {
	int rank, comm_rank, site;
	sim_time_ps time;
};

struct instance {
	struct instance *next;
	uint32_t comm, sequence;
	struct entry *entries; /* [n] in order of time */
	int n, capacity;
};

struct trace_collectives {
	trace_collective_fn wait;
	void *context;
	struct instance *buckets[N_BUCKETS];
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
	free(instance->entries);
	free(instance);
}

void trace_collectives_destroy(struct trace_collectives *collectives)
{
	if (!collectives)
		return;
	for (int i = 0; i < N_BUCKETS; i++)
		while (collectives->buckets[i]) {
			struct instance *first = collectives->buckets[i];

			collectives->buckets[i] = first->next;
			instance_free(first);
		}
	free(collectives);
}

static struct instance **find(struct trace_collectives *collectives, uint32_t comm,
			      uint32_t sequence)
{
	uint32_t hash = comm * 0x9e3779b1u + sequence * 0x85ebca6bu;
	struct instance **link = &collectives->buckets[hash >> 16 & (N_BUCKETS - 1)];

	while (*link && ((*link)->comm != comm || (*link)->sequence != sequence))
		link = &(*link)->next;
	return link;
}

static int append(struct instance *instance, struct entry entry)
{
	if (instance->n == instance->capacity) {
		int capacity = instance->capacity ? 2 * instance->capacity : 8;
		struct entry *entries =
		    realloc(instance->entries, (size_t)capacity * sizeof *entries);

		if (!entries)
			return -1;
		instance->entries = entries;
		instance->capacity = capacity;
	}
	instance->entries[instance->n++] = entry;
	return 0;
}

/* When the last of those came whom `entry` needs: by rank in the communicator below it, the root,
 * or all. Entries are in order of time. */
static sim_time_ps last_needed(const struct instance *instance, const struct entry *entry,
			       const struct sim_cause_collective *last)
{
	int i = instance->n - 1;

	if (last->shape == SIM_COLLECTIVE_TO && entry->comm_rank != last->root)
		return entry->time;
	while (i >= 0 && last->shape == SIM_COLLECTIVE_FROM &&
	       instance->entries[i].comm_rank != last->root)
		i--;
	while (i >= 0 && last->shape == SIM_COLLECTIVE_SCAN &&
	       instance->entries[i].comm_rank > entry->comm_rank)
		i--;
	return i >= 0 ? instance->entries[i].time : entry->time;
}

static void settle(struct trace_collectives *collectives, const struct instance *instance,
		   const struct sim_cause_collective *last)
{
	int is_barrier = strcmp(last->place.function, "MPI_Barrier") == 0;

	for (int i = 0; i < instance->n; i++) {
		const struct entry *entry = &instance->entries[i];
		sim_time_ps waited = last_needed(instance, entry, last) - entry->time;

		if (waited > 0)
			collectives->wait(collectives->context, entry->rank, entry->site,
					  is_barrier, waited);
	}
}

int trace_collectives_enter(struct trace_collectives *collectives,
			    const struct sim_cause_collective *entered, int site, sim_time_ps now)
{
	struct instance **link = find(collectives, entered->comm, entered->sequence), *instance;

	if (!*link) {
		*link = calloc(1, sizeof **link);
		if (!*link)
			return UTIL_ENOMEM;
		(*link)->comm = entered->comm;
		(*link)->sequence = entered->sequence;
	}
	instance = *link;
	if (append(instance, (struct entry){entered->place.rank, entered->rank, site, now}))
		return UTIL_ENOMEM;
	if (instance->n < entered->n_ranks)
		return 0;
	settle(collectives, instance, entered);
	*link = instance->next;
	instance_free(instance);
	return 0;
}
