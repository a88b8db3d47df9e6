// SPDX-License-Identifier: BSD-3-Clause
#include "util/gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

/* Only a log that says something stays. */
static void remove_if_empty(const char *dir, const char *name)
{
	char path[PATH_MAX];
	struct stat status;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (stat(path, &status) == 0 && status.st_size == 0)
		unlink(path);
}

void util_gnuplot_quote(const char *text, size_t max_B, FILE *file)
{
	fputc('"', file);
	for (size_t i = 0; text[i] && i < max_B; i++) {
		if (text[i] == '"' || text[i] == '\\' || text[i] == '`')
			fputc('\\', file);
		fputc(text[i] == '\n' ? ' ' : text[i], file);
	}
	fputc('"', file);
}

void util_csv_quote(const char *text, FILE *file)
{
	fputc('"', file);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', file);
		fputc(*text, file);
	}
	fputc('"', file);
}

/* Room for a few pictures. */
static bool is_full(const char *dir)
{
	enum { ROOM_B = 1 << 20 };
	struct statvfs found;

	return statvfs(dir, &found) == 0 && found.f_blocks > 0 &&
	       (double)found.f_bavail * (double)found.f_frsize < ROOM_B;
}

/* 0, 1: there is no gnuplot, or negative. */
static int run(const char *dir, const char *script)
{
	posix_spawn_file_actions_t actions;
	char name[] = "gnuplot", *argument = strdup(script);
	char *const argv[] = {name, argument, NULL};
	int failed, status = 0;
	pid_t child;

	if (!argument || posix_spawn_file_actions_init(&actions)) {
		free(argument);
		return UTIL_ENOMEM;
	}
	posix_spawn_file_actions_addchdir_np(&actions, dir);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "gnuplot.log",
					 O_WRONLY | O_CREAT | O_APPEND, 0666);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	failed = posix_spawnp(&child, "gnuplot", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(argument);
	if (failed) {
		remove_if_empty(dir, "gnuplot.log"); /* opened in vain */
		return failed == ENOENT ? 1 : UTIL_ESYSTEM;
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	remove_if_empty(dir, "gnuplot.log");
	/* 127: where the spawned process is the one that finds out that there is no gnuplot. */
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 1;
	return status == 0 ? 0 : UTIL_ESYSTEM;
}

int util_gnuplot_run(const char *dir, const char *script, struct util_error *err)
{
	int failed;

	if (is_full(dir))
		return util_error_errno(err, ENOSPC, "cannot draw pictures in %s", dir);
	failed = run(dir, script);
	return failed < 0 ? util_error_set(err, UTIL_ESYSTEM,
					   "gnuplot failed on %s/%s; what it said is in "
					   "%s/gnuplot.log",
					   dir, script, dir)
			  : failed;
}
