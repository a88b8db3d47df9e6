/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading a store or model file (docs/benchmark-store.md). */
#include <stdlib.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "pdexec/store_write.h"
#include "util/lines.h"
#include "util/units.h"

#define N_FIELDS (PD_STORE_MAX_PARAMS + 2)

static char *trim(char *text)
{
	size_t length;

	while (*text == ' ' || *text == '\t')
		text++;
	length = strlen(text);
	while (length > 0 && strchr(" \t\r\n", text[length - 1]))
		length--;
	text[length] = '\0';
	return text;
}

/* Cuts a line at its commas: fields[max] in place. The count, which may be more than max. */
static int split(char *line, char *fields[], int max)
{
	int n = 0;

	for (char *at = line; at; n++) {
		char *comma = strchr(at, ',');

		if (comma)
			*comma++ = '\0';
		if (n < max)
			fields[n] = trim(at);
		at = comma;
	}
	return n;
}

/* A bad name in a file is bad input, not a fault of the program. */
static struct pd_kernel *kernel_of_line(struct pd_store *store, const char *name,
					struct util_error *err)
{
	const char *fault = pd_bench_name_fault(name);

	if (fault) {
		util_refuse(err, "the kernel name \"%.110s\" %s", name, fault);
		return NULL;
	}
	return pd_store_get_kernel(store, name, err);
}

static int params_parse(char *const fields[], double params[], int *out_n, struct util_error *err)
{
	int n = 0;

	for (int i = 0; i < PD_STORE_MAX_PARAMS; i++) {
		if (!*fields[i])
			continue;
		if (i != n)
			return util_refuse(err,
					   "found p%d without p%d, wanted parameters without gaps",
					   i + 1, n + 1);
		if (util_parse_double(fields[i], &params[n++], err)) {
			util_error_prepend(err, "p%d", i + 1);
			return UTIL_EINPUT;
		}
	}
	*out_n = n;
	return 0;
}

/* The scatter as it goes (Welford 1962): differences of large sums would round it away. */
static void note_measurement(struct pd_key *key, double seconds)
{
	double difference_s = seconds - key->file_mean_s;

	key->file_sum_s += seconds;
	key->file_n++;
	key->file_mean_s += difference_s / (double)key->file_n;
	key->file_scatter_s2 += difference_s * (seconds - key->file_mean_s);
}

static int read_measurement(struct pd_store *store, char *line, struct util_error *err)
{
	char *fields[N_FIELDS];
	double params[PD_STORE_MAX_PARAMS], seconds;
	int n_fields = split(line, fields, N_FIELDS), n_params = 0;
	struct pd_kernel *kernel;
	struct pd_key *key;

	if (n_fields != N_FIELDS)
		return util_refuse(err, "found %d fields, wanted %d (%s)", n_fields, N_FIELDS,
				   PD_BENCH_HEADER);
	kernel = kernel_of_line(store, fields[0], err);
	if (!kernel)
		return err->code;
	if (params_parse(fields + 1, params, &n_params, err))
		return UTIL_EINPUT;
	if (util_parse_double(fields[N_FIELDS - 1], &seconds, err))
		return util_error_prepend(err, "seconds");
	if (seconds < 0)
		return util_refuse(err, "found %s seconds, wanted 0 or more", fields[N_FIELDS - 1]);
	if (kernel->n_params >= 0 && kernel->n_params != n_params)
		return util_refuse(err, "kernel \"%s\" has %d parameters here, but %d before",
				   kernel->name, n_params, kernel->n_params);
	key = pd_store_get_key(store, kernel, n_params, params);
	if (!key)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the benchmark store");
	kernel->n_params = n_params;
	note_measurement(key, seconds);
	kernel->info.n_measurements++;
	return 0;
}

/* "model,NAME,EXPRESSION[,RANGES[,DISTRIBUTION,DEVIATION]]" */
static int read_model(struct pd_store *store, char *line, struct util_error *err)
{
	char *fields[6] = {0};
	int n_fields = split(line, fields, 6);
	struct pd_model model = {0}, *kept;
	struct pd_kernel *kernel;

	if (n_fields != 3 && n_fields != 4 && n_fields != 6)
		return util_refuse(
		    err,
		    "found %d fields, wanted "
		    "model,NAME,EXPRESSION[,RANGES[,DISTRIBUTION,DEVIATION]]",
		    n_fields);
	kernel = kernel_of_line(store, fields[1], err);
	if (!kernel)
		return err->code;
	if (pd_expression_parse(fields[2], &model.expression, err))
		return util_error_prepend(err, "expression of model \"%s\"", fields[1]);
	if (fields[3] && pd_ranges_parse(fields[3], model.ranges, &model.n_ranges, err))
		return util_error_prepend(err, "ranges of model \"%s\"", fields[1]);
	if (fields[4] && (pd_deviates_parse(fields[4], &model.deviates, err) ||
			  pd_expression_parse(fields[5], &model.deviation, err)))
		return util_error_prepend(err, "deviation of model \"%s\"", fields[1]);
	kept = malloc(sizeof(*kept));
	if (!kept)
		return util_error_set(err, UTIL_ENOMEM, "no memory for the benchmark store");
	*kept = model;
	util_list_append(&kernel->models, kept);
	return 0;
}

