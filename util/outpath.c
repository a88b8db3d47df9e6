/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/outpath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

char *util_output_target(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *target = realpath(path, NULL), link[PATH_MAX];
	ssize_t n = target ? -1 : readlink(path, link, sizeof link - 1);

	if (target)
		return target;
	if (n < 0)
		return strdup(path);
	link[n] = '\0';
	if (asprintf(&target, "%.*s%s", *link == '/' || !slash ? 0 : (int)(slash - path) + 1, path,
		     link) < 0)
		return NULL;
	return target;
}

int util_output_path(const char *path, char **out, struct util_error *err)
{
	struct stat found;
	char *real;

	if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
		return util_refuse(err, "cannot write %s: found %s, wanted a regular file or none",
				   path, S_ISDIR(found.st_mode) ? "a folder" : "a device or pipe");
	if (access(path, W_OK) && errno != ENOENT)
		return util_refuse(err, "cannot write %s: %s", path, strerror(errno));
	real = util_output_target(path);
	if (!real)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	*out = real;
	return 0;
}

int util_output_check(const char *path, struct util_error *err)
{
	char *target, *beside = NULL;
	int file, rc;

	if (strcmp(path, "-") == 0)
		return util_refuse(err, "cannot write -: found standard output, wanted a file");
	rc = util_output_path(path, &target, err);
	if (rc)
		return rc;
	if (asprintf(&beside, "%s.%d", target, (int)getpid()) < 0) {
		free(target);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0)
		rc = util_refuse(err, "cannot write %s: %s", path, strerror(errno));
	else {
		close(file);
		unlink(beside);
	}
	free(beside);
	free(target);
	return rc;
}

int util_output_check_folder(const char *path, struct util_error *err)
{
	struct stat found;
	char *inside;
	int rc;

	if (mkdir(path, 0777) == 0 && rmdir(path) == 0)
		return 0;
	if (errno != EEXIST)
		return util_refuse(err, "cannot write %s: %s", path, strerror(errno));
	if (stat(path, &found) < 0 || !S_ISDIR(found.st_mode))
		return util_refuse(err, "cannot write %s: found no folder, wanted one or nothing",
				   path);
	if (asprintf(&inside, "%s/mpisim", path) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	rc = util_output_check(inside, err);
	free(inside);
	return rc;
}

void util_output_hold(int file, const char *path)
{
	struct stat found;

	flock(file, LOCK_SH | LOCK_NB);
	if (stat(path, &found) == 0)
		fchmod(file, found.st_mode & 0777);
}

/* The process that wrote it, if `name` is that of a part of `base`; 0: it is none. */
static pid_t writer_of(const char *name, const char *base)
{
	size_t length = strlen(base);
	char *end;
	long id;

	if (strncmp(name, base, length) != 0 || name[length] != '.' || name[length + 1] < '1' ||
	    name[length + 1] > '9')
		return 0;
	id = strtol(name + length + 1, &end, 10);
	return strcmp(end, ".part") == 0 && (pid_t)id == id ? (pid_t)id : 0;
}

static void remove_abandoned(int folder, const char *name)
{
	int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0)
		unlinkat(folder, name, 0);
	if (file >= 0)
		close(file);
}

char *util_output_part(const char *path)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("."), *part;
	DIR *entries = folder ? opendir(folder) : NULL;
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		pid_t writer = writer_of(entry->d_name, base);

		if (writer == getpid() || (writer > 0 && kill(writer, 0) && errno == ESRCH))
			remove_abandoned(dirfd(entries), entry->d_name);
	}
	if (entries)
		closedir(entries);
	free(folder);
	return asprintf(&part, "%s.%ld.part", path, (long)getpid()) < 0 ? NULL : part;
}

void util_output_remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}
