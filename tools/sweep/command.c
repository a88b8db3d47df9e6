// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cluster/named.h"
#include "tools/sweep/grid.h"
#include "util/array.h"
#include "util/file.h"
#include "util/version.h"

#define BLANKS " \t\n"

struct making {
	const struct sweep_spec *spec;
	const struct sweep_tools *tools;
	struct sweep_value values[SWEEP_MAX_PARAMETERS];
	struct sweep_command *command;
	struct sweep_hash *all, *traced;
	struct util_error *err;
};

static int find_beside(const char *folder, const char *name, char **out, struct util_error *err)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!util_file_is_program(path)) {
		free(path);
		return util_refuse(err, "found no %s in %s, wanted it beside mpisim-sweep", name,
				   folder);
	}
	*out = path;
	return 0;
}

/* The library that simulates, beside the tools: where it is built, or where it is installed. */
static int hash_simulator(const char *folder, const char *lib_from_bin, struct sweep_tools *tools,
			  struct util_error *err)
{
	const char *const places[] = {"../tools", lib_from_bin};
	const char *hash = "";
	char *path;

	for (size_t i = 0; i < sizeof places / sizeof places[0] && !*hash; i++) {
		if (asprintf(&path, "%s/%s/libmpi_abi.so.1", folder, places[i]) < 0)
			return util_error_set(err, UTIL_ENOMEM, "out of memory");
		if (access(path, R_OK) == 0)
			sweep_files_hash(tools->files, path, &hash, NULL);
		free(path);
	}
	tools->simulator_hash = strdup(hash);
	return tools->simulator_hash ? 0 : util_error_set(err, UTIL_ENOMEM, "out of memory");
}

int sweep_tools_find(const char *own_path, const char *lib_from_bin, struct sweep_tools *out,
		     struct util_error *err)
{
	struct sweep_tools tools = {.files = sweep_files_create()};
	char *folder = strdup(own_path), *slash;
	int failed = 0;

	if (!folder || !tools.files)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	slash = folder ? strrchr(folder, '/') : NULL;
	if (slash)
		*slash = '\0';
	if (!failed)
		failed = find_beside(folder, "mpisim-run", &tools.run, err);
	if (!failed && find_beside(folder, "mpisim-replay", &tools.replay, NULL))
		tools.replay = NULL;
	if (!failed)
		failed = hash_simulator(folder, lib_from_bin, &tools, err);
	free(folder);
	if (failed)
		sweep_tools_finish(&tools);
	else
		*out = tools;
	return failed;
}

void sweep_tools_finish(struct sweep_tools *tools)
{
	free(tools->run);
	free(tools->replay);
	free(tools->simulator_hash);
	sweep_files_destroy(tools->files);
	*tools = (struct sweep_tools){0};
}

/* The program's file as mpisim-run finds it: a path as given, a plain name along PATH, else here.
 */
static char *find_program(const char *name)
{
	const char *folders = getenv("PATH");
	char *found = NULL;

	if (strchr(name, '/') || !folders)
		return strdup(name);
	found = util_file_search(folders, name);
	return found || asprintf(&found, "./%s", name) >= 0 ? found : NULL;
}

/* Takes `word`. */
static int add_word(struct making *m, char *word)
{
	struct sweep_command *c = m->command;

	if (util_texts_add(&c->words, &c->n_words, word))
		return util_error_set(m->err, UTIL_ENOMEM, "out of memory");
	return 0;
}

static int add_copy(struct making *m, const char *word)
{
	return add_word(m, strdup(word));
}

/* What a trace keeps is part of both hashes. */
static void hash_text(struct making *m, const char *text, bool is_traced)
{
	sweep_hash_add(m->all, text);
	if (is_traced)
		sweep_hash_add(m->traced, text);
}

static int hash_file(struct making *m, const char *what, const char *path, bool is_traced)
{
	const char *hash;
	int failed = sweep_files_hash(m->tools->files, path, &hash, m->err);

	if (failed)
		return util_error_prepend(m->err, "%s", what);
	hash_text(m, what, is_traced);
	hash_text(m, hash, is_traced);
	return 0;
}

static int fill(struct making *m, const struct sweep_text *text, const char *what, char **out)
{
	int failed = sweep_text_fill(text, m->values, out, m->err);

	return failed ? util_error_prepend(m->err, "%s: %s", m->spec->path, what) : 0;
}

