/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_SITES_H
#define TRACES_ANALYSIS_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/map.h"

/*
 * Call sites as small integers: an MPI function and the place in the program that called it. Each
 * rank may have a copy of the code of its own: `locate` says where in the file an address is, so
 * that equal places are one.
 */
enum { TRACE_MAX_SITES = 1 << 20 };

typedef bool (*trace_locate_fn)(void *context, const void *address, uint64_t *out_place);

struct trace_site {
	const char *function; /* borrowed */
	const void *address;  /* in the copy of the rank that came first */
	uint64_t place;
};

struct trace_sites {
	struct trace_site *list; /* [n] */
	int n;
	struct util_map seen;	/* struct seen by function and address */
	trace_locate_fn locate; /* may be NULL */
	void *context;
};

void trace_sites_init(struct trace_sites *sites, trace_locate_fn locate, void *context);
void trace_sites_finish(struct trace_sites *sites);
/* The number of a site; -1 when out of memory. `function` NULL: "". O(1) for an address seen
 * before, else O(sites). */
int trace_sites_id(struct trace_sites *sites, const char *function, const void *address);

#endif
