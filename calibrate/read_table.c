/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables "operation,size,time" (and "ranks" and "place", in any order), and "time,command" of programs. */
#include <stdlib.h>
#include <string.h>

#include "observations.h"
#include "util/units.h"

enum { OPERATION, SIZE, TIME, RANKS, PLACE, COLUMNS };
static const char *const NAMES[COLUMNS] = {"operation", "size", "time", "ranks", "place"};
static const double DIGIT = 0.005; /* what is not said of a time */

static int column_of(const char *name)
{
	for (int k = 0; k < COLUMNS; k++)
		if (!strcmp(name, NAMES[k]))
			return k;
	return -1;
}

int read_header(struct reader *reader, const char *text, struct util_error *err)
{
	static const char wanted[] =
	    "output of a benchmark, or the columns operation,size,time and perhaps ranks and "
	    "place, or "
	    "time,command";
	char words[256], *word, *rest;

	if (!strcmp(text, "time,command")) {
		reader->kind = PROGRAMS;
		return 0;
	}
	for (int k = 0; k < COLUMNS; k++)
		reader->columns[k] = -1;
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		int column = column_of(word);

		if (column < 0 || reader->columns[column] >= 0)
			return reader_refuse(reader, text, wanted, err);
		reader->columns[column] = reader->n_columns++;
	}
	if (reader->columns[OPERATION] < 0 || reader->columns[SIZE] < 0 ||
	    reader->columns[TIME] < 0)
		return reader_refuse(reader, text, wanted, err);
	reader->kind = TABLE;
	return 0;
}

static int prepend(const struct reader *reader, struct util_error *err)
{
	return util_error_prepend(err, "%s:%d", reader->name, reader->line);
}

static int read_ranks(const struct reader *reader, const char *word, struct observation *row,
		      struct util_error *err)
{
	int64_t n = row->what->is_pair ? 2 : reader->n_ranks;

	if (word && util_parse_int(word, 2, OBSERVATIONS_RANKS, &n, err))
		return prepend(reader, err);
	if (n == 0)
		return reader_refuse(reader, row->what->name,
				     "a column ranks, or the number behind the file's name, as in "
				     "FILE@8",
				     err);
	row->n_ranks = (int)n;
	return 0;
}

static int read_place(const struct reader *reader, const char *word, struct observation *row,
		      struct util_error *err)
{
	row->place = word ? place_of(word) : PLACE_ANYWHERE;
	if (row->place == PLACES)
		return reader_refuse(
		    reader, word, "a place: domain, socket, node, nodes, across or anywhere", err);
	if (row->place && (!row->what->is_pair || row->what->is_one_sided || row->n_ranks % 2))
		return reader_refuse(reader, word, "it for an even number of ranks in pairs only",
				     err);
	return 0;
}

static int read_operation(struct reader *reader, char *text, struct util_error *err)
{
	struct observation row = {.scatter = DIGIT};
	char *words[COLUMNS] = {NULL}, *word, *rest;
	int64_t size_B;
	int n = 0;

	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest), n++)
		for (int k = 0; k < COLUMNS; k++)
			if (reader->columns[k] == n)
				words[k] = word;
	if (n != reader->n_columns)
		return reader_refuse(reader, text, "as many values as columns", err);
	row.what = benchmark_of(words[OPERATION]);
	if (!row.what)
		return reader_refuse(reader, words[OPERATION],
				     "an operation of docs/calibrate.md, such as latency, bw, "
				     "allreduce",
				     err);
	if (util_parse_size_B(words[SIZE], &size_B, err) ||
	    util_parse_span_s(words[TIME], &row.time_s, err))
		return prepend(reader, err);
	if (size_B > OBSERVATIONS_LARGEST_B || !(row.time_s > 0))
		return reader_refuse(reader,
				     size_B > OBSERVATIONS_LARGEST_B ? words[SIZE] : words[TIME],
				     "a size up to 1 GiB and a time above 0", err);
	row.size_B = (int)size_B;
	if (read_ranks(reader, words[RANKS], &row, err) ||
	    read_place(reader, words[PLACE], &row, err))
		return err->code;
	return reader_add(reader, &row, err);
}

static int read_program(struct reader *reader, char *text, struct util_error *err)
{
	static const char wanted[] = "a time and a command such as mpirun -n 8 ./program";
	struct observation row = {.scatter = DIGIT};
	char *comma = strchr(text, ','), *command;

	if (!comma)
		return reader_refuse(reader, text, wanted, err);
	*comma = '\0';
	command = comma + 1;
	if (util_parse_span_s(text, &row.time_s, err))
		return prepend(reader, err);
	if (!(row.time_s > 0))
		return reader_refuse(reader, text, "a time above 0", err);
	command += strspn(command, " \"");
	command[strcspn(command, "\"")] = '\0';
	if (strncmp(command, "mpirun ", 7) && strncmp(command, "mpiexec ", 8) &&
	    strncmp(command, "mpisim-run ", 11))
		return reader_refuse(reader, command, wanted, err);
	row.command = strdup(strchr(command, ' ') + 1);
	if (!row.command)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	return reader_add(reader, &row, err);
}

int read_row(struct reader *reader, char *text, struct util_error *err)
{
	return reader->kind == TABLE ? read_operation(reader, text, err)
				     : read_program(reader, text, err);
}
