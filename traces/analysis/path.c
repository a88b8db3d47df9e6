// SPDX-License-Identifier: BSD-3-Clause
#include "traces/analysis/path.h"

#include <stdlib.h>
#include <string.h>

#include "util/array.h"

enum { FIRST_PASS = 4096, N_FEW = 2 };

void trace_paths_init(struct trace_paths *paths)
{
	*paths = (struct trace_paths){.n_next_pass = FIRST_PASS};
	util_pool_init(&paths->pool, sizeof(struct trace_path_node));
}

static void free_entries(struct trace_path_node *node)
{
	if (node->entries != node->few)
		free(node->entries);
}

void trace_paths_finish(struct trace_paths *paths)
{
	for (struct trace_path_node *node = paths->nodes.first; node; node = node->link.next)
		free_entries(node);
	util_pool_finish(&paths->pool);
	paths->nodes = (struct util_list){.first = NULL};
}

static void unlink_node(struct trace_paths *paths, struct trace_path_node *node)
{
	util_list_remove(&paths->nodes, node);
	free_entries(node);
	util_pool_put(&paths->pool, node);
	paths->n_nodes--;
}

static void release(struct trace_paths *paths, struct trace_path_node *node)
{
	while (node && --node->n_refs == 0) {
		struct trace_path_node *parent = node->parent;

		unlink_node(paths, node);
		node = parent;
	}
}

static bool has_smaller_key(const void *entry, const void *key)
{
	return ((const struct trace_path_entry *)entry)->key < *(const uint32_t *)key;
}

/* Where `key` is or belongs. */
static int find(const struct trace_path_node *node, uint32_t key)
{
	return (int)util_count_before(node->entries, (size_t)node->n, sizeof *node->entries,
				      has_smaller_key, &key);
}

static int grow(struct trace_path_node *node, int wanted)
{
	int capacity = node->capacity;
	struct trace_path_entry *entries;

	while (capacity < wanted)
		capacity *= 2;
	if (capacity == node->capacity)
		return 0;
	entries = malloc((size_t)capacity * sizeof *entries);
	if (!entries)
		return -1;
	memcpy(entries, node->entries, (size_t)node->n * sizeof *entries);
	free_entries(node);
	node->entries = entries;
	node->capacity = capacity;
	return 0;
}

static int add(struct trace_path_node *node, uint32_t key, int64_t amount)
{
	int i = find(node, key);

	if (i < node->n && node->entries[i].key == key) {
		node->entries[i].amount += amount;
		return 0;
	}
	if (grow(node, node->n + 1))
		return -1;
	memmove(&node->entries[i + 1], &node->entries[i],
		(size_t)(node->n - i) * sizeof *node->entries);
	node->entries[i] = (struct trace_path_entry){key, amount};
	node->n++;
	return 0;
}

/* The entries of both in `node`, by a merge from behind. */
static int merge(struct trace_path_node *node, const struct trace_path_node *other)
{
	int n = node->n, i = n - 1, j = other->n - 1, to, n_both = 0;

	for (int a = 0, b = 0; a < n && b < other->n;) {
		uint32_t x = node->entries[a].key, y = other->entries[b].key;

		n_both += x == y;
		a += x <= y;
		b += y <= x;
	}
	if (grow(node, n + other->n - n_both))
		return -1;
	node->n = n + other->n - n_both;
	for (to = node->n - 1; j >= 0; to--) {
		if (i >= 0 && node->entries[i].key > other->entries[j].key) {
			node->entries[to] = node->entries[i--];
		} else if (i >= 0 && node->entries[i].key == other->entries[j].key) {
			node->entries[to] = node->entries[i--];
			node->entries[to].amount += other->entries[j--].amount;
		} else {
			node->entries[to] = other->entries[j--];
		}
	}
	return 0;
}

/* Takes in the parents that nobody else has. */
static void absorb_parents(struct trace_paths *paths, struct trace_path_node *node)
{
	struct trace_path_node *parent;

	while ((parent = node->parent) && parent->n_refs == 1) {
		if (merge(node, parent)) {
			paths->out_of_memory = true;
			return;
		}
		node->parent = parent->parent;
		unlink_node(paths, parent);
	}
}

/* After it every node but the last of a path has at least two that follow. */
static void pass(struct trace_paths *paths)
{
	for (struct trace_path_node *node = paths->nodes.first; node; node = node->link.next)
		absorb_parents(paths, node);
	paths->n_next_pass = 2 * paths->n_nodes > FIRST_PASS ? 2 * paths->n_nodes : FIRST_PASS;
}

/* A node at the end of the path that no other path has. */
static struct trace_path_node *own_node(struct trace_paths *paths, struct trace_path *path)
{
	struct trace_path_node *node;

	if (path->node && path->node->n_refs == 1)
		return path->node;
	if (paths->n_nodes >= paths->n_next_pass)
		pass(paths);
	node = util_pool_get(&paths->pool);
	if (!node)
		return NULL;
	*node = (struct trace_path_node){.parent = path->node, .n_refs = 1, .capacity = N_FEW};
	node->entries = node->few;
	util_list_prepend(&paths->nodes, node);
	paths->n_nodes++;
	path->node = node; /* its reference to the parent is now the node's */
	return node;
}

void trace_path_count(struct trace_paths *paths, struct trace_path *path, uint32_t key,
		      int64_t amount)
{
	struct trace_path_node *node;

	if (amount == 0)
		return;
	node = own_node(paths, path);
	if (!node || add(node, key, amount))
		paths->out_of_memory = true;
}

void trace_path_extend(struct trace_paths *paths, struct trace_path *path, uint32_t key,
		       sim_time_ps until)
{
	if (until <= path->until)
		return;
	trace_path_count(paths, path, key, until - path->until);
	path->until = until;
}

void trace_path_copy(struct trace_paths *paths, struct trace_path *to,
		     const struct trace_path *from)
{
	struct trace_path_node *before = to->node;

	if (from->node)
		from->node->n_refs++;
	*to = *from;
	release(paths, before);
}

void trace_path_release(struct trace_paths *paths, struct trace_path *path)
{
	release(paths, path->node);
	*path = (struct trace_path){.node = NULL};
}

const struct trace_path_entry *trace_path_flatten(struct trace_paths *paths,
						  struct trace_path *path, int *out_n)
{
	struct trace_path_node *node = own_node(paths, path), *parent;

	*out_n = 0;
	if (!node) {
		paths->out_of_memory = true;
		return NULL;
	}
	parent = node->parent;
	for (struct trace_path_node *from = parent; from; from = from->parent)
		if (merge(node, from))
			paths->out_of_memory = true;
	node->parent = NULL;
	release(paths, parent);
	*out_n = node->n;
	return node->entries;
}
