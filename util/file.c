/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool util_file_is_program(const char *path)
{
	struct stat found;

	return stat(path, &found) == 0 && S_ISREG(found.st_mode) && access(path, X_OK) == 0;
}

char *util_file_search(const char *folders, const char *name)
{
	char *path;

	while (folders && *folders) {
		size_t length = strcspn(folders, ":");

		if (asprintf(&path, "%.*s/%s", (int)length, folders, name) < 0)
			return NULL;
		if (length > 0 && util_file_is_program(path))
			return path;
		free(path);
		folders += length + (folders[length] == ':');
	}
	return NULL;
}

int util_file_read(const char *path, size_t most_B, char **out_text, size_t *out_length_B,
		   struct util_error *err)
{
	FILE *file = fopen(path, "rbe");
	char *text = malloc(most_B + 2);
	size_t length_B = 0;
	int failed = 0;

	errno = file ? 0 : errno;
	if (file && text)
		length_B = fread(text, 1, most_B + 1, file);
	if (!file || ferror(file))
		failed = util_refuse(err, "cannot read %s: %s", path, strerror(errno));
	else if (!text)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory while reading %s", path);
	if (file)
		fclose(file);
	if (failed) {
		free(text);
		return failed;
	}
	text[length_B] = '\0';
	*out_text = text;
	*out_length_B = length_B;
	return 0;
}
