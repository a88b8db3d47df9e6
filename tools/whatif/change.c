// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/change.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/levels.h"
#include "util/array.h"

static int no_memory(struct util_error *err)
{
	return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
}

int whatif_change_init(struct whatif_change *change, const struct whatif_base *base,
		       struct util_error *err)
{
	const struct cluster *c = base->cluster;
	size_t n_nodes = (size_t)c->n_nodes, n_segments = (size_t)c->network.segments.n;

	*change = (struct whatif_change){
	    .base = base,
	    .latency_s = c->network.latency_s,
	    .bandwidth_Bps = c->network.bandwidth_Bps,
	    .overhead_factor = 1,
	    .cost_scale = c->cpu.cost.scale,
	    .cores = c->cores,
	    .segments = calloc(n_segments + 1, sizeof *change->segments),
	    .speed = calloc(n_nodes, sizeof *change->speed),
	    .n_speed_changes = c->cpu.speed_changes.n,
	    .speed_changes =
		calloc((size_t)c->cpu.speed_changes.n + 1, sizeof *change->speed_changes),
	};
	if (!change->segments || !change->speed || !change->speed_changes)
		return no_memory(err);
	memcpy(change->speed, c->cpu.speed, n_nodes * sizeof *change->speed);
	if (n_segments)
		memcpy(change->segments, c->network.segments.list,
		       n_segments * sizeof *change->segments);
	if (c->cpu.speed_changes.n)
		memcpy(change->speed_changes, c->cpu.speed_changes.list,
		       (size_t)c->cpu.speed_changes.n * sizeof *change->speed_changes);
	for (int i = 0; i < base->n_scales; i++)
		if (whatif_change_scale(change, base->scales[i].kernel, base->scales[i].factor,
					err))
			return err->code;
	change->factors = false;
	return 0;
}

void whatif_change_finish(struct whatif_change *change)
{
	for (int i = 0; i < change->n_scales; i++)
		free(change->scales[i].kernel);
	for (int i = 0; i < change->n_overrides; i++)
		free(change->overrides[i]);
	free(change->overrides);
	free(change->placement);
	free(change->scales);
	free(change->segments);
	free(change->speed);
	free(change->speed_changes);
}

int whatif_change_scale(struct whatif_change *change, const char *kernel, double factor,
			struct util_error *err)
{
	change->factors = true;
	for (int i = 0; i < change->n_scales; i++)
		if (strcmp(change->scales[i].kernel, kernel) == 0) {
			change->scales[i].factor *= factor;
			return 0;
		}
	if (!util_array_room(&change->scales, (size_t)change->n_scales, sizeof *change->scales))
		return no_memory(err);
	change->scales[change->n_scales] =
	    (struct whatif_scale){.kernel = strdup(kernel), .factor = factor};
	return change->scales[change->n_scales++].kernel ? 0 : no_memory(err);
}

/* --- as options --- */

struct words {
	char **list;
	int n;
	bool failed;
};

static void add_text(struct words *words, char *text)
{
	words->failed |= util_texts_add(&words->list, &words->n, text) != 0;
}

__attribute__((format(printf, 3, 4))) static void add(struct words *words, const char *option,
						      const char *format, ...)
{
	va_list list;
	char *text;

	va_start(list, format);
	if (vasprintf(&text, format, list) < 0)
		text = NULL;
	va_end(list);
	add_text(words, strdup(option));
	add_text(words, text);
}

static const char *bandwidth_text(double Bps, char *buf, size_t size)
{
	if (isinf(Bps))
		return "inf";
	snprintf(buf, size, "%.17g B/s", Bps);
	return buf;
}

/* A replay without --cluster leaves the ranks where they were recorded. */
static bool is_placed_anew(const struct whatif_base *base)
{
	for (int i = 0; i < base->place; i++)
		if (strcmp(base->words[i], "--cluster") == 0)
			return true;
	return false;
}

