// SPDX-License-Identifier: BSD-3-Clause
/* What the parts of a scenario mean. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster/placement.h"
#include "tools/whatif/change.h"
#include "util/array.h"
#include "util/units.h"

struct part { /* "target op value" */
	const char *text;
	char target[256];
	char op;	   /* '*', '/', '=', 0: none */
	const char *value; /* in text */
	double factor;	   /* of '*' and '/' */
};

static int refuse(const struct part *part, struct util_error *err, const char *wanted)
{
	return util_refuse(err, "scenario \"%s\": wanted %s", part->text, wanted);
}

/* The operator is the first of its kind, but for kernels, whose names may have any: there the last.
 */
static int parse(const char *text, struct part *out, struct util_error *err)
{
	bool is_kernel = strncmp(text, "kernel:", 7) == 0;
	size_t length = strcspn(text, "*/=");
	char number[64];
	double factor = 1;

	*out = (struct part){.text = text, .value = ""};
	for (size_t at = length; is_kernel && text[at]; at++)
		if (strchr("*/", text[at]))
			length = at;
	if (length >= sizeof out->target)
		return refuse(out, err, "a shorter name");
	memcpy(out->target, text, length);
	if (!text[length])
		return 0;
	out->op = text[length];
	out->value = text + length + 1;
	if (out->op == '=')
		return 0;
	snprintf(number, sizeof number, "%.*s", (int)strcspn(out->value, "@"), out->value);
	if (util_parse_double(number, &factor, err))
		return util_error_prepend(err, "scenario \"%s\"", text);
	if (!(factor > 0) || factor > 1e9)
		return refuse(out, err, "a factor above 0, at most 1e9");
	out->factor = out->op == '*' ? factor : 1 / factor;
	return 0;
}

static int apply_latency(struct whatif_change *change, const struct part *part,
			 struct util_error *err)
{
	double value = change->latency_s * part->factor;

	if (!part->op)
		return refuse(part, err, "latency/10 or latency=2us");
	if (part->op == '=' && util_parse_time_s(part->value, &value, err))
		return util_error_prepend(err, "scenario \"%s\"", part->text);
	change->latency_s = value;
	for (int i = 0; i < change->base->cluster->network.segments.n; i++)
		change->segments[i].latency_s =
		    part->op == '=' ? value : change->segments[i].latency_s * part->factor;
	change->network = true;
	return 0;
}

/* What one stream gets of a link stays the same part of it. */
static void scale_segment(struct cluster_segment *segment, const struct part *part, double value)
{
	double was_Bps = segment->bandwidth_Bps;

	segment->bandwidth_Bps = part->op == '=' ? value : was_Bps * part->factor;
	if (segment->stream_Bps < was_Bps)
		segment->stream_Bps *= segment->bandwidth_Bps / was_Bps;
}

static int apply_bandwidth(struct whatif_change *change, const struct part *part,
			   struct util_error *err)
{
	double value = change->bandwidth_Bps * part->factor;

	if (!part->op)
		return refuse(part, err, "bandwidth*10 or bandwidth=1 GB/s");
	if (part->op == '=' && util_parse_bandwidth_Bps(part->value, &value, err))
		return util_error_prepend(err, "scenario \"%s\"", part->text);
	change->bandwidth_Bps = value;
	for (int i = 0; i < change->base->cluster->network.segments.n; i++)
		scale_segment(&change->segments[i], part, value);
	change->network = true;
	return 0;
}

static int apply_factor(const struct part *part, double *value, bool *changed,
			struct util_error *err)
{
	if (part->factor == 0)
		return refuse(part, err, "a factor, as in cpu-cost/4");
	*value *= part->factor;
	*changed = true;
	return 0;
}

static int apply_kernel(struct whatif_change *change, const struct part *part,
			struct util_error *err)
{
	const json_t *kernels = json_object_get(change->base->result, "kernels"), *kernel;
	const char *wanted = part->target + strlen("kernel:");
	char known[512] = "";
	size_t i;

	if (part->factor == 0)
		return refuse(part, err, "a factor, as in kernel:dgemm*0.9");
	json_array_foreach(kernels, i, kernel)
	{
		const char *name = json_string_value(json_object_get(kernel, "name"));
		size_t length = strlen(known);

		if (name && *name && strcmp(name, wanted) == 0)
			return whatif_change_scale(change, wanted, part->factor, err);
		if (name && *name)
			snprintf(known + length, sizeof known - length, "%s%s", length ? ", " : "",
				 name);
	}
	return util_refuse(err, "scenario \"%s\": found no kernel \"%s\", wanted %s%s", part->text,
			   wanted, *known ? "one of those that ran: " : "an annotated program",
			   known);
}

/* When a node's speed changes: a time, or a part of the base's time. */
static int parse_time(const struct part *part, const char *text, double base_s, double *out,
		      struct util_error *err)
{
	size_t length = strlen(text);
	char number[64];

	if (!length || text[length - 1] != '%')
		return util_parse_time_s(text, out, err)
			   ? util_error_prepend(err, "scenario \"%s\"", part->text)
			   : 0;
	snprintf(number, sizeof number, "%.*s", (int)length - 1, text);
	if (util_parse_double(number, out, err))
		return util_error_prepend(err, "scenario \"%s\"", part->text);
	if (*out < 0 || *out > 100)
		return refuse(part, err, "0% to 100% of the running time after '@'");
	*out *= base_s / 100;
	return 0;
}

