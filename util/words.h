/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_WORDS_H
#define UTIL_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/array.h"

/*
 * A sequence of 64-bit words that grows: a description of something, to be compared with another
 * one. Zero-initialise. When memory runs out, `is_lost` is set and what is added is dropped.
 */
struct util_words {
	uint64_t *at; /* [n], owned */
	size_t n;
	bool is_lost;
};

void util_words_finish(struct util_words *words);
/* False for those that lost some. */
bool util_words_equal(const struct util_words *a, const struct util_words *b);

static inline void util_words_add(struct util_words *words, uint64_t word)
{
	if (util_array_room(&words->at, words->n, sizeof *words->at))
		words->at[words->n++] = word;
	else
		words->is_lost = true;
}

/* Its bits: equal ones are the same number to the last digit. */
static inline void util_words_add_double(struct util_words *words, double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof word);
	util_words_add(words, word);
}

static inline void util_words_clear(struct util_words *words)
{
	words->n = 0;
	words->is_lost = false;
}

#endif
