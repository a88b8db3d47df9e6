/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* For util_array_room, when the array is full. */
bool util_array_grow(void *array, size_t n, size_t item_B)
{
	void *items;

	if (n > SIZE_MAX / 2 / item_B)
		return false;
	memcpy(&items, array, sizeof items);
	items = realloc(items, (n ? 2 * n : 8) * item_B);
	if (!items)
		return false;
	memcpy(array, &items, sizeof items);
	return true;
}
