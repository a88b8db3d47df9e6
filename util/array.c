/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ITEMS = 8 };

bool util_array_room(void *array, size_t n, size_t item_B)
{
	size_t capacity = n ? 2 * n : FIRST_ITEMS;
	void *items;

	/* from FIRST_ITEMS on, it is full when n is a power of two */
	if (n > 0 && (n < FIRST_ITEMS || (n & (n - 1)) != 0))
		return true;
	if (n > SIZE_MAX / 2 / item_B)
		return false;
	memcpy(&items, array, sizeof items);
	items = realloc(items, capacity * item_B);
	if (!items)
		return false;
	memcpy(array, &items, sizeof items);
	return true;
}
