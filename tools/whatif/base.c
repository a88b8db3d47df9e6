// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/base.h"

#include <stdlib.h>
#include <string.h>

#include "tools/replay/provenance.h"
#include "util/array.h"
#include "util/units.h"

/* A factor of --scale, before or after all others of its kernel. */
static int add_scale(struct whatif_base *base, const char *text, bool replaces,
		     struct util_error *err)
{
	const char *equals = strrchr(text, '=');
	struct whatif_scale scale = {0};

	if (!equals)
		return util_refuse(err, "--scale: found \"%s\", wanted KERNEL=FACTOR", text);
	if (util_parse_double(equals + 1, &scale.factor, err))
		return util_error_prepend(err, "--scale \"%s\"", text);
	scale.kernel = strndup(text, (size_t)(equals - text));
	if (!scale.kernel ||
	    !util_array_room(&base->scales, (size_t)base->n_scales, sizeof *base->scales)) {
		free(scale.kernel);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	for (int i = 0; i < base->n_scales; i++)
		if (strcmp(base->scales[i].kernel, scale.kernel) == 0) {
			free(scale.kernel);
			if (!replaces)
				return util_refuse(
				    err, "--scale \"%s\": the kernel has a factor already", text);
			base->scales[i].factor = scale.factor;
			return 0;
		}
	base->scales[base->n_scales++] = scale;
	return 0;
}

/* The cluster as the trace or the command line has it, with `more` keys. */
static int load_cluster(const struct whatif_options *o, const struct replay_provenance *p,
			const char *trace, const char *const more[], int n_more,
			struct cluster **out, struct util_error *err)
{
	const char **all;
	int n = 0, failed;

	if (!o->cluster && !p->cluster)
		return util_refuse(err, "'%s' names no cluster; wanted --cluster FILE", trace);
	all = calloc((size_t)(p->n_overrides + o->n_overrides + n_more) + 1, sizeof *all);
	if (!all)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int i = 0; i < p->n_overrides && !o->cluster; i++)
		all[n++] = p->overrides[i];
	for (int i = 0; i < o->n_overrides; i++)
		all[n++] = o->overrides[i];
	for (int i = 0; i < n_more; i++)
		all[n++] = more[i];
	if (o->cluster)
		failed = cluster_load_with(o->cluster, n, all, out, err);
	else
		failed = cluster_parse_with(p->cluster_file ? p->cluster_file : trace, p->cluster,
					    strlen(p->cluster), n, all, out, err);
	free(all);
	return failed;
}

static bool is_key(const char *part)
{
	size_t length = strcspn(part, "*/=");

	return part[length] == '=' && memchr(part, '.', length) &&
	       strncmp(part, "kernel:", 7) != 0 && strncmp(part, "node:", 5) != 0;
}

/* A scenario of nothing but keys of the cluster file must make a cluster. With `is_pair` each of
 * its parts must; of other scenarios the run itself finds out. */
static int check_keys(const struct whatif_options *o, const struct replay_provenance *p,
		      const char *trace, const char *scenario, bool is_pair, struct util_error *err)
{
	char *parts = strdup(scenario), *rest = parts, *part;
	const char **keys = calloc(strlen(scenario) + 1, sizeof *keys);
	int n = 0, failed = 0;
	bool is_other = false;

	if (!parts || !keys)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	while (!failed && (part = strsep(&rest, "+"))) {
		struct cluster *cluster = NULL;

		if (is_key(part))
			keys[n++] = part;
		else
			is_other = true;
		if (n == 0 || (!is_pair && (rest || is_other)))
			continue;
		failed = load_cluster(o, p, trace, keys, n, &cluster, err);
		cluster_destroy(cluster);
		n = is_pair ? 0 : n;
	}
	free(keys);
	free(parts);
	return failed;
}

static int check_scenarios(const struct whatif_options *o, const struct replay_provenance *p,
			   const char *trace, struct util_error *err)
{
	int failed = 0;

	for (int i = 0; i < o->n_scenarios && !failed; i++)
		failed = check_keys(o, p, trace, o->scenarios[i], false, err);
	for (int i = 0; i < o->n_pairs && !failed; i++)
		failed = check_keys(o, p, trace, o->pairs[i], true, err);
	return failed;
}

/* Cluster and scales as the trace or the command line has them. */
static int load(struct whatif_base *base, const struct whatif_options *o, const char *trace,
		struct util_error *err)
{
	struct replay_provenance p = {0};
	struct mtrace_file *file = NULL;
	int failed = 0;

