/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_REBIND_H
#define PDEXEC_REBIND_H

#include <link.h>

/*
 * Binds what the library at `map` calls of this library, as the program's own calls are bound: to
 * substitute(name), where that is not NULL (struct pd_config). Names that somebody else defines
 * first stay as they are. O(relocations of the library).
 */
void pd_rebind(const struct link_map *map, void *(*substitute)(const char *name));

#endif
