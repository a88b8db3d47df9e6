/* SPDX-License-Identifier: BSD-3-Clause */
#include <jansson.h>
#include <string.h>

#include "tools/validate/table.h"

int val_prediction_read(const char *path, double *out_s, struct util_error *err)
{
	json_error_t where;
	json_t *root = json_load_file(path, 0, &where);
	const json_t *time = json_object_get(root, "predicted_time_s");
	const char *state =
	    json_string_value(json_object_get(json_object_get(root, "exit"), "state"));
	int failed = 0;

	if (!root && where.line < 0)
		failed = util_error_set(err, UTIL_ESYSTEM, "cannot read %s: %s", path, where.text);
	else if (!root)
		failed = util_refuse(err, "%s:%d: found %s, wanted JSON of mpisim-run --json", path,
				     where.line, where.text);
	else if (!json_is_number(time) || !state)
		failed = util_refuse(err,
				     "%s: found JSON without predicted_time_s and exit.state, "
				     "wanted that of mpisim-run --json",
				     path);
	else if (strcmp(state, "completed") != 0)
		failed = util_refuse(
		    err, "%s: found a run that ended as \"%s\", wanted one that completed", path,
		    state);
	else
		*out_s = json_number_value(time);
	json_decref(root);
	return failed;
}
