// SPDX-License-Identifier: BSD-3-Clause
/* The values of a parameter: lists and ranges. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/spec_parts.h"
#include "util/array.h"
#include "util/units.h"

#define SLACK 1e-9 /* of a step: rounding does not lose the last value of a range */

struct range {
	double from, to;
	char unit[16]; /* of both ends and all values */
	double step, factor;
	int64_t points;
	bool is_integer;
};

static int value_add(struct sweep_parameter *parameter, const char *text, struct util_error *err)
{
	if (util_texts_add(&parameter->values, &parameter->n_values, strdup(text)))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	return 0;
}

static int list_read(const struct util_yaml_tree *tree, const struct util_yaml *list,
		     struct sweep_parameter *out, struct util_error *err)
{
	char quoted[64];
	int failed = 0;

	if (list->n_children == 0)
		return util_yaml_fail(tree, list, err, "%s: found an empty list, wanted values",
				      out->name);
	for (const struct util_yaml *entry = list->first; entry && !failed; entry = entry->next) {
		if (entry->kind != UTIL_YAML_SCALAR)
			return util_yaml_fail(tree, entry, err, "%s: found %s, wanted one value",
					      out->name,
					      util_yaml_found(entry, quoted, sizeof quoted));
		for (int i = 0; i < out->n_values; i++)
			if (strcmp(out->values[i], entry->text) == 0)
				return util_yaml_fail(
				    tree, entry, err, "%s: found %s twice, wanted it once",
				    out->name, util_yaml_quote(entry->text, quoted, sizeof quoted));
		if (out->n_values == SWEEP_MAX_VALUES)
			return util_yaml_fail(tree, entry, err,
					      "%s: found more than %d values, wanted fewer",
					      out->name, SWEEP_MAX_VALUES);
		failed = value_add(out, entry->text, err);
	}
	return failed;
}

/* "10us" → 10 and "us". */
static int end_read(const struct util_yaml_tree *tree, const struct util_yaml *map, const char *key,
		    const char *name, double *out, char unit[16], struct util_error *err)
{
	const struct util_yaml *node = util_yaml_member(map, key, strlen(key));
	char number[64], found[64];
	size_t length;

	if (!node)
		return util_yaml_fail(tree, map, err, "%s: found a range without \"%s\", wanted it",
				      name, key);
	length = node->kind == UTIL_YAML_SCALAR ? strspn(node->text, "0123456789+-.") : 0;
	if (length && (node->text[length] == 'e' || node->text[length] == 'E') &&
	    strspn(node->text + length + 1, "0123456789+-"))
		length += 1 + strspn(node->text + length + 1, "0123456789+-");
	if (length < sizeof number && length > 0) {
		memcpy(number, node->text, length);
		number[length] = '\0';
		if (strlen(node->text + length) < 16 && util_parse_double(number, out, NULL) == 0 &&
		    sweep_value_of(node->text).is_number) {
			strcpy(unit, node->text + length);
			return 0;
		}
	}
	return util_yaml_fail(tree, node, err, "%s: %s: found %s, wanted a number or a quantity",
			      name, key, util_yaml_found(node, found, sizeof found));
}

static int number_read(const struct util_yaml_tree *tree, const struct util_yaml *map,
		       const char *key, const char *name, double *out, struct util_error *err)
{
	const struct util_yaml *node = util_yaml_member(map, key, strlen(key));
	char found[64];

	if (!node)
		return 0;
	if (node->kind != UTIL_YAML_SCALAR || util_parse_double(node->text, out, NULL) ||
	    *out <= (key[0] == 'f' ? 1 : 0))
		return util_yaml_fail(tree, node, err, "%s: %s: found %s, wanted a number above %d",
				      name, key, util_yaml_found(node, found, sizeof found),
				      key[0] == 'f');
	return 0;
}

static int is_true(const struct util_yaml_tree *tree, const struct util_yaml *node,
		   const char *name, bool *out, struct util_error *err)
{
	char found[64];

	*out = node && node->kind == UTIL_YAML_SCALAR && strcmp(node->text, "true") == 0;
	if (node && !*out && (node->kind != UTIL_YAML_SCALAR || strcmp(node->text, "false") != 0))
		return util_yaml_fail(tree, node, err,
				      "%s: integer: found %s, wanted true or false", name,
				      util_yaml_found(node, found, sizeof found));
	return 0;
}

