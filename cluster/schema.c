/* SPDX-License-Identifier: BSD-3-Clause */
#include "cluster/schema.h"

#include <stdio.h>
#include <string.h>

#include "util/nearest.h"
#include "util/units.h"

/* The known key that `path` was probably meant to be: alike as a whole, or its last part alike (a
 * key in the wrong section). */
static const char *suggest(const char *path)
{
	const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
	struct util_nearest nearest = {.word = last, .best_distance = UTIL_NEAREST_NEVER};

	for (int k = 0; k < cluster_n_keys; k++) {
		const char *known = cluster_keys[k].path, *known_dot = strrchr(known, '.');
		int part = util_nearest_distance(last, known_dot ? known_dot + 1 : known);

		util_nearest_try(&nearest, known, util_nearest_distance(path, known));
		util_nearest_try(&nearest, known, part + 1); /* its section must change as well */
	}
	return nearest.best;
}

/* A path may be both: a section, and one value for all of it. */
struct path_kind {
	bool is_section, is_key;
};

static struct path_kind classify(const char *path)
{
	struct path_kind kind = {false, false};
	size_t length = strlen(path);

	for (int k = 0; k < cluster_n_keys; k++) {
		const struct cluster_key *key = &cluster_keys[k];

		if (strncmp(key->path, path, length) != 0)
			continue;
		kind.is_section |= key->path[length] == '.';
		kind.is_key |= key->path[length] == '\0';
	}
	return kind;
}

/* One value may stand for the whole section. */
static bool is_value(const char *path)
{
	for (int k = 0; k < cluster_n_keys; k++)
		if (strcmp(cluster_keys[k].path, path) == 0)
			return cluster_keys[k].kind != CLUSTER_KEY_CUSTOM;
	return false;
}

static int fail_unknown(const struct util_yaml_tree *tree, const struct util_yaml *node,
			const char *path, struct util_error *err)
{
	const char *meant = suggest(path), *now = cluster_renamed(path);
	char quoted[96];

	util_yaml_quote(path, quoted, sizeof(quoted));
	if (now)
		return util_yaml_fail_key(tree, node, err, "found the old key %s, wanted %s",
					  quoted, now);
	if (meant)
		return util_yaml_fail_key(
		    tree, node, err,
		    "found unknown key %s, wanted a known one: did you mean \"%s\"?", quoted,
		    meant);
	return util_yaml_fail_key(
	    tree, node, err, "found unknown key %s, wanted one of docs/cluster-file.md", quoted);
}

static int check_section(const struct util_yaml_tree *tree, const struct util_yaml *section,
			 const char *prefix, struct util_error *err)
{
	char path[256], found[64];

	for (const struct util_yaml *member = section->first; member; member = member->next) {
		struct path_kind kind;
		int rc;

		snprintf(path, sizeof(path), "%s%s%s", prefix, *prefix ? "." : "", member->key);
		kind = classify(path);
		if ((!kind.is_section && !kind.is_key) || strchr(member->key, '.'))
			return fail_unknown(tree, member, path, err);
		if (!kind.is_section || util_yaml_is_empty(member))
			continue;
		if (member->kind != UTIL_YAML_MAP && is_value(path))
			continue;
		if (member->kind != UTIL_YAML_MAP)
			return util_yaml_fail(tree, member, err, "%s: found %s, wanted a mapping",
					      path, util_yaml_found(member, found, sizeof(found)));
		rc = check_section(tree, member, path, err);
		if (rc)
			return rc;
	}
	return 0;
}

int cluster_schema_check(const struct util_yaml_tree *tree, struct util_error *err)
{
	char found[64];

	if (tree->root->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, tree->root, err, "found %s, wanted keys and values",
				      util_yaml_found(tree->root, found, sizeof(found)));
	return check_section(tree, tree->root, "", err);
}

