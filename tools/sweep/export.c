// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tools/sweep/options.h"
#include "tools/sweep/plot.h"
#include "util/options.h"

static const char help[] =
    "mpisim-sweep export prints the results of the last grid, a line for each point.\n"
    "\n"
    "usage: mpisim-sweep export [--csv | --json] [--where CONDITION] SWEEP.db\n"
    "\n"
    "  --csv                  comma-separated values with a header (default)\n"
    "  --json                 a list of objects; with the efficiency curve of each point\n"
    "  --where CONDITION      only points for which it holds, as in \"r >= 100 and variant ==\n"
    "                         'P'\" (docs/sweep.md has the grammar)\n"
    "\n"
    "Times are seconds. A point that has no result yet has the state \"to run\", and no figures.\n"
    "Exit status: 0; 2 wrong usage or input.\n";

/* Columns that only some sweeps have. */
struct more {
	bool has_intervals, has_warnings;
};

static struct more more_of(const struct sweep_table *table)
{
	struct more more = {0};

	for (int i = 0; i < table->n_rows; i++) {
		more.has_intervals |= table->rows[i].has_interval || table->rows[i].n_measured > 0;
		more.has_warnings |= table->rows[i].warnings != NULL;
	}
	return more;
}

/* The sentences of a JSON list in one cell. */
static void write_warnings(const struct sweep_row *row, FILE *file)
{
	json_t *list = row->warnings ? json_loads(row->warnings, 0, NULL) : NULL, *warning;
	char *text = NULL;
	size_t size, i;
	FILE *cell = open_memstream(&text, &size);

	json_array_foreach(list, i, warning) if (cell && json_is_string(warning))
	    fprintf(cell, "%s%s", i ? "; " : "", json_string_value(warning));
	if (cell && !fclose(cell))
		sweep_csv_text(text, file);
	free(text);
	json_decref(list);
}

static void write_more(const struct sweep_row *row, struct more more, FILE *file)
{
	if (more.has_intervals && row->n_measured > 0)
		fprintf(file, ",%d", row->n_measured);
	else if (more.has_intervals)
		fputc(',', file);
	if (more.has_intervals && row->has_interval)
		fprintf(file, ",%.17g,%.17g", row->low_s, row->high_s);
	else if (more.has_intervals)
		fputs(",,", file);
	if (!more.has_warnings)
		return;
	fputc(',', file);
	write_warnings(row, file);
}

static void write_csv(const struct sweep_table *table, FILE *file)
{
	struct more more = more_of(table);

	for (int p = 0; p < table->n_parameters; p++)
		fprintf(file, "%s,", table->names[p]);
	fputs("state", file);
	for (int f = 0; f < SWEEP_N_FIGURES; f++)
		fprintf(file, ",%s", sweep_figure_names[f]);
	fprintf(file, ",engine,error%s%s\n",
		more.has_intervals ? ",measurements,predicted_low_s,predicted_high_s" : "",
		more.has_warnings ? ",warnings" : "");
	for (int i = 0; i < table->n_rows; i++) {
		const struct sweep_row *row = &table->rows[i];

		for (int p = 0; p < table->n_parameters; p++) {
			sweep_csv_text(row->values[p], file);
			fputc(',', file);
		}
		fputs(row->state, file);
		for (int f = 0; f < SWEEP_N_FIGURES; f++)
			if (row->is_done)
				fprintf(file, ",%.17g", row->figures[f]);
			else
				fputc(',', file);
		fprintf(file, ",%s,", row->engine ? row->engine : "");
		sweep_csv_text(row->error ? row->error : "", file);
		write_more(row, more, file);
		fputc('\n', file);
	}
}

/* Numbers as numbers, other values as texts. */
static json_t *json_of_value(const char *text)
{
	double number;

	if (sweep_quantity_of(text, &number) != SWEEP_NUMBER)
		return json_string(text);
	return number == (json_int_t)number ? json_integer((json_int_t)number) : json_real(number);
}

static void set_json(json_t *object, const char *key, const char *text)
{
	json_t *value = text ? json_loads(text, JSON_DECODE_ANY, NULL) : NULL;

	json_object_set_new(object, key, value ? value : json_null());
}

static json_t *json_of_row(const struct sweep_table *table, const struct sweep_row *row)
{
	json_t *object = json_object(), *parameters = json_object();

	for (int p = 0; p < table->n_parameters; p++)
		json_object_set_new(parameters, table->names[p], json_of_value(row->values[p]));
	json_object_set_new(object, "parameters", parameters);
	json_object_set_new(object, "state", json_string(row->state));
	for (int f = 0; f < SWEEP_N_FIGURES; f++)
		json_object_set_new(object, sweep_figure_names[f],
				    row->is_done ? json_real(row->figures[f]) : json_null());
	json_object_set_new(object, "engine", row->engine ? json_string(row->engine) : json_null());
	json_object_set_new(object, "error", row->error ? json_string(row->error) : json_null());
	if (row->n_measured > 0)
		json_object_set_new(object, "measurements", json_integer(row->n_measured));
	if (row->has_interval) {
		json_object_set_new(object, "predicted_low_s", json_real(row->low_s));
		json_object_set_new(object, "predicted_high_s", json_real(row->high_s));
	}
	set_json(object, "warnings", row->warnings ? row->warnings : "[]");
	set_json(object, "efficiency_curve", row->curve);
	return object;
}

static int write_json(const struct sweep_table *table, FILE *file, struct util_error *err)
{
	json_t *list = json_array();
	int failed = 0;

	for (int i = 0; i < table->n_rows; i++)
		json_array_append_new(list, json_of_row(table, &table->rows[i]));
	if (json_dumpf(list, file, JSON_INDENT(1)))
		failed = util_error_set(err, UTIL_ESYSTEM, "cannot write the JSON output");
	fputc('\n', file);
	json_decref(list);
	return failed;
}

struct settings {
	bool is_json, help;
	const char *where;
};

static int take_csv(const char *value, void *options, struct util_error *err)
{
	((struct settings *)options)->is_json = false;
	return 0;
}

static int parse(int argc, char **argv, struct settings *out, struct util_error *err)
{
	static const struct util_option table[] = {
	    {"csv", UTIL_OPTION_SWITCH, .take = take_csv},
	    {"json", UTIL_OPTION_FLAG, .at = offsetof(struct settings, is_json)},
	    {"where", UTIL_OPTION_TEXT, .at = offsetof(struct settings, where)},
	    {"help", UTIL_OPTION_LAST, .at = offsetof(struct settings, help), .letter = 'h'},
	};
	static const struct util_options options = {table, sizeof table / sizeof table[0],
						    "see mpisim-sweep export --help",
						    .takes_empty = true};
	uint64_t given = 0;
	int failed = util_options_read(argc, argv, &options, &given, out, err);

	if (failed > 0)
		fputs(help, stdout);
	if (!failed && argc - optind != 1)
		return util_refuse(err, "found %d files, wanted one: mpisim-sweep export SWEEP.db",
				   argc - optind);
	return failed;
}

int sweep_main_export(int argc, char **argv)
{
	struct util_error err = {0};
	struct sweep_table *table = NULL;
	struct settings settings = {0};
	int failed = parse(argc, argv, &settings, &err);

	if (failed > 0)
		return 0;
	if (!failed)
		failed = sweep_table_load(argv[optind], settings.where, &table, &err);
	if (!failed && settings.is_json)
		failed = write_json(table, stdout, &err);
	else if (!failed)
		write_csv(table, stdout);
	sweep_table_destroy(table);
	return failed ? sweep_refuse(&err) : 0;
}
