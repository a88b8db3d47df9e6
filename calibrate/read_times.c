/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files with times of others, line by line. Output of the OSU micro-benchmarks and of the Intel MPI
 * Benchmarks: titles and facts stand in lines that begin with "#", numbers in the others. Tables
 * "operation,size,time" (and "ranks" and "place", in any order), and "time,command" of programs.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "observations.h"
#include "util/array.h"
#include "util/units.h"

enum { LINE_B = 4096, MOST_NUMBERS = 12, LARGEST_B = 1 << 30, MOST_RANKS = 4096 };
enum column { OPERATION, SIZE, TIME, RANKS, PLACE, COLUMNS };
static const char *const NAMES[COLUMNS] = {"operation", "size", "time", "ranks", "place"};
/* Of times that are written with two digits behind the point; of a time of which nothing is said, as
 * a part. */
static const double DIGIT_US = 0.005, DIGIT = 0.005;
static const double SHORTEST_S = 1e-10, LONGEST_S = 1e7;

struct reader {
	struct observations *out;
	const char *name;
	int line;
	int n_ranks; /* of "@RANKS"; 0: not said */
	/* what the lines before have said */
	enum { UNKNOWN, OSU, IMB, TABLE, PROGRAMS } kind;
	const struct benchmark *what; /* NULL: no title yet, or numbers that are not of one */
	bool is_bandwidth;	      /* MB/s in place of microseconds */
	int n_here, column;	      /* ranks; the time's column, of the Intel MPI Benchmarks */
	int n_columns;
	enum column columns[COLUMNS]; /* [n_columns] of a table */
};

static int refuse(const char *found, const char *wanted, struct util_error *err)
{
	return util_refuse(err, "found \"%.80s\", wanted %s", found, wanted);
}

static int add(struct reader *reader, const struct observation *observation, const char *text,
	       struct util_error *err)
{
	struct observations *out = reader->out;

	if (!(observation->time_s >= SHORTEST_S && observation->time_s <= LONGEST_S))
		return refuse(text, "a time from 0.1 ns to 1e7 s", err);
	if (!util_array_room(&out->list, (size_t)out->n, sizeof(*out->list)))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	out->list[out->n++] = *observation;
	return 0;
}

/* --- titles of benchmarks --- */

/* "# OSU MPI Latency Test v7.3", "# OSU MPI_Put Latency Test": any other word makes another test. */
static bool is_of(const char *title, const char *name)
{
	const char *at = strcasestr(title, name), *end = at ? at + strlen(name) : NULL;

	return at && at - title > 4 && strchr(" _", at[-1]) && !strncmp(at - 4, "MPI", 3) &&
	       (!*end || !strncmp(end, " v", 2) || !strncmp(end, " (Version", 9));
}

static const struct benchmark *find(const char *title, bool is_osu)
{
	const struct benchmark *what;

	for (int k = 0; (what = benchmark_next(k)); k++) {
		const char *name = is_osu ? what->osu : what->imb;

		if (name && (is_osu ? is_of(title, name) : !strcmp(title, name)))
			return what;
	}
	return NULL;
}

static int begin_osu(struct reader *reader, const char *title, struct util_error *err)
{
	bool is_of_two;

	reader->kind = OSU;
	reader->what = find(title, true);
	reader->is_bandwidth = strcasestr(title, "bandwidth") != NULL;
	if (!reader->what)
		return refuse(title,
			      "a test of messages in host memory between two or more ranks: "
			      "latency, bandwidth, put, get or a blocking collective one",
			      err);
	is_of_two = reader->what->is_pair && strncmp(reader->what->osu, "Multi", 5);
	reader->n_here = is_of_two && !reader->n_ranks ? 2 : reader->n_ranks;
	if (is_of_two && reader->n_here != 2)
		return refuse(title, "FILE without @RANKS, as this test is of two", err);
	if (reader->what->is_pair && reader->n_here % 2)
		return refuse(title, "an even number of ranks behind @, as it is of pairs", err);
	if (reader->n_here == 0 && !(reader->what->is_pair && reader->is_bandwidth))
		return refuse(title, "the number of its ranks, as in FILE@8", err);
	return 0; /* of several pairs the output says how many */
}

/* One that is not known is passed over: a file has many, and few of them matter. */
static void begin_imb(struct reader *reader, const char *title)
{
	char name[BENCHMARK_NAME_B] = "";

	sscanf(title, "%31s", name);
	reader->kind = IMB;
	reader->what = find(name, false);
	reader->n_here = 0;
	reader->column = -1;
}

/* The time is t[usec], or the mean t_avg[usec]. */
static void find_column(struct reader *reader, const char *text)
{
	char words[512], *word, *rest;
	int n = 0;

	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest), n++)
		if (!strcmp(word, "t[usec]") || !strcmp(word, "t_avg[usec]"))
			reader->column = n;
}

