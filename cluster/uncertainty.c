// SPDX-License-Identifier: BSD-3-Clause
/* Intervals of a cluster file's values (section "uncertainty"), and values drawn from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/schema.h"
#include "util/rng.h"

#define STREAMS ((uint64_t)3 << 40) /* of the seed, one for each value; nothing else uses them */
#define IRWIN_HALL \
	12 /* this many uniform numbers have variance 1, and a sum that is close to normal */
#define DEVIATIONS 1.96 /* from the middle of a normal distribution to the end of its 95 % */

/* The key, if a single number of the cluster stands for it. */
static const struct cluster_key *find_key(const char *path)
{
	for (int k = 0; k < cluster_n_keys; k++) {
		const struct cluster_key *key = &cluster_keys[k];
		bool is_number = key->kind == CLUSTER_KEY_TIME ||
				 key->kind == CLUSTER_KEY_BANDWIDTH ||
				 key->kind == CLUSTER_KEY_NUMBER;

		if (strcmp(key->path, path) == 0)
			return is_number ? key : NULL;
	}
	return NULL;
}

static int read_ends(const struct cluster_key *key, const struct util_yaml_tree *tree,
		     const struct util_yaml *node, double ends[2], struct util_error *err)
{
	struct cluster_key end_key = *key;
	char found[64];
	int i = 0, rc = 0;

	if (node->kind != UTIL_YAML_LIST || node->n_children != 2)
		return util_yaml_fail(
		    tree, node, err,
		    "uncertainty of %s: found %s, wanted [LOW, HIGH], its 95 %% interval",
		    key->path, util_yaml_found(node, found, sizeof(found)));
	for (const struct util_yaml *end = node->first; end && !rc; end = end->next, i++) {
		end_key.target = (size_t)i * sizeof(double);
		rc = cluster_schema_value(ends, &end_key, tree, end, err);
	}
	return rc;
}

/* The keys that inherit `key`'s value: the file gives neither their value nor their interval. */
static void find_heirs(struct cluster_uncertainty *of, const struct cluster_key *key,
		       const struct util_yaml_tree *tree)
{
	const struct util_yaml *section = util_yaml_at(tree, "uncertainty");
	int n = 0;

	for (int k = 0; k < cluster_n_keys; k++) {
		const struct cluster_key *heir = &cluster_keys[k];

		if (heir->inherits && heir->inherits == key->target &&
		    !util_yaml_at(tree, heir->path) &&
		    !util_yaml_member(section, heir->path, strlen(heir->path)))
			of->heirs[n++] = heir->target;
	}
}

/* One value that stands for several is none of the cluster's: its heirs are. False: it has none. */
static bool is_of_cluster(struct cluster_uncertainty *of)
{
	if (of->target < sizeof(struct cluster))
		return true;
	of->target = of->heirs[0];
	of->heirs[0] = of->heirs[1];
	of->heirs[1] = 0;
	return of->target != 0;
}

static int read_entry(struct cluster_draft *draft, const struct util_yaml_tree *tree,
		      const struct util_yaml *node, struct util_error *err)
{
	const struct cluster_key *key = find_key(node->key);
	const struct util_yaml *given = util_yaml_at(tree, node->key);
	struct cluster_uncertainties *all = &draft->cluster.uncertainties;
	double ends[2] = {0, 0}, value;
	char quoted[64];
	int rc;

	if (!key)
		return util_yaml_fail_key(
		    tree, node, err,
		    "found the uncertainty of %s, wanted that of a key whose value is one "
		    "time, bandwidth or number, such as network.latency",
		    util_yaml_quote(node->key, quoted, sizeof(quoted)));
	rc = read_ends(key, tree, node, ends, err);
	if (rc)
		return rc;
	value = *(const double *)((const char *)draft + key->target);
	if (given && given->override && !node->override)
		return 0; /* a value of "what if" is not the one that was measured */
	if (!(ends[0] <= value && value <= ends[1]) || ends[1] - ends[0] > 1e300)
		return util_yaml_fail(
		    tree, node, err,
		    "uncertainty of %s: found %g to %g, wanted a finite interval around its value, "
		    "%g",
		    key->path, ends[0], ends[1], value);
	all->list[all->n] = (struct cluster_uncertainty){
	    .key = key->path,
	    .value = value,
	    .low = ends[0],
	    .high = ends[1],
	    .min = key->min,
	    .max = key->max,
	    .target = key->target,
	};
	find_heirs(&all->list[all->n], key, tree);
	all->n += is_of_cluster(&all->list[all->n]);
	return 0;
}

