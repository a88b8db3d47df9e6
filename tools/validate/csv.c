/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/csv.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/file.h"

#define MAX_SIZE_B (64u << 20)

struct reader {
	const char *path;
	char *at;
	int line;
	struct csv *csv;
};

static int check_text(const char *path, const char *text, size_t size, struct util_error *err)
{
	int line = 1;

	if (size > MAX_SIZE_B)
		return util_refuse(err, "%s: found more than 64 MiB, wanted a table", path);
	if (strlen(text) == size)
		return 0;
	for (const char *p = text; *p; p++)
		line += *p == '\n';
	return util_refuse(err, "%s:%d: found a byte of zero, wanted text", path, line);
}

static void trim(char *begin, char *end)
{
	while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	*end = '\0';
}

/* A field in quotes, in place; r->at is behind the closing one afterwards. */
static int read_quoted(struct reader *r, char **out, struct util_error *err)
{
	char *from = r->at + 1, *to = from;
	int first_line = r->line;

	*out = from;
	for (; *from && (*from != '"' || from[1] == '"'); from++) {
		from += *from == '"';
		r->line += *from == '\n';
		*to++ = *from;
	}
	if (!*from)
		return util_refuse(err, "%s:%d: found a quote that begins here and does not end",
				   r->path, first_line);
	r->at = from + 1;
	*to = '\0';
	while (*r->at == ' ' || *r->at == '\t' || *r->at == '\r')
		r->at++;
	if (*r->at && *r->at != ',' && *r->at != '\n')
		return util_refuse(err,
				   "%s:%d: found text behind a closing quote, wanted a comma or "
				   "the end of the line",
				   r->path, r->line);
	return 0;
}

/* One field; *out_last: it ends its line. */
static int read_field(struct reader *r, char **out, bool *out_last, struct util_error *err)
{
	bool is_quoted;
	char *end, stop;

	while (*r->at == ' ' || *r->at == '\t')
		r->at++;
	is_quoted = *r->at == '"';
	if (is_quoted) {
		int failed = read_quoted(r, out, err);

		if (failed)
			return failed;
		end = r->at;
	} else {
		*out = r->at;
		end = r->at + strcspn(r->at, ",\n");
	}
	stop = *end;
	*out_last = stop != ',';
	r->line += stop == '\n';
	r->at = end + (stop != '\0');
	if (!is_quoted)
		trim(*out, end);
	return 0;
}

static struct csv_record *add_record(struct reader *r)
{
	struct csv *csv = r->csv;

	if (!util_array_room(&csv->records, (size_t)csv->n, sizeof *csv->records))
		return NULL;
	csv->records[csv->n] = (struct csv_record){.line = r->line};
	return &csv->records[csv->n++];
}

static int add_field(struct reader *r, struct csv_record *record, char *field)
{
	if (!util_array_room(&record->fields, (size_t)record->n_fields, sizeof *record->fields))
		return -1;
	record->fields[record->n_fields++] = field;
	return 0;
}

static int read_record(struct reader *r, struct util_error *err)
{
	struct csv_record *record = add_record(r);
	bool is_last = false;
	char *field;
	int failed;

	while (record && !is_last) {
		failed = read_field(r, &field, &is_last, err);
		if (failed)
			return failed;
		if (add_field(r, record, field))
			record = NULL;
	}
	return record ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory for %s", r->path);
}

static bool is_skipped(const char *line)
{
	return *line == '#' || line[strspn(line, " \t\r")] == '\n' || !line[strspn(line, " \t\r")];
}

static int read_records(struct reader *r, struct util_error *err)
{
	if (strncmp(r->at, "\xef\xbb\xbf", 3) == 0) /* what some spreadsheets put in front */
		r->at += 3;
	while (*r->at) {
		int failed = 0;

		if (is_skipped(r->at)) {
			r->at += strcspn(r->at, "\n");
			r->at += *r->at != '\0';
			r->line++;
		} else {
			failed = read_record(r, err);
		}
		if (failed)
			return failed;
	}
	return 0;
}

int csv_read(const char *path, struct csv *out, struct util_error *err)
{
	struct csv csv = {.records = NULL};
	struct reader reader = {.path = path, .line = 1, .csv = &csv};
	size_t size = 0;
	int failed = util_file_read(path, MAX_SIZE_B, &csv.text, &size, err);

	if (!failed)
		failed = check_text(path, csv.text, size, err);
	reader.at = csv.text;
	if (!failed)
		failed = read_records(&reader, err);
	if (failed)
		csv_finish(&csv);
	else
		*out = csv;
	return failed;
}

void csv_finish(struct csv *csv)
{
	for (int i = 0; i < csv->n; i++)
		free(csv->records[i].fields);
	free(csv->records);
	free(csv->text);
	*csv = (struct csv){.records = NULL};
}
