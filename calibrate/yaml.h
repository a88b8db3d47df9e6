/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_YAML_H
#define CALIBRATE_YAML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fit.h"

/* What the parts of the cluster file share. */

/* Seconds as "12.3456us", bytes per second as "5.8 MB/s" or "inf"; in `text`, which is returned. */
typedef const char *(*yaml_format_fn)(double value, char text[40]);
const char *yaml_time(double seconds, char text[40]);
const char *yaml_bandwidth(double Bps, char text[40]);
/* Behind a noun. */
const char *yaml_plural(int n);
/* As samples_probes there, or elsewhere if nothing was measured there. */
struct summary yaml_samples(const struct samples *samples, const char *probes, int where);
/* "probe late_receiver, 45 samples"; of several, with spaces between their names: "probes". */
void yaml_probes(FILE *file, const char *probes, int n);
/* That text, then these probes, on a line: where a value without an interval is from. */
void yaml_line(FILE *file, const struct fit *fit, const char *probes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A line with the value, its interval, and how it was found; and what makes it doubtful. */
void yaml_value(FILE *file, int indent, const char *key, const struct value *v,
		yaml_format_fn format, const char *how);
/* Behind a value: what makes it doubtful, if anything does. */
void yaml_doubts(FILE *file, const struct value *v, bool has_few, bool has_end);
/* One line of the section `uncertainty`, a comment if no interval is known. The value itself is
 * within, whatever its rounding and shifts. */
void yaml_interval(FILE *file, const char *key, const struct value *v, yaml_format_fn format);
/* That comment. */
void yaml_unvaried(FILE *file, const char *key, bool has_few);

/* services.c: rma, spawn, storage; and their lines of the section `uncertainty` */
void services_write(const struct fit *fit, FILE *file);
void services_write_intervals(const struct fit *fit, FILE *file);

#endif
