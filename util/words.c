/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/words.h"

#include <stdlib.h>

enum { FIRST_CAPACITY = 1024 };

void util_words_finish(struct util_words *words)
{
	free(words->at);
	*words = (struct util_words){0};
}

bool util_words_grow(struct util_words *words)
{
	size_t capacity = words->capacity ? 2 * words->capacity : FIRST_CAPACITY;
	uint64_t *larger = realloc(words->at, capacity * sizeof *larger);

	if (!larger) {
		words->is_lost = true;
		return false;
	}
	words->at = larger;
	words->capacity = capacity;
	return true;
}

bool util_words_equal(const struct util_words *a, const struct util_words *b)
{
	return !a->is_lost && !b->is_lost && a->n == b->n &&
	       (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}
