/* SPDX-License-Identifier: BSD-3-Clause */
#include "observations.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"
#include "util/units.h"

enum { LINE_B = 4096 };

int reader_refuse(const struct reader *reader, const char *found, const char *wanted,
		  struct util_error *err)
{
	return util_error_set(err, UTIL_EINPUT, "%s:%d: found \"%.80s\", wanted %s", reader->name,
			      reader->line, found, wanted);
}

int reader_add(struct reader *reader, const struct observation *observation, struct util_error *err)
{
	struct observations *out = reader->out;

	if (!util_array_room(&out->list, (size_t)out->n, sizeof(*out->list)))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	out->list[out->n++] = *observation;
	return 0;
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
	return read_row(reader, text, err);
}

static int read_lines(struct reader *reader, FILE *file, struct util_error *err)
{
	char text[LINE_B];
	int n_before = reader->out->n, failed = 0;

	while (!failed && fgets(text, sizeof(text), file)) {
		reader->line++;
		if (!strchr(text, '\n') && !feof(file))
			return reader_refuse(reader, text, "a line of at most 4000 characters",
					     err);
		failed = read_line(reader, text, err);
	}
	if (!failed && reader->out->n == n_before)
		return util_error_set(err, UTIL_EINPUT,
				      "%s: found no times, wanted output of OSU micro-benchmarks "
				      "or of the Intel MPI Benchmarks, or a table \"operation,"
				      "size,time\" or \"time,command\"",
				      reader->name);
	return failed;
}

/* Cuts "@RANKS" off. */
static int split_ranks(char *path, int *n_ranks, struct util_error *err)
{
	char *at = strrchr(path, '@');
	int64_t n;

	if (!at || strchr(at, '/'))
		return 0;
	if (util_parse_int(at + 1, 2, OBSERVATIONS_RANKS, &n, err))
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
	if (!file) {
		util_error_errno(err, errno, "cannot read %s", name);
		return err->code = UTIL_EINPUT;
	}
	failed = read_lines(&reader, file, err);
	fclose(file);
	return failed;
}

/* --- all of them --- */

bool observation_is_same_curve(const struct observation *a, const struct observation *b)
{
	return a->what && a->what == b->what && a->n_ranks == b->n_ranks && a->place == b->place;
}

static int compare(const void *left, const void *right)
{
	const struct observation *a = left, *b = right;
	int order = !a->what - !b->what;

	if (!order && !a->what)
		order = strcmp(a->command, b->command);
	if (!order && a->what)
		order = strcmp(a->what->name, b->what->name);
	if (!order)
		order = (int)a->place - (int)b->place;
	if (!order)
		order = a->n_ranks - b->n_ranks;
	if (!order)
		order = a->size_B - b->size_B;
	return order ? order : (a->time_s > b->time_s) - (a->time_s < b->time_s);
}

static bool is_same(const struct observation *a, const struct observation *b)
{
	return a->what ? observation_is_same_curve(a, b) && a->size_B == b->size_B
		       : !b->what && !strcmp(a->command, b->command);
}

/* Half of what separates the first and the last quarter, of a median of n, as a part. */
static double scatter_of(const struct observation *list, int n)
{
	double half_s = (list[3 * n / 4].time_s - list[n / 4].time_s) / 2;

	return hypot(list[n / 2].scatter, half_s / sqrt(n) / list[n / 2].time_s);
}

void observations_sort(struct observations *observations)
{
	struct observation *list = observations->list;
	int kept = 0;

	qsort(list, (size_t)observations->n, sizeof(*list), compare);
	for (int k = 0, n; k < observations->n; k += n) {
		struct observation median;

		for (n = 1; k + n < observations->n && is_same(&list[k], &list[k + n]); n++)
			;
		median = list[k];
		median.scatter = scatter_of(&list[k], n);
		median.time_s = list[k + n / 2].time_s;
		for (int j = 1; j < n; j++)
			free(list[k + j].command);
		list[kept++] = median;
	}
	observations->n = kept;
}

void observations_finish(struct observations *observations)
{
	for (int k = 0; k < observations->n; k++)
		free(observations->list[k].command);
	free(observations->list);
	*observations = (struct observations){0};
}

bool observation_is_within(const struct observation *observation)
{
	return observation->place >= PLACE_DOMAIN && observation->place <= PLACE_NODE;
}

void observation_write(const struct observation *observation, FILE *file)
{
	if (observation->what)
		fprintf(file, "%s %d B, %d ranks%s%s", observation->what->name, observation->size_B,
			observation->n_ranks, observation->place ? ", " : "",
			observation->place ? place_name(observation->place) : "");
	else
		fprintf(file, "%s", observation->command);
}
