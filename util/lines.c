/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/lines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int util_lines_open(struct util_lines *lines, const char *path, const char *what,
		    struct util_error *err)
{
	*lines = (struct util_lines){.path = path, .file = fopen(path, "re")};
	if (!lines->file)
		return util_refuse(err, "cannot read %s %s: %s", what, path, strerror(errno));
	return 0;
}

static int grow(struct util_lines *lines, struct util_error *err)
{
	size_t capacity_B = lines->capacity_B ? 2 * lines->capacity_B : 256;
	char *text = realloc(lines->text, capacity_B);

	if (!text)
		return util_error_set(err, UTIL_ENOMEM, "out of memory while reading %s",
				      lines->path);
	lines->text = text;
	lines->capacity_B = capacity_B;
	return 0;
}

static int read_line(struct util_lines *lines, struct util_error *err)
{
	int c = 0, rc;

	lines->length_B = 0;
	lines->number++;
	while (c != '\n' && (c = getc_unlocked(lines->file)) != EOF) {
		if (c == '\0')
			return util_refuse(err, "%s:%d: found a NUL byte, wanted text", lines->path,
					   lines->number);
		if (lines->length_B == UTIL_LINE_MAX_B)
			return util_refuse(
			    err, "%s:%d: found a line of more than %d bytes, wanted a shorter one",
			    lines->path, lines->number, UTIL_LINE_MAX_B);
		if (lines->length_B + 1 >= lines->capacity_B && (rc = grow(lines, err)))
			return rc;
		lines->text[lines->length_B++] = (char)c;
	}
	if (ferror(lines->file))
		return util_refuse(err, "cannot read %s: %s", lines->path, strerror(errno));
	if (lines->length_B > 0)
		lines->text[lines->length_B] = '\0';
	return 0;
}

bool util_lines_next(struct util_lines *lines, int *failed, struct util_error *err)
{
	if (!*failed)
		*failed = read_line(lines, err);
	return !*failed && lines->length_B > 0;
}

void util_lines_close(struct util_lines *lines)
{
	fclose(lines->file);
	free(lines->text);
	*lines = (struct util_lines){0};
}
