/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

/*
 * The error object. Fallible functions return 0 or a negative util_status, write their outputs only
 * on success and take a `struct util_error *` last. Whoever notices the problem first writes the
 * sentence (what was found, what was wanted); callers prepend where they were.
 */
enum util_status {
	UTIL_OK = 0,
	UTIL_EINPUT = -1,	/* bad input or usage: a file, an option, a value */
	UTIL_ENOMEM = -2,	/* out of memory or address space */
	UTIL_ESYSTEM = -3,	/* a system call failed */
	UTIL_EUNSUPPORTED = -4, /* known, legal, not implemented */
	UTIL_EPROGRAM = -5,	/* the simulated program is wrong */
};

struct util_error {
	int code;
	char text[1024]; /* one sentence, no newline at its end; truncated when longer */
};

/* Sets code and text. `err` may be NULL. Returns `code`, so that a caller can `return` it. */
int util_error_set(struct util_error *err, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for what was given to us: found this, wanted that. Returns UTIL_EINPUT. */
int util_refuse(struct util_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Like util_error_set with `: strerror(errnum)` appended. Returns UTIL_ESYSTEM (UTIL_ENOMEM for
 * ENOMEM). */
int util_error_errno(struct util_error *err, int errnum, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "<formatted>: " in front of the text that is there. Returns err->code (UTIL_ESYSTEM if err
 * is NULL). */
int util_error_prepend(struct util_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
