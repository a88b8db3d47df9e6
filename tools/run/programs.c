// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/programs.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/file.h"
#include "util/units.h"

static bool ends_program(const char *word)
{
	return !word || strcmp(word, ":") == 0;
}

static int count_programs(char **words)
{
	int n = 1;

	for (; *words; words++)
		n += strcmp(*words, ":") == 0;
	return n;
}

/* "-n 4" before a program; moves *words on. */
static int parse_ranks(char ***words, int max_ranks, int *out, struct util_error *err)
{
	char **at = *words;
	int64_t n = 0;

	if (ends_program(at[0]) || ends_program(at[1]) ||
	    (strcmp(at[0], "-n") != 0 && strcmp(at[0], "-np") != 0))
		return util_refuse(err, "after ':' found '%s', wanted -n RANKS PROGRAM [ARGUMENT…]",
				   at[0] ? at[0] : "nothing");
	if (util_parse_int(at[1], 1, max_ranks, &n, err))
		return util_error_prepend(err, "-n");
	*out = (int)n;
	*words = at + 2;
	return 0;
}

static int take_program(char ***words, struct run_program *out, struct util_error *err)
{
	char **at = *words;
	size_t n = 0;

	if (ends_program(at[0]))
		return util_refuse(err, "found '%s', wanted a program: PROGRAM [ARGUMENT…]",
				   at[0] ? at[0] : "nothing");
	while (!ends_program(at[n]))
		n++;
	out->argv = calloc(n + 1, sizeof *out->argv);
	if (!out->argv)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	memcpy(out->argv, at, n * sizeof *at);
	*words = at[n] ? at + n + 1 : at + n;
	return 0;
}

int run_programs_parse(char **words, int n_ranks, int max_ranks, struct run_programs *out,
		       struct util_error *err)
{
	int n = count_programs(words), failed = 0;
	struct run_programs programs = {.programs = calloc((size_t)n, sizeof *out->programs)};

	if (!programs.programs)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (; programs.n < n && !failed; programs.n++) {
		struct run_program *program = &programs.programs[programs.n];

		program->n_ranks = n_ranks;
		if (programs.n > 0)
			failed = parse_ranks(&words, max_ranks, &program->n_ranks, err);
		if (!failed)
			failed = take_program(&words, program, err);
		max_ranks -= program->n_ranks;
	}
	if (failed)
		run_programs_finish(&programs);
	else
		*out = programs;
	return failed;
}

void run_programs_finish(struct run_programs *programs)
{
	for (int i = 0; i < programs->n; i++)
		free(programs->programs[i].argv);
	free(programs->programs);
	*programs = (struct run_programs){.n = 0};
}

char *run_find_program(const char *name)
{
	char *found = strchr(name, '/') ? NULL : util_file_search(getenv("PATH"), name);

	return found ? found : strdup(name);
}
