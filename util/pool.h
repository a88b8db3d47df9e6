/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>

/*
 * Pool of objects of one size: chunks that are never moved, a free list, no per-object header.
 * Objects are aligned to 16 bytes. util_pool_get returns uninitialised memory, NULL when out of
 * memory. The object put last is the one got next. O(1); a few instructions each. Chunks grow with
 * the pool, up to large pages of the machine, so that millions of objects cost few page faults;
 * memory that no object has used yet is not touched.
 */
struct util_pool {
	size_t object_size_B;
	void *free_list;
	char *fresh; /* the first of n_fresh objects of the last chunk that were never handed out */
	size_t n_fresh;
	void *chunks;
	size_t chunk_B; /* the last one */
	size_t n_live;
};

void util_pool_init(struct util_pool *pool, size_t object_size_B);
void util_pool_finish(struct util_pool *pool); /* frees every chunk, live objects included */
/* An object that was never handed out; NULL when out of memory. For util_pool_get. */
void *util_pool_get_fresh(struct util_pool *pool);

static inline void *util_pool_get(struct util_pool *pool)
{
	void *object = pool->free_list;

	if (__builtin_expect(!object, 0))
		return util_pool_get_fresh(pool);
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
