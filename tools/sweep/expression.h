/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_EXPRESSION_H
#define TOOLS_SWEEP_EXPRESSION_H

#include <stdbool.h>

#include "tools/sweep/value.h"
#include "util/error.h"

/*
 * Conditions and computed values of a sweep file, over its parameters. Grammar (docs/sweep.md):
 *
 *   or         = and { "or" and }
 *   and        = not { "and" not }
 *   not        = "not" not | comparison
 *   comparison = sum [ ("==" | "!=" | "<" | "<=" | ">" | ">=") sum | "in" "[" or { "," or } "]" ]
 *   sum        = product { ("+" | "-") product }
 *   product    = sign { ("*" | "/" | "//" | "%") sign }
 *   sign       = "-" sign | power
 *   power      = atom [ "^" sign ]
 *   atom       = number | quantity | 'text' | "text" | parameter
 *              | function "(" or { "," or } ")" | "(" or ")"
 *
 * A quantity is a number with its unit behind it, without a blank: 10us, 4KiB, 100MB/s. True is 1,
 * false is 0; any other number counts as true. Functions: min, max (any number of arguments), abs,
 * floor, ceil, round, sqrt, log2.
 */
struct sweep_expression;

/*
 * `names` [n_names] are the parameters that may occur; borrowed for this call only. Errors:
 * UTIL_EINPUT with what was found and where in the expression ("at character 5"), UTIL_ENOMEM.
 */
int sweep_expression_parse(const char *text, int n_names, const char *const names[],
			   struct sweep_expression **out, struct util_error *err);
void sweep_expression_destroy(struct sweep_expression *expression);

/* Whether parameter `name` (its place) occurs. */
bool sweep_expression_uses(const struct sweep_expression *expression, int name);

/*
 * The value where `values` [n_names] are those of the parameters. A text result is borrowed from
 * `values` or the expression. Errors: UTIL_EINPUT (arithmetic on text, division by zero).
 */
int sweep_expression_value(const struct sweep_expression *expression,
			   const struct sweep_value values[], struct sweep_value *out,
			   struct util_error *err);
/* The same as a condition: *out says whether it holds. Errors also for a text. */
int sweep_expression_holds(const struct sweep_expression *expression,
			   const struct sweep_value values[], bool *out, struct util_error *err);

#endif
