/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_UNITS_H
#define UTIL_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

/*
 * Parsing and printing of quantities, independent of the locale.
 *
 *   time       "1350us", "2 ms", "0", "1.5s", "3min"; units ps ns us (µs) ms s min h; only 0 may
 *              stand without
 *   bandwidth  "11.85 MB/s", "1 Gbit/s", "100Mbps", "2 GiB/s", "inf"; B/s or bit/s; result in bytes
 *              per second
 *   size       "64KiB", "1 MB", "4096" (bytes), "2GiB"
 *
 * Decimal prefixes k K M G T (powers of 1000), binary Ki Mi Gi Ti (powers of 1024). All refuse NaN,
 * trailing text, and negative values. Errors: UTIL_EINPUT with what was found and what was wanted.
 */
int util_parse_time_s(const char *text, double *out_s, struct util_error *err);
/* A span that is long for people: the same, and a number alone is seconds ("90", "90s", "1.5min").
 */
int util_parse_span_s(const char *text, double *out_s, struct util_error *err);
int util_parse_bandwidth_Bps(const char *text, double *out_Bps, struct util_error *err);
int util_parse_size_B(const char *text, int64_t *out_B, struct util_error *err);

/* A plain decimal number with nothing after it ("0.9", "1e-3"); finite. Independent of the locale.
 */
int util_parse_double(const char *text, double *out, struct util_error *err);
/* A decimal integer in [min, max] with nothing after it. */
int util_parse_int(const char *text, int64_t min, int64_t max, int64_t *out,
		   struct util_error *err);

/* Human-readable forms for messages: "1.35 ms", "1.3 GB". `size` >= 32. Return `buf`.
 */
char *util_format_time(char *buf, size_t size, double seconds);
/* The same as a value of its own. */
struct util_time_text {
	char text[32];
};
struct util_time_text util_time_text(double seconds);
char *util_format_size(char *buf, size_t size, double bytes);

#endif
