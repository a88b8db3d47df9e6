/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_MACHINE_KNOWN_H
#define CALIBRATE_MACHINE_KNOWN_H

#include <stdbool.h>

#include "machine.h"

/* A line of the known part of a cluster file, or several that stand in braces. */
struct known_line {
	const char *text, *end; /* before the first one: `end` is the whole text, section -1 */
	int section;		/* that it stands in: enum block, or -1: none of ours */
	int begins;		/* the section or group that it begins; -1: none of ours */
	const char *brace;	/* that ends what it begins; NULL: it begins nothing in braces */
};

/* false: there is no next one. */
bool known_next(struct known_line *line);
bool known_has(const char *known, enum block block);
/* Blanks before the first key in this text. */
int known_indent(const char *text);

#endif
