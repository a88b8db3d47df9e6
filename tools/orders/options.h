/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_OPTIONS_H
#define TOOLS_ORDERS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

/* --orders: how the orders of messages are explored. docs/verify-orders.md */
enum orders_search {
	ORDERS_EXHAUSTIVE,
	ORDERS_DEPTH_FIRST,
	ORDERS_BREADTH_FIRST,
	ORDERS_RANDOM,
	ORDERS_ONE
};
enum orders_merge { ORDERS_MERGE_HISTORIES, ORDERS_MERGE_STATE, ORDERS_MERGE_NONE };
enum orders_view { ORDERS_STRICT = 1, ORDERS_LOOSE = 2 };

struct orders_options {
	bool is_given; /* --orders stands on the command line */
	enum orders_search search;
	enum orders_merge merge;
	unsigned views;	     /* enum orders_view */
	bool tries_all;	     /* orders of choices that commute, too */
	bool reruns;	     /* each order from MPI_Init on, no copies of the simulation */
	bool advises;	     /* which barriers can go */
	bool stops_at_first; /* finding */
	int jobs;
	uint32_t max_polls;
	uint64_t
	    max_executions; /* UINT64_MAX: any number; of a random search: how many there are */
	double max_time_s;  /* per view; 0: any */
	double epsilon;
	uint64_t seed;
	char *save, *resume; /* files; NULL: none */
	char *decisions;     /* files of decisions begin so; NULL: orders_decisions_prefix says */
};

void orders_options_init(struct orders_options *options);
/* "view=strict,time=10s": sets what is named. UTIL_EINPUT. */
int orders_options_parse(const char *text, struct orders_options *out, struct util_error *err);
/* How files of decisions begin. */
const char *orders_decisions_prefix(const struct orders_options *options);
void orders_options_finish(struct orders_options *options);

#endif
