/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>

#include "util/error.h"

enum { ALIGNMENT_B = 16, CHUNK_B = 16384, MIN_OBJECTS = 8 };

struct chunk {
	alignas(ALIGNMENT_B) struct chunk *next;
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

int util_pool_grow(struct util_pool *pool)
{
	size_t n_objects = CHUNK_B / pool->object_size_B;
	struct chunk *chunk;
	char *objects;

	if (n_objects < MIN_OBJECTS)
		n_objects = MIN_OBJECTS;
	if (pool->object_size_B > (SIZE_MAX - sizeof(*chunk)) / n_objects)
		return UTIL_ENOMEM;
	chunk = malloc(sizeof(*chunk) + n_objects * pool->object_size_B);
	if (!chunk)
		return UTIL_ENOMEM;
	chunk->next = pool->chunks;
	pool->chunks = chunk;
	/* threaded from the back, so that objects are handed out in address order */
	objects = (char *)(chunk + 1);
	for (size_t i = n_objects; i > 0; i--) {
		void **object = (void **)(objects + (i - 1) * pool->object_size_B);

		*object = pool->free_list;
		pool->free_list = object;
	}
	return 0;
}
