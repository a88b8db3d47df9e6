/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_MACHINE_KNOWN_H
#define CALIBRATE_MACHINE_KNOWN_H

#include <stdbool.h>

#include "machine.h"

/* What machine_write.c and machine_known.c share: lines of a cluster file, and the sections that
 * values of a machine are in. */
enum { KNOWN_SECTIONS = 4 };
extern const char *const KNOWN_SECTION[KNOWN_SECTIONS];

const char *known_line_end(const char *line);
/* The section that a line begins, if it is one of ours; -1: none. */
int known_section(const char *line);
/* The brace that ends "key: {…}", be it on a later line; NULL: the line begins nothing in braces. */
const char *known_brace(const char *line);
/* Blanks before the first key of the section that begins before this line. */
int known_indent(const char *line);
/* The group that a line of a section begins; NULL: none of ours. */
const char *known_group(const char *line, const char *section);
bool known_has_group(const char *known, const char *section, const char *group);

/* machine_write.c: that line of the section; NULL: it has none. */
const char *library_line(enum library library, const char *section);

#endif
