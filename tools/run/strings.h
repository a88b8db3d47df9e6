/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_STRINGS_H
#define TOOLS_RUN_STRINGS_H

#include <stddef.h>

/* A list of texts that grows, and owns them. */
struct run_strings {
	char **items; /* [n] */
	int n;
};

void run_strings_finish(struct run_strings *list);
/* Adds a formatted text and returns it (borrowed); "" when out of memory, and nothing is added. */
const char *run_strings_add(struct run_strings *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes ascending numbers as ranges, "0-3, 7, 9-11"; a list that does not fit into `size` (>= 32)
 * ends in "…". Returns `buf`.
 */
char *run_format_ranks(char *buf, size_t size, const int ranks[], int n);

#endif
