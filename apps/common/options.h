/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef APPS_COMMON_OPTIONS_H
#define APPS_COMMON_OPTIONS_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * Command lines of the example applications. Every rank parses the same arguments and comes to the same
 * verdict; only rank 0 prints it. Wrong arguments end the program with exit code 2 and one sentence.
 */
enum options_verdict { OPTIONS_OK, OPTIONS_HELP, OPTIONS_WRONG };

/* Prints "program: sentence" on rank 0. Returns OPTIONS_WRONG. */
static inline enum options_verdict options_wrong(const char *program, int rank, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static inline enum options_verdict options_wrong(const char *program, int rank, const char *format, ...)
{
	va_list args;

	if (rank == 0) {
		fprintf(stderr, "%s: ", program);
		va_start(args, format);
		vfprintf(stderr, format, args);
		va_end(args);
		fprintf(stderr, " (--help explains)\n");
	}
	return OPTIONS_WRONG;
}

/* Reads a whole decimal number in [min, max]. Returns 0, or -1 with *out untouched. */
static inline int options_integer(const char *text, long min, long max, int *out)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(text, &end, 10);
	if (end == text || *end || errno || value < min || value > max)
		return -1;
	*out = (int)value;
	return 0;
}

/* Reads a number >= 0. Returns 0, or -1 with *out untouched. */
static inline int options_real(const char *text, double *out)
{
	char *end;
	double value;

	value = strtod(text, &end);
	if (end == text || *end || !(value >= 0) || value > 1e300)
		return -1;
	*out = value;
	return 0;
}

#endif
