// SPDX-License-Identifier: BSD-3-Clause
/* What a sweep file passes to mpisim-run or mpisim-replay: the keys set, scale, run and options. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/spec_parts.h"

#include "util/array.h"

static const struct {
	const char *key, *option;
	enum sweep_word_kind kind;
} run_keys[] = {
    /* of a replay too */
    {"placement", "--placement", SWEEP_WORD_VALUE},
    {"bench", "--bench", SWEEP_WORD_FILE},
    {"vary_compute", "--vary-compute", SWEEP_WORD_VALUE},
    {"vary_kernels", "--vary-kernels", SWEEP_WORD_FLAG},
    {"vary_transfer", "--vary-transfer", SWEEP_WORD_VALUE},
    {"seed", "--seed", SWEEP_WORD_VALUE},
    /* of a run only */
    {"n", "-n", SWEEP_WORD_VALUE},
    {"compute", "--compute", SWEEP_WORD_VALUE},
    {"blas_model", "--blas-model", SWEEP_WORD_FILE},
    {"first_n", "--first-n", SWEEP_WORD_VALUE},
    {"no_alloc", "--no-alloc", SWEEP_WORD_FLAG},
    {"stack_size", "--stack-size", SWEEP_WORD_VALUE},
    {"isolation", "--isolation", SWEEP_WORD_VALUE},
};
#define N_RUN_KEYS (sizeof run_keys / sizeof run_keys[0])
#define N_REPLAY_KEYS 6

static int option_add(struct sweep_spec *spec, struct sweep_option option, const char *name,
		      const char *key, struct util_error *err)
{
	bool has_room =
	    util_array_room(&spec->options, (size_t)spec->n_options, sizeof *spec->options);

	option.option = name ? strdup(name) : NULL;
	option.key = key ? strdup(key) : NULL;
	if (!has_room || (name && !option.option) || (key && !option.key)) {
		free(option.option);
		free(option.key);
		sweep_text_destroy(option.value);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	spec->options[spec->n_options++] = option;
	return 0;
}

static int pairs_read(struct sweep_spec *spec, const struct util_yaml_tree *tree, const char *key,
		      const char *option, struct util_error *err)
{
	const struct util_yaml *map = util_yaml_member(tree->root, key, strlen(key));
	char found[64];
	int failed = 0;

	if (!map)
		return 0;
	if (map->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, map, err, "%s: found %s, wanted keys and values", key,
				      util_yaml_found(map, found, sizeof found));
	for (const struct util_yaml *member = map->first; member && !failed;
	     member = member->next) {
		struct sweep_option pair = {.kind = SWEEP_WORD_PAIR};

		failed = sweep_text_read(spec, tree, member, member->key, &pair.value, err);
		if (!failed)
			failed = option_add(spec, pair, option, member->key, err);
	}
	return failed;
}

static int run_key_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
			const struct util_yaml *member, struct util_error *err)
{
	struct sweep_option option = {0};
	size_t i = 0;
	int failed;

	while (strcmp(run_keys[i].key, member->key) != 0)
		i++;
	option.kind = run_keys[i].kind;
	failed = sweep_text_read(spec, tree, member, member->key, &option.value, err);
	return failed ? failed : option_add(spec, option, run_keys[i].option, NULL, err);
}

static int run_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		    struct util_error *err)
{
	const struct util_yaml *map = util_yaml_member(tree->root, "run", 3);
	const char *known[N_RUN_KEYS + 1] = {NULL};
	int failed;

	for (size_t i = 0; i < (spec->trace ? N_REPLAY_KEYS : N_RUN_KEYS); i++)
		known[i] = run_keys[i].key;
	if (!map && spec->trace)
		return 0;
	if (!map)
		return util_yaml_fail(
		    tree, tree->root, err,
		    "found no key \"run\", wanted it with n, the number of ranks");
	failed = sweep_keys_check(tree, map, spec->trace ? "run of a trace" : "run", known, err);
	if (!failed && !spec->trace && !util_yaml_member(map, "n", 1))
		failed = util_yaml_fail(tree, map, err,
					"run: found no \"n\", wanted the number of ranks");
	for (const struct util_yaml *member = failed ? NULL : map->first; member && !failed;
	     member = member->next)
		failed = run_key_read(spec, tree, member, err);
	return failed;
}

/* The result is taken from what the sweep itself asks for. */
static int check_words(const struct util_yaml_tree *tree, const struct util_yaml *words,
		       struct util_error *err)
{
	static const char *const taken[] = {"--json", "--time-only", "--check-binary", "--help",
					    "--version"};
	bool is_list = words && words->kind == UTIL_YAML_LIST;

	for (const struct util_yaml *word = is_list ? words->first : words; word;
	     word = is_list ? word->next : NULL)
		for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
			size_t length = strlen(taken[i]);

			if (word->kind == UTIL_YAML_SCALAR &&
			    strncmp(word->text, taken[i], length) == 0 &&
			    (!word->text[length] || word->text[length] == '='))
				return util_yaml_fail(tree, word, err,
						      "options: found %s, which the sweep needs "
						      "for its results",
						      taken[i]);
		}
	return 0;
}

static int words_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		      struct util_error *err)
{
	const struct util_yaml *node = util_yaml_member(tree->root, "options", 7);
	struct sweep_text **words = NULL;
	int n = 0, failed = check_words(tree, node, err);

	if (failed)
		return failed;
	failed = sweep_texts_read(spec, tree, node, "options", &words, &n, err);
	for (int i = 0; i < n; i++) {
		struct sweep_option word = {.kind = SWEEP_WORD_VALUE, .value = words[i]};

		if (failed)
			sweep_text_destroy(words[i]);
		else
			failed = option_add(spec, word, NULL, NULL, err);
	}
	free(words);
	return failed;
}

int sweep_options_read(struct sweep_spec *spec, const struct util_yaml_tree *tree,
		       struct util_error *err)
{
	int failed = pairs_read(spec, tree, "set", "--set", err);

	if (!failed)
		failed = run_read(spec, tree, err);
	if (!failed)
		failed = pairs_read(spec, tree, "scale", "--scale", err);
	return failed ? failed : words_read(spec, tree, err);
}