/* Converts the text of a number of any kind; 0 or UTIL_EINPUT with "found …, wanted …". */
static int parse_number(const struct cluster_key *key, const char *text, double *out,
			int64_t *out_B, struct util_error *err)
{
	int64_t integer = 0;
	int rc;

	switch (key->kind) {
	case CLUSTER_KEY_TIME:
		return util_parse_time_s(text, out, err);
	case CLUSTER_KEY_OFFSET:
		rc = util_parse_time_s(text + (text[0] == '-'), out, err);
		*out = text[0] == '-' ? -*out : *out;
		return rc;
	case CLUSTER_KEY_BANDWIDTH:
		return util_parse_bandwidth_Bps(text, out, err);
	case CLUSTER_KEY_SIZE:
		rc = util_parse_size_B(text, out_B, err);
		*out = (double)*out_B;
		return rc;
	case CLUSTER_KEY_INT:
		rc = util_parse_int(text, (int64_t)key->min, (int64_t)key->max, &integer, err);
		*out = (double)integer;
		return rc;
	default:
		return util_parse_double(text, out, err);
	}
}

static int fail_value(const struct util_yaml_tree *tree, const struct util_yaml *node,
		      const struct cluster_key *key, struct util_error *err, const char *problem)
{
	/* A default that does not parse is a mistake in the table; the tests load a file that uses
	 * every default. */
	return util_yaml_fail(tree, node, err, "%s: %s", key->path, problem);
}

static const char *unit_of(enum cluster_key_kind kind)
{
	return kind == CLUSTER_KEY_TIME || kind == CLUSTER_KEY_OFFSET ? " s"
	       : kind == CLUSTER_KEY_BANDWIDTH			      ? " B/s"
	       : kind == CLUSTER_KEY_SIZE			      ? " B"
								      : "";
}

static int read_number(void *base, const struct cluster_key *key, const struct util_yaml_tree *tree,
		       const struct util_yaml *node, const char *text, struct util_error *err)
{
	void *target = (char *)base + key->target;
	struct util_error why = {0};
	char problem[512], quoted[64];
	int64_t bytes = 0;
	double value = 0;

	if (key->choices && strcmp(text, key->choices) == 0) {
		value = key->word_value;
		bytes = INT64_MAX; /* the only word of a size is "off" */
	} else if (parse_number(key, text, &value, &bytes, &why)) {
		snprintf(problem, sizeof(problem), "%.400s%s%s", why.text,
			 key->choices ? ", or " : "", key->choices ? key->choices : "");
		return fail_value(tree, node, key, err, problem);
	} else if (!(value >= key->min && value <= key->max)) {
		snprintf(problem, sizeof(problem), "found %s, wanted %g to %g%s%s%s",
			 util_yaml_quote(text, quoted, sizeof(quoted)), key->min, key->max,
			 unit_of(key->kind), key->choices ? " or " : "",
			 key->choices ? key->choices : "");
		return fail_value(tree, node, key, err, problem);
	}
	if (key->kind == CLUSTER_KEY_INT)
		*(int *)target = (int)value;
	else if (key->kind == CLUSTER_KEY_SIZE)
		*(int64_t *)target = bytes;
	else
		*(double *)target = value;
	return 0;
}

static int read_choice(void *base, const struct cluster_key *key, const struct util_yaml_tree *tree,
		       const struct util_yaml *node, const char *text, struct util_error *err)
{
	char problem[256], quoted[64];
	size_t length = strlen(text);
	int place = 0;

	for (const char *choice = key->choices; *choice; place++) {
		size_t n = strcspn(choice, "|");

		if (n == length && strncmp(choice, text, n) == 0) {
			*(int *)((char *)base + key->target) = place;
			return 0;
		}
		choice += n + (choice[n] == '|');
	}
	snprintf(problem, sizeof(problem), "found %s, wanted one of %s",
		 util_yaml_quote(text, quoted, sizeof(quoted)), key->choices);
	return fail_value(tree, node, key, err, problem);
}

static int read_text(void *base, const struct cluster_key *key, const char *text,
		     struct util_error *err)
{
	char **target = (char **)((char *)base + key->target);

	*target = strdup(text);
	return *target ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

int cluster_schema_value(void *base, const struct cluster_key *key,
			 const struct util_yaml_tree *tree, const struct util_yaml *node,
			 struct util_error *err)
{
	const char *text = key->fallback;
	char found[64], problem[128];

