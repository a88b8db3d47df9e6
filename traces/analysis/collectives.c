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
	enum sim_collective_shape shape;
	int n_ranks, root;
	bool is_barrier;
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

/* When the last of those came whom `entry` needs. Entries are in order of time. */
static sim_time_ps last_needed(const struct instance *instance, const struct entry *entry)
{
	for (int i = instance->n - 1; i >= 0; i--)
		if (needs(instance, entry, instance->entries[i].comm_rank))
			return instance->entries[i].time;
	return entry->time;
}

static void settle(struct trace_collectives *collectives, const struct instance *instance)
{
	for (int i = 0; i < instance->n; i++) {
		const struct entry *entry = &instance->entries[i];
		sim_time_ps waited = last_needed(instance, entry) - entry->time;

		if (waited > 0)
			collectives->wait(collectives->context, entry->rank, entry->site,
					  instance->is_barrier, waited, false);
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
		sim_time_ps until = now;

		for (int k = 0; k < instance->n; k++)
			n_missing -= needs(instance, entry, instance->entries[k].comm_rank);
		if (n_missing <= 0)
			until = last_needed(instance, entry);
		if (until > entry->time)
			collectives->wait(collectives->context, entry->rank, entry->site,
					  instance->is_barrier, until - entry->time, n_missing > 0);
	}
}

void trace_collectives_close(struct trace_collectives *collectives, sim_time_ps now)
{
	for (int i = 0; i < N_BUCKETS; i++)
		for (const struct instance *one = collectives->buckets[i]; one; one = one->next)
			settle_open(collectives, one, now);
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
		(*link)->shape = entered->shape;
		(*link)->root = entered->root;
		(*link)->n_ranks = entered->n_ranks;
		(*link)->is_barrier = strcmp(entered->place.function, "MPI_Barrier") == 0;
	}
	instance = *link;
	if (append(instance, (struct entry){entered->place.rank, entered->rank, site, now}))
		return UTIL_ENOMEM;
	if (instance->n < entered->n_ranks)
		return 0;
	settle(collectives, instance);
	*link = instance->next;
	instance_free(instance);
	return 0;
}
