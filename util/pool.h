/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>

/*
 * Pool of objects of one size: chunks that are never moved, a free list, no per-object header.
 * Objects are aligned to 16 bytes. util_pool_get returns uninitialised memory, NULL when out of
 * memory. The object put last is the one got next. O(1); a few instructions each.
 */
struct util_pool {
	size_t object_size_B;
	void *free_list;
	void *chunks;
	size_t n_live;
};

void util_pool_init(struct util_pool *pool, size_t object_size_B);
void util_pool_finish(struct util_pool *pool); /* frees every chunk, live objects included */
/* Adds a chunk to an empty free list: 0 or UTIL_ENOMEM. For util_pool_get. */
int util_pool_grow(struct util_pool *pool);

static inline void *util_pool_get(struct util_pool *pool)
{
	void *object;

	if (__builtin_expect(!pool->free_list, 0) && util_pool_grow(pool))
		return NULL;
	object = pool->free_list;
	pool->free_list = *(void **)object;
	pool->n_live++;
	return object;
}

/* `object` came from this pool and is live. */
static inline void util_pool_put(struct util_pool *pool, void *object)
{
	*(void **)object = pool->free_list;
	pool->free_list = object;
	pool->n_live--;
}

#endif
