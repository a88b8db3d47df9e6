/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_RESULT_H
#define TOOLS_SWEEP_RESULT_H

#include "tools/sweep/db.h"
#include "tools/sweep/pool.h"

/*
 * The result of a process that ended: figures from the JSON that it wrote, or why there are none.
 * *out is to be finished; hash, command and engine are the caller's to set. Errors: UTIL_ENOMEM.
 */
int sweep_result_take(const struct sweep_ended *ended, struct sweep_result *out,
		      struct util_error *err);

#endif
