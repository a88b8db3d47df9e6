/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are written until they are whole, and what becomes of them where the process is ended. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
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

/* An entry of a folder, as the system call has it: readdir may not be called by a handler. */
struct entry {
	uint64_t number;
	int64_t next;
	unsigned short length_B;
	unsigned char kind;
	char name[];
};

/* A file, or a folder of files with `depth` levels of folders in it. */
static void remove_at(int folder, const char *name, int depth)
{
	_Alignas(struct entry) char entries[2048];
	int inside;
	long n;

	if (unlinkat(folder, name, 0) == 0 || depth < 0)
		return;
	inside = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	while (inside >= 0 && (n = syscall(SYS_getdents64, inside, entries, sizeof entries)) > 0)
		for (long at = 0; at < n; at += ((struct entry *)(entries + at))->length_B) {
			const char *found = ((struct entry *)(entries + at))->name;

			if (strcmp(found, ".") != 0 && strcmp(found, "..") != 0)
				remove_at(inside, found, depth - 1);
		}
	if (inside >= 0)
		close(inside);
	unlinkat(folder, name, AT_REMOVEDIR);
}

static void on_end(int number)
{
	for (int i = 0; i < MOST_FILES && getpid() == guarded.owner; i++)
		if (guarded.is_used[i])
			remove_at(AT_FDCWD, guarded.paths[i], 1);
	raise(number); /* as if there were no handler, after the return */
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_end, .sa_flags = SA_RESETHAND};

	for (int i = 0; i < N_SIGNALS; i++)
		sigaddset(&action.sa_mask, signals[i]);
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
