/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of the OSU micro-benchmarks and of the Intel MPI Benchmarks: titles and facts stand in
 * lines that begin with "#", numbers in the others. */
#include <stdlib.h>
#include <string.h>

#include "observations.h"

enum { MOST_NUMBERS = 12 };
/* Of times that are written with two digits behind the point. */
static const double DIGIT_US = 0.005;

/* --- titles --- */

static const struct benchmark *find(const char *title, bool is_osu)
{
	const struct benchmark *what;

	for (int k = 0; (what = benchmark_next(k)); k++) {
		const char *name = is_osu ? what->osu : what->imb;

		if (name && (is_osu ? strcasestr(title, name) != NULL : !strcmp(title, name)))
			return what;
	}
	return NULL;
}

static int begin_osu(struct reader *reader, const char *title, struct util_error *err)
{
	reader->kind = OSU;
	reader->what = find(title, true);
	reader->is_bandwidth = strcasestr(title, "bandwidth") != NULL;
	if (!reader->what)
		return reader_refuse(reader, title,
				     "a test of messages in host memory between two or more ranks: "
				     "latency, bandwidth, put, get or a collective one",
				     err);
	reader->n_here =
	    reader->what->is_pair && reader->what->kind != BENCHMARK_STREAM ? 2 : reader->n_ranks;
	if (reader->what->is_pair && !reader->n_here)
		reader->n_here = 2;
	return reader->n_here > 0
		   ? 0
		   : reader_refuse(reader, title, "the number of its ranks, as in FILE@8", err);
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

int read_comment(struct reader *reader, const char *text, struct util_error *err)
{
	const char *found;
	int n;

	if (strstr(text, "OSU ") && strstr(text, "Test"))
		return begin_osu(reader, text, err);
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

/* --- numbers --- */

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

static int add(struct reader *reader, const char *text, double size_B, double value,
	       struct util_error *err)
{
	struct observation new = {
	    .what = reader->what, .n_ranks = reader->n_here, .scatter = DIGIT_US / value};

	if (!(value > 0) || !(size_B >= 0) || size_B > OBSERVATIONS_LARGEST_B)
		return reader_refuse(reader, text, "a size up to 1 GiB and a value above 0", err);
	if (reader->n_here < 2 || reader->n_here > OBSERVATIONS_RANKS)
		return reader_refuse(reader, text, "from 2 to 4096 ranks", err);
	new.size_B = (int)size_B;
	new.time_s = seconds_of(reader, size_B, value);
	return new.time_s > 0 && !is_nothing(reader->what, size_B) ? reader_add(reader, &new, err)
								   : 0;
}

/* Sizes come first, but of a barrier; that of the Intel MPI Benchmarks begins with repetitions. */
int read_numbers(struct reader *reader, const char *text, struct util_error *err)
{
	double numbers[MOST_NUMBERS];
	int n = split(text, numbers), column = reader->kind == IMB ? reader->column : 1;
	bool has_size = reader->what && reader->what->kind != BENCHMARK_BARRIER;

	if (!reader->what)
		return 0;
	if (reader->kind == OSU && !has_size)
		column = 0;
	if (reader->kind == IMB && (n < 0 || column < 0)) /* what stands between its tables */
		return 0;
	if (n < 0 || n <= column)
		return reader_refuse(reader, text, "a size and what was measured", err);
	return add(reader, text, has_size ? numbers[0] : 0, numbers[column], err);
}