static int add_flag(struct making *m, const char *option, const char *value)
{
	if (strcmp(value, "false") == 0 || strcmp(value, "0") == 0)
		return 0;
	if (strcmp(value, "true") != 0 && strcmp(value, "1") != 0)
		return util_refuse(m->err, "%s: %s: found \"%.40s\", wanted true or false",
				   m->spec->path, option, value);
	hash_text(m, option, true);
	return add_copy(m, option);
}

static int add_pair(struct making *m, const struct sweep_option *option, const char *value)
{
	char *pair;
	int failed;

	if (asprintf(&pair, "%s=%s", option->key, value) < 0)
		return util_error_set(m->err, UTIL_ENOMEM, "out of memory");
	hash_text(m, option->option, false);
	hash_text(m, pair, false);
	failed = add_copy(m, option->option);
	if (failed)
		free(pair);
	return failed ? failed : add_word(m, pair);
}

static bool has_option(const struct sweep_spec *spec, const char *name)
{
	for (int i = 0; i < spec->n_options; i++)
		if (spec->options[i].option && strcmp(spec->options[i].option, name) == 0)
			return true;
	return false;
}

bool sweep_option_is_replayed(const struct sweep_spec *spec, const char *option)
{
	static const char *const names[] = {"--cluster", "--set", "--scale", "--placement"};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(names[i], option) == 0)
			return true;
	/* A replay has no calls of BLAS to charge, only the kernels that they became. */
	return strcmp(option, "--bench") == 0 && !has_option(spec, "--blas-model");
}

static int add_value(struct making *m, const struct sweep_option *option, const char *value)
{
	bool is_traced = !option->option || !sweep_option_is_replayed(m->spec, option->option);
	int failed = option->option ? add_copy(m, option->option) : 0;

	if (!failed)
		failed = add_copy(m, value);
	if (!failed && option->kind == SWEEP_WORD_FILE)
		return hash_file(m, option->option, value, is_traced);
	if (!failed && option->option)
		hash_text(m, option->option, is_traced);
	if (!failed)
		hash_text(m, value, is_traced);
	return failed;
}

/* Replay is as good as a run where nothing varies at random. What is measured is in the trace. */
static void note_replay(struct sweep_command *command, const struct sweep_option *option,
			const char *value)
{
	if (!option->option || strncmp(option->option, "--vary", 6) == 0)
		command->can_replay = false;
	if (!option->option || strcmp(option->option, "--compute") != 0)
		return;
	/* A run that collects adds to a file, each time. */
	if (strcmp(value, "collect") == 0)
		command->can_replay = false;
	command->is_measured = strcmp(value, "direct") == 0 || strcmp(value, "partial") == 0;
}

static int add_option(struct making *m, const struct sweep_option *option)
{
	const char *name = option->key ? option->key : option->option ? option->option : "options";
	char *value;
	int failed = fill(m, option->value, name, &value);

	if (failed)
		return failed;
	note_replay(m->command, option, value);
	if (option->kind == SWEEP_WORD_FLAG)
		failed = add_flag(m, option->option, value);
	else if (option->kind == SWEEP_WORD_PAIR)
		failed = add_pair(m, option, value);
	else
		failed = add_value(m, option, value);
	free(value);
	return failed;
}

/* "--seed" of a repetition, which is one run: medians of overlapping seeds would scatter too
 * little. */
static int add_seed(struct making *m)
{
	const struct sweep_spec *spec = m->spec;
	int last = spec->n_parameters - 1;
	int failed = 0;

	if (last < 0 || !spec->parameters[last].is_seed)
		return 0;
	failed = add_copy(m, "--seed");
	if (!failed)
		failed = add_copy(m, m->values[last].text);
	if (!failed)
		failed = add_copy(m, "--repeat");
	if (!failed)
		failed = add_copy(m, "1");
	hash_text(m, "--seed", true);
	hash_text(m, m->values[last].text, true);
	return failed;
}

static int add_cluster(struct making *m)
{
	char *name, *path;
	int failed;

	if (!m->spec->cluster)
		return 0;
	failed = fill(m, m->spec->cluster, "cluster", &name);
	if (failed)
		return failed;
	failed = cluster_named_find(name, &path, m->err);
	free(name);
	if (failed)
		return failed;
	failed = hash_file(m, "cluster", path, false);
	if (!failed)
		failed = add_copy(m, "--cluster");
	if (failed)
		free(path);
	return failed ? failed : add_word(m, path);
}