/* Ranks stay where the base has them: "block" would put them elsewhere with other cores. */
static void add_cores(const struct whatif_change *change, struct words *words)
{
	const struct whatif_base *base = change->base;
	const json_t *settings = json_object_get(base->result, "settings");
	const char *placement = json_string_value(json_object_get(settings, "placement"));
	json_int_t n_ranks = json_integer_value(json_object_get(settings, "ranks"));
	json_int_t n_cpus = json_integer_value(json_object_get(settings, "cpus_per_rank"));
	json_int_t n_nodes = base->cluster->n_nodes;
	json_int_t cores = base->cluster->cores / (n_cpus > 0 ? n_cpus : 1);

	add(words, "--set", "cores=%d", change->cores);
	if (!placement || strcmp(placement, "block") != 0 || !is_placed_anew(base) ||
	    change->placement)
		return;
	if (n_ranks <= n_nodes * cores)
		add(words, "--placement", "0-%d*%d", (int)n_nodes - 1, (int)cores);
	else
		add(words, "--placement", "spread");
}

/* Links between switches that have bandwidths of their own. */
static void add_links(const struct whatif_change *change, struct words *words)
{
	const struct cluster_network *network = &change->base->cluster->network;
	double factor = change->bandwidth_Bps / network->bandwidth_Bps;

	if (network->topology.kind != CLUSTER_TOPOLOGY_STAR && factor != 1 && factor > 0 &&
	    !isinf(factor))
		add(words, "--set", "network.topology.scale=%.17g",
		    network->topology.scale * factor);
}

static void add_network(const struct whatif_change *change, struct words *words)
{
	const struct cluster_segments *segments = &change->base->cluster->network.segments;
	char buf[64], *text = NULL;
	size_t size;
	FILE *file;

	add(words, "--set", "network.latency=%.17gs", change->latency_s);
	add(words, "--set", "network.bandwidth=%s",
	    bandwidth_text(change->bandwidth_Bps, buf, sizeof buf));
	add_links(change, words);
	if (!segments->n)
		return;
	file = open_memstream(&text, &size);
	for (int i = 0; file && i < segments->n; i++) {
		struct cluster_segment s = change->segments[i];

		/* A burst that the latency lets pass takes no negative time on a faster network. */
		s.latency_s = fmax(s.latency_s, -(double)s.from_B / s.bandwidth_Bps);
		fprintf(file, "%s{from: %lld, latency: %.17gs, bandwidth: %s", i ? ", " : "",
			(long long)s.from_B, s.latency_s,
			bandwidth_text(s.bandwidth_Bps, buf, sizeof buf));
		fprintf(file, ", stream: %s}", bandwidth_text(s.stream_Bps, buf, sizeof buf));
	}
	if (file && !fclose(file))
		add(words, "--set", "network.segments=[%s]", text);
	else
		words->failed = true;
	free(text);
}

static void print_costs(FILE *file, const char *name, const struct cluster_costs_by_size *costs,
			double plain_s, double factor, double more_s)
{
	if (costs->n == 0)
		fprintf(file, "%s: %.17gs, ", name, plain_s * factor + more_s);
	else
		fprintf(file, "%s: [", name);
	for (int i = 0; i < costs->n; i++)
		fprintf(file, "{from: %lld, time: %.17gs, per_byte: %.17gs}%s",
			(long long)costs->list[i].from_B, costs->list[i].time_s * factor + more_s,
			costs->list[i].per_B_s * factor, i + 1 < costs->n ? ", " : "], ");
}