static int apply_speed_change(struct whatif_change *change, const struct part *part, int node,
			      double at_s, struct util_error *err)
{
	struct cluster_speed_change *more = change->speed_changes;
	double speed = change->speed[node] * part->factor;

	for (int i = 0; i < change->n_speed_changes; i++)
		if (more[i].node == node && more[i].at_s == at_s) {
			more[i].speed = speed;
			return 0;
		}
	more = realloc(more, (size_t)(change->n_speed_changes + 1) * sizeof *more);
	if (!more)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	change->speed_changes = more;
	more[change->n_speed_changes++] =
	    (struct cluster_speed_change){.node = node, .at_s = at_s, .speed = speed};
	change->changes = true;
	return 0;
}

static int apply_node(struct whatif_change *change, const struct part *part, struct util_error *err)
{
	const char *at = strchr(part->value, '@');
	int64_t node = 0;
	double at_s = 0;
	int failed = util_parse_int(part->target + strlen("node:"), 0,
				    change->base->cluster->n_nodes - 1, &node, err);

	if (failed)
		return util_error_prepend(err, "scenario \"%s\": node", part->text);
	if (part->factor == 0)
		return refuse(part, err, "a factor, as in node:0/2 or node:0/2@10s");
	if (at) {
		failed = parse_time(part, at + 1, change->base->time_s, &at_s, err);
		return failed ? failed : apply_speed_change(change, part, (int)node, at_s, err);
	}
	change->speed[node] *= part->factor;
	change->speeds = true;
	return 0;
}

static int apply_cores(struct whatif_change *change, const struct part *part,
		       struct util_error *err)
{
	double cores = round(change->cores * part->factor);
	int64_t value = 0;

	if (change->base->cluster->levels.per_domain)
		return refuse(part, err, "cores of a cluster file without levels (cores.per_domain)");
	if (part->op == '=' && util_parse_int(part->value, 1, 1000000, &value, err))
		return util_error_prepend(err, "scenario \"%s\"", part->text);
	if (part->op == '=')
		cores = (double)value;
	if (!part->op || cores < 1 || cores > 1e6)
		return refuse(part, err, "cores*2 or cores=8, of 1 to 1000000");
	change->cores = (int)cores;
	change->core_count = true;
	return 0;
}

static int apply_placement(struct whatif_change *change, const struct part *part,
			   struct util_error *err)
{
	if (part->op != '=')
		return refuse(part, err, "placement=cyclic or another placement");
	if (cluster_place_check(part->value, change->base->cluster->n_nodes, err))
		return util_error_prepend(err, "scenario \"%s\"", part->text);
	free(change->placement);
	change->placement = strdup(part->value);
	return change->placement ? 0
				 : util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
}

/* Each node as fast as makes its computation take as long as all nodes' on average. */
static int apply_balance(struct whatif_change *change, const struct part *part,
			 struct util_error *err)
{
	int n_nodes = change->base->cluster->n_nodes, n = 0;
	double sum_s = 0;

	for (int node = 0; node < n_nodes; node++) {
		double useful_s = whatif_base_useful_s(change->base, node);

		sum_s += useful_s;
		n += useful_s > 0;
	}
	if (part->op)
		return refuse(part, err, "balanced-load alone");
	if (n < 2)
		return refuse(part, err, "computation on two nodes or more, to balance it");
	for (int node = 0; node < n_nodes; node++) {
		double useful_s = whatif_base_useful_s(change->base, node);

		if (useful_s > 0)
			change->speed[node] *= fmax(useful_s / (sum_s / n), 1e-3);
	}
	change->speeds = true;
	return 0;
}

static int apply_override(struct whatif_change *change, const struct part *part,
			  struct util_error *err)
{
	if (util_texts_add(&change->overrides, &change->n_overrides, strdup(part->text)))
		return util_error_set(err, UTIL_ENOMEM, "out of memory for a scenario");
	return 0;
}

int whatif_change_apply(struct whatif_change *change, const char *text, struct util_error *err)
{
	struct part part;
	int failed = parse(text, &part, err);

	if (failed)
		return failed;
	if (strcmp(part.target, "latency") == 0)
		return apply_latency(change, &part, err);
	if (strcmp(part.target, "bandwidth") == 0)
		return apply_bandwidth(change, &part, err);
	if (strcmp(part.target, "overhead") == 0)
		return apply_factor(&part, &change->overhead_factor, &change->overhead, err);
	if (strcmp(part.target, "cpu-cost") == 0)
		return apply_factor(&part, &change->cost_scale, &change->cost, err);
	if (strcmp(part.target, "computation") == 0 && part.factor > 0)
		return whatif_change_scale(change, "*", part.factor, err);
	if (strncmp(part.target, "kernel:", 7) == 0)
		return apply_kernel(change, &part, err);
	if (strncmp(part.target, "node:", 5) == 0)
		return apply_node(change, &part, err);
	if (strcmp(part.target, "cores") == 0)
		return apply_cores(change, &part, err);
	if (strcmp(part.target, "placement") == 0)
		return apply_placement(change, &part, err);
	if (strcmp(part.target, "balanced-load") == 0)
		return apply_balance(change, &part, err);
	if (strcmp(part.target, "ideal-network") == 0 && !part.op) {
		change->ideal = true;
		return 0;
	}
	if (part.op == '=' && strchr(part.target, '.'))
		return apply_override(change, &part, err);
	return refuse(&part, err,
		      "ideal-network, latency, bandwidth, overhead, cpu-cost, computation, "
		      "kernel:NAME, node:N, cores, placement, balanced-load or a key of the "
		      "cluster file, with "
		      "*FACTOR, /FACTOR or =VALUE");
}
