/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/validate/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/units.h"

#define MOST_TIMES 1e12 /* that a prediction may be of what was measured */
#define PREDICTED "_predicted_s"
#define FROM_JSON "_predicted_json"
#define OF_MODEL "_note"

enum kind {
	CONFIGURATION,
	GROUP,
	CHOICE,
	NOTE,
	MEASURED,
	LOW,
	HIGH,
	RUNS,
	N_NAMED,
	PREDICTION,
	PREDICTION_FILE,
	MODEL_NOTE, /* ends in OF_MODEL, until all models are known */
	IGNORED
};

static const char *const names[N_NAMED] = {"configuration", "group", "choice", "note",
					   "measured_s",    "low_s", "high_s", "n"};

struct column {
	enum kind kind;
	int model; /* of predictions and their notes */
};

/* What val_table_read holds while it reads. */
struct reading {
	struct val_table *table;
	const struct csv_record *head;
	struct column *columns; /* [head->n_fields] */
};

static bool ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

static int wrong(const struct reading *r, int line, struct util_error *err)
{
	return util_error_prepend(err, "%s:%d", r->table->path, line);
}

/* The index of the model that the column is of; -1: there is none. */
static int find_model(const struct val_table *table, const char *column, const char *suffix)
{
	int length = (int)(strlen(column) - strlen(suffix));

	for (int i = 0; i < table->n_models; i++)
		if ((int)strlen(table->models[i]) == length &&
		    strncmp(table->models[i], column, (size_t)length) == 0)
			return i;
	return -1;
}

/* The same; names it if it is new. -1: out of memory. */
static int add_model(struct val_table *table, const char *column, const char *suffix)
{
	int model = find_model(table, column, suffix);

	if (model >= 0)
		return model;
	table->models[table->n_models] = strndup(column, strlen(column) - strlen(suffix));
	return table->models[table->n_models] ? table->n_models++ : -1;
}

static int take_prediction_column(struct reading *r, int i, const char *suffix, enum kind kind,
				  struct util_error *err)
{
	int model = add_model(r->table, r->head->fields[i], suffix);

	if (model < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int j = 0; j < i; j++)
		if ((r->columns[j].kind == PREDICTION || r->columns[j].kind == PREDICTION_FILE) &&
		    r->columns[j].model == model)
			return util_refuse(
			    err, "found a second column of predictions of \"%s\", wanted one",
			    r->table->models[model]);
	r->columns[i] = (struct column){kind, model};
	return 0;
}

static int take_column(struct reading *r, int i, struct util_error *err)
{
	const char *name = r->head->fields[i];

	for (int j = 0; j < i; j++)
		if (*name && strcmp(name, r->head->fields[j]) == 0)
			return util_refuse(err, "found column \"%s\" twice", name);
	for (int k = 0; k < N_NAMED; k++) {
		if (strcmp(name, names[k]) == 0) {
			r->columns[i].kind = (enum kind)k;
			return 0;
		}
	}
	if (ends_in(name, PREDICTED))
		return take_prediction_column(r, i, PREDICTED, PREDICTION, err);
	if (ends_in(name, FROM_JSON))
		return take_prediction_column(r, i, FROM_JSON, PREDICTION_FILE, err);
	if (ends_in(name, "_s") || ends_in(name, "_json"))
		return util_refuse(
		    err,
		    "found unknown column \"%s\", wanted measured_s, low_s, high_s, NAME" PREDICTED
		    " or NAME" FROM_JSON,
		    name);
	r->columns[i].kind = ends_in(name, OF_MODEL) ? MODEL_NOTE : IGNORED;
	return 0;
}

/* Notes of what is no model describe the line, as other columns do. */
static void take_note_columns(struct reading *r)
{
	for (int i = 0; i < r->head->n_fields; i++) {
		struct column *column = &r->columns[i];

		if (column->kind != MODEL_NOTE)
			continue;
		column->model = find_model(r->table, r->head->fields[i], OF_MODEL);
		if (column->model < 0)
			column->kind = IGNORED;
	}
}

static bool has_column(const struct reading *r, enum kind kind)
{
	for (int i = 0; i < r->head->n_fields; i++)
		if (r->columns[i].kind == kind)
			return true;
	return false;
}

static int take_head(struct reading *r, struct util_error *err)
{
	static const enum kind required[] = {CONFIGURATION, MEASURED};
	int failed = 0;

	for (int i = 0; i < r->head->n_fields && !failed; i++)
		failed = take_column(r, i, err);
	take_note_columns(r);
	for (size_t k = 0; k < 2 && !failed; k++)
		if (!has_column(r, required[k]))
			failed =
			    util_refuse(err, "found no column \"%s\", wanted one in the first line",
					names[required[k]]);
	if (!failed && has_column(r, LOW) != has_column(r, HIGH))
		failed = util_refuse(err, "found one of low_s and high_s, wanted both or neither");
	return failed ? wrong(r, r->head->line, err) : 0;
}

static int take_number(const char *name, const char *text, bool may_be_zero, double *out,
		       struct util_error *err)
{
	struct util_error why;

	if (util_parse_double(text, out, &why) || *out < 0 || (*out == 0 && !may_be_zero))
		return util_refuse(err, "%s: found \"%s\", wanted a number%s", name, text,
				   may_be_zero ? " not below 0" : " above 0");
	return 0;
}

/* A path in the table is relative to the table. */
static int take_file(const struct reading *r, const char *name, double *out_s,
		     struct util_error *err)
{
	const char *slash = strrchr(r->table->path, '/');
	int length = slash && *name != '/' ? (int)(slash - r->table->path) + 1 : 0;
	char path[4096];

