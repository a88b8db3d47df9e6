/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_VERIFY_SUPPRESS_H
#define TOOLS_VERIFY_SUPPRESS_H

#include <stdbool.h>

#include "traces/run.h"
#include "util/error.h"

/*
 * Findings that are not wanted, as a file lists them: each line is CLASS [FUNCTION [PLACE]], patterns
 * of the shell (fnmatch); what is missing matches all. "#" begins a comment. A finding is suppressed
 * if a line has its class, and the function and place of one of its calls. PLACE is compared with
 * "lu.c:88 (main)" and with "lu.c:88".
 */
struct verify_suppressions;

int verify_suppressions_load(const char *path, struct verify_suppressions **out,
			     struct util_error *err);
void verify_suppressions_destroy(struct verify_suppressions *suppressions);
/* NULL suppress nothing. */
bool verify_is_suppressed(const struct verify_suppressions *suppressions,
			  const struct trace_finding *finding);

#endif
