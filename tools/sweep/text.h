/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_TEXT_H
#define TOOLS_SWEEP_TEXT_H

#include "tools/sweep/value.h"
#include "util/error.h"

/*
 * A text of a sweep file in which {parameter} and {expression} stand for their values; "{{" and
 * "}}" are braces.
 */
struct sweep_text;

/* `names` [n_names] as for sweep_expression_parse. Errors: UTIL_EINPUT, UTIL_ENOMEM. */
int sweep_text_parse(const char *source, int n_names, const char *const names[],
		     struct sweep_text **out, struct util_error *err);
void sweep_text_destroy(struct sweep_text *text);
/* Whether parameter `name` (its place) occurs. */
bool sweep_text_uses(const struct sweep_text *text, int name);

/*
 * The text with `values` [n_names] put in: a parameter's as it was written, numbers as
 * sweep_number_text writes them. *out is the caller's. Errors: those of expressions, UTIL_ENOMEM.
 */
int sweep_text_fill(const struct sweep_text *text, const struct sweep_value values[], char **out,
		    struct util_error *err);

#endif
