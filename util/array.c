/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"

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

/* For util_array_reach, when `at` lies behind the array. */
bool util_array_extend(void *array, int *n, int at, size_t item_B)
{
	size_t had = (size_t)*n, has = had ? had : 8;
	char *items;

	while (has <= (size_t)at)
		has *= 2;
	memcpy(&items, array, sizeof items);
	items = realloc(items, has * item_B);
	if (!items)
		return false;
	memset(items + had * item_B, 0, (has - had) * item_B);
	memcpy(array, &items, sizeof items);
	*n = (int)has;
	return true;
}

int util_texts_add(char ***list, int *n, char *text)
{
	char **more = text ? realloc(*list, ((size_t)*n + 2) * sizeof *more) : NULL;

	if (!more) {
		free(text);
		return UTIL_ENOMEM;
	}
	more[(*n)++] = text;
	more[*n] = NULL;
	*list = more;
	return 0;
}

int util_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int util_compare_ints(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}