static int read_comment(struct reader *reader, const char *text, struct util_error *err)
{
	const char *found;
	int n;

	if (strstr(text, "OSU ") && strstr(text, "Test"))
		return begin_osu(reader, text, err);
	if (strstr(text, "Buffer on") && (strstr(text, "DEVICE") || strstr(text, "MANAGED")))
		return refuse(text, "messages in host memory", err);
	if ((found = strstr(text, "Benchmarking ")))
		begin_imb(reader, found + strlen("Benchmarking "));
	else if (reader->kind == OSU && (found = strstr(text, "pairs:")) &&
		 sscanf(found, "pairs: %d", &n) == 1)
		reader->n_here = 2 * n;
	else if (reader->kind == IMB && (found = strstr(text, "#processes =")) &&
		 sscanf(found, "#processes = %d", &n) == 1)
		reader->n_here = n;
	else if (reader->kind == IMB && strstr(text, "[usec]"))
		find_column(reader, text);
	return 0;
}

/* --- their numbers --- */

/* How many there are; -1: something else stands there, too. */
static int split(const char *text, double numbers[MOST_NUMBERS])
{
	int n = 0;
	char *end;

	while (*text && n < MOST_NUMBERS) {
		numbers[n++] = strtod(text, &end);
		if (end == text)
			return -1;
		text = end + strspn(end, " \t");
	}
	return n;
}

/* A collective operation on nothing returns at once, whatever the machine. */
static bool is_nothing(const struct benchmark *what, double size_B)
{
	return size_B == 0 && what->kind >= BENCHMARK_BCAST;
}

/* Bandwidths count all pairs, or both directions. */
static double seconds_of(const struct reader *reader, double size_B, double value)
{
	double messages = reader->what->kind == BENCHMARK_BOTH_WAYS ? 2 : reader->n_here / 2;

	return reader->is_bandwidth ? messages * size_B / (value * 1e6) : value * 1e-6;
}

static int add_number(struct reader *reader, const char *text, double size_B, double value,
		      struct util_error *err)
{
	struct observation new = {
	    .what = reader->what, .n_ranks = reader->n_here, .scatter = DIGIT_US / value};

	if (!(value > 0) || !(size_B >= 0) || size_B > LARGEST_B)
		return refuse(text, "a size up to 1 GiB and a value above 0", err);
	if (reader->n_here < 2 || reader->n_here > MOST_RANKS)
		return refuse(text, "from 2 to 4096 ranks, said above it or by FILE@RANKS", err);
	new.size_B = (int)size_B;
	new.time_s = seconds_of(reader, size_B, value);
	return new.time_s > 0 && !is_nothing(reader->what, size_B) ? add(reader, &new, text, err)
								   : 0;
}

/* Sizes come first, but of a barrier; that of the Intel MPI Benchmarks begins with repetitions. */
static int read_numbers(struct reader *reader, const char *text, struct util_error *err)
{
	double numbers[MOST_NUMBERS];
	int n = split(text, numbers), column;
	bool has_size = reader->what && reader->what->kind != BENCHMARK_BARRIER;

	if (!reader->what)
		return 0;
	column = reader->kind == IMB ? reader->column : has_size;
	if (reader->kind == IMB && (column < 0 || (n < 0 && !isdigit((unsigned char)*text))))
		return 0; /* what stands between its tables */
	if (n < 0 || n <= column)
		return refuse(text, "a size and what was measured", err);
	return add_number(reader, text, has_size ? numbers[0] : 0, numbers[column], err);
}

/* --- tables --- */

static int read_header(struct reader *reader, const char *text, struct util_error *err)
{
	static const char wanted[] =
	    "output of a benchmark, or the columns operation,size,time and perhaps ranks and "
	    "place, or time,command";
	const unsigned needed = 1 << OPERATION | 1 << SIZE | 1 << TIME;
	char words[256], *word, *rest;
	unsigned seen = 0;

	if (!strcmp(text, "time,command")) {
		reader->kind = PROGRAMS;
		return 0;
	}
	snprintf(words, sizeof(words), "%s", text);
	for (word = strtok_r(words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
		int column = 0;

		while (column < COLUMNS && strcmp(word, NAMES[column]))
			column++;
		if (column == COLUMNS || seen & 1U << column)
			return refuse(text, wanted, err);
		seen |= 1U << column;
		reader->columns[reader->n_columns++] = (enum column)column;
	}
	reader->kind = TABLE;
	return (seen & needed) == needed ? 0 : refuse(text, wanted, err);
}

static int read_ranks(const struct reader *reader, const char *word, struct observation *row,
		      struct util_error *err)
{
	int64_t n = row->what->is_pair ? 2 : reader->n_ranks;

	if (word && util_parse_int(word, 2, MOST_RANKS, &n, err))
		return err->code;
	if (n == 0)
		return refuse(row->what->name,
			      "a column ranks, or the number behind the file's name, as in "
			      "FILE@8",
			      err);
	row->n_ranks = (int)n;
	if (row->what->is_pair && n % 2)
		return refuse(word, "an even number of ranks, as it is of pairs", err);
	return 0;
}

static int read_place(const char *word, struct observation *row, struct util_error *err)
{
	row->place = word ? place_of(word) : PLACE_ANYWHERE;
	if (row->place == PLACES)
		return refuse(word, "a place: domain, socket, node, nodes, across or anywhere",
			      err);
	if (row->place && (!row->what->is_pair || row->what->is_one_sided || row->n_ranks % 2))
		return refuse(word, "it for an even number of ranks in pairs only", err);
	return 0;
}

static int read_operation(struct reader *reader, char *text, struct util_error *err)
{
	struct observation row = {.scatter = DIGIT};
	char *words[COLUMNS] = {NULL}, *word, *rest;
	int64_t size_B;
	int n = 0;

	for (word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest), n++)
		if (n < reader->n_columns)
			words[reader->columns[n]] = word;
	if (n != reader->n_columns)
		return util_refuse(err, "found %d values, wanted as many as columns, %d", n,
				   reader->n_columns);
	row.what = benchmark_of(words[OPERATION]);
	if (!row.what)
		return refuse(words[OPERATION],
			      "an operation of docs/calibrate.md, such as latency, bw, "
			      "allreduce",
			      err);
	if (util_parse_size_B(words[SIZE], &size_B, err) ||
	    util_parse_time_s(words[TIME], &row.time_s, err))
		return err->code;
	if (size_B > LARGEST_B)
		return refuse(words[SIZE], "a size up to 1 GiB", err);
	row.size_B = (int)size_B;
	if (read_ranks(reader, words[RANKS], &row, err) || read_place(words[PLACE], &row, err))
		return err->code;
	return add(reader, &row, words[TIME], err);
}

