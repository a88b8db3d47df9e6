// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/spec.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/file.h"
#include "tools/sweep/spec_parts.h"
#include "tools/sweep/verdict.h"
#include "util/units.h"

const char *const sweep_engine_names[] = {
    [SWEEP_AUTO] = "auto",
    [SWEEP_DIRECT] = "direct",
    [SWEEP_REPLAY] = "replay",
    [SWEEP_SLURM] = "slurm",
    NULL,
};

static int engine_of(const char *name)
{
	for (int i = SWEEP_AUTO; i <= SWEEP_SLURM; i++)
		if (strcmp(sweep_engine_names[i], name) == 0)
			return i;
	return -1;
}

int sweep_scalar_check(const struct util_yaml_tree *tree, const struct util_yaml *node,
		       const char *what, struct util_error *err)
{
	char found[64];

	if (node->kind == UTIL_YAML_SCALAR && !util_yaml_is_empty(node))
		return 0;
	return util_yaml_fail(tree, node, err, "%s: found %s, wanted one value", what,
			      util_yaml_found(node, found, sizeof found));
}

int sweep_int_read(const struct util_yaml_tree *tree, const struct util_yaml *node,
		   const char *what, int64_t min, int64_t max, int64_t *out, struct util_error *err)
{
	struct util_error why = {0};
	int failed = sweep_scalar_check(tree, node, what, err);

	if (!failed && util_parse_int(node->text, min, max, out, &why))
		failed = util_yaml_fail(tree, node, err, "%s: %s", what, why.text);
	return failed;
}

int sweep_keys_check(const struct util_yaml_tree *tree, const struct util_yaml *map,
		     const char *what, const char *const known[], struct util_error *err)
{
	char found[64], wanted[512] = "";

	if (map->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, map, err, "%s: found %s, wanted keys and values", what,
				      util_yaml_found(map, found, sizeof found));
	for (const struct util_yaml *member = map->first; member; member = member->next) {
		int i = 0;

		while (known[i] && strcmp(known[i], member->key) != 0)
			i++;
		if (known[i])
			continue;
		for (i = 0; known[i]; i++)
			snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
				 i ? ", " : "", known[i]);
		return util_yaml_fail_key(
		    tree, member, err, "%s: found unknown key %s, wanted one of %s", what,
		    util_yaml_quote(member->key, found, sizeof found), wanted);
	}
	return 0;
}

int sweep_text_read(const struct sweep_spec *spec, const struct util_yaml_tree *tree,
		    const struct util_yaml *node, const char *what, struct sweep_text **out,
		    struct util_error *err)
{
	struct util_error why = {0};
	int failed = sweep_scalar_check(tree, node, what, err);

	if (!failed && sweep_text_parse(node->text, spec->n_parameters, spec->names, out, &why))
		failed = util_yaml_fail(tree, node, err, "%s: %s", what, why.text);
	return failed;
}

int sweep_texts_read(const struct sweep_spec *spec, const struct util_yaml_tree *tree,
		     const struct util_yaml *node, const char *what, struct sweep_text ***out,
		     int *out_n, struct util_error *err)
{
	bool is_list = node && node->kind == UTIL_YAML_LIST;
	const struct util_yaml *entry = is_list ? node->first : node;
	int n = is_list ? node->n_children : node ? 1 : 0, failed = 0;

	*out_n = 0;
	*out = calloc((size_t)n + 1, sizeof **out);
	if (!*out)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < n && !failed; i++, entry = entry->next) {
		failed = sweep_text_read(spec, tree, entry, what, &(*out)[i], err);
		*out_n += !failed;
	}
	return failed;
}

static int read_measurements(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			     struct util_error *err)
{
	const struct util_yaml *node = util_yaml_member(tree->root, "measurements", 12);
	int64_t n = SWEEP_USUAL_MEASUREMENTS;
	int failed =
	    node ? sweep_int_read(tree, node, "measurements", 1, SWEEP_MOST_MEASUREMENTS, &n, err)
		 : 0;

	spec->n_measurements = (int)n;
	return failed;
}

