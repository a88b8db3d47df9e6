/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_JSONFILE_H
#define TOOLS_RUN_JSONFILE_H

#include "traces/run.h"
#include "util/error.h"

/*
 * The file of --json; "-" is standard output. A file appears under its name when it is complete:
 * a run that is killed, or a full disk, leaves what was there before. Devices and pipes are
 * written to directly. Errors: UTIL_ESYSTEM, with the name.
 */

/* Whether it can be written, before a long run; leaves nothing behind. */
int run_json_check(const char *path, struct util_error *err);
int run_json_write(const char *path, const struct trace_run *description, struct util_error *err);

#endif