static int read_program(struct reader *reader, char *text, struct util_error *err)
{
	static const char wanted[] = "a time and a command such as mpirun -n 8 ./program";
	struct observation row = {.scatter = DIGIT};
	char *comma = strchr(text, ','), *command;
	int failed;

	if (!comma)
		return refuse(text, wanted, err);
	*comma = '\0';
	command = comma + 1;
	if (util_parse_time_s(text, &row.time_s, err))
		return err->code;
	command += strspn(command, " \"");
	command[strcspn(command, "\"")] = '\0';
	if (strncmp(command, "mpirun ", 7) && strncmp(command, "mpiexec ", 8) &&
	    strncmp(command, "mpisim-run ", 11))
		return refuse(command, wanted, err);
	row.command = strdup(strchr(command, ' ') + 1);
	if (asprintf(&row.from, "%s:%d", reader->name, reader->line) < 0)
		row.from = NULL;
	if (row.command && row.from)
		failed = add(reader, &row, text, err);
	else
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (failed) {
		free(row.command);
		free(row.from);
	}
	return failed;
}

/* --- a file --- */

static char *strip(char *text)
{
	char *end = text + strlen(text);

	while (end > text && isspace((unsigned char)end[-1]))
		*--end = '\0';
	while (isspace((unsigned char)*text))
		text++;
	return text;
}

static int read_line(struct reader *reader, char *text, struct util_error *err)
{
	text = strip(text);
	if (!*text)
		return 0;
	if (*text == '#')
		return read_comment(reader, text, err);
	if (reader->kind == OSU || reader->kind == IMB)
		return read_numbers(reader, text, err);
	if (reader->kind == UNKNOWN)
		return read_header(reader, text, err);
	return reader->kind == TABLE ? read_operation(reader, text, err)
				     : read_program(reader, text, err);
}

static int read_lines(struct reader *reader, FILE *file, struct util_error *err)
{
	char text[LINE_B];
	int n_before = reader->out->n, failed = 0;

	for (reader->line = 1; fgets(text, sizeof(text), file); reader->line++) {
		if (!strchr(text, '\n') && !feof(file))
			failed = refuse(text, "a line of at most 4000 characters", err);
		else
			failed = read_line(reader, text, err);
		if (failed)
			return util_error_prepend(err, "%s:%d", reader->name, reader->line);
	}
	if (reader->out->n > n_before)
		return 0;
	return util_refuse(err,
			   "%s: found no times, wanted output of OSU micro-benchmarks or of the "
			   "Intel MPI Benchmarks, or a table \"operation,size,time\" or "
			   "\"time,command\"",
			   reader->name);
}

/* Cuts "@RANKS" off. */
static int split_ranks(char *path, int *n_ranks, struct util_error *err)
{
	char *at = strrchr(path, '@');
	int64_t n;

	if (!at || strchr(at, '/'))
		return 0;
	if (util_parse_int(at + 1, 2, MOST_RANKS, &n, err))
		return util_error_prepend(err, "%s: ranks", path);
	*n_ranks = (int)n;
	*at = '\0';
	return 0;
}

int observations_read(struct observations *observations, const char *path, struct util_error *err)
{
	char name[PATH_MAX];
	struct reader reader = {.out = observations, .name = name};
	FILE *file;
	int failed;

	snprintf(name, sizeof(name), "%s", path);
	if (split_ranks(name, &reader.n_ranks, err))
		return err->code;
	file = fopen(name, "r");
	if (!file)
		return util_refuse(err, "cannot read %s: %s", name, strerror(errno));
	failed = read_lines(&reader, file, err);
	fclose(file);
	return failed;
}
