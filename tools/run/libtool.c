/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/run/libtool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/run/programs.h"

/*
 * What "libtool --mode=execute" does: a wrapper that is read with this variable set gives the
 * environment, $progdir and $program, and starts nothing. $1: the wrapper, $2: the word by which it
 * was named, then the command.
 */
static const char execute[] =
    "file=$1 mpisim_word=$2 ECHO='printf %s\\n' libtool_execute_magic='%%%MAGIC variable%%%'\n"
    "shift 2\n"
    ". \"$file\"\n"
    "for argument; do\n"
    "  shift\n"
    "  case $argument in\n"
    "  \"$mpisim_word\") argument=$progdir/$program ;;\n"
    "  -*=\"$mpisim_word\") argument=${argument%\"$mpisim_word\"}$progdir/$program ;;\n"
    "  esac\n"
    "  set -- \"$@\" \"$argument\"\n"
    "done\n"
    "exec \"$@\"\n";

static bool is_wrapper(const char *path)
{
	char start[512] = "";
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(start, 1, sizeof start - 1, file) : 0;

	if (file)
		fclose(file);
	return size > 2 && start[0] == '#' && start[1] == '!' &&
	       strstr(start, "temporary wrapper script for") && strstr(start, "libtool");
}

static char **command_of(char **argv, char *path, const char *program)
{
	size_t n = 0, head = 6;
	char **words;

	while (argv[n])
		n++;
	words = calloc(head + n + 1, sizeof *words);
	if (!words)
		return NULL;
	words[0] = words[3] = (char *)(uintptr_t) "sh";
	words[1] = (char *)(uintptr_t) "-c";
	words[2] = (char *)(uintptr_t)execute;
	words[4] = path;
	words[5] = (char *)(uintptr_t)program;
	memcpy(words + head, argv, n * sizeof *argv);
	return words;
}

int run_libtool_start(char **argv, const char *program, struct util_error *err)
{
	char *path = run_find_program(program), **words = NULL;
	int failed = 0;

	if (path && !is_wrapper(path)) {
		free(path);
		return 0;
	}
	words = path ? command_of(argv, path, program) : NULL;
	if (words) {
		execv("/bin/sh", words);
		failed = util_error_errno(err, errno, "cannot start /bin/sh for '%s'", program);
	} else {
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	free(words);
	free(path);
	return failed;
}
