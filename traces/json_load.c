/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "traces/json.h"

int trace_json_load(const char *path, json_t **out, struct util_error *err)
{
	json_error_t problem;
	FILE *file = fopen(path, "re");
	int failed = 0;

	if (!file)
		return util_refuse(err, "cannot read %s: %s", path, strerror(errno));
	errno = 0;
	*out = json_loadf(file, JSON_REJECT_DUPLICATES, &problem);
	if (ferror(file))
		failed = util_refuse(err, "cannot read %s: %s", path, strerror(errno));
	else if (!*out)
		failed = util_refuse(err, "%s:%d:%d: %s", path, problem.line, problem.column,
				     problem.text);
	fclose(file);
	if (failed)
		json_decref(*out);
	return failed;
}
