/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_OUTPUT_H
#define TOOLS_RUN_OUTPUT_H

#include "pdexec/rank.h"
#include "util/error.h"

/*
 * --tag-output: what ranks write to standard output and standard error goes to memory files, and
 * from there, line by line, with the rank in front, to where it was meant to go. Whoever ran last
 * wrote it. A line that a rank has not ended yet waits for its end.
 */
struct run_output;

/* Redirects descriptors 1 and 2 until run_output_destroy. Errors: UTIL_ESYSTEM, UTIL_ENOMEM. */
int run_output_create(struct pd_world *world, struct run_output **out, struct util_error *err);
/* Passes on what the rank that just ran has written. */
void run_output_collect(struct run_output *output);
/* Passes on unfinished lines too, and restores the descriptors. NULL is fine. */
void run_output_destroy(struct run_output *output);

#endif
