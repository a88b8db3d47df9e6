/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_NAMES_H
#define TRACES_NAMES_H

/*
 * Names as small integers: 0, 1, 2 … in the order in which they first appear. The hot path compares
 * pointers; a pointer that was not seen before is compared as text once, so that equal names at
 * different addresses are one.
 */
struct trace_name_slot {
	const char *key; /* NULL: free */
	int id;
};

struct trace_names {
	const char **text; /* [n]; borrowed */
	int n, capacity;
	struct trace_name_slot *slots; /* [n_slots], a power of two; open addressing */
	unsigned int n_slots, n_used;
	const char *last_key; /* the one that was asked for last, and its answer */
	int last_id;
};

void trace_names_init(struct trace_names *names);
void trace_names_finish(struct trace_names *names);
/* The number of `name` (not NULL, lives as long as the table); -1 when out of memory. O(1) for a
 * pointer seen before, else O(names). */
int trace_names_id(struct trace_names *names, const char *name);
/* Writes the ids in the order of their names: order[0 … n-1]. */
void trace_names_order(const struct trace_names *names, int order[]);

#endif
