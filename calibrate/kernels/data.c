/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurements: keeping them, reading them from benchmark stores, means without outliers. */
#include <stdlib.h>
#include <string.h>

#include "calibrate/kernels/kernels.h"
#include "pdexec/store_write.h"
#include "util/array.h"
#include "util/lines.h"
#include "util/units.h"

#define OUTLIER 3.0 /* this many times the median: something else ran */

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "no memory for the measurements");
}

int kern_data_series(struct kern_data *data, const char *name, int n_params, struct kern_series **out,
		     struct util_error *err)
{
	struct kern_series *grown;

	for (size_t i = 0; i < data->n_series; i++) {
		struct kern_series *series = &data->series[i];

		if (strcmp(series->name, name))
			continue;
		if (series->n_params >= 0 && n_params >= 0 && series->n_params != n_params)
			return util_error_set(err, UTIL_EINPUT,
					      "kernel \"%s\" has %d parameters here, but %d before", name,
					      n_params, series->n_params);
		if (n_params >= 0)
			series->n_params = n_params;
		*out = series;
		return 0;
	}
	grown = realloc(data->series, (data->n_series + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(err);
	data->series = grown;
	*out = &grown[data->n_series++];
	**out = (struct kern_series){.n_params = n_params};
	snprintf((*out)->name, sizeof((*out)->name), "%s", name);
	return 0;
}

static struct kern_point *point_get(struct kern_series *series, const double params[])
{
	struct kern_point *point;
	size_t size = (size_t)(series->n_params > 0 ? series->n_params : 0) * sizeof(double);

	/* The last one first: measurements of a point come together. */
	for (size_t i = series->n_points; i-- > 0;) {
		if (!memcmp(series->points[i].params, params, size))
			return &series->points[i];
	}
	if (!util_array_room(&series->points, series->n_points, sizeof *series->points))
		return NULL;
	point = &series->points[series->n_points++];
	*point = (struct kern_point){.samples = NULL};
	memcpy(point->params, params, size);
	return point;
}

int kern_series_add(struct kern_series *series, const double params[], double seconds, int node,
		    bool is_batched, struct util_error *err)
{
	struct kern_point *point = point_get(series, params);

	if (!point)
		return no_memory(err);
	if (!util_array_room(&point->samples, (size_t)point->n_samples, sizeof *point->samples))
		return no_memory(err);
	point->samples[point->n_samples++] = (struct kern_sample){seconds, node};
	point->is_batched |= is_batched;
	return 0;
}

/* "NAME,p1,p2,p3,p4,seconds" */
static int read_row(struct kern_data *data, char *line, struct util_error *err)
{
	double params[PD_STORE_MAX_PARAMS] = {0}, seconds;
	struct kern_series *series;
	char *fields[PD_STORE_MAX_PARAMS + 2] = {0}, *at = line;
	int n_fields = 0, n_params = 0;

	for (char *field; (field = strsep(&at, ",")); n_fields++) {
		if (n_fields < PD_STORE_MAX_PARAMS + 2)
			fields[n_fields] = field + strspn(field, " \t");
	}
	if (n_fields != PD_STORE_MAX_PARAMS + 2)
		return util_error_set(err, UTIL_EINPUT, "found %d fields, wanted %d (%s)", n_fields,
				      PD_STORE_MAX_PARAMS + 2, PD_BENCH_HEADER);
	while (n_params < PD_STORE_MAX_PARAMS && *fields[n_params + 1]) {
		if (util_parse_double(fields[n_params + 1], &params[n_params], err))
			return util_error_prepend(err, "p%d", n_params + 1);
		n_params++;
	}
	if (util_parse_double(fields[PD_STORE_MAX_PARAMS + 1], &seconds, err))
		return util_error_prepend(err, "seconds");
	if (seconds < 0 || pd_bench_name_fault(fields[0]))
		return util_error_set(err, UTIL_EINPUT, "found the kernel \"%.60s\" with %g seconds",
				      fields[0], seconds);
	if (kern_data_series(data, fields[0], n_params, &series, err))
		return err->code;
	return kern_series_add(series, params, seconds, data->n_nodes, false, err);
}

/* "NAME: EXPRESSION" of "# model NAME: EXPRESSION"; the last colon divides. */
static int read_complexity(struct kern_data *data, char *text, struct util_error *err)
{
	char *colon = strrchr(text, ':');
	struct kern_series *series;

	if (!colon)
		return util_error_set(err, UTIL_EINPUT, "found no colon, wanted NAME: EXPRESSION");
	*colon = '\0';
	if (kern_data_series(data, text, -1, &series, err))
		return err->code;
	series->has_complexity = true;
	return pd_expression_parse(colon + 1, &series->complexity, err);
}

static int read_line(struct kern_data *data, char *line, struct util_error *err)
{
	static const char comment[] = "# model ", *const modelled[] = {"model,", "vary,",
								       "contention,"};

	line[strcspn(line, "\r\n")] = '\0';
	if (!strncmp(line, comment, strlen(comment)))
		return read_complexity(data, line + strlen(comment), err);
	if (!*line || *line == '#' || !strcmp(line, PD_BENCH_HEADER))
		return 0;
	for (size_t i = 0; i < sizeof(modelled) / sizeof(*modelled); i++) {
		if (!strncmp(line, modelled[i], strlen(modelled[i])))
			return 0;
	}
	return read_row(data, line, err);
}

int kern_data_read(struct kern_data *data, const char *path, struct util_error *err)
{
	struct util_lines lines;
	bool must_end = false;
	int rc = util_lines_open(&lines, path, "the benchmark store", err);

	if (rc)
		return rc;
	while (util_lines_next(&lines, &rc, err)) {
		if (must_end && lines.text[lines.length_B - 1] != '\n')
			rc = util_error_set(
			    err, UTIL_EINPUT,
			    "found no end of the last line, wanted one: the file is cut");
		else
			rc = read_line(data, lines.text, err);
		must_end |= !strcmp(lines.text, PD_BENCH_ENDS);
		if (rc)
			util_error_prepend(err, "%s:%d", path, lines.number);
	}
	util_lines_close(&lines);
	data->n_nodes++;
	return rc;
}

static int by_seconds(const void *a, const void *b)
{
	double x = ((const struct kern_sample *)a)->seconds, y = ((const struct kern_sample *)b)->seconds;

	return (x > y) - (x < y);
}

static int by_params(const void *a, const void *b)
{
	const struct kern_point *x = a, *y = b;

	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++) {
		if (x->params[i] != y->params[i])
			return x->params[i] < y->params[i] ? -1 : 1;
	}
	return 0;
}

static void complete_point(struct kern_point *point)
{
	double sum = 0, median;
	size_t n = point->n_samples;

	qsort(point->samples, n, sizeof(*point->samples), by_seconds);
	median = 0.5 * (point->samples[(n - 1) / 2].seconds + point->samples[n / 2].seconds);
	while (n > 1 && point->samples[n - 1].seconds > OUTLIER * median)
		n--;
	for (size_t i = 0; i < n; i++)
		sum += point->samples[i].seconds;
	point->n_outliers = point->n_samples - n;
	point->mean_s = sum / (double)n;
}

void kern_data_complete(struct kern_data *data)
{
	for (size_t s = 0; s < data->n_series; s++) {
		struct kern_series *series = &data->series[s];

		if (series->n_points > 0)
			qsort(series->points, series->n_points, sizeof(*series->points), by_params);
		for (size_t i = 0; i < series->n_points; i++)
			complete_point(&series->points[i]);
	}
}

void kern_data_finish(struct kern_data *data)
{
	for (size_t s = 0; s < data->n_series; s++) {
		for (size_t i = 0; i < data->series[s].n_points; i++)
			free(data->series[s].points[i].samples);
		free(data->series[s].points);
	}
	free(data->series);
	*data = (struct kern_data){.series = NULL};
}
