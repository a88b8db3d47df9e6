/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_YAML_H
#define CALIBRATE_YAML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "fit.h"

/* What the parts of the cluster file share; only yaml*.c include it. */

/* Of a value, half of its interval: more makes it doubtful. */
#define YAML_WIDE 0.1

/* Seconds as "12.3456us", bytes per second as "5.8 MB/s" or "inf"; in `text`, which is returned. */
typedef const char *(*yaml_format_fn)(double value, char text[40]);
const char *yaml_time(double seconds, char text[40]);
const char *yaml_bandwidth(double Bps, char text[40]);
const char *yaml_size(double size_B, char text[40]);
/* "1 sample", "2 samples" */
const char *yaml_count(char text[40], long n, const char *thing);
/* "probe late_receiver, 45 samples": where a value without an interval comes from. `name` may be
 * several, with spaces between them. */
const char *yaml_probe(const struct fit *fit, const char *names, char text[160]);
/* That text, then these probes, on a line. */
void yaml_line(FILE *file, const struct fit *fit, const char *probes, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* A line with the value, its interval, and how it was found; and what makes it doubtful. */
void yaml_value(FILE *file, const char *indent, const char *key, const struct value *v,
		yaml_format_fn format, const char *how);
/* One line of the section `uncertainty`, a comment if no interval is known. The value itself is
 * within, whatever its rounding and shifts. */
void yaml_interval(FILE *file, const char *key, const struct value *v, yaml_format_fn format);

/* rma, spawn, storage; and their lines of the section `uncertainty` (yaml_services.c) */
void yaml_services(const struct fit *fit, FILE *file);
void yaml_services_intervals(const struct fit *fit, FILE *file);

#endif