static int read_settings(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			 struct util_error *err)
{
	const struct util_yaml *name = util_yaml_member(tree->root, "name", 4),
			       *engine = util_yaml_member(tree->root, "engine", 6),
			       *timeout = util_yaml_member(tree->root, "timeout", 7);
	struct util_error why = {0};
	char found[64];
	int failed = name ? sweep_scalar_check(tree, name, "name", err) : 0, choice;

	if (!failed)
		failed = read_measurements(spec, tree, err);
	if (failed)
		return failed;
	spec->name = strdup(name ? name->text : basename(spec->path));
	if (!spec->name)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (engine) {
		choice = engine->kind == UTIL_YAML_SCALAR ? engine_of(engine->text) : -1;
		if (choice < 0)
			return util_yaml_fail(
			    tree, engine, err,
			    "engine: found %s, wanted auto, direct, replay or slurm",
			    util_yaml_found(engine, found, sizeof found));
		spec->engine = (enum sweep_engine)choice;
	}
	if (timeout) {
		failed = sweep_scalar_check(tree, timeout, "timeout", err);
		if (!failed && util_parse_time_s(timeout->text, &spec->timeout_s, &why))
			failed = util_yaml_fail(tree, timeout, err, "timeout: %s", why.text);
	}
	return failed;
}

/* What was recorded is in the trace: it takes the place of the program and all that it is given. */
static int read_trace(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		      struct util_error *err)
{
	static const char *const replaced[] = {"program", "arguments", "inputs"};
	const struct util_yaml *trace = util_yaml_member(tree->root, "trace", 5);

	for (size_t i = 0; trace && i < sizeof replaced / sizeof replaced[0]; i++) {
		const struct util_yaml *other =
		    util_yaml_member(tree->root, replaced[i], strlen(replaced[i]));

		if (other)
			return util_yaml_fail_key(tree, other, err,
						  "found %s beside trace, wanted one of them: a "
						  "trace is replayed without the program",
						  replaced[i]);
	}
	return trace ? sweep_text_read(spec, tree, trace, "trace", &spec->trace, err) : 0;
}

static int read_program(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			struct util_error *err)
{
	static const char *const keys[] = {"program", "cluster"};
	struct sweep_text **targets[] = {&spec->program, &spec->cluster};
	const struct util_yaml *arguments = util_yaml_member(tree->root, "arguments", 9);
	int failed = read_trace(spec, tree, err);

	for (int i = 0; i < 2 && !failed; i++) {
		const struct util_yaml *node = util_yaml_member(tree->root, keys[i], 7);

		if (node)
			failed = sweep_text_read(spec, tree, node, keys[i], targets[i], err);
		else if (!spec->trace)
			failed = util_yaml_fail(tree, tree->root, err,
						"found no key \"%s\", wanted it%s", keys[i],
						i == 0 ? ", or \"trace\"" : "");
	}
	spec->splits_arguments = arguments && arguments->kind == UTIL_YAML_SCALAR;
	if (!failed)
		failed = sweep_texts_read(spec, tree, arguments, "arguments", &spec->arguments,
					  &spec->n_arguments, err);
	if (!failed)
		failed = sweep_texts_read(spec, tree, util_yaml_member(tree->root, "inputs", 6),
					  "inputs", &spec->inputs, &spec->n_inputs, err);
	return failed;
}

static bool is_used_in(struct sweep_text *const texts[], int n, int parameter)
{
	for (int i = 0; i < n; i++)
		if (texts[i] && sweep_text_uses(texts[i], parameter))
			return true;
	return false;
}

