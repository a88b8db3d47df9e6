/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/outpath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int util_output_path(const char *path, char **out, struct util_error *err)
{
	struct stat found;
	char *real;

	if (stat(path, &found) == 0 && !S_ISREG(found.st_mode))
		return util_error_set(
		    err, UTIL_EINPUT, "cannot write %s: found %s, wanted a regular file or none",
		    path, S_ISDIR(found.st_mode) ? "a folder" : "a device or pipe");
	real = realpath(path, NULL);
	if (!real)
		real = strdup(path);
	if (!real)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	*out = real;
	return 0;
}

int util_output_check(const char *path, struct util_error *err)
{
	char *target, *beside = NULL;
	int file, rc = util_output_path(path, &target, err);

	if (rc)
		return rc;
	if (asprintf(&beside, "%s.%d", target, (int)getpid()) < 0) {
		free(target);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (file < 0)
		rc = util_error_set(err, UTIL_EINPUT, "cannot write %s: %s", path, strerror(errno));
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
		return util_error_set(err, UTIL_EINPUT, "cannot write %s: %s", path,
				      strerror(errno));
	if (stat(path, &found) < 0 || !S_ISDIR(found.st_mode))
		return util_error_set(err, UTIL_EINPUT,
				      "cannot write %s: found no folder, wanted one or nothing",
				      path);
	if (asprintf(&inside, "%s/mpisim", path) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	rc = util_output_check(inside, err);
	free(inside);
	return rc;
}
