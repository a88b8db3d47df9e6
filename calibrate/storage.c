/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in the directory of --storage: whether there can be any, and that none is left, for which a
 * process outlives its rank. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "storage.h"

/* --- the watcher of rank 0 --- */

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

/* It will remove this file, and all whose names begin as its does; NULL: nothing, and it ends. */
static void tell_watcher(const char *path)
{
	if (to_watcher < 0)
		return;
	if (path && write(to_watcher, path, strlen(path)) != (ssize_t)strlen(path))
		perror("mpisim-calibrate: --storage");
	if (path)
		return;
	close(to_watcher);
	to_watcher = -1;
}

/* --- the directory --- */

enum { FIRST_B = 65536 };

static char path[4096]; /* of the file that has a name now, if any */

const char *storage_path(void)
{
	return path;
}

/* All are done with its name. */
static void unlink_at(int rank)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		unlink(path);
}

/* NULL, or why nothing can be written to it. */
static const char *try_file(void)
{
	static const char nothing[FIRST_B];
	int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
	const char *why = NULL;

	if (file < 0)
		return strerror(errno);
	errno = ENOSPC; /* what writing less than all means */
	if (write(file, nothing, sizeof(nothing)) != sizeof(nothing) || fsync(file) < 0)
		why = strerror(errno);
	close(file);
	return why;
}

/* What the probes write may not be more than there is. */
static const char *check_space(const char *directory)
{
	static char text[120];
	struct statvfs found;
	double wanted_B, free_B;
	int n_ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	wanted_B = STORAGE_PLACES_B + 2.0 * STORAGE_ACCESS_B * n_ranks;
	if (statvfs(directory, &found) < 0)
		return strerror(errno);
	free_B = (double)found.f_bavail * (double)found.f_frsize;
	if (free_B >= wanted_B)
		return NULL;
	snprintf(text, sizeof(text), "found %.0f MB free, wanted %.0f MB", free_B / 1e6,
		 wanted_B / 1e6);
	return text;
}

/* The file that rank 0 made must be there for all. */
static const char *check_seen(int rank)
{
	static char text[120];
	int blind = access(path, R_OK | W_OK) ? rank : -1;

	MPI_Allreduce(MPI_IN_PLACE, &blind, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (blind < 0)
		return NULL;
	snprintf(text, sizeof(text),
		 "rank %d does not see the file of rank 0; wanted a directory that all nodes share",
		 blind);
	return text;
}

const char *storage_check(const char *directory, int rank)
{
	const char *why = NULL;
	int failed;

	if (!directory)
		return NULL;
	snprintf(path, sizeof(path), "%.3900s/mpisim-calibrate.%ld.part", directory,
		 (long)getpid());
	MPI_Bcast(path, sizeof(path), MPI_CHAR, 0, MPI_COMM_WORLD);
	tell_watcher(rank == 0 ? path : NULL);
	if (rank == 0 && access(directory, F_OK)) /* "" is not the root directory */
		why = strerror(errno);
	else if (rank == 0 && !(why = try_file()))
		why = check_space(directory);
	failed = why != NULL;
	MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	if (!failed)
		why = check_seen(rank);
	unlink_at(rank);
	return why;
}

/* --- files of the probes --- */

/* What the library says, at rank 0, on all ranks; 0: nothing. */
static long long hint(const struct storage_file *file, int rank, const char *key)
{
	char text[MPI_MAX_INFO_VAL + 1] = "";
	long long value = 0;
	MPI_Info info;
	int is_set = 0;

	if (rank == 0 && MPI_File_get_info(file->handle, &info) == MPI_SUCCESS) {
		MPI_Info_get(info, key, MPI_MAX_INFO_VAL, text, &is_set);
		MPI_Info_free(&info);
		value = is_set ? atoll(text) : 0;
	}
	MPI_Bcast(&value, 1, MPI_LONG_LONG, 0, MPI_COMM_WORLD);
	return value;
}

bool storage_create(struct storage_file *file, int rank, bool is_wide)
{
	int failed = 0;

	*file = (struct storage_file){MPI_FILE_NULL, MPI_INFO_NULL, is_wide, .fd = -1};
	if (is_wide) {
		MPI_Info_create(&file->info);
		MPI_Info_set(file->info, "striping_factor", "100000");
		MPI_Info_set(file->info, "striping_unit", "65536");
	}
	if (rank == 0)
		failed = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR,
				       file->info, &file->handle) != MPI_SUCCESS;
	MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return !failed;
}

bool storage_open(struct storage_file *file, int rank, bool is_leader, bool drops_cache)
{
	int can = 1;

	if (is_leader && rank != 0)
		can = MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, file->info,
				    &file->handle) == MPI_SUCCESS;
	if (is_leader && drops_cache)
		file->fd = open(path, O_RDWR);
	file->said_factor = hint(file, rank, "striping_factor");
	file->said_unit_B = hint(file, rank, "striping_unit");
	MPI_Allreduce(MPI_IN_PLACE, &can, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	unlink_at(rank); /* it has no name any more, but is there as long as it is open */
	return can;
}

void storage_drop_cache(const struct storage_file *file)
{
	if (file->fd >= 0)
		posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
}

void storage_close(struct storage_file *file)
{
	if (file->handle != MPI_FILE_NULL)
		MPI_File_close(&file->handle);
	if (file->fd >= 0)
		close(file->fd);
	if (file->info != MPI_INFO_NULL)
		MPI_Info_free(&file->info);
}
