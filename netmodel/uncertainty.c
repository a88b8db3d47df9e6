// SPDX-License-Identifier: BSD-3-Clause
/* Intervals of a cluster file's values (section "uncertainty"), and values drawn from them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "netmodel/schema.h"
#include "util/rng.h"

#define STREAMS ((uint64_t)3 << 40) /* of the seed, one for each value; nothing else uses them */
#define IRWIN_HALL \
	12 /* this many uniform numbers have variance 1, and a sum that is close to normal */
#define DEVIATIONS 1.96 /* from the middle of a normal distribution to the end of its 95 % */

/* The key, if a single number of the cluster stands for it. */
static const struct net_key *find_key(const char *path)
{
	for (int k = 0; k < net_n_keys; k++) {
		const struct net_key *key = &net_keys[k];
		bool is_number = key->kind == NET_KEY_TIME || key->kind == NET_KEY_BANDWIDTH ||
				 key->kind == NET_KEY_NUMBER;

		if (strcmp(key->path, path) == 0)
			return is_number && key->target < sizeof(struct net_cluster) ? key : NULL;
	}
	return NULL;
}

static int read_ends(const struct net_key *key, const struct net_yaml_tree *tree,
		     const struct net_yaml *node, double ends[2], struct util_error *err)
{
	struct net_key end_key = *key;
	char found[64];
	int i = 0, rc = 0;

	if (node->kind != NET_YAML_LIST || node->n_children != 2)
		return net_yaml_fail(
		    tree, node, err,
		    "uncertainty of %s: found %s, wanted [LOW, HIGH], its 95 %% interval",
		    key->path, net_yaml_found(node, found, sizeof(found)));
	for (const struct net_yaml *end = node->first; end && !rc; end = end->next, i++) {
		end_key.target = (size_t)i * sizeof(double);
		rc = net_schema_value(ends, &end_key, tree, end, err);
	}
	return rc;
}

static int read_entry(struct net_draft *draft, const struct net_yaml_tree *tree,
		      const struct net_yaml *node, struct util_error *err)
{
	const struct net_key *key = find_key(node->key);
	const struct net_yaml *given = net_yaml_at(tree, node->key);
	struct net_uncertainties *all = &draft->cluster.uncertainties;
	double ends[2] = {0, 0}, value;
	char quoted[64];
	int rc;

	if (!key)
		return net_yaml_fail_key(
		    tree, node, err,
		    "found the uncertainty of %s, wanted that of a key whose value is one "
		    "time, bandwidth or number, such as network.latency",
		    net_yaml_quote(node->key, quoted, sizeof(quoted)));
	rc = read_ends(key, tree, node, ends, err);
	if (rc)
		return rc;
	value = *(const double *)((const char *)&draft->cluster + key->target);
	if (given && given->override && !node->override)
		return 0; /* a value of "what if" is not the one that was measured */
	if (!(ends[0] <= value && value <= ends[1]) || ends[1] - ends[0] > 1e300)
		return net_yaml_fail(
		    tree, node, err,
		    "uncertainty of %s: found %g to %g, wanted a finite interval around its value, "
		    "%g",
		    key->path, ends[0], ends[1], value);
	all->list[all->n++] = (struct net_uncertainty){
	    .key = key->path,
	    .unit = key->kind == NET_KEY_TIME	     ? "s"
		    : key->kind == NET_KEY_BANDWIDTH ? " B/s"
						     : "",
	    .value = value,
	    .low = ends[0],
	    .high = ends[1],
	    .min = key->min,
	    .max = key->max,
	};
	return 0;
}

int net_read_uncertainty(struct net_draft *draft, const struct net_yaml_tree *tree,
			 const struct net_yaml *node, struct util_error *err)
{
	char found[64];
	int rc = 0;

	if (!node || net_yaml_is_empty(node))
		return 0;
	if (node->kind != NET_YAML_MAP)
		return net_yaml_fail(tree, node, err,
				     "uncertainty: found %s, wanted keys with their intervals",
				     net_yaml_found(node, found, sizeof(found)));
	draft->cluster.uncertainties.list =
	    calloc((size_t)node->n_children + 1, sizeof(*draft->cluster.uncertainties.list));
	if (!draft->cluster.uncertainties.list)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for uncertainty");
	for (const struct net_yaml *entry = node->first; entry && !rc; entry = entry->next)
		rc = read_entry(draft, tree, entry, err);
	return rc;
}

/* Uses no functions that come out differently elsewhere. */
static double draw(const struct net_uncertainty *of, uint64_t seed, int k)
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

static char *shift_segments(const char *key, const struct net_segments *segments,
			    const struct shift *shift)
{
	char *text = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "%s=[", key);
	for (int i = 0; i < segments->n; i++) {
		const struct net_segment *s = &segments->list[i];
		double bandwidth_Bps = s->bandwidth_Bps * shift->bandwidth_factor;
		double latency_s = s->latency_s + shift->latency_s;
		double least_s = -(double)s->from_B / bandwidth_Bps;

		fprintf(file, "%s{from: %lld, latency: %.17gs, bandwidth: ", i ? ", " : "",
			(long long)s->from_B,
			latency_s > least_s ? latency_s : least_s * (1 - 1e-15));
		if (isinf(bandwidth_Bps))
			fputs("inf}", file);
		else
			fprintf(file, "%.17g B/s}", bandwidth_Bps);
	}
	fputc(']', file);
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

void net_cluster_draw_finish(char **overrides, int n)
{
	for (int i = 0; i < n; i++)
		free(overrides[i]);
	free(overrides);
}

static void note_shift(const struct net_uncertainty *of, double value, struct shift *between,
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

int net_cluster_draw(const struct net_cluster *cluster, uint64_t seed, char ***out_overrides,
		     int *out_n, struct util_error *err)
{
	const struct net_uncertainties *all = &cluster->uncertainties;
	struct shift between = {0, 1}, within = {0, 1};
	char **list = calloc((size_t)all->n + 2, sizeof(*list));
	bool is_short = !list;
	int n = 0;

	for (int k = 0; k < all->n && !is_short; k++) {
		const struct net_uncertainty *of = &all->list[k];
		double value = draw(of, seed, k);

		note_shift(of, value, &between, &within);
		is_short = asprintf(&list[n], "%s=%.17g%s", of->key, value, of->unit) < 0;
		n += !is_short;
	}
	if (!is_short && cluster->segments.n > 0) {
		list[n] = shift_segments("network.segments", &cluster->segments, &between);
		is_short = !list[n++];
	}
	if (!is_short && cluster->intra_segments.n > 0) {
		list[n] = shift_segments("network.intra_node.segments", &cluster->intra_segments,
					 &within);
		is_short = !list[n++];
	}
	if (is_short) {
		if (list)
			net_cluster_draw_finish(list, n);
		return util_error_set(err, UTIL_ENOMEM, "out of memory for values of the cluster");
	}
	*out_overrides = list;
	*out_n = n;
	return 0;
}