char *whatif_overheads(const struct cluster *cluster, double factor, double more_s)
{
	const struct cluster_protocol *p = &cluster->protocol;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	if (!file)
		return NULL;
	fprintf(file, "protocol.overhead={");
	print_costs(file, "send", &p->send_costs, p->send_overhead_s, factor, more_s);
	if (p->isend_overhead_s >= 0)
		print_costs(file, "isend", &p->isend_costs, p->isend_overhead_s, factor, more_s);
	print_costs(file, "recv", &p->recv_costs, p->recv_overhead_s, factor, more_s);
	if (p->probe_s > 0)
		fprintf(file, "probe: %.17gs, ", p->probe_s * factor);
	fprintf(file, "per_byte: %.17gs}", p->recv_overhead_per_B_s * factor);
	return fclose(file) == 0 ? text : NULL;
}

static void add_overheads(const struct whatif_change *change, struct words *words)
{
	add_text(words, strdup("--set"));
	add_text(words, whatif_overheads(change->base->cluster, change->overhead_factor, 0));
}

/* Nodes of equal speed in a row are one entry. */
static void add_speeds(const struct whatif_change *change, struct words *words)
{
	int n_nodes = change->base->cluster->n_nodes;
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int first = 0, last; file && first < n_nodes; first = last + 1) {
		for (last = first;
		     last + 1 < n_nodes && change->speed[last + 1] == change->speed[first]; last++)
			;
		fprintf(file, "%s{nodes: \"%d-%d\", speed: %.17g}", first ? ", " : "", first, last,
			change->speed[first]);
	}
	if (file && !fclose(file))
		add(words, "--set", "cpu.speed=[%s]", text);
	else
		words->failed = true;
	free(text);
}

static void add_speed_changes(const struct whatif_change *change, struct words *words)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	for (int i = 0; file && i < change->n_speed_changes; i++) {
		const struct cluster_speed_change *c = &change->speed_changes[i];

		fprintf(file, "%s{node: %d, at: %.17gs, speed: %.17g}", i ? ", " : "", c->node,
			c->at_s, c->speed);
	}
	if (file && !fclose(file))
		add(words, "--set", "cpu.speed_changes=[%s]", text);
	else
		words->failed = true;
	free(text);
}

static void add_ideal(const struct whatif_change *change, struct words *words)
{
	static const char nothing[] = "[{from: 0, latency: 0s, bandwidth: inf}]";
	const struct cluster *c = change->base->cluster;

	add(words, "--set", "network.latency=0s");
	add(words, "--set", "network.bandwidth=inf");
	if (cluster_has_levels(c)) {
		add(words, "--set", "network.intra_node={latency: 0s, bandwidth: inf}");
	} else {
		add(words, "--set", "network.intra_node.latency=0s");
		add(words, "--set", "network.intra_node.bandwidth=inf");
	}
	if (c->network.segments.n)
		add(words, "--set", "network.segments=%s", nothing);
	if (c->network.intra_segments.n && !cluster_has_levels(c))
		add(words, "--set", "network.intra_node.segments=%s", nothing);
	add(words, "--set", "protocol.overhead=0s");
	add(words, "--set", "cpu.communication_cost.scale=0");
}

int whatif_change_words(const struct whatif_change *change, char ***out_words, int *out_n,
			struct util_error *err)
{
	struct words words = {.list = calloc(1, sizeof *words.list)};

	if (change->network)
		add_network(change, &words);
	if (change->overhead)
		add_overheads(change, &words);
	if (change->cost)
		add(&words, "--set", "cpu.communication_cost.scale=%.17g", change->cost_scale);
	if (change->ideal)
		add_ideal(change, &words);
	if (change->speeds)
		add_speeds(change, &words);
	if (change->changes)
		add_speed_changes(change, &words);
	if (change->core_count)
		add_cores(change, &words);
	if (change->placement)
		add(&words, "--placement", "%s", change->placement);
	for (int i = 0; i < change->n_overrides; i++)
		add(&words, "--set", "%s", change->overrides[i]);
	for (int i = 0; i < change->n_scales; i++)
		add(&words, "--scale", "%s=%.17g", change->scales[i].kernel,
		    change->scales[i].factor);
	*out_words = words.list;
	*out_n = words.n;
	return words.failed || !words.list ? no_memory(err) : 0;
}