/* "model NAME: EXPRESSION" behind a '#': the complexity that a fit stands on. The last colon divides. */
static int read_complexity(struct pd_store *store, char *text, struct util_error *err)
{
	char *colon = strrchr(text, ':');
	struct pd_kernel *kernel;

	if (!colon)
		return util_refuse(err,
				   "found \"# model %.60s\", wanted \"# model NAME: EXPRESSION\"",
				   trim(text));
	*colon = '\0';
	kernel = kernel_of_line(store, trim(text), err);
	if (!kernel)
		return err->code;
	if (kernel->has_complexity)
		return util_refuse(err, "the complexity of \"%s\" is stated twice", kernel->name);
	if (pd_expression_parse(trim(colon + 1), &kernel->complexity, err))
		return util_error_prepend(err, "complexity of \"%s\"", kernel->name);
	kernel->has_complexity = true;
	return 0;
}

/* "vary,NAME,call|node,KIND,NUMBERS"; NAME *: all kernels that have no such line of their own. */
static int read_variation(struct pd_store *store, char *line, struct util_error *err)
{
	static const char *const scopes[] = {[PD_VARY_CALL] = "call", [PD_VARY_NODE] = "node"};
	char *fields[5];
	struct pd_spread *spreads = store->spreads;
	int n_fields = split(line, fields, 5), scope = 0;

	if (n_fields != 5)
		return util_refuse(
		    err, "found %d fields, wanted vary,NAME,call|node,DISTRIBUTION,NUMBERS",
		    n_fields);
	if (strcmp(fields[1], "*")) {
		struct pd_kernel *kernel = kernel_of_line(store, fields[1], err);

		if (!kernel)
			return err->code;
		spreads = kernel->spreads;
	}
	while (scope < PD_N_VARY && strcmp(scopes[scope], fields[2]))
		scope++;
	if (scope == PD_N_VARY)
		return util_refuse(err, "found \"%.60s\", wanted call or node", fields[2]);
	if (spreads[scope].is_known)
		return util_refuse(err, "the variation of \"%s\" from %s to %s is stated twice",
				   fields[1], scopes[scope], scopes[scope]);
	if (pd_spread_parse(fields[3], fields[4], &spreads[scope], err))
		return util_error_prepend(err, "variation of \"%s\"", fields[1]);
	return 0;
}

/* Checked here, and used by pd_store_contention. */
static int read_contention(struct pd_store *store, char *line, struct util_error *err)
{
	char *fields[3];
	double speed[PD_MAX_CONTENTION];
	int n_fields = split(line, fields, 3), n;

	if (n_fields != 3)
		return util_refuse(err, "found %d fields, wanted contention,NAME,SPEEDS", n_fields);
	if (!kernel_of_line(store, fields[1], err))
		return err->code;
	if (pd_contention_parse(fields[2], speed, &n, err))
		return util_error_prepend(err, "contention of \"%s\"", fields[1]);
	return 0;
}

static int read_version(struct pd_store *store, const char *text, struct util_error *err)
{
	int64_t version;

	if (util_parse_int(text, 1, 1000000, &version, err))
		return util_error_prepend(err, "version of the file");
	if (version > PD_STORE_VERSION)
		return util_refuse(err, "found version %s of the format, wanted %d", text,
				   PD_STORE_VERSION);
	store->file_version = version;
	return 0;
}

static int read_line(struct pd_store *store, char *line, struct util_error *err)
{
	static const char model_comment[] = "# model ", model_line[] = "model,",
			  vary_line[] = "vary,";

	if (!*line || !strcmp(line, PD_BENCH_HEADER))
		return 0;
	if (!strncmp(line, PD_BENCH_COMMENT, strlen(PD_BENCH_COMMENT)))
		return read_version(store, trim(line + strlen(PD_BENCH_COMMENT)), err);
	if (!strncmp(line, model_comment, strlen(model_comment)))
		return read_complexity(store, line + strlen(model_comment), err);
	if (line[0] == '#')
		return 0;
	/* In version 1 this could be a kernel. */
	if (store->file_version >= 2 && !strncmp(line, vary_line, strlen(vary_line)))
		return read_variation(store, line, err);
	if (store->file_version >= 2 &&
	    !strncmp(line, PD_CONTENTION_LINE, strlen(PD_CONTENTION_LINE)))
		return read_contention(store, line, err);
	if (!strncmp(line, model_line, strlen(model_line)))
		return read_model(store, line, err);
	return read_measurement(store, line, err);
}

/* Complexities may stand before the measurements, so that they are compared at the end. */
static int check_complexities(const struct pd_store *store, struct util_error *err)
{
	for (size_t i = 0; i < store->n_kernels; i++) {
		const struct pd_kernel *kernel = store->kernels[i];

		if (kernel->n_params >= 0 && kernel->complexity.n_params > kernel->n_params)
			return util_refuse(err,
					   "the complexity of \"%s\" uses p%d, but its "
					   "measurements have %d parameters",
					   kernel->name, kernel->complexity.n_params,
					   kernel->n_params);
	}
	return 0;
}

static int read_lines(struct pd_store *store, struct util_lines *lines, struct util_error *err)
{
	bool must_end = false;
	int status = 0;

	while (util_lines_next(lines, &status, err)) {
		if (must_end && lines->text[lines->length_B - 1] != '\n')
			status = util_refuse(
			    err, "found no end of the last line, wanted one: the file is cut");
		else
			status = read_line(store, trim(lines->text), err);
		must_end |= !strcmp(lines->text, PD_BENCH_ENDS);
		if (status)
			util_error_prepend(err, "%s:%d", lines->path, lines->number);
	}
	return status;
}

int pd_store_read(struct pd_store *store, const char *path, struct util_error *err)
{
	struct util_lines lines;
	int status = util_lines_open(&lines, path, "the benchmark store", err);

	if (status)
		return status;
	store->file_version = 1;
	status = read_lines(store, &lines, err);
	util_lines_close(&lines);
	if (!status && check_complexities(store, err))
		status = util_error_prepend(err, "%s", path);
	return status;
}
