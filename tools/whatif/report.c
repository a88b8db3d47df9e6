// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/report.h"

#include <stdlib.h>
#include <string.h>

#include "util/units.h"

/* The fraction of the base's time that a scenario saves. */
static double gain_of(const struct whatif_base *base, const struct whatif_scenario *scenario)
{
	return 1 - scenario->time_s / base->time_s;
}

static bool comes_before(const struct whatif_scenario *a, const struct whatif_scenario *b)
{
	if (a->error || b->error)
		return !a->error && b->error;
	return a->time_s < b->time_s;
}

void whatif_sort(struct whatif_scenarios *scenarios)
{
	for (int i = 1; i < scenarios->n; i++) { /* insertion keeps equal ones in their order */
		struct whatif_scenario moved = scenarios->list[i];
		int k = i;

		for (; k > 0 && comes_before(&moved, &scenarios->list[k - 1]); k--)
			scenarios->list[k] = scenarios->list[k - 1];
		scenarios->list[k] = moved;
	}
}

static void derivatives_text(const struct whatif_report *report, FILE *file)
{
	static const char *const labels[] = {"latency", "1 / bandwidth", "overhead"};
	const struct whatif_derivatives *d = report->derivatives;
	bool uses_difference = false;

	fprintf(file, "\nhow the time follows          critical path      difference\n");
	for (int i = 0; i < WHATIF_N_DERIVATIVES; i++) {
		const struct whatif_derivative *one = &d->list[i];

		uses_difference |= !one->is_path;
		fprintf(file, "  %-15s %-8s %16.6g", labels[i], one->unit, one->path);
		if (one->has_difference)
			fprintf(file, "%16.6g  use the %s\n", one->difference,
				one->is_path ? "critical path's" : "difference");
		else
			fprintf(file, "               -  not checked\n");
	}
	if (uses_difference)
		fprintf(
		    file,
		    "Where the two differ, messages share links or CPUs (%.3g s of the path), "
		    "another path\nbecomes the critical one, or the cluster has no such cost: the "
		    "difference is what a\nprediction gives.\n",
		    d->inexact_s);
}

static int name_width(const struct whatif_scenarios *scenarios)
{
	size_t width = strlen("scenario");

	for (int i = 0; i < scenarios->n; i++)
		if (strlen(scenarios->list[i].name) > width)
			width = strlen(scenarios->list[i].name);
	return (int)width;
}

void whatif_report_text(const struct whatif_report *report, FILE *file)
{
	const struct whatif_base *base = report->base;
	int width = name_width(report->scenarios);
	char buf[64];

	fprintf(file, "%s\n%-*s  %12s  %7s\n", base->what, width, "scenario", "time", "gain");
	fprintf(file, "%-*s  %12s\n", width, "as it is",
		util_format_time(buf, sizeof buf, base->time_s));
	for (int i = 0; i < report->scenarios->n; i++) {
		const struct whatif_scenario *s = &report->scenarios->list[i];

		if (s->error)
			fprintf(file, "%-*s  failed: %s\n", width, s->name, s->error);
		else
			fprintf(file, "%-*s  %12s  %+6.1f %%\n", width, s->name,
				util_format_time(buf, sizeof buf, s->time_s),
				100 * gain_of(base, s));
	}
	if (report->derivatives)
		derivatives_text(report, file);
}

void whatif_report_warnings(const struct whatif_report *report, FILE *file)
{
	const json_t *warnings = whatif_base_warnings(report->base), *warning;
	size_t i;

	json_array_foreach(warnings, i, warning)
	{
		fprintf(file, "mpisim-whatif: warning: %s\n", json_string_value(warning));
	}
}

/* --- JSON --- */

static json_t *changes_json(const struct whatif_scenario *scenario)
{
	json_t *list = json_array();

	for (int i = 0; i + 1 < scenario->n_words; i += 2)
		json_array_append_new(
		    list, json_pack("[s, s]", scenario->words[i], scenario->words[i + 1]));
	return list;
}

static json_t *scenarios_json(const struct whatif_report *report)
{
	json_t *list = json_array();

	for (int i = 0; i < report->scenarios->n; i++) {
		const struct whatif_scenario *s = &report->scenarios->list[i];
		json_t *entry =
		    json_pack("{s:s, s:o}", "name", s->name, "changes", changes_json(s));

		if (s->error) {
			json_object_set_new(entry, "time_s", json_null());
			json_object_set_new(entry, "gain", json_null());
			json_object_set_new(entry, "error", json_string(s->error));
		} else {
			json_object_set_new(entry, "time_s", json_real(s->time_s));
			json_object_set_new(entry, "gain", json_real(gain_of(report->base, s)));
		}
		json_object_set_new(entry, "how", json_string(report->base->how));
		json_array_append_new(list, entry);
	}
	return list;
}

static json_t *derivatives_json(const struct whatif_derivatives *derivatives)
{
	json_t *object = json_object();

	for (int i = 0; i < WHATIF_N_DERIVATIVES; i++) {
		const struct whatif_derivative *d = &derivatives->list[i];

		json_object_set_new(
		    object, d->name,
		    json_pack("{s:f, s:f, s:o, s:f, s:s}", "value",
			      d->is_path || !d->has_difference ? d->path : d->difference, "path",
			      d->path, "difference",
			      d->has_difference ? json_real(d->difference) : json_null(), "step",
			      d->step, "how",
			      d->is_path || !d->has_difference ? "path" : "difference"));
	}
	json_object_set_new(object, "inexact_s", json_real(derivatives->inexact_s));
	return object;
}

json_t *whatif_report_json(const struct whatif_report *report)
{
	json_t *object =
	    json_pack("{s:i, s:s, s:f, s:o}", "version", 1, "name", report->base->what,
		      "base_time_s", report->base->time_s, "scenarios", scenarios_json(report));

	json_object_set(object, "warnings", whatif_base_warnings(report->base));
	if (object && report->derivatives)
		json_object_set_new(object, "derivatives", derivatives_json(report->derivatives));
	return object;
}
