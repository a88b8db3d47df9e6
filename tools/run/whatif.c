// SPDX-License-Identifier: BSD-3-Clause
#include "tools/run/run.h"

#include <stdbool.h>

#include "traces/json.h"

static bool is_scenario(const json_t *entry)
{
	return json_is_string(json_object_get(entry, "name")) &&
	       (json_is_number(json_object_get(entry, "time_s")) ||
		json_is_null(json_object_get(entry, "time_s")));
}

int run_whatif_load(const char *path, json_t **out, struct util_error *err)
{
	json_t *root, *list;
	int failed = trace_json_load(path, &root, err);
	bool is_good;
	size_t i;

	if (failed)
		return failed;
	list = json_object_get(root, "scenarios");
	is_good = json_integer_value(json_object_get(root, "version")) == 1 && json_is_array(list);
	for (i = 0; is_good && i < json_array_size(list); i++)
		is_good = is_scenario(json_array_get(list, i));
	if (is_good) {
		*out = root;
		return 0;
	}
	json_decref(root);
	return util_refuse(err,
			   "%s: found no table of scenarios, wanted what mpisim-whatif --json "
			   "writes for one trace",
			   path);
}
