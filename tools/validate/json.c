/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "tools/validate/report.h"
#include "util/outfile.h"

static json_t *shares(const struct val_stats *s, const struct val_options *o)
{
	json_t *list = json_array();

	for (int k = 0; k < o->n_limits; k++)
		json_array_append_new(
		    list, json_pack("{s:f, s:i}", "limit", o->limits[k], "within", s->n_within[k]));
	return list;
}

static json_t *choices(const struct val_table *table, int model, const struct val_options *o)
{
	struct val_choice *found = NULL;
	int n = val_choices_find(table, model, o->margin, &found);
	json_t *list = n < 0 ? NULL : json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(
		    list,
		    json_pack("{s:s%, s:i, s:s, s:s, s:b, s:i, s:i}", "question", found[i].name,
			      (size_t)found[i].name_length, "alternatives", found[i].n_rows,
			      "fastest_measured", table->rows[found[i].best].configuration,
			      "fastest_predicted", table->rows[found[i].chosen].configuration,
			      "right", (int)found[i].is_right, "pairs", found[i].n_pairs,
			      "pairs_in_order", found[i].n_ordered));
	free(found);
	return list;
}

static json_t *describe_model(const struct val_table *table, int model, const struct val_options *o)
{
	struct val_stats s;

	if (val_stats_compute(table, model, NULL, false, o->limits, o->n_limits, &s))
		return NULL;
	return json_pack("{s:s, s:i, s:f, s:f, s:f, s:f, s:i, s:i, s:o, s:o}", "name",
			 table->models[model], "predicted", s.n, "mean_error", s.mean,
			 "median_error", s.median, "largest_error", s.most, "bias", s.bias,
			 "with_interval", s.n_with_interval, "in_interval", s.n_in_interval,
			 "shares", shares(&s, o), "choices", choices(table, model, o));
}

static json_t *describe_row(const struct val_table *table, const struct val_row *row)
{
	json_t *predicted = json_object(), *notes = json_object();

	for (int m = 0; m < table->n_models; m++) {
		if (row->predicted_s[m] >= 0)
			json_object_set_new(predicted, table->models[m],
					    json_real(row->predicted_s[m]));
		json_object_set_new(notes, table->models[m], json_string(row->notes[m]));
	}
	return json_pack("{s:s, s:s, s:f, s:o, s:s, s:o}", "configuration", row->configuration,
			 "group", row->group, "measured_s", row->measured_s, "predicted_s",
			 predicted, "note", row->note, "notes", notes);
}

static json_t *describe(const struct val_table *table, const struct val_options *options)
{
	json_t *models = json_array(), *rows = json_array();

	for (int m = 0; m < table->n_models; m++)
		json_array_append_new(models, describe_model(table, m, options));
	for (int i = 0; i < table->n_rows; i++)
		json_array_append_new(rows, describe_row(table, &table->rows[i]));
	if (json_array_size(models) != (size_t)table->n_models ||
	    json_array_size(rows) != (size_t)table->n_rows) {
		json_decref(models);
		json_decref(rows);
		return NULL;
	}
	return json_pack("{s:s, s:f, s:o, s:o}", "table", table->path, "margin", options->margin,
			 "models", models, "configurations", rows);
}

static int write_json(const void *root, FILE *file, struct util_error *err)
{
	if (json_dumpf(root, file, JSON_INDENT(1)) || putc('\n', file) == EOF)
		return util_error_errno(err, errno, "cannot write the results");
	return 0;
}

int val_json_put(json_t *root, const char *path, struct util_error *err)
{
	int failed = util_outfile_write(path, write_json, root, err);

	json_decref(root);
	return failed;
}

int val_json_write(const struct val_table *table, const struct val_options *options,
		   const char *path, struct util_error *err)
{
	json_t *root = describe(table, options);

	if (!root)
		return util_refuse(err,
				   "cannot write %s: memory ran out, or a name in %s is not UTF-8",
				   path, table->path);
	return val_json_put(root, path, err);
}
