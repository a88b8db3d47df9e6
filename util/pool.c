/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "util/error.h"

enum { ALIGNMENT_B = 16, LINE_B = 64, FIRST_CHUNK_B = 16384, LARGE_PAGE_B = 2 << 20, MIN_OBJECTS = 8 };

struct chunk {
	alignas(LINE_B) struct chunk *next;
};

void util_pool_init(struct util_pool *pool, size_t object_size_B)
{
	/* a free object holds the link to the next one */
	size_t size_B = object_size_B > sizeof(void *) ? object_size_B : sizeof(void *);

	size_B = (size_B + ALIGNMENT_B - 1) / ALIGNMENT_B * ALIGNMENT_B;
	*pool = (struct util_pool){.object_size_B = size_B};
}

void util_pool_finish(struct util_pool *pool)
{
	struct chunk *chunk = pool->chunks;

	while (chunk) {
		struct chunk *next = chunk->next;

		free(chunk);
		chunk = next;
	}
	util_pool_init(pool, pool->object_size_B);
}

/* As large as all before it together, between the two limits, and with room for a few objects. */
static size_t choose_chunk_B(const struct util_pool *pool)
{
	size_t chunk_B = pool->chunk_B ? 2 * pool->chunk_B : FIRST_CHUNK_B;
	size_t few_B = sizeof(struct chunk) + MIN_OBJECTS * pool->object_size_B;

	if (chunk_B > LARGE_PAGE_B)
		chunk_B = LARGE_PAGE_B;
	if (chunk_B < few_B)
		chunk_B = few_B > LARGE_PAGE_B
			      ? (few_B + LARGE_PAGE_B - 1) / LARGE_PAGE_B * LARGE_PAGE_B
			      : (few_B + LINE_B - 1) / LINE_B * LINE_B;
	return chunk_B;
}

static int grow(struct util_pool *pool)
{
	size_t chunk_B;
	struct chunk *chunk;

	if (pool->object_size_B > SIZE_MAX / 2 / MIN_OBJECTS)
		return UTIL_ENOMEM;
	chunk_B = choose_chunk_B(pool);
	chunk = aligned_alloc(chunk_B % LARGE_PAGE_B ? LINE_B : LARGE_PAGE_B, chunk_B);
	if (!chunk)
		return UTIL_ENOMEM;
	if (chunk_B % LARGE_PAGE_B == 0)
		madvise(chunk, chunk_B, MADV_HUGEPAGE); /* if there are none, small ones do */
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	pool->chunk_B = chunk_B;
	pool->fresh = (char *)(chunk + 1);
	pool->n_fresh = (chunk_B - sizeof(*chunk)) / pool->object_size_B;
	return 0;
}

void *util_pool_get_fresh(struct util_pool *pool)
{
	void *object;

	if (pool->n_fresh == 0 && grow(pool))
		return NULL;
	object = pool->fresh;
	pool->fresh += pool->object_size_B;
	pool->n_fresh--;
	pool->n_live++;
	return object;
}
