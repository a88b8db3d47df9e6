// SPDX-License-Identifier: BSD-3-Clause
/* What makes the grid: the keys parameters, repeat, vary, base, only and except. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/spec_parts.h"
#include "tools/sweep/table.h"
#include "util/array.h"

#define MAX_REPEAT 100000

static bool is_name(const char *text)
{
	static const char *const words[] = {"and",
					    "or",
					    "not",
					    "in", /* of expressions */
					    "state",
					    "engine",
					    "error", /* of results */
					    "measurements",
					    "predicted_low_s",
					    "predicted_high_s",
					    "warnings",
					    NULL};

	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], text) == 0)
			return false;
	for (int i = 0; i < SWEEP_N_FIGURES; i++)
		if (strcmp(sweep_figure_names[i], text) == 0)
			return false;
	if (!isalpha((unsigned char)*text) && *text != '_')
		return false;
	while (isalnum((unsigned char)*text) || *text == '_')
		text++;
	return *text == '\0';
}

static int parameter_add(struct sweep_spec *spec, const char *name, struct sweep_parameter **out,
			 struct util_error *err)
{
	struct sweep_parameter *parameter = &spec->parameters[spec->n_parameters];

	parameter->name = strdup(name);
	if (!parameter->name)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	spec->names[spec->n_parameters++] = parameter->name;
	*out = parameter;
	return 0;
}

static int read_parameters(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			   struct util_error *err)
{
	const struct util_yaml *map = util_yaml_member(tree->root, "parameters", 10);
	struct sweep_parameter *parameter = NULL;
	char found[64];
	int failed = 0;

	if (!map || map->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, map ? map : tree->root, err,
				      "parameters: found %s, wanted names with their values",
				      map ? util_yaml_found(map, found, sizeof found) : "nothing");
	for (const struct util_yaml *member = map->first; member && !failed;
	     member = member->next) {
		if (!is_name(member->key))
			return util_yaml_fail_key(
			    tree, member, err,
			    "parameters: found the name %s, wanted letters, digits and _, and no "
			    "name of a result or an operator",
			    util_yaml_quote(member->key, found, sizeof found));
		if (spec->n_parameters == SWEEP_MAX_PARAMETERS - 1)
			return util_yaml_fail_key(tree, member, err,
						  "found more than %d parameters, wanted fewer",
						  SWEEP_MAX_PARAMETERS - 1);
		failed = parameter_add(spec, member->key, &parameter, err);
		if (!failed)
			failed = sweep_values_read(tree, member, parameter, err);
	}
	return failed;
}

