/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/outpath.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
