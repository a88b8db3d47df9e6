/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_WHATIF_H
#define TOOLS_RUN_WHATIF_H

#include <jansson.h>

#include "util/error.h"

/* The table of --what-if, as mpisim-whatif --json writes it for one trace or program (version 1).
 * *out is the caller's. Errors: UTIL_EINPUT with the path, the place, what was wanted. */
int run_whatif_load(const char *path, json_t **out, struct util_error *err);

#endif
