/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written until they are whole, and what becomes of them where the process is ended. */
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "util/outpath.h"

enum { MOST_FILES = 8, N_SIGNALS = 3 };
static const int signals[N_SIGNALS] = {SIGINT, SIGTERM, SIGHUP};

/* A handler has nothing else to go by. */
static struct {
	char paths[MOST_FILES][PATH_MAX];
	volatile sig_atomic_t is_used[MOST_FILES];
	int n_used;
	pid_t owner; /* a child has no files of its parent to remove */
	struct sigaction saved[N_SIGNALS];
} guarded;

static void on_end(int number)
{
	for (int i = 0; i < MOST_FILES && getpid() == guarded.owner; i++)
		if (guarded.is_used[i])
			unlink(guarded.paths[i]);
	raise(number); /* as if there were no handler */
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESETHAND | SA_NODEFER};

	guarded.owner = getpid();
	for (int i = 0; i < N_SIGNALS; i++) {
		sigaction(signals[i], NULL, &guarded.saved[i]);
		if (guarded.saved[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
	}
}

static void restore_signals(void)
{
	for (int i = 0; i < N_SIGNALS; i++)
		if (guarded.saved[i].sa_handler == SIG_DFL)
			sigaction(signals[i], &guarded.saved[i], NULL);
}

void util_output_guard(const char *path)
{
	int i = 0;

	while (i < MOST_FILES && guarded.is_used[i])
		i++;
	if (i == MOST_FILES || strlen(path) >= PATH_MAX)
		return;
	strcpy(guarded.paths[i], path);
	guarded.is_used[i] = true;
	if (guarded.n_used++ == 0)
		catch_signals();
}

void util_output_release(const char *path)
{
	for (int i = 0; i < MOST_FILES; i++) {
		if (!guarded.is_used[i] || strcmp(guarded.paths[i], path) != 0)
			continue;
		guarded.is_used[i] = false;
		if (--guarded.n_used == 0)
			restore_signals();
		return;
	}
}
