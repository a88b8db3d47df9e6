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
struct yaml {
	const struct fit *fit;
	FILE *file, *intervals; /* the latter: lines of the section `uncertainty` */
};

/* That text, then these probes, on a line: where a value without an interval is from. */
void yaml_line(const struct yaml *out, const char *probes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line with the value of that dotted key, its interval, and how it was found; and what makes it
 * doubtful. And a line of intervals. */
void yaml_value(const struct yaml *out, const char *key, const struct value *v,
		yaml_format_fn format, const char *how);
/* Behind a value: what makes it doubtful, if anything does. */
void yaml_doubts(FILE *file, const struct value *v, bool has_few, bool has_end);
/* Of a drawn value: a comment in place of its interval. */
void yaml_unvaried(FILE *file, const char *key, bool has_few);

/* services.c: sections of the file */
void yaml_rma(const struct yaml *out);
void yaml_spawn(const struct yaml *out);
void yaml_storage(const struct yaml *out);

#endif
