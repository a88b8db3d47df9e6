/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_POOL_H
#define UTIL_POOL_H

#include <stddef.h>

/*
 * Pool of objects of one size: chunks that are never moved, a free list, no per-object header.
 * util_pool_get returns uninitialised memory, NULL when out of memory. O(1).
 */
struct util_pool {
	size_t object_size_B;
	void *free_list;
	void *chunks;
	size_t n_live;
};

void util_pool_init(struct util_pool *pool, size_t object_size_B);
void util_pool_finish(struct util_pool *pool); /* frees every chunk, live objects included */
void *util_pool_get(struct util_pool *pool);
void util_pool_put(struct util_pool *pool, void *object);

#endif