	if (snprintf(path, sizeof path, "%.*s%s", length, r->table->path, name) >= (int)sizeof path)
		return util_refuse(err, "found a file name that is too long");
	return val_prediction_read(path, out_s, err);
}

static int take_value(const struct reading *r, int i, const char *text, struct val_row *row,
		      struct util_error *err)
{
	const struct column *column = &r->columns[i];
	const char *name = r->head->fields[i];

	switch (column->kind) {
	case CONFIGURATION:
		row->configuration = text;
		return 0;
	case GROUP:
		row->group = text;
		return 0;
	case CHOICE:
		row->choice = text;
		return 0;
	case NOTE:
		row->note = text;
		return 0;
	case MODEL_NOTE:
		row->notes[column->model] = text;
		return 0;
	case MEASURED:
		return take_number(name, text, false, &row->measured_s, err);
	default:
		break;
	}
	if (!*text)
		return 0;
	switch (column->kind) {
	case LOW:
		return take_number(name, text, true, &row->low_s, err);
	case HIGH:
		return take_number(name, text, false, &row->high_s, err);
	case RUNS:
		return take_number(name, text, false, &row->n, err);
	case PREDICTION:
		return take_number(name, text, true, &row->predicted_s[column->model], err);
	case PREDICTION_FILE:
		return take_file(r, text, &row->predicted_s[column->model], err);
	default:
		return 0;
	}
}

static int check_row(const struct reading *r, const struct val_row *row, struct util_error *err)
{
	const struct val_table *table = r->table;
	bool has_interval = row->high_s > 0;

	if (!*row->configuration)
		return util_refuse(err, "found no configuration, wanted its name");
	for (int i = 0; i < table->n_rows; i++)
		if (strcmp(table->rows[i].configuration, row->configuration) == 0)
			return util_refuse(
			    err, "found configuration \"%s\" again, which stands in line %d",
			    row->configuration, table->rows[i].line);
	if (row->low_s > 0 && !has_interval)
		return util_refuse(err, "found low_s without high_s, wanted both");
	if (has_interval && !(row->low_s <= row->measured_s && row->measured_s <= row->high_s))
		return util_refuse(
		    err, "found measured_s %g outside its interval, low_s %g to high_s %g",
		    row->measured_s, row->low_s, row->high_s);
	for (int m = 0; m < table->n_models; m++)
		if (row->predicted_s[m] > MOST_TIMES * row->measured_s)
			return util_refuse(
			    err,
			    "found a prediction of %g s for %g s measured, wanted at most %g times "
			    "as much: no mean of errors would be a number",
			    row->predicted_s[m], row->measured_s, MOST_TIMES);
	return 0;
}

static void free_row(struct val_row *row)
{
	free(row->predicted_s);
	free(row->notes);
}

static int take_row(struct reading *r, const struct csv_record *record, struct util_error *err)
{
	struct val_table *table = r->table;
	struct val_row *row = &table->rows[table->n_rows];
	int failed = 0;

	*row = (struct val_row){
	    .line = record->line, .configuration = "", .group = "", .choice = "", .note = ""};
	row->predicted_s = calloc((size_t)table->n_models + 1, sizeof *row->predicted_s);
	row->notes = calloc((size_t)table->n_models + 1, sizeof *row->notes);
	if (!row->predicted_s || !row->notes) {
		free_row(row);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	for (int k = 0; k < table->n_models; k++) {
		row->predicted_s[k] = -1;
		row->notes[k] = "";
	}
	if (record->n_fields != r->head->n_fields)
		failed =
		    util_refuse(err, "found %d field%s, wanted %d as in line %d", record->n_fields,
				record->n_fields == 1 ? "" : "s", r->head->n_fields, r->head->line);
	for (int i = 0; i < record->n_fields && !failed; i++)
		failed = take_value(r, i, record->fields[i], row, err);
	if (!failed)
		failed = check_row(r, row, err);
	if (failed) {
		free_row(row);
		return wrong(r, record->line, err);
	}
	for (int k = 0; k < table->n_models; k++)
		if (!*row->notes[k])
			row->notes[k] = row->note;
	table->n_rows++;
	return 0;
}

static int take_table(struct reading *r, struct util_error *err)
{
	struct val_table *table = r->table;
	int n = table->csv.n, failed;

	if (n < 2)
		return util_refuse(
		    err,
		    "%s: found %s, wanted a line of column names and a line for each configuration",
		    table->path, n ? "no configuration" : "nothing");
	r->head = &table->csv.records[0];
	r->columns = calloc((size_t)r->head->n_fields, sizeof *r->columns);
	table->models = calloc((size_t)r->head->n_fields, sizeof *table->models);
	table->rows = calloc((size_t)n, sizeof *table->rows);
	if (!r->columns || !table->models || !table->rows)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for %s", table->path);
	failed = take_head(r, err);
	for (int i = 1; i < n && !failed; i++)
		failed = take_row(r, &table->csv.records[i], err);
	return failed;
}

int val_table_read(const char *path, struct val_table *out, struct util_error *err)
{
	struct val_table table = {.path = path};
	struct reading reading = {.table = &table};
	int failed = csv_read(path, &table.csv, err);

	if (!failed)
		failed = take_table(&reading, err);
	free(reading.columns);
	if (failed)
		val_table_finish(&table);
	else
		*out = table;
	return failed;
}

void val_table_finish(struct val_table *table)
{
	for (int i = 0; i < table->n_models; i++)
		free(table->models[i]);
	for (int i = 0; i < table->n_rows; i++)
		free_row(&table->rows[i]);
	free(table->models);
	free(table->rows);
	csv_finish(&table->csv);
}
