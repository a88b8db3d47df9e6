/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool util_array_grow(void *array, size_t n, size_t item_B);
bool util_array_extend(void *array, int *n, int at, size_t item_B);

/*
 * Room for one more item behind the `n` of an array that grows by nothing else than this: `n` is
 * how many it has, not a place in it. `array` is the address of its pointer, which is NULL at first
 * and belongs to the caller: free() ends it. Its capacity follows from n, which may also become
 * less: from 8 on it is full when n is a power of two. False: out of memory, and nothing has
 * changed. O(1) amortized.
 */
static inline bool util_array_room(void *array, size_t n, size_t item_B)
{
	return (n < 8 ? n : n & (n - 1)) != 0 || util_array_grow(array, n, item_B);
}

/*
 * Makes place `at` one of the *n places of an array that are all in use: those that are new become
 * zero. The array is NULL at first and belongs to the caller. False: out of memory, and nothing has
 * changed. O(1) amortized.
 */
static inline bool util_array_reach(void *array, int *n, int at, size_t item_B)
{
	return at < *n || util_array_extend(array, n, at, item_B);
}

/*
 * How many items of a sorted array come before a place: is_before(item, key) holds for these, and for none behind them. O(log n)
 * calls, which the compiler takes in.
 */
static inline size_t util_count_before(const void *array, size_t n, size_t item_B,
				       bool (*is_before)(const void *item, const void *key),
				       const void *key)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = low + (n - low) / 2;

		if (is_before((const char *)array + middle * item_B, key))
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

/* For qsort: ascending. */
int util_compare_doubles(const void *a, const void *b);
int util_compare_ints(const void *a, const void *b);

/*
 * Appends a text to a list of `*n` that ends with NULL and owns its texts; takes `text`, also when it
 * fails. NULL: out of memory. 0 or UTIL_ENOMEM.
 */
int util_texts_add(char ***list, int *n, char *text);

#endif
