/* SPDX-License-Identifier: BSD-3-Clause */
/* The section `network` of the cluster file. */
#include <math.h>

#include "yaml.h"

static void write_curve(const struct fit *fit, int where, FILE *file)
{
	const struct curve *curve = &fit->curves[where];
	char sizes[40], samples[40], outliers[40];

	if (!curve->n_segments)
		return;
	fprintf(file, "  # time by size %s: %s, %s, %s\n",
		where == WITHIN_NODE ? "within a node" : "between nodes",
		yaml_count(sizes, curve->n_points, "size"),
		yaml_count(samples, curve->n_samples, "sample"),
		yaml_count(outliers, curve->n_outliers, "outlier"));
	for (int k = 0; k < curve->n_segments; k++) {
		const struct segment *s = &curve->segments[k];
		char rate[40];

		fprintf(file, "  #   %lld to %lld B: %.4f us + size / %s, points within %.2f %%\n",
			(long long)s->from_B, (long long)s->to_B, s->latency_s * 1e6,
			yaml_bandwidth(s->per_byte_s > 1e-19 ? 1 / s->per_byte_s : INFINITY, rate),
			s->worst * 100);
	}
}

/* Of the time that a byte has a link in large messages. */
static const double LEAST_TELLING = 0.05;

/* Only where one latency and one bandwidth do not do. */
static void write_segments(const struct fit *fit, int where, const char *indent, FILE *file)
{
	double least_s = LEAST_TELLING / fit->bandwidth_Bps[where].value;
	struct entry entries[FIT_SEGMENTS];
	char time[40], rate[40];
	double scatter = fit_scatter(fit, where);
	int n;

	if (!fit_needs_segments(fit, where)) {
		if (scatter > YAML_WIDE && fit_plain_error(fit, where) > YAML_WIDE)
			fprintf(file,
				"%s# segments: not told, times are %.0f %% off the lines by size "
				"below, too\n",
				indent, scatter * 100);
		return;
	}
	n = fit_entries(fit, where, entries);
	fprintf(
	    file,
	    "%s# one latency and one bandwidth are up to %.1f %% off; lines of transfers, from the "
	    "times by size below",
	    indent, fit_plain_error(fit, where) * 100);
	if (scatter > YAML_WIDE)
		fprintf(file, "; DOUBTFUL: times are %.0f %% off these lines", scatter * 100);
	fprintf(file, "\n%ssegments:\n", indent);
	for (int k = 0; k < n; k++) {
		double per_byte_s = entries[k].per_byte_s;

		fprintf(file, "%s  - {from: %lld, latency: %s, bandwidth: %s}\n", indent,
			(long long)entries[k].from_B, yaml_time(entries[k].latency_s, time),
			yaml_bandwidth(per_byte_s > 1e-19 ? 1 / per_byte_s : INFINITY, rate));
		if (per_byte_s < least_s)
			fprintf(file,
				"%s    # hardly longer with each byte: for how long many of them "
				"have a link is not told\n",
				indent);
	}
}

static void write_shares(const struct fit *fit, FILE *file)
{
	double penalty = fit_duplex_penalty(fit), least = 1;
	int most = fit_most_flows(fit);

	for (int k = 2; k <= most; k++)
		least = fmin(least, fit_sharing_efficiency(fit, k));
	if (penalty > YAML_LOSS_WORTH_SAYING || least < 1 - YAML_LOSS_WORTH_SAYING)
		fprintf(file, "  losses:\n");
	if (penalty > YAML_LOSS_WORTH_SAYING)
		yaml_line(file, fit, "both_ways sendrecv ring",
			  "    duplex: %.4f   # both ways at once, at best", penalty);
	if (least >= 1 - YAML_LOSS_WORTH_SAYING)
		return;
	fprintf(file, "    sharing: [0");
	for (int k = 2; k <= most; k++)
		fprintf(file, ", %.4f", 1 - fit_sharing_efficiency(fit, k));
	yaml_line(file, fit, "many_to_one one_to_many",
		  "]   # means of into one node and out of one");
}

struct value yaml_latency_within(const struct fit *fit)
{
	struct value latency = fit->latency[WITHIN_NODE];
	double shift = fit_intra_latency(fit) - latency.value;

	latency.value += shift;
	latency.low += shift;
	latency.high += shift;
	return latency;
}

static void write_within(const struct fit *fit, FILE *file)
{
	struct value latency = yaml_latency_within(fit);

	fprintf(file, "  intra_node:\n");
	yaml_value(file, "    ", "latency", &latency, yaml_time,
		   "half a round trip of nothing, less the overheads below");
	yaml_value(file, "    ", "bandwidth", &fit->bandwidth_Bps[WITHIN_NODE], yaml_bandwidth,
		   "slope of large messages");
	write_segments(fit, WITHIN_NODE, "    ", file);
	write_curve(fit, WITHIN_NODE, file);
}

static void write_packets(const struct fit *fit, FILE *file)
{
	yaml_line(file, fit, "packet_stream",
		  "  packets: {payload: %.0f, overhead: %.0f, queue: %.0f}   # to the byte, %.1f "
		  "to %.1f; what a message takes longer when it needs one more",
		  fit->payload_B, fit->overhead_B,
		  fit->holds_all || fit->queue_B < YAML_LEAST_BUFFER_B ? 0 : fit->queue_B,
		  fmax(fit->overhead_B - fit->overhead_error_B, 0),
		  fit->overhead_B + fit->overhead_error_B);
	yaml_line(file, fit, "beside_bulk beside_nothing",
		  "  # queue: what a byte to a third node waited behind a large one");
}

void yaml_network(const struct fit *fit, FILE *file)
{
	int w = fit->subject;

	fprintf(file, "\nnetwork:\n");
	if (w == WITHIN_NODE)
		fprintf(file,
			"  # NOT MEASURED: there was one node; these are the values within it\n");
	yaml_value(file, "  ", "latency", &fit->latency[w], yaml_time,
		   "half a round trip of nothing, less both overheads");
	yaml_value(file, "  ", "bandwidth", &fit->bandwidth_Bps[w], yaml_bandwidth,
		   "slope of large messages");
	if (fit->is_latency_shared)
		yaml_line(file, fit, "two_at_once",
			  "  model: thesis   # predicts all times better");
	write_segments(fit, w, "  ", file);
	if (fit->burst_s > 0 && isfinite(fit->bandwidth_Bps[w].value))
		yaml_line(file, fit, "one_way rested train",
			  "  burst: %.0f   # what messages after a rest took less than nothing and "
			  "their bytes",
			  fmin(fit->burst_s * fit->bandwidth_Bps[w].value, FIT_MOST_B));
	if (fit->payload_B > 0)
		write_packets(fit, file);
	else
		write_shares(fit, file);
	if (fit->has_doubtful_packets)
		fprintf(file,
			"  # times by size jump, but not for certain by a packet's headers\n");
	write_curve(fit, BETWEEN_NODES, file);
	if (fit->latency[WITHIN_NODE].is_known)
		write_within(fit, file);
}
