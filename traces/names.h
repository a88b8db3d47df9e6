/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_NAMES_H
#define TRACES_NAMES_H

#include <stdint.h>

#include "util/map.h"

/*
 * Names as small integers: 0, 1, 2 … in the order in which they first appear. The hot path compares
 * pointers; a pointer that was not seen before is compared as text once, so that equal names at
 * different addresses are one.
 */
enum { TRACE_NAMES_RECENT = 32 };

struct trace_names {
	const char **text; /* [n]; borrowed */
	int n;
	struct util_map by_pointer; /* id + 1 */
	struct {		    /* by address: what was asked for there last, and its answer */
		const char *key;
		int id;
	} recent[TRACE_NAMES_RECENT];
};

void trace_names_init(struct trace_names *names);
void trace_names_finish(struct trace_names *names);
/* The number of `name` (not NULL, lives as long as the table); -1 when out of memory. O(1) for a
 * pointer seen before, else O(names). */
int trace_names_find(struct trace_names *names, const char *name);
static inline int trace_names_id(struct trace_names *names, const char *name)
{
	unsigned int place = ((uintptr_t)name >> 3) % TRACE_NAMES_RECENT;

	return names->recent[place].key == name ? names->recent[place].id
						: trace_names_find(names, name);
}
/* Writes the ids in the order of their names: order[0 … n-1]. */
void trace_names_order(const struct trace_names *names, int order[]);

#endif