/* The program, or the trace in its place. */
static int add_program(struct making *m)
{
	const char *what = m->spec->trace ? "trace" : "program";
	char *name, *path;
	int failed = fill(m, m->spec->trace ? m->spec->trace : m->spec->program, what, &name);

	if (failed)
		return failed;
	path = m->spec->trace ? strdup(name) : find_program(name);
	free(name);
	if (!path)
		return util_error_set(m->err, UTIL_ENOMEM, "out of memory");
	failed = hash_file(m, what, path, true);
	m->command->program = m->command->n_words;
	if (failed)
		free(path);
	return failed ? failed : add_word(m, path);
}

static int add_argument(struct making *m, const struct sweep_text *text)
{
	char *filled, *rest = NULL;
	int failed = fill(m, text, "arguments", &filled);

	if (failed)
		return failed;
	if (!m->spec->splits_arguments) {
		hash_text(m, filled, true);
		return add_word(m, filled);
	}
	for (char *word = strtok_r(filled, BLANKS, &rest); word && !failed;
	     word = strtok_r(NULL, BLANKS, &rest)) {
		hash_text(m, word, true);
		failed = add_copy(m, word);
	}
	free(filled);
	return failed;
}

static int add_input(struct making *m, const struct sweep_text *text)
{
	char *path;
	int failed = fill(m, text, "inputs", &path);

	if (failed)
		return failed;
	failed = hash_file(m, "inputs", path, true);
	free(path);
	return failed;
}

static int make(struct making *m)
{
	const struct sweep_spec *spec = m->spec;
	int failed = add_copy(m, spec->trace ? m->tools->replay : m->tools->run);

	hash_text(m, util_version(), true);
	hash_text(m, m->tools->simulator_hash, true);
	if (!failed)
		failed = add_cluster(m);
	for (int i = 0; i < spec->n_options && !failed; i++)
		failed = add_option(m, &spec->options[i]);
	if (!failed)
		failed = add_seed(m);
	if (!failed)
		failed = add_program(m);
	for (int i = 0; i < spec->n_arguments && !failed; i++)
		failed = add_argument(m, spec->arguments[i]);
	for (int i = 0; i < spec->n_inputs && !failed; i++)
		failed = add_input(m, spec->inputs[i]);
	return failed;
}

int sweep_command_make(const struct sweep_spec *spec, const struct sweep_tools *tools,
		       const int choice[], struct sweep_command *out, struct util_error *err)
{
	/* Without "compute" everything is measured; what a trace has measured stays as it is. */
	struct sweep_command command = {
	    .can_replay = true, .is_measured = !spec->trace && !has_option(spec, "--compute")};
	struct making m = {.spec = spec,
			   .tools = tools,
			   .command = &command,
			   .all = sweep_hash_create(),
			   .traced = sweep_hash_create(),
			   .err = err};
	int failed;

	sweep_grid_values(spec, choice, m.values);
	if (m.all && m.traced)
		failed = make(&m);
	else
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed) {
		sweep_hash_get(m.all, command.hash);
		sweep_hash_get(m.traced, command.traced);
		*out = command;
	} else {
		sweep_command_finish(&command);
	}
	sweep_hash_destroy(m.all);
	sweep_hash_destroy(m.traced);
	return failed;
}

void sweep_command_finish(struct sweep_command *command)
{
	for (int i = 0; i < command->n_words; i++)
		free(command->words[i]);
	free(command->words);
	command->words = NULL;
	command->n_words = 0;
}

static void write_word(const char *word, FILE *file)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-./=:,+@%^";

	if (*word && word[strspn(word, plain)] == '\0') {
		fputs(word, file);
		return;
	}
	fputc('\'', file);
	for (; *word; word++) {
		if (*word == '\'')
			fputs("'\\''", file);
		else
			fputc(*word, file);
	}
	fputc('\'', file);
}

char *sweep_command_line(char *const words[])
{
	char *line = NULL;
	size_t size;
	FILE *file = open_memstream(&line, &size);

	if (!file)
		return NULL;
	for (int i = 0; words[i]; i++) {
		if (i)
			fputc(' ', file);
		write_word(words[i], file);
	}
	if (fclose(file)) {
		free(line);
		return NULL;
	}
	return line;
}
