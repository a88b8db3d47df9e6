/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_GNUPLOT_H
#define UTIL_GNUPLOT_H

#include <stddef.h>
#include <stdio.h>

#include "util/error.h"

/* Pictures are drawn by gnuplot as a separate process. */

/* Runs gnuplot on `script` in the directory `dir` and waits. What it says is appended to
 * dir/gnuplot.log, which stays only if it says something. It does not say that the disk is full: then
 * it is not run. 0; 1: there is no gnuplot; negative: see err. */
int util_gnuplot_run(const char *dir, const char *script, struct util_error *err);

/* Writes at most `max_B` bytes of `text` as a gnuplot string in double quotes, for use without
 * enhanced markup. */
void util_gnuplot_quote(const char *text, size_t max_B, FILE *file);

/* Writes a field of a CSV file, in double quotes. */
void util_csv_quote(const char *text, FILE *file);

#endif
