/* SPDX-License-Identifier: BSD-3-Clause */
/* Samples as a file. Its last line tells how many there are, so that a part of it is no whole. */
#include "samples.h"
#include "util/outfile.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char HEADER[] = "# mpisim-calibration 1", COLUMNS[] = "probe,where,x,y,value",
		  END[] = "# end: ";
static const double MOST_VALUE =
    1e9; /* seconds are thirty years; formulas of larger values overflow */

enum { MOST_TRANSFERS = 256 }; /* that a cluster file's table of CPU costs has room for */

/* Facts that the fit computes with; the least that they can be. */
static const struct number {
	const char *name;
	double least;
} NUMBERS[] = {{"nodes", 1},
	       {"ranks", 1},
	       {"cpus", 1},
	       {"computing_ranks", 1},
	       {"window_s", 1e-9},
	       {"max_size_B", 1024},
	       {"used_compute_s", 0},
	       {"eager_threshold_B", -2},
	       {"eager_threshold_within_B", -2},
	       {"packet_jump_B", 0},
	       {"universe_size", 0},
	       {"storage_stripe_B", 0},
	       {"storage_stripe_count", 0},
	       {"storage_servers", 0}};

void sample_key_text(const struct sample_key *key, char text[SAMPLES_KEY_B])
{
	snprintf(text, SAMPLES_KEY_B, "%s,%s,%" PRId64 ",%" PRId64, key->name,
		 key->where == WITHIN_NODE ? "within" : "between", key->x, key->y);
}

void samples_print(const struct samples *samples, FILE *file)
{
	char key[SAMPLES_KEY_B];

	fprintf(file, "%s\n", HEADER);
	for (size_t i = 0; i < samples->n_facts; i++)
		fprintf(file, "# %s: %s\n", samples->facts[i].name, samples->facts[i].value);
	fprintf(file, "%s\n", COLUMNS);
	for (size_t i = 0; i < samples->n; i++) {
		sample_key_text(&samples->list[i].key, key);
		fprintf(file, "%s,%.17g\n", key, samples->list[i].value);
	}
	fprintf(file, "%s%zu samples\n", END, samples->n);
}

static int write_all(const void *samples, FILE *file, struct util_error *err)
{
	samples_print(samples, file);
	return 0;
}

int samples_write(const struct samples *samples, const char *path, struct util_error *err)
{
	return util_outfile_write(path, write_all, samples, err);
}

/* What is read so far. Functions that read return NULL, or what they wanted in the place of what
 * they found. */
struct reader {
	struct samples *samples;
	bool has_ended;
	char wanted[128];
};

static const char *out_of_memory(int status)
{
	return status < 0 ? "memory for one sample more" : NULL;
}

static const char *read_end(struct reader *reader, const char *found)
{
	char here[40];

	snprintf(here, sizeof(here), "%zu samples", reader->samples->n);
	if (strcmp(found, here)) {
		snprintf(reader->wanted, sizeof(reader->wanted), "%s%s, as many as stand above it",
			 END, here);
		return reader->wanted;
	}
	reader->has_ended = true;
	return NULL;
}

static const char *read_fact(struct reader *reader, const char *line)
{
	const char *value = strstr(line, ": ");
	char name[64], *end;
	double number;

	if (!strncmp(line, END, strlen(END)))
		return read_end(reader, line + strlen(END));
	if (!value || value - line - 2 >= (long)sizeof(name))
		return "# fact: value";
	snprintf(name, sizeof(name), "%.*s", (int)(value - line - 2), line + 2);
	for (size_t k = 0; k < sizeof(NUMBERS) / sizeof(NUMBERS[0]); k++) {
		if (strcmp(name, NUMBERS[k].name))
			continue;
		number = strtod(value + 2, &end);
		if (end > value + 2 && !*end && number >= NUMBERS[k].least && isfinite(number))
			continue;
		snprintf(reader->wanted, sizeof(reader->wanted), "# %s: a number from %g on", name,
			 NUMBERS[k].least);
		return reader->wanted;
	}
	return out_of_memory(samples_fact(reader->samples, name, "%s", value + 2));
}

static const char *read_sample(struct reader *reader, const char *line)
{
	struct sample_key key = {.where = BETWEEN_NODES};
	char where[8];
	double value;
	int end = 0;

	if (sscanf(line, "%23[^,],%7[^,],%" SCNd64 ",%" SCNd64 ",%lf%n", key.name, where, &key.x,
		   &key.y, &value, &end) != 5 ||
	    line[end])
		return COLUMNS;
	if (!strcmp(where, "within"))
		key.where = WITHIN_NODE;
	else if (strcmp(where, "between"))
		return "between or within as the second column";
	if (key.x < 0 || key.y < 0)
		return "x and y from 0 on";
	if (!strcmp(key.name, "compute_speed") &&
	    (key.x > MOST_TRANSFERS || key.y > MOST_TRANSFERS))
		return "numbers of transfers up to 256";
	if (!isfinite(value))
		return "a finite value";
	if (fabs(value) > MOST_VALUE)
		return "a value of 1e9 at most";
	/* what one message takes longer than another, and a bulk beside a sender that may compute
	 * more slowly than rank 0; all else are times, numbers and fractions */
	if (value < 0 && strcmp(key.name, "after_rest") && strcmp(key.name, "used"))
		return "a value from 0 on";
	return out_of_memory(samples_add(reader->samples, &key, value));
}

static const char *read_line(struct reader *reader, const char *line, int number)
{
	if (number == 1)
		return strcmp(line, HEADER) ? HEADER : NULL;
	if (reader->has_ended)
		return *line ? "nothing behind the end" : NULL;
	if (line[0] == '#')
		return read_fact(reader, line);
	if (!strcmp(line, COLUMNS) || !line[0])
		return NULL;
	return read_sample(reader, line);
}

static int read_lines(struct reader *reader, const char *path, FILE *file,
		      char error[SAMPLES_ERROR_B])
{
	const char *wanted = NULL;
	char *line = NULL;
	size_t capacity = 0;
	int number = 0;

	while (!wanted && getline(&line, &capacity, file) > 0) {
		line[strcspn(line, "\r\n")] = '\0';
		wanted = read_line(reader, line, ++number);
		if (wanted)
			snprintf(error, SAMPLES_ERROR_B, "%s:%d: found \"%.100s\", wanted %s", path,
				 number, line, wanted);
	}
	free(line);
	if (wanted)
		return -1;
	if (ferror(file))
		snprintf(error, SAMPLES_ERROR_B, "%s: cannot be read: %s", path, strerror(errno));
	else if (number == 0)
		snprintf(error, SAMPLES_ERROR_B, "%s: found an empty file, wanted %s", path,
			 HEADER);
	else if (!reader->has_ended)
		snprintf(error, SAMPLES_ERROR_B,
			 "%s:%d: found the end of the file, wanted a line \"%sN samples\" there: "
			 "some of it is missing",
			 path, number, END);
	return ferror(file) || !reader->has_ended ? -1 : 0;
}

int samples_read(struct samples *samples, const char *path, char error[SAMPLES_ERROR_B])
{
	struct reader reader = {.samples = samples};
	FILE *file = fopen(path, "r");
	int status;

	*samples = (struct samples){0};
	if (!file) {
		snprintf(error, SAMPLES_ERROR_B, "%s: cannot be opened: %s", path, strerror(errno));
		return -1;
	}
	status = read_lines(&reader, path, file, error);
	fclose(file);
	if (status < 0)
		samples_finish(samples);
	return status;
}
