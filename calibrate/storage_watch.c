/* SPDX-License-Identifier: BSD-3-Clause */
/* A process that outlives its rank, and removes what that left on the storage. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "storage.h"

static int to_watcher = -1;

/* Libraries put files of their own beside it, with longer names. */
static void remove_all(char *path)
{
	char *name = strrchr(path, '/');
	DIR *directory;
	struct dirent *entry;

	if (!name)
		return;
	*name++ = '\0';
	directory = opendir(path);
	while (directory && (entry = readdir(directory)))
		if (strncmp(entry->d_name, name, strlen(name)) == 0)
			unlinkat(dirfd(directory), entry->d_name, 0);
}

/* Nothing ends it but the end of the rank, however that comes about. */
static void watch(int from_rank)
{
	static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	char path[4096] = "";
	size_t length = 0;
	ssize_t n;

	setsid();
	prctl(PR_SET_NAME, "mpisim-watcher");
	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
		signal(numbers[k], SIG_IGN);
	/* whoever waits for the end of the rank's streams and sockets must not wait for this one */
	dup2(from_rank, 0);
	close_range(1, ~0U, 0);
	while ((n = read(0, path + length, sizeof(path) - 1 - length)) > 0)
		length += (size_t)n;
	remove_all(path);
	_exit(0);
}

void storage_start_watcher(int argc, char **argv)
{
	int ends[2];
	bool is_wanted = false;

	for (int k = 1; k < argc; k++)
		is_wanted = is_wanted || strncmp(argv[k], "--st", 4) == 0;
	if (!is_wanted || pipe2(ends, O_CLOEXEC) < 0)
		return;
	if (fork() == 0)
		watch(ends[0]);
	close(ends[0]);
	to_watcher = ends[1];
}

void storage_watch(const char *path)
{
	size_t length = path ? strlen(path) : 0;

	if (to_watcher < 0)
		return;
	if (length > 0 && write(to_watcher, path, length) != (ssize_t)length)
		perror("mpisim-calibrate: --storage");
	if (length > 0)
		return;
	close(to_watcher);
	to_watcher = -1;
}
