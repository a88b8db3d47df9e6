// SPDX-License-Identifier: BSD-3-Clause
#include "tools/replay/provenance.h"

#include <stdlib.h>
#include <string.h>

#include "tools/run/options.h"

/* The texts of an array, NULL at the end; NULL when out of memory. */
static const char **texts(const json_t *array, int *out_n)
{
	size_t n = json_array_size(array);
	const char **list = calloc(n + 2, sizeof *list);

	for (size_t i = 0; list && i < n; i++) {
		list[i] = json_string_value(json_array_get(array, i));
		if (!list[i])
			list[i] = "";
	}
	*out_n = (int)n;
	return list;
}

static enum pd_compute_mode mode_of(const char *name)
{
	for (int mode = PD_COMPUTE_DIRECT; name && mode <= PD_COMPUTE_MODELLED; mode++)
		if (strcmp(run_mode_name((enum pd_compute_mode)mode), name) == 0)
			return (enum pd_compute_mode)mode;
	return PD_COMPUTE_DIRECT;
}

static int read_nodes(const struct mtrace_file *file, const json_t *list,
		      struct replay_provenance *out)
{
	int n_ranks = mtrace_ranks_at_start(file);

	if (json_array_size(list) != (size_t)n_ranks)
		return 0;
	out->node_of = calloc((size_t)n_ranks, sizeof *out->node_of);
	for (int rank = 0; out->node_of && rank < n_ranks; rank++)
		out->node_of[rank] = (int)json_integer_value(json_array_get(list, (size_t)rank));
	return out->node_of ? 0 : UTIL_ENOMEM;
}

static double amplitude_of(const json_t *options, const char *name)
{
	const json_t *value = json_object_get(options, name);

	return json_is_number(value) ? json_number_value(value) : -1;
}

int replay_provenance_read(const struct mtrace_file *file, struct replay_provenance *out,
			   struct util_error *err)
{
	json_error_t problem;
	const json_t *options;
	int n_command;

	*out = (struct replay_provenance){.root = json_loads(file->provenance, 0, &problem)};
	if (!json_is_object(out->root)) {
		replay_provenance_finish(out);
		return util_refuse(err, "'%s': what it was recorded from is no JSON object: %s",
				   file->path, problem.text);
	}
	options = json_object_get(out->root, "options");
	out->command = (char **)texts(json_object_get(out->root, "command"), &n_command);
	out->overrides = texts(json_object_get(options, "set"), &out->n_overrides);
	out->scales = texts(json_object_get(options, "scale"), &out->n_scales);
	out->cluster_file = json_string_value(json_object_get(out->root, "cluster_file"));
	out->cluster = json_string_value(json_object_get(out->root, "cluster"));
	out->placement = json_string_value(json_object_get(options, "placement"));
	out->mode = mode_of(json_string_value(json_object_get(options, "compute")));
	out->first_n = (int)json_integer_value(json_object_get(options, "first_n"));
	out->no_alloc = json_is_true(json_object_get(options, "no_alloc"));
	out->cpus_per_rank = (int)json_integer_value(json_object_get(options, "cpus_per_rank"));
	out->vary_compute = amplitude_of(options, "vary_compute");
	out->vary_transfer = amplitude_of(options, "vary_transfer");
	out->deterministic = json_is_true(json_object_get(options, "deterministic"));
	out->is_single = json_integer_value(json_object_get(options, "repeat")) == 1;
	out->seed = json_integer_value(json_object_get(options, "seed"));
	if (!out->command || !out->overrides || !out->scales ||
	    read_nodes(file, json_object_get(out->root, "node_of"), out)) {
		replay_provenance_finish(out);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for '%s'", file->path);
	}
	if (n_command == 0)
		out->command[0] = (char *)(uintptr_t) "unknown";
	return 0;
}

void replay_provenance_finish(struct replay_provenance *provenance)
{
	free(provenance->command);
	free(provenance->overrides);
	free(provenance->scales);
	free(provenance->node_of);
	json_decref(provenance->root);
	*provenance = (struct replay_provenance){.root = NULL};
}
