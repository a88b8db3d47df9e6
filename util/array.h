/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_ARRAY_H
#define UTIL_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Room for one more item behind the `n` of an array that grows by nothing else than this. `array`
 * is the address of its pointer, which is NULL at first and belongs to the caller: free() ends it.
 * Its capacity follows from n, which may also become less. False: out of memory, and nothing has
 * changed. O(1) amortized.
 */
bool util_array_room(void *array, size_t n, size_t item_B);

#endif
