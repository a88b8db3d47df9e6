/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_CLASH_H
#define TOOLS_RUN_CLASH_H

#include "tools/run/options.h"

/* Whether a result would replace another one, or a file that the run reads. Several names of a file
 * that is there are the same. Errors: UTIL_EINPUT. */
int run_clash_check(const struct run_options *options, struct util_error *err);

#endif
