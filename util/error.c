/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Writes at text + at, always terminates, returns the new end (at most the last byte). */
static size_t put_text(struct util_error *err, size_t at, const char *format, va_list args)
{
	size_t room = sizeof(err->text) - at;
	int n = vsnprintf(err->text + at, room, format, args);

	if (n < 0)
		n = 0;
	return (size_t)n < room ? at + (size_t)n : sizeof(err->text) - 1;
}

static void append(struct util_error *err, size_t at, const char *text)
{
	size_t room = sizeof(err->text) - 1 - at;
	size_t n = strnlen(text, room);

	memcpy(err->text + at, text, n);
	err->text[at + n] = '\0';
}

static int set(struct util_error *err, int code, const char *format, va_list args)
{
	if (err) {
		err->code = code;
		put_text(err, 0, format, args);
	}
	return code;
}

int util_error_set(struct util_error *err, int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(err, code, format, args);
	va_end(args);
	return code;
}

int util_refuse(struct util_error *err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	set(err, UTIL_EINPUT, format, args);
	va_end(args);
	return UTIL_EINPUT;
}

int util_error_errno(struct util_error *err, int errnum, const char *format, ...)
{
	int code = errnum == ENOMEM ? UTIL_ENOMEM : UTIL_ESYSTEM;
	char reason[128];
	va_list args;
	size_t end;

	if (!err)
		return code;
	err->code = code;
	va_start(args, format);
	end = put_text(err, 0, format, args);
	va_end(args);
	append(err, end, ": ");
	append(err, strlen(err->text), strerror_r(errnum, reason, sizeof(reason)));
	return code;
}

int util_error_prepend(struct util_error *err, const char *format, ...)
{
	char before[sizeof(err->text)];
	va_list args;
	size_t end;

	if (!err)
		return UTIL_ESYSTEM;
	memcpy(before, err->text, sizeof(before));
	va_start(args, format);
	end = put_text(err, 0, format, args);
	va_end(args);
	append(err, end, ": ");
	append(err, strlen(err->text), before);
	return err->code;
}
