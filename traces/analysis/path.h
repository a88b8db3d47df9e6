/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ANALYSIS_PATH_H
#define TRACES_ANALYSIS_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include "simcore/time.h"
#include "util/list.h"
#include "util/pool.h"

/*
 * Critical paths while a run goes on. The path of a rank, or of a message, at a time t is the chain
 * of activities without a gap from 0 to t that leads to what it is about to do; when a rank goes on
 * because of a message, the message's path becomes its own. So paths make a tree with the start of
 * the run as its root, and the path of the last rank to end is the run's critical path.
 *
 * Kept of a path is what it consists of, not in which order: amounts by key. Whatever no live path
 * leads over is dropped, and stretches without a branch are one node, so that memory is
 * O((live paths) · keys) however long the run is.
 */
struct trace_path_entry {
	uint32_t key;
	int64_t amount;
};

struct trace_path_node {
	struct util_link link;
	struct trace_path_node *parent;
	uint32_t n_refs;
	int n, capacity;
	struct trace_path_entry *entries; /* [n] by key; n <= 2: `few` */
	struct trace_path_entry few[2];
};

struct trace_path { /* zero: the start of the run */
	struct trace_path_node *node;
	sim_time_ps until;
};

struct trace_paths {
	struct util_pool pool;
	struct util_list nodes;
	uint64_t n_nodes, n_next_pass;
	bool out_of_memory; /* the paths' amounts are too small */
};

void trace_paths_init(struct trace_paths *paths);
void trace_paths_finish(struct trace_paths *paths); /* frees every node; paths become invalid */

/* The time from path->until to `until`, if that is later, goes to `key`. O(keys of the last node). */
void trace_path_extend(struct trace_paths *paths, struct trace_path *path, uint32_t key,
		       sim_time_ps until);
/* Adds to an amount that is no time. */
void trace_path_count(struct trace_paths *paths, struct trace_path *path, uint32_t key,
		      int64_t amount);
/* `to` becomes what `from` is. O(1) but for what is freed. */
void trace_path_copy(struct trace_paths *paths, struct trace_path *to,
		     const struct trace_path *from);
void trace_path_release(struct trace_paths *paths, struct trace_path *path);
/* Writes all that the path consists of into its last node, which then has no parent. Returns the
 * entries, by key, valid until the next change; *out_n: how many. */
const struct trace_path_entry *trace_path_flatten(struct trace_paths *paths,
						  struct trace_path *path, int *out_n);

#endif