static int range_read(const struct util_yaml_tree *tree, const struct util_yaml *map,
		      const char *name, struct range *range, struct util_error *err)
{
	static const char *const known[] = {"from",   "to",	 "step", "factor",
					    "points", "integer", NULL};
	char unit[16];
	int ways, failed = sweep_keys_check(tree, map, name, known, err);
	const struct util_yaml *points = util_yaml_member(map, "points", 6);

	if (!failed)
		failed = end_read(tree, map, "from", name, &range->from, range->unit, err);
	if (!failed)
		failed = end_read(tree, map, "to", name, &range->to, unit, err);
	if (!failed && strcmp(range->unit, unit) != 0)
		failed =
		    util_yaml_fail(tree, util_yaml_member(map, "to", 2), err,
				   "%s: found the units \"%s\" and \"%s\", wanted the same at both "
				   "ends of a range",
				   name, range->unit, unit);
	if (!failed)
		failed = number_read(tree, map, "step", name, &range->step, err);
	if (!failed)
		failed = number_read(tree, map, "factor", name, &range->factor, err);
	if (!failed && points)
		failed = sweep_int_read(tree, points, "points", 2, SWEEP_MAX_VALUES, &range->points,
					err);
	if (!failed)
		failed = is_true(tree, util_yaml_member(map, "integer", 7), name,
				 &range->is_integer, err);
	if (failed)
		return failed;
	ways = (range->step > 0) + (range->factor > 0) + (range->points > 0);
	if (ways > 1)
		return util_yaml_fail(tree, map, err,
				      "%s: found several of step, factor and points, wanted one",
				      name);
	if (ways == 0)
		range->step = 1;
	if (range->to < range->from)
		return util_yaml_fail(tree, map, err,
				      "%s: found a range from %g to %g, wanted from <= to", name,
				      range->from, range->to);
	if (range->step == 0 && range->from <= 0)
		return util_yaml_fail(tree, map, err,
				      "%s: found a logarithmic range from %g, wanted from > 0",
				      name, range->from);
	return 0;
}

/* How many values a range has, as a double: it may be any number. */
static double range_count(const struct range *range)
{
	if (range->step > 0)
		return floor((range->to - range->from) / range->step + SLACK) + 1;
	if (range->points > 0)
		return (double)range->points;
	return floor(log(range->to / range->from) / log(range->factor) + SLACK) + 1;
}

static int range_fill(const struct range *range, int n, struct sweep_parameter *out,
		      struct util_error *err)
{
	char text[64], number[32];
	int failed = 0;

	for (int i = 0; i < n && !failed; i++) {
		double value;

		if (range->step > 0)
			value = range->from + i * range->step;
		else if (range->points > 0)
			value = range->from *
				pow(range->to / range->from, i / (double)(range->points - 1));
		else
			value = range->from * pow(range->factor, i);
		if (range->is_integer)
			value = round(value);
		/* Six digits: what pow() leaves in the last ones would be another value on another
		 * machine. */
		if (range->step == 0 && value != round(value)) {
			snprintf(number, sizeof number, "%.6g", value);
			util_parse_double(number, &value, NULL);
		}
		snprintf(text, sizeof text, "%s%s", sweep_number_text(value, number, sizeof number),
			 range->unit);
		if (out->n_values == 0 || strcmp(out->values[out->n_values - 1], text) != 0)
			failed = value_add(out, text, err);
	}
	return failed;
}

int sweep_values_read(const struct util_yaml_tree *tree, const struct util_yaml *node,
		      struct sweep_parameter *out, struct util_error *err)
{
	struct range range = {0};
	double count;
	int failed;

	if (node->kind == UTIL_YAML_LIST)
		return list_read(tree, node, out, err);
	if (node->kind == UTIL_YAML_SCALAR) {
		failed = sweep_scalar_check(tree, node, out->name, err);
		return failed ? failed : value_add(out, node->text, err);
	}
	failed = range_read(tree, node, out->name, &range, err);
	if (failed)
		return failed;
	count = range_count(&range);
	if (count > SWEEP_MAX_VALUES)
		return util_yaml_fail(tree, node, err,
				      "%s: found a range of %.0f values, wanted at most %d",
				      out->name, count, SWEEP_MAX_VALUES);
	return range_fill(&range, (int)count, out, err);
}
