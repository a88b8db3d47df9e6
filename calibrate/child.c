/* SPDX-License-Identifier: BSD-3-Clause */
/* mpisim's programs as processes of their own, so that no library of this one meets the
 * simulator's. */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "util/array.h"

static const int LIMIT_S = 120;

void child_say(struct child_command *command, const char *format, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&text, format, args) < 0)
		text = NULL;
	va_end(args);
	command->is_short |= util_texts_add(&command->arguments, &command->n, text) != 0;
}

void child_forget(struct child_command *command)
{
	for (int k = 0; k < command->n; k++)
		free(command->arguments[k]);
	free(command->arguments);
	*command = (struct child_command){0};
}

/* Beside this program, as installed, or in the folder of all tools, as built. */
int child_find(const char *name, char path[PATH_MAX], struct util_error *err)
{
	static const char *const places[] = {"%.*s/%s", "%.*s/../bin/%s"};
	char self[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

	while (length > 0 && self[length - 1] != '/')
		length--;
	for (size_t k = 0; k < sizeof(places) / sizeof(places[0]) && length > 1; k++) {
		int n = snprintf(path, PATH_MAX, places[k], (int)length - 1, self, name);

		if (n < PATH_MAX && access(path, X_OK) == 0)
			return 0;
	}
	return util_error_set(err, UTIL_ESYSTEM, "there is no %s beside this program", name);
}

/* What a launcher, a preloaded library or annotations under a real MPI are told is not meant for
 * the simulator. */
static bool is_foreign(const char *variable)
{
	static const char *const names[] = {"LD_PRELOAD=", "OMPI_", "PMI", "MPI", "HYDRA", "HYDI_"};

	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
		if (!strncmp(variable, names[k], strlen(names[k])))
			return true;
	return false;
}

static char **plain_environment(void)
{
	size_t n = 0, kept = 0;
	char **list;

	while (environ[n])
		n++;
	list = calloc(n + 1, sizeof(*list));
	for (size_t k = 0; list && k < n; k++)
		if (!is_foreign(environ[k]))
			list[kept++] = environ[k];
	return list;
}

/* Ranks may run in real time; the simulator computes and waits for nobody. */
int child_start(const struct child_command *command, const char *output, const char *log,
		pid_t *child, struct util_error *err)
{
	struct sched_param plain = {0};
	posix_spawn_file_actions_t files;
	posix_spawnattr_t how;
	char **environment = plain_environment();
	int failed = environment && !command->is_short ? 0 : ENOMEM;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (output)
		posix_spawn_file_actions_addopen(&files, 1, output, O_WRONLY | O_CREAT | O_TRUNC,
						 0600);
	else
		posix_spawn_file_actions_adddup2(&files, 2, 1);
	posix_spawnattr_init(&how);
	posix_spawnattr_setschedpolicy(&how, SCHED_OTHER);
	posix_spawnattr_setschedparam(&how, &plain);
	posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSCHEDULER);
	if (!failed)
		failed = posix_spawn(child, command->arguments[0], &files, &how, command->arguments,
				     environment);
	posix_spawnattr_destroy(&how);
	posix_spawn_file_actions_destroy(&files);
	free(environment);
	return failed ? util_error_errno(err, failed, "cannot start %s",
					 command->n ? command->arguments[0] : "a program")
		      : 0;
}

/* The exit status; -1: it took too long and was ended. */
static int status_of(pid_t child)
{
	struct timespec nap = {0, 1000000};
	time_t end = time(NULL) + LIMIT_S;
	int status;

	while (waitpid(child, &status, WNOHANG) != child) {
		if (time(NULL) > end) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			return -1;
		}
		nanosleep(&nap, NULL);
	}
	return status;
}

static int refuse(const char *log, int status, struct util_error *err)
{
	char line[512] = "";
	FILE *file = fopen(log, "r");

	if (file && fgets(line, sizeof(line), file))
		line[strcspn(line, "\n")] = '\0';
	if (file)
		fclose(file);
	if (status == -1)
		return util_error_set(err, UTIL_ESYSTEM, "simulating took longer than %d s",
				      LIMIT_S);
	return util_error_set(err, UTIL_EINPUT, "%s",
			      line[0] ? line : "mpisim-run ended with an error");
}

int child_wait(pid_t child, const char *log, struct util_error *err)
{
	int status = status_of(child);

	return status ? refuse(log, status, err) : 0;
}
