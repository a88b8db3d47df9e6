/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/outpath.h"
#include "whole.h"

static int name_part(struct whole_file *whole, const char *path)
{
	char *part = util_output_part(path);
	int length = part ? snprintf(whole->part, sizeof(whole->part), "%s", part) : 0;

	errno = part ? ENAMETOOLONG : ENOMEM;
	free(part);
	return part && length < (int)sizeof(whole->part) ? 0 : -1;
}

int whole_open(struct whole_file *whole, const char *path)
{
	struct stat found;
	bool is_direct = stat(path, &found) == 0 && !S_ISREG(found.st_mode);
	char *real = NULL;

	/* A rename would replace a link, not what it leads to. */
	snprintf(whole->path, sizeof(whole->path), "%s", path);
	if (!is_direct && (real = realpath(path, NULL)))
		snprintf(whole->path, sizeof(whole->path), "%s", real);
	free(real);
	path = whole->path;
	whole->part[0] = '\0';
	if (!is_direct && name_part(whole, path))
		return -1;
	whole->file = fopen(is_direct ? path : whole->part, "w");
	if (whole->file && !is_direct)
		util_output_hold(fileno(whole->file));
	return whole->file ? 0 : -1;
}

int whole_close(struct whole_file *whole)
{
	bool is_direct = !whole->part[0];
	int failed = ferror(whole->file) || fflush(whole->file) ||
		     (!is_direct && fsync(fileno(whole->file)));

	failed = fclose(whole->file) || failed;
	if (is_direct || (!failed && rename(whole->part, whole->path) == 0))
		return failed ? -1 : 0;
	unlink(whole->part);
	return -1;
}