/* "repeat: 5" is a parameter "seed" with five values that goes to --seed. */
static int read_repeat(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		       struct util_error *err)
{
	const struct util_yaml *repeat = util_yaml_member(tree->root, "repeat", 6),
			       *first = util_yaml_member(tree->root, "first_seed", 10),
			       *fixed = util_yaml_at(tree, "run.seed");
	struct sweep_parameter *parameter = NULL;
	int64_t n = 1, seed = 0;
	int failed;

	if (!repeat)
		return first ? util_yaml_fail_key(tree, first, err,
						  "found first_seed without repeat, wanted both")
			     : 0;
	if (fixed)
		return util_yaml_fail_key(tree, fixed, err,
					  "found run.seed beside repeat, wanted one of them");
	for (int i = 0; i < spec->n_parameters; i++)
		if (strcmp(spec->names[i], "seed") == 0)
			return util_yaml_fail(
			    tree, repeat, err,
			    "found repeat beside a parameter \"seed\", wanted one of "
			    "them");
	failed = sweep_int_read(tree, repeat, "repeat", 1, MAX_REPEAT, &n, err);
	if (!failed && first)
		failed = sweep_int_read(tree, first, "first_seed", 0, INT64_MAX - MAX_REPEAT, &seed,
					err);
	if (!failed)
		failed = parameter_add(spec, "seed", &parameter, err);
	if (failed)
		return failed;
	parameter->is_seed = true;
	parameter->values = calloc((size_t)n, sizeof *parameter->values);
	for (int64_t i = 0; i < n && parameter->values; i++) {
		if (asprintf(&parameter->values[i], "%lld", (long long)(seed + i)) < 0)
			return util_error_set(err, UTIL_ENOMEM, "out of memory");
		parameter->n_values++;
	}
	return parameter->values ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

static int read_condition(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			  const struct util_yaml *node, const char *key, struct util_error *err)
{
	struct sweep_condition *condition;
	struct util_error why = {0};
	int failed = sweep_scalar_check(tree, node, key, err);

	if (failed)
		return failed;
	if (!util_array_room(&spec->conditions, (size_t)spec->n_conditions, sizeof *condition))
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	condition = &spec->conditions[spec->n_conditions];
	*condition = (struct sweep_condition){.keeps = key[0] == 'o'};
	if (sweep_expression_parse(node->text, spec->n_parameters, spec->names,
				   &condition->expression, &why))
		return util_yaml_fail(tree, node, err, "%s: %s", key, why.text);
	spec->n_conditions++;
	if (asprintf(&condition->place, "%s:%d:%d: %s", spec->path, node->line, node->column, key) <
	    0) {
		condition->place = NULL;
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	return 0;
}

static int read_conditions(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			   const char *key, struct util_error *err)
{
	const struct util_yaml *node = util_yaml_member(tree->root, key, strlen(key));
	int failed = 0;

	if (!node || node->kind != UTIL_YAML_LIST)
		return node ? read_condition(spec, tree, node, key, err) : 0;
	for (node = node->first; node && !failed; node = node->next)
		failed = read_condition(spec, tree, node, key, err);
	return failed;
}

static int read_base_value(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			   const struct util_yaml *member, struct util_error *err)
{
	char found[64];

	for (int i = 0; i < spec->n_parameters; i++) {
		struct sweep_parameter *parameter = &spec->parameters[i];

		if (strcmp(parameter->name, member->key) != 0)
			continue;
		for (int v = 0; v < parameter->n_values && member->kind == UTIL_YAML_SCALAR; v++) {
			if (strcmp(parameter->values[v], member->text) == 0) {
				parameter->base = v;
				return 0;
			}
		}
		return util_yaml_fail(
		    tree, member, err, "base: found %s, wanted one of the values of %s",
		    util_yaml_found(member, found, sizeof found), parameter->name);
	}
	return util_yaml_fail_key(tree, member, err,
				  "base: found unknown parameter %s, wanted a known one",
				  util_yaml_quote(member->key, found, sizeof found));
}

static int read_base(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		     struct util_error *err)
{
	const struct util_yaml *vary = util_yaml_member(tree->root, "vary", 4),
			       *base = util_yaml_member(tree->root, "base", 4);
	char found[64];
	int failed = 0;

	spec->varies_one = vary && vary->kind == UTIL_YAML_SCALAR && strcmp(vary->text, "one") == 0;
	if (vary && !spec->varies_one &&
	    (vary->kind != UTIL_YAML_SCALAR || strcmp(vary->text, "all") != 0))
		return util_yaml_fail(tree, vary, err, "vary: found %s, wanted all or one",
				      util_yaml_found(vary, found, sizeof found));
	if (base && base->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, base, err,
				      "base: found %s, wanted parameters with a value",
				      util_yaml_found(base, found, sizeof found));
	for (const struct util_yaml *m = base ? base->first : NULL; m && !failed; m = m->next)
		failed = read_base_value(spec, tree, m, err);
	return failed;
}

int sweep_parameters_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			  struct util_error *err)
{
	int failed = read_parameters(spec, tree, err);

	if (!failed)
		failed = read_repeat(spec, tree, err);
	return failed ? failed : read_base(spec, tree, err);
}

int sweep_conditions_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			  struct util_error *err)
{
	int failed = read_conditions(spec, tree, "only", err);

	return failed ? failed : read_conditions(spec, tree, "except", err);
}
