/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_CHECK_SEARCH_H
#define TOOLS_CHECK_SEARCH_H

#include <stddef.h>

#include "tools/check/binary.h"

/*
 * Where the system's loader finds a library: RPATH of who needs it and of the program,
 * LD_LIBRARY_PATH, RUNPATH, the loader's cache, the system's folders, in this order (ld.so(8)).
 * Files for another processor are passed over.
 */
struct check_cache {	     /* /etc/ld.so.cache */
	unsigned char *file; /* owned; NULL: none that can be read */
	size_t size_B;
};

void check_cache_open(struct check_cache *cache, const char *path);
void check_cache_close(struct check_cache *cache);
/* The next path that the cache has for `name`, from *cursor on (start with 0); NULL: no more. */
const char *check_cache_find(const struct check_cache *cache, const char *name, size_t *cursor);

/* The path of library `name` as `by` needs it, in a program `main`; the caller frees it. NULL:
 * there is none, or no memory. */
char *check_library_find(const struct check_cache *cache, const char *name,
			 const struct check_binary *by, const struct check_binary *main);

#endif