int cluster_read_uncertainty(struct cluster_draft *draft, const struct util_yaml_tree *tree,
			     const struct util_yaml *node, struct util_error *err)
{
	char found[64];
	int rc = 0;

	if (!node || util_yaml_is_empty(node))
		return 0;
	if (node->kind != UTIL_YAML_MAP)
		return util_yaml_fail(tree, node, err,
				      "uncertainty: found %s, wanted keys with their intervals",
				      util_yaml_found(node, found, sizeof(found)));
	draft->cluster.uncertainties.list =
	    calloc((size_t)node->n_children + 1, sizeof(*draft->cluster.uncertainties.list));
	if (!draft->cluster.uncertainties.list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for uncertainty");
	for (const struct util_yaml *entry = node->first; entry && !rc; entry = entry->next)
		rc = read_entry(draft, tree, entry, err);
	return rc;
}

/* Uses no functions that come out differently elsewhere. */
static double draw(const struct cluster_uncertainty *of, uint64_t seed, int k)
{
	struct util_rng rng;
	double sum = 0, deviations, value;

	util_rng_init(&rng, seed, STREAMS + (uint64_t)k);
	for (int i = 0; i < IRWIN_HALL; i++)
		sum += util_rng_uniform(&rng);
	deviations = (sum - IRWIN_HALL / 2) / DEVIATIONS;
	value =
	    of->value + deviations * (deviations < 0 ? of->value - of->low : of->high - of->value);
	if (value < of->min)
		return of->min;
	return value > of->max ? of->max : value;
}

/* How the values drawn for a list's latency and bandwidth differ from those of the file. */
struct shift {
	double latency_s, bandwidth_factor;
};

static void shift_segments(struct cluster_segments *segments, const struct shift *shift)
{
	for (int i = 0; i < segments->n; i++) {
		struct cluster_segment *s = &segments->list[i];
		double latency_s = s->latency_s + shift->latency_s, least_s;

		s->bandwidth_Bps *= shift->bandwidth_factor;
		s->stream_Bps *= shift->bandwidth_factor;
		least_s = -(double)s->from_B / s->bandwidth_Bps;
		s->latency_s = latency_s > least_s ? latency_s : least_s * (1 - 1e-15);
	}
}

static void note_shift(const struct cluster_uncertainty *of, double value, struct shift *between,
		       struct shift *within)
{
	if (strcmp(of->key, "network.latency") == 0)
		between->latency_s = value - of->value;
	else if (strcmp(of->key, "network.bandwidth") == 0)
		between->bandwidth_factor = value / of->value;
	else if (strcmp(of->key, "network.intra_node.latency") == 0)
		within->latency_s = value - of->value;
	else if (strcmp(of->key, "network.intra_node.bandwidth") == 0)
		within->bandwidth_factor = value / of->value;
}

static void set_value(struct cluster *cluster, size_t target, double value)
{
	*(double *)((char *)cluster + target) = value;
}

void cluster_draw(struct cluster *cluster, uint64_t seed)
{
	const struct cluster_uncertainties *all = &cluster->uncertainties;
	struct shift between = {0, 1}, within = {0, 1};

	for (int k = 0; k < all->n; k++) {
		const struct cluster_uncertainty *of = &all->list[k];
		double value = draw(of, seed, k);

		note_shift(of, value, &between, &within);
		set_value(cluster, of->target, value);
		for (int i = 0; i < 2 && of->heirs[i]; i++)
			set_value(cluster, of->heirs[i], value);
	}
	shift_segments(&cluster->network.segments, &between);
	shift_segments(&cluster->network.intra_segments, &within);
}
