/* SPDX-License-Identifier: BSD-3-Clause */
#include "samples.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/array.h"

struct sample_key sample_key(const char *name, int where, int64_t x, int64_t y)
{
	struct sample_key key = {.where = where, .x = x, .y = y};

	snprintf(key.name, sizeof(key.name), "%s", name);
	return key;
}

int samples_add(struct samples *samples, const struct sample_key *key, double value)
{
	if (!util_array_room(&samples->list, samples->n, sizeof(*samples->list)))
		return -1;
	samples->list[samples->n++] = (struct sample){*key, value};
	return 0;
}

/* A fact is one line of the file. */
static void keep_on_line(char *text)
{
	for (; *text; text++)
		if (*text > 0 && *text < ' ')
			*text = ' ';
}

int samples_fact(struct samples *samples, const char *name, const char *format, ...)
{
	char text[512];
	struct fact fact;
	va_list args;

	if (!util_array_room(&samples->facts, samples->n_facts, sizeof(*samples->facts)))
		return -1;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	keep_on_line(text);
	fact = (struct fact){strdup(name), strdup(text)};
	if (!fact.name || !fact.value) {
		free(fact.name);
		free(fact.value);
		return -1;
	}
	samples->facts[samples->n_facts++] = fact;
	return 0;
}

const char *samples_get_fact(const struct samples *samples, const char *name, int k)
{
	for (size_t i = 0; i < samples->n_facts; i++)
		if (!strcmp(samples->facts[i].name, name) && k-- == 0)
			return samples->facts[i].value;
	return NULL;
}

static int has_key(const struct sample *sample, const struct sample_key *key)
{
	return sample->key.x == key->x && sample->key.y == key->y &&
	       sample->key.where == key->where && !strcmp(sample->key.name, key->name);
}

static double middle(const double *sorted, int n)
{
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* Median distance from the median, scaled to the standard deviation of normal values. */
static double spread(const double *sorted, int n, double median)
{
	double *distances = malloc((size_t)n * sizeof(double)), result;

	if (!distances)
		return INFINITY;
	for (int k = 0; k < n; k++)
		distances[k] = fabs(sorted[k] - median);
	qsort(distances, (size_t)n, sizeof(double), util_compare_doubles);
	result = 1.4826 * middle(distances, n);
	free(distances);
	return result;
}

struct summary summary_of(double *values, int n)
{
	struct summary s = {.n = n};
	double half, reach;
	int below;

	if (n == 0)
		return s;
	qsort(values, (size_t)n, sizeof(double), util_compare_doubles);
	s.minimum = values[0];
	s.median = middle(values, n);
	/* How many of n lie below the median is binomial; normal approximation of its 95 % range.
	 */
	half = 1.96 * sqrt(n) / 2;
	below = (int)floor(n / 2.0 - half);
	if (below < 0)
		below = 0;
	s.low = values[below];
	s.high = values[n - 1 - below];
	reach = 5 * spread(values, n, s.median) + 1e-3 * fabs(s.median);
	for (int k = 0; k < n; k++)
		s.n_outliers += fabs(values[k] - s.median) > reach;
	return s;
}

struct summary samples_summary(const struct samples *samples, const struct sample_key *key)
{
	int n = 0;
	double *values = malloc((samples->n + 1) * sizeof(double));
	struct summary summary;

	if (!values)
		return (struct summary){0};
	for (size_t i = 0; i < samples->n; i++)
		if (has_key(&samples->list[i], key))
			values[n++] = samples->list[i].value;
	summary = summary_of(values, n);
	free(values);
	return summary;
}

bool is_probe_named(const char *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names; (at = strstr(at, name)); at += length)
		if ((at == names || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
			return true;
	return false;
}

/* If another one has that key it is most likely the one before it. */
bool samples_is_first(const struct samples *samples, size_t i)
{
	for (size_t k = i; k-- > 0;)
		if (has_key(&samples->list[k], &samples->list[i].key))
			return false;
	return true;
}

int sample_key_compare(const void *a, const void *b)
{
	const struct sample_key *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (!order)
		order = left->where - right->where;
	if (!order)
		order = (left->y > right->y) - (left->y < right->y);
	return order ? order : (left->x > right->x) - (left->x < right->x);
}

struct summary samples_probes(const struct samples *samples, const char *names, int where)
{
	struct summary all = {0};

	for (size_t i = 0; i < samples->n; i++) {
		const struct sample_key *key = &samples->list[i].key;
		struct summary one;

		if (key->where != where || !is_probe_named(names, key->name) ||
		    !samples_is_first(samples, i))
			continue;
		one = samples_summary(samples, key);
		all.n += one.n;
		all.n_outliers += one.n_outliers;
	}
	return all;
}

void samples_finish(struct samples *samples)
{
	for (size_t i = 0; i < samples->n_facts; i++) {
		free(samples->facts[i].name);
		free(samples->facts[i].value);
	}
	free(samples->facts);
	free(samples->list);
	*samples = (struct samples){0};
}

const struct sample_key *samples_next(const struct samples *samples, const char *name, int64_t x)
{
	const struct sample_key *next = NULL;

	for (size_t i = 0; i < samples->n; i++) {
		const struct sample_key *key = &samples->list[i].key;

		if (!strcmp(key->name, name) && key->x > x && (!next || key->x < next->x))
			next = key;
	}
	return next;
}

int64_t samples_largest(const struct samples *samples, const char *name)
{
	int64_t most = -1;

	for (size_t i = 0; i < samples->n; i++)
		if (!strcmp(samples->list[i].key.name, name) && samples->list[i].key.x > most)
			most = samples->list[i].key.x;
	return most;
}
