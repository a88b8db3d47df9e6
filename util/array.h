/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

bool util_array_grow(void *array, size_t n, size_t item_B);

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

#endif