	if (node) {
		if (node->kind != UTIL_YAML_SCALAR || util_yaml_is_empty(node)) {
			snprintf(problem, sizeof(problem), "found %s, wanted a single value",
				 util_yaml_found(node, found, sizeof(found)));
			return fail_value(tree, node, key, err, problem);
		}
		text = node->text;
	}
	if (!text)
		return 0;
	if (key->kind == CLUSTER_KEY_TEXT)
		return read_text(base, key, text, err);
	if (key->kind == CLUSTER_KEY_CHOICE)
		return read_choice(base, key, tree, node, text, err);
	return read_number(base, key, tree, node, text, err);
}

static int read_key(struct cluster_draft *draft, const struct cluster_key *key,
		    const struct util_yaml_tree *tree, struct util_error *err)
{
	const struct util_yaml *node = util_yaml_at(tree, key->path);
	const char *preset = cluster_preset(draft->library, key->path);
	struct cluster_key of_library = *key;

	if (!node && key->required)
		return util_yaml_fail(tree, tree->root, err,
				      "found no key \"%s\", wanted it (see docs/cluster-file.md)",
				      key->path);
	if (key->kind == CLUSTER_KEY_CUSTOM ||
	    (key->convert && node && node->kind == UTIL_YAML_LIST))
		return key->convert(draft, tree, node, err);
	if (!node && key->inherits)
		*(double *)((char *)draft + key->target) =
		    *(double *)((char *)draft + key->inherits);
	if (preset)
		of_library.fallback = preset;
	if (node && node->kind == UTIL_YAML_MAP && classify(key->path).is_section)
		node = NULL; /* its members say it */
	return cluster_schema_value(draft, &of_library, tree, node, err);
}

static const char *last_part(const char *path)
{
	return strrchr(path, '.') + 1;
}

/* Each member of an entry must be one of the keys. */
static int check_members(const struct util_yaml_tree *tree, const struct util_yaml *entry,
			 const struct cluster_key keys[], int n_keys, struct util_error *err)
{
	for (const struct util_yaml *member = entry->first; member; member = member->next) {
		char quoted[96], wanted[128] = "";
		int k = 0;

		while (k < n_keys && strcmp(member->key, last_part(keys[k].path)) != 0)
			k++;
		if (k < n_keys)
			continue;
		for (k = 0; k < n_keys; k++)
			snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s%s",
				 k ? ", " : "", last_part(keys[k].path));
		return util_yaml_fail_key(
		    tree, member, err, "%.*s: found unknown key %s, wanted %s",
		    (int)(last_part(keys[0].path) - 1 - keys[0].path), keys[0].path,
		    util_yaml_quote(member->key, quoted, sizeof quoted), wanted);
	}
	return 0;
}

int cluster_schema_entry(const struct util_yaml_tree *tree, const struct util_yaml *entry,
			 const struct cluster_key keys[], int n_keys, void *out,
			 struct util_error *err)
{
	char found[64];
	int rc;

	if (entry->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, entry, err, "found %s, wanted a mapping such as {%s: …}",
				      util_yaml_found(entry, found, sizeof(found)),
				      last_part(keys[0].path));
	rc = check_members(tree, entry, keys, n_keys, err);
	for (int k = 0; k < n_keys && !rc; k++) {
		const char *name = last_part(keys[k].path);
		const struct util_yaml *member = util_yaml_member(entry, name, strlen(name));

		if (!member && !keys[k].fallback)
			return util_yaml_fail(tree, entry, err, "found no \"%s\", wanted %s", name,
					      keys[k].path);
		rc = cluster_schema_value(out, &keys[k], tree, member, err);
	}
	return rc;
}

int cluster_schema_read(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			struct util_error *err)
{
	for (int k = 0; k < cluster_n_keys; k++) {
		int rc = read_key(draft, &cluster_keys[k], tree, err);

		if (rc)
			return rc;
	}
	return 0;
}

int cluster_schema_number(const struct util_yaml_tree *tree, const struct util_yaml *node,
			  const char *path, double min, double max, double *out,
			  struct util_error *err)
{
	struct util_error why = {0};
	char found[64];
	double value;

	if (node->kind != UTIL_YAML_SCALAR)
		return util_yaml_fail(tree, node, err, "%s: found %s, wanted a number", path,
				      util_yaml_found(node, found, sizeof(found)));
	if (util_parse_double(node->text, &value, &why))
		return util_yaml_fail(tree, node, err, "%s: %s", path, why.text);
	if (!(value >= min && value <= max))
		return util_yaml_fail(tree, node, err, "%s: found %s, wanted %g to %g", path,
				      util_yaml_found(node, found, sizeof(found)), min, max);
	*out = value;
	return 0;
}
