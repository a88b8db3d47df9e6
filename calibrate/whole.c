/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/outpath.h"
#include "whole.h"

static int forget(struct whole_file *whole, bool failed)
{
	int why = errno;

	free(whole->path);
	free(whole->part);
	errno = why;
	return failed ? -1 : 0;
}

int whole_open(struct whole_file *whole, const char *path)
{
	struct util_error err;
	int refused = util_output_path(path, &whole->path, &err);

	*whole = (struct whole_file){.path = refused ? NULL : whole->path};
	if (!refused)
		whole->part = util_output_part(whole->path);
	if (refused != UTIL_EINPUT && !whole->part) {
		errno = ENOMEM;
		return forget(whole, true);
	}
	whole->file = fopen(whole->part ? whole->part : path, "we");
	if (whole->file && whole->part)
		util_output_hold(fileno(whole->file));
	return whole->file ? 0 : forget(whole, true);
}

int whole_close(struct whole_file *whole)
{
	bool failed = ferror(whole->file) || fflush(whole->file) ||
		      (whole->part && fsync(fileno(whole->file)));

	failed = fclose(whole->file) || failed;
	if (whole->part && (failed || rename(whole->part, whole->path))) {
		unlink(whole->part);
		failed = true;
	}
	return forget(whole, failed);
}
