/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/words.h"

#include <stdlib.h>

void util_words_finish(struct util_words *words)
{
	free(words->at);
	*words = (struct util_words){0};
}

bool util_words_equal(const struct util_words *a, const struct util_words *b)
{
	return !a->is_lost && !b->is_lost && a->n == b->n &&
	       (a->n == 0 || memcmp(a->at, b->at, a->n * sizeof *a->at) == 0);
}
