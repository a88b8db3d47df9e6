/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_OPTIONS_H
#define UTIL_OPTIONS_H

#include <getopt.h>
#include <stdint.h>

#include "util/error.h"

/* What tools say of wrong options. Errors: UTIL_EINPUT. */

/*
 * After getopt_long has returned `option`, '?' or ':', with opterr = 0 and short options that begin
 * with ':': says of the word in `argv` what is wrong, and which of `longs` is nearest to it. `see`
 * is the sentence's end, as in "see mpisim-run --help".
 */
int util_option_refuse(int option, char **argv, const struct option *longs, const char *see,
		       struct util_error *err);

/*
 * Refuses an option that was there before, unless `given` is NULL, and an empty value. *given is 0
 * before the first one; a bit of it stands for an option of `longs`, its last one for all that have
 * a short name only. `value` is optarg.
 */
int util_option_check(int option, const char *value, const struct option *longs, uint64_t *given,
		      struct util_error *err);

#endif