/* A parameter that changes nothing is a mistake that would cost all its points. */
static int check_use(const struct sweep_spec *spec, const struct util_yaml_tree *tree,
		     struct util_error *err)
{
	for (int i = 0; i < spec->n_parameters; i++) {
		bool is_used = spec->parameters[i].is_seed || is_used_in(&spec->program, 1, i) ||
			       is_used_in(&spec->trace, 1, i) || is_used_in(&spec->cluster, 1, i) ||
			       is_used_in(spec->arguments, spec->n_arguments, i);

		for (int k = 0; k < spec->n_options && !is_used; k++)
			is_used = sweep_text_uses(spec->options[k].value, i);
		if (!is_used)
			return util_yaml_fail_key(
			    tree,
			    util_yaml_member(util_yaml_member(tree->root, "parameters", 10),
					     spec->names[i], strlen(spec->names[i])),
			    err,
			    "found parameter \"%s\" that nothing uses, wanted {%s} in program, "
			    "arguments, trace, cluster, run, set, scale or options",
			    spec->names[i], spec->names[i]);
	}
	return 0;
}

static int read_tree(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		     struct util_error *err)
{
	static const char *const known[] = {
	    "mpisim_sweep", "trace",   "name",	       "program",    "arguments", "cluster",
	    "run",	    "set",     "scale",	       "inputs",     "options",	  "parameters",
	    "only",	    "except",  "repeat",       "first_seed", "vary",	  "base",
	    "engine",	    "timeout", "measurements", NULL};
	const struct util_yaml *version;
	int64_t number;
	int failed = sweep_keys_check(tree, tree->root, "sweep", known, err);

	if (failed)
		return failed;
	version = util_yaml_member(tree->root, "mpisim_sweep", 12);
	if (!version)
		return util_yaml_fail(tree, tree->root, err,
				      "found no key \"mpisim_sweep\", wanted \"mpisim_sweep: 1\"");
	failed = sweep_int_read(tree, version, "mpisim_sweep", 1, 1, &number, err);
	if (!failed)
		failed = sweep_parameters_read(spec, tree, err);
	if (!failed)
		failed = read_settings(spec, tree, err);
	if (!failed)
		failed = read_program(spec, tree, err);
	if (!failed)
		failed = sweep_options_read(spec, tree, err);
	if (!failed)
		failed = check_use(spec, tree, err);
	return failed ? failed : sweep_conditions_read(spec, tree, err);
}

/* The folder of a path, as a path. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

int sweep_spec_read(const char *path, struct sweep_spec **out, struct util_error *err)
{
	struct sweep_spec *spec = calloc(1, sizeof *spec);
	struct util_yaml_tree tree = {0};
	size_t length = 0;
	int failed = 0;

	if (spec) {
		spec->path = strdup(path);
		spec->folder = folder_of(path);
	}
	if (!spec || !spec->path || !spec->folder)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed)
		failed = sweep_file_read(path, UTIL_YAML_MAX_SIZE_B, &spec->source, &length, err);
	if (!failed)
		failed = util_yaml_parse(&tree, path, spec->source, length, err);
	if (!failed)
		failed = read_tree(spec, &tree, err);
	util_yaml_finish(&tree);
	if (failed)
		sweep_spec_destroy(spec);
	else
		*out = spec;
	return failed;
}

static void destroy_texts(struct sweep_text **texts, int n)
{
	for (int i = 0; i < n; i++)
		sweep_text_destroy(texts[i]);
	free(texts);
}

void sweep_spec_destroy(struct sweep_spec *spec)
{
	if (!spec)
		return;
	for (int i = 0; i < spec->n_parameters; i++) {
		for (int v = 0; v < spec->parameters[i].n_values; v++)
			free(spec->parameters[i].values[v]);
		free(spec->parameters[i].values);
		free(spec->parameters[i].name);
	}
	for (int i = 0; i < spec->n_options; i++) {
		free(spec->options[i].option);
		free(spec->options[i].key);
		sweep_text_destroy(spec->options[i].value);
	}
	free(spec->options);
	for (int i = 0; i < spec->n_conditions; i++) {
		sweep_expression_destroy(spec->conditions[i].expression);
		free(spec->conditions[i].place);
	}
	free(spec->conditions);
	destroy_texts(spec->arguments, spec->n_arguments);
	destroy_texts(spec->inputs, spec->n_inputs);
	sweep_text_destroy(spec->program);
	sweep_text_destroy(spec->trace);
	sweep_text_destroy(spec->cluster);
	free(spec->path);
	free(spec->folder);
	free(spec->name);
	free(spec->source);
	free(spec);
}
