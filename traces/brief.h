/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_BRIEF_H
#define TRACES_BRIEF_H

#include <stdbool.h>
#include <stdio.h>

struct trace_run;
struct trace_prediction;

enum { TRACE_BRIEF_REASONS = 3 };

/* The run in about twelve lines: the time, what it is lost by, reasons, warnings, what to do next.
 * on_terminal: with bars and colours. Write errors are left in `file`. */
void trace_brief_write(const struct trace_run *run, bool on_terminal, FILE *file);
/* The median of several runs and its interval, without an end of line. */
void trace_interval_write(const struct trace_prediction *interval, FILE *file);

/* Cores that no rank has, and those that ranks share, if there are any. */
void trace_cores_write(const struct trace_run *run, FILE *file);

#endif
