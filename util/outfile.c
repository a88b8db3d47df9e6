/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/outpath.h"

#define ROOM_B 65536 /* without so much room on the disk a result is not even tried */

static int cannot_write(const char *path, struct util_error *err)
{
	return util_error_errno(err, errno, "cannot write %s", path);
}

/* A wrong name, as far as that can be known before. */
static int cannot_be_written(const char *path, struct util_error *err)
{
	return util_refuse(err, "cannot write %s: %s", path, strerror(errno));
}

/* What stands at `path`: its mode, or 0 for nothing. */
static mode_t mode_at(const char *path)
{
	struct stat found;

	return stat(path, &found) ? 0 : found.st_mode;
}

/* "-", or another name of the file that standard output is: /dev/stdout leads to it. */
static bool is_output(const char *path)
{
	struct stat named, output;

	return strcmp(path, "-") == 0 ||
	       (stat(path, &named) == 0 && fstat(STDOUT_FILENO, &output) == 0 &&
		S_ISREG(named.st_mode) && named.st_dev == output.st_dev &&
		named.st_ino == output.st_ino);
}

/* A file next to the one that `path` leads to, through symbolic links; -1 and errno on failure. It is
 * held until it has its name: other machines may share the folder. */
static int open_part(const char *path, char **target, char **part)
{
	int fd = -1, why;

	*target = util_output_target(path);
	*part = *target ? util_output_part(*target) : NULL;
	if (*part)
		fd = open(*part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd >= 0) {
		util_output_hold(fd, *target);
		util_output_guard(*part);
		return fd;
	}
	why = errno;
	free(*target);
	free(*part);
	errno = why;
	return -1;
}

/* A file that may be written, in a folder that may not. */
static bool is_folder_closed(mode_t mode)
{
	return mode && (errno == EACCES || errno == EPERM || errno == EROFS);
}

/* It is gone, or has its name. */
static void end_part(char *target, char *part)
{
	util_output_release(part);
	free(target);
	free(part);
}

/* A device takes nothing (/dev/full)? Writing no bytes to it asks. */
static int check_device(const char *path, struct util_error *err)
{
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), failed = 0;

	if (fd < 0 || write(fd, "", 0) < 0)
		failed = cannot_be_written(path, err);
	if (fd >= 0)
		close(fd);
	return failed;
}

int util_outfile_check(const char *path, struct util_error *err)
{
	mode_t mode = mode_at(path);
	char *target, *part;
	int fd, failed = 0;

	if (is_output(path))
		return 0;
	if (S_ISDIR(mode)) {
		errno = EISDIR;
		return cannot_be_written(path, err);
	}
	if (S_ISCHR(mode))
		return check_device(path, err);
	if (mode && access(path, W_OK))
		return cannot_be_written(path, err);
	if (mode && !S_ISREG(mode))
		return 0;
	fd = open_part(path, &target, &part);
	if (fd < 0)
		return is_folder_closed(mode) ? 0 : cannot_be_written(path, err);
	/* not every file system can say that it is full */
	if (fallocate(fd, 0, 0, ROOM_B) && (errno == ENOSPC || errno == EDQUOT))
		failed = cannot_be_written(path, err);
	unlink(part);
	close(fd);
	end_part(target, part);
	return failed;
}

/* Closes `file`. */
static int write_and_close(const char *path, util_write_fn write, const void *context, FILE *file,
			   struct util_error *err)
{
	int failed, why;

	errno = 0;
	failed = write(context, file, err);
	why = !fflush(file) && !ferror(file) ? 0 : errno ? errno : EIO;
	if (failed)
		util_error_prepend(err, "%s", path);
	if (fclose(file) && !why)
		why = errno;
	return failed || !why ? failed : util_error_errno(err, why, "cannot write %s", path);
}

static int write_directly(const char *path, util_write_fn write, const void *context,
			  struct util_error *err)
{
	FILE *file = fopen(path, "we");

	return file ? write_and_close(path, write, context, file, err) : cannot_write(path, err);
}

static int write_to_output(util_write_fn write, const void *context, struct util_error *err)
{
	int failed = write(context, stdout, err);

	if (!failed && (fflush(stdout) || ferror(stdout)))
		failed = cannot_write("standard output", err);
	return failed;
}

int util_outfile_write(const char *path, util_write_fn write, const void *context,
		       struct util_error *err)
{
	mode_t mode = mode_at(path);
	char *target, *part;
	int fd, copy, failed;
	FILE *file;

	if (is_output(path))
		return write_to_output(write, context, err);
	if (mode && !S_ISREG(mode))
		return write_directly(path, write, context, err);
	if (mode && access(path, W_OK))
		return cannot_write(path, err);
	fd = open_part(path, &target, &part);
	if (fd < 0)
		return is_folder_closed(mode) ? write_directly(path, write, context, err)
					      : cannot_write(path, err);
	copy = dup(fd); /* holds it when the file is closed */
	file = fdopen(fd, "w");
	if (file) {
		failed = write_and_close(path, write, context, file, err);
	} else {
		failed = cannot_write(path, err);
		close(fd);
	}
	if (!failed && rename(part, target))
		failed = cannot_write(path, err);
	if (failed)
		unlink(part);
	close(copy);
	end_part(target, part);
	return failed;
}

bool util_outfile_is_same(const char *one, const char *other)
{
	struct stat a, b;
	bool is_there = stat(one, &a) == 0;

	if (is_there != (stat(other, &b) == 0))
		return false;
	if (!is_there)
		return strcmp(one, other) == 0 && strcmp(one, "-") != 0;
	return S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
