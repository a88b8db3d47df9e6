/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_NEAREST_H
#define UTIL_NEAREST_H

/* Which known word a wrong one was probably meant to be. */

/* Levenshtein distance in bytes. Words of UTIL_NEAREST_LENGTH bytes and more are infinitely far. */
enum { UTIL_NEAREST_LENGTH = 48, UTIL_NEAREST_NEVER = 1000 };
int util_nearest_distance(const char *a, const char *b);

/* The best candidate for `word` so far; begin with best_distance = UTIL_NEAREST_NEVER. */
struct util_nearest {
	const char *word, *best; /* borrowed; best is NULL where nothing is near */
	int best_distance;
};

/* Takes `candidate` if it is near enough for a slip of the pen and nearer than those before. */
void util_nearest_try(struct util_nearest *nearest, const char *candidate, int distance);

#endif
