// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/strings.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

void run_strings_finish(struct run_strings *list)
{
	for (int i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct run_strings){.items = NULL};
}

const char *run_strings_add(struct run_strings *list, const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	int length;

	if (!util_array_room(&list->items, (size_t)list->n, sizeof *list->items))
		return "";
	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (length < 0)
		return "";
	list->items[list->n++] = text;
	return text;
}

char *run_format_ranks(char *buf, size_t size, const int ranks[], int n)
{
	static const char more[] = ", …";
	size_t length = 0;

	buf[0] = '\0';
	for (int i = 0; i < n;) {
		char piece[32];
		int last = i, added;

		while (last + 1 < n && ranks[last + 1] == ranks[last] + 1)
			last++;
		if (last == i)
			added = snprintf(piece, sizeof piece, "%s%d", i ? ", " : "", ranks[i]);
		else
			added = snprintf(piece, sizeof piece, "%s%d-%d", i ? ", " : "", ranks[i],
					 ranks[last]);
		if (length + (size_t)added + sizeof more > size) {
			snprintf(buf + length, size - length, "%s", more);
			return buf;
		}
		memcpy(buf + length, piece, (size_t)added + 1);
		length += (size_t)added;
		i = last + 1;
	}
	return buf;
}