	if (trace && (failed = mtrace_file_open(trace, &file, err)))
		return failed;
	if (file)
		failed = replay_provenance_read(file, &p, err);
	if (!failed)
		failed = load_cluster(o, &p, trace, NULL, 0, &base->cluster, err);
	if (!failed)
		failed = check_scenarios(o, &p, trace, err);
	for (int i = 0; i < p.n_scales && !failed; i++)
		failed = add_scale(base, p.scales[i], true, err);
	for (int i = 0; i < o->n_scales && !failed; i++)
		failed = add_scale(base, o->scales[i], trace != NULL, err);
	replay_provenance_finish(&p);
	mtrace_file_close(file);
	return failed;
}

static int make_words(struct whatif_base *base, const struct whatif_options *o, char *tool,
		      char *trace, struct util_error *err)
{
	size_t n = (size_t)(o->n_passed + 2 * o->n_overrides + o->n_program) + 5;

	base->words = calloc(n, sizeof *base->words);
	if (!base->words)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	base->words[base->n_words++] = tool;
	if (o->cluster) {
		base->words[base->n_words++] = (char *)(uintptr_t) "--cluster";
		base->words[base->n_words++] = (char *)(uintptr_t)o->cluster;
	}
	for (int i = 0; i < o->n_overrides; i++) {
		base->words[base->n_words++] = (char *)(uintptr_t) "--set";
		base->words[base->n_words++] = (char *)(uintptr_t)o->overrides[i];
	}
	for (int i = 0; i < o->n_passed; i++)
		base->words[base->n_words++] = o->passed[i];
	base->place = base->n_words;
	if (trace)
		base->words[base->n_words++] = trace;
	for (int i = 0; i < o->n_program && !trace; i++)
		base->words[base->n_words++] = o->program[i];
	return 0;
}

int whatif_base_init(struct whatif_base *base, const struct whatif_options *options,
		     const char *trace, char *run, char *replay, struct util_error *err)
{
	int failed;

	*base = (struct whatif_base){.what = trace ? trace : options->program[0],
				     .how = trace ? "replay" : "run"};
	if (trace && !replay)
		return util_refuse(err, "found no mpisim-replay beside mpisim-whatif");
	failed = load(base, options, trace, err);
	if (!failed)
		failed =
		    make_words(base, options, trace ? replay : run, (char *)(uintptr_t)trace, err);
	return failed;
}

void whatif_base_finish(struct whatif_base *base)
{
	for (int i = 0; i < base->n_scales; i++)
		free(base->scales[i].kernel);
	free(base->scales);
	free(base->words);
	free(base->node_useful_s);
	cluster_destroy(base->cluster);
	json_decref(base->result);
}

int whatif_base_take_result(struct whatif_base *base, json_t *result, double time_s,
			    struct util_error *err)
{
	const json_t *nodes = json_object_get(result, "nodes"), *entry;
	size_t i;

	base->result = result;
	base->time_s = time_s;
	base->node_useful_s = calloc((size_t)base->cluster->n_nodes, sizeof *base->node_useful_s);
	if (!result || !base->node_useful_s)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	json_array_foreach(nodes, i, entry)
	{
		json_int_t node = json_integer_value(json_object_get(entry, "node"));

		if (node >= 0 && node < base->cluster->n_nodes)
			base->node_useful_s[node] =
			    json_number_value(json_object_get(entry, "useful_s"));
	}
	return 0;
}

double whatif_base_useful_s(const struct whatif_base *base, int node)
{
	return base->node_useful_s ? base->node_useful_s[node] : 0;
}

int whatif_base_busiest(const struct whatif_base *base)
{
	int busiest = 0;

	for (int node = 1; node < base->cluster->n_nodes; node++)
		if (whatif_base_useful_s(base, node) > whatif_base_useful_s(base, busiest))
			busiest = node;
	return busiest;
}

double whatif_base_derivative(const struct whatif_base *base, const char *name)
{
	const json_t *analysis = json_object_get(base->result, "analysis");
	const json_t *path = json_object_get(analysis, "critical_path");

	return json_number_value(json_object_get(json_object_get(path, "derivatives"), name));
}

json_t *whatif_base_warnings(const struct whatif_base *base)
{
	return json_object_get(base->result, "warnings");
}
