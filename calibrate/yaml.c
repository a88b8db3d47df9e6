/* SPDX-License-Identifier: BSD-3-Clause */
/* The fit as a cluster file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* What is lost to sharing, or differs between sender and receiver, by less is within a
 * measurement's error. */
static const double LOSS_WORTH_SAYING = 0.01;
/* Less than that left in buffers cannot be told from the time that a byte needs. */
static const double LEAST_BUFFER_B = 16384;

/* Of a CPU: less is a measurement's error. */
static const double LEAST_COST = 1e-3;

static void write_facts(const struct fit *fit, FILE *file)
{
	static const char *const shown[] = {"date", "library", "duration_s", "clock_resolution_s",
					    "ranks"};
	const char *text;

	for (size_t k = 0; k < sizeof(shown) / sizeof(shown[0]); k++)
		if ((text = samples_get_fact(fit->samples, shown[k], 0)))
			fprintf(file, "# %s: %s\n", shown[k], text);
	for (int k = 0; (text = samples_get_fact(fit->samples, "host", k)); k++)
		fprintf(file, "# host: %s\n", text);
	for (int k = 0; (text = samples_get_fact(fit->samples, "warning", k)); k++)
		fprintf(file, "# WARNING: %s\n", text);
}

/* Seconds as "12.3456us". */
static const char *as_time(double seconds, char text[40])
{
	if (seconds == 0)
		snprintf(text, 40, "0s");
	else
		snprintf(text, 40, "%.6fus", seconds * 1e6);
	return text;
}

static const char *as_bandwidth(double Bps, char text[40])
{
	if (isfinite(Bps))
		snprintf(text, 40, "%.6f MB/s", Bps / 1e6);
	else
		snprintf(text, 40, "inf");
	return text;
}

typedef const char *(*format_fn)(double value, char text[40]);

static void write_value(FILE *file, const char *indent, const char *key, const struct value *v,
			format_fn format, const char *how)
{
	char value[40], low[40], high[40];

	fprintf(file, "%s%s: %s   # %s to %s, %d samples, %d outliers; %s\n", indent, key,
		format(v->value, value), format(fmax(v->low, 0), low), format(v->high, high), v->n,
		v->n_outliers, how);
}

static void write_curve(const struct fit *fit, int where, FILE *file)
{
	const struct curve *curve = &fit->curves[where];

	if (!curve->n_segments)
		return;
	fprintf(file, "  # time by size %s: %d sizes, %d samples, %d outliers\n",
		where == WITHIN_NODE ? "within a node" : "between nodes", curve->n_points,
		curve->n_samples, curve->n_outliers);
	for (int k = 0; k < curve->n_segments; k++) {
		const struct segment *s = &curve->segments[k];
		char rate[40];

		fprintf(file, "  #   %lld to %lld B: %.4f us + size / %s, points within %.2f %%\n",
			(long long)s->from_B, (long long)s->to_B, s->latency_s * 1e6,
			as_bandwidth(s->per_byte_s > 1e-19 ? 1 / s->per_byte_s : INFINITY, rate),
			s->worst * 100);
	}
}

/* Only where one latency and one bandwidth do not do. */
static void write_segments(const struct fit *fit, int where, const char *indent, FILE *file)
{
	double error = fit_plain_error(fit, where);
	struct entry entries[FIT_SEGMENTS];
	char time[40], rate[40];
	int n;

	if (!fit->curves[where].n_points || error <= FIT_PLAIN_ENOUGH)
		return;
	n = fit_entries(fit, where, entries);
	fprintf(file, "%s# one latency and one bandwidth are up to %.1f %% off\n%ssegments:\n",
		indent, error * 100, indent);
	for (int k = 0; k < n; k++) {
		double per_byte_s = entries[k].per_byte_s;

		fprintf(file, "%s  - {from: %lld, latency: %s, bandwidth: %s}\n", indent,
			(long long)entries[k].from_B, as_time(entries[k].latency_s, time),
			as_bandwidth(per_byte_s > 1e-19 ? 1 / per_byte_s : INFINITY, rate));
	}
}

static void write_shares(const struct fit *fit, FILE *file)
{
	double penalty = fit_duplex_penalty(fit), least = 1;
	int most = fit_most_flows(fit);

	if (penalty > LOSS_WORTH_SAYING)
		fprintf(file, "  duplex_penalty: %.4f\n", penalty);
	for (int k = 2; k <= most; k++)
		least = fmin(least, fit_sharing_efficiency(fit, k));
	if (least >= 1 - LOSS_WORTH_SAYING)
		return;
	fprintf(file, "  sharing_efficiency: [1");
	for (int k = 2; k <= most; k++)
		fprintf(file, ", %.4f", fit_sharing_efficiency(fit, k));
	fprintf(file, "]\n");
}

static void write_within(const struct fit *fit, FILE *file)
{
	struct value latency = fit->latency[WITHIN_NODE];
	double shift = fit_intra_latency(fit) - latency.value;

	/* The file knows one overhead, that between nodes; the sum must stay what was measured. */
	latency.value += shift;
	latency.low += shift;
	latency.high += shift;
	fprintf(file, "  intra_node:\n");
	write_value(file, "    ", "latency", &latency, as_time,
		    "half a round trip of nothing, less the overheads below");
	write_value(file, "    ", "bandwidth", &fit->bandwidth_Bps[WITHIN_NODE], as_bandwidth,
		    "slope of large messages");
	write_segments(fit, WITHIN_NODE, "    ", file);
	write_curve(fit, WITHIN_NODE, file);
}

/* What stalls stays in the order in which it was handed over. */
/* An eager message that is large arrives before the next one is matched, whatever the order. */
static bool is_ordered(const struct fit *fit)
{
	return (fit->is_ordered && fit->threshold_B[fit->subject] != INT64_MAX) ||
	       fit->unattended_B >= LEAST_BUFFER_B;
}

static void write_list(const struct since *list, int n, FILE *file)
{
	for (int k = 0; k < n; k++)
		fprintf(file, "    - {from: %lld, size: %.0f}\n", (long long)list[k].from_B,
			fmax(list[k].size_B, 1));
}

static void write_windows(const struct fit *fit, FILE *file)
{
	char text[40];

	if (fit->n_windows == 0 || !is_ordered(fit))
		return;
	fprintf(file, "  window:   # what a byte to a third node waited behind a connection, by "
		      "what that had carried\n");
	write_list(fit->windows, fit->n_windows, file);
	if (fit->window_against_B > 0)
		fprintf(file, "  window_against: %.0f   # the same, its other node sending\n",
			fit->window_against_B);
	if (fit->window_meeting_s > 0)
		fprintf(file, "  window_meeting: %s   # the same, its other node beginning later\n",
			as_time(fit->window_meeting_s, text));
	if (fit->window_spread > 0)
		fprintf(file, "  window_spread: %.4f\n", fit->window_spread);
}

static void write_network(const struct fit *fit, FILE *file)
{
	int w = fit->subject;

	fprintf(file, "\nnetwork:\n");
	if (w == WITHIN_NODE)
		fprintf(file,
			"  # NOT MEASURED: there was one node; these are the values within it\n");
	write_value(file, "  ", "latency", &fit->latency[w], as_time,
		    "half a round trip of nothing, less both overheads");
	write_value(file, "  ", "bandwidth", &fit->bandwidth_Bps[w], as_bandwidth,
		    "slope of large messages");
	if (fit->is_latency_shared)
		fprintf(file,
			"  latency_model: shared   # empty messages to two nodes at once took "
			"twice as long\n");
	write_segments(fit, w, "  ", file);
	if (fit->burst_s > 0)
		fprintf(file,
			"  burst: %.0f   # what a message after a rest took less than one after "
			"another\n",
			fit->burst_s * fit->bandwidth_Bps[w].value);
	if (fit->queue_B >= LEAST_BUFFER_B)
		fprintf(file,
			"  queue: %.0f   # what a byte to a third node waited behind a large one\n",
			fit->queue_B);
	write_windows(fit, file);
	write_shares(fit, file);
	write_curve(fit, BETWEEN_NODES, file);
	if (fit->latency[WITHIN_NODE].is_known)
		write_within(fit, file);
}

static void write_threshold(int64_t threshold_B, FILE *file)
{
	if (threshold_B == INT64_MAX)
		fprintf(file, "off\n");
	else
		fprintf(file, "%lld\n", (long long)(threshold_B < 0 ? 0 : threshold_B));
}

static bool overheads_differ(const struct fit *fit)
{
	double send_s = fit->send_overhead[fit->subject].value,
	       recv_s = fit->recv_overhead[fit->subject].value;

	return fabs(send_s - recv_s) > LOSS_WORTH_SAYING * (send_s + recv_s) / 2;
}

static void write_per_byte(const char *side, double per_B_s, FILE *file)
{
	if (per_B_s > 0)
		fprintf(file,
			"  %s_overhead_per_byte: %.6fns   # of larger eager messages, as above\n",
			side, per_B_s * 1e9);
}

static void write_overheads(const struct fit *fit, FILE *file)
{
	const struct value *send = &fit->send_overhead[fit->subject],
			   *recv = &fit->recv_overhead[fit->subject];
	double mean = (send->value + recv->value) / 2;
	char text[40];

	fprintf(file, "  overhead: %s   # mean of sender and receiver\n", as_time(mean, text));
	if (overheads_differ(fit)) {
		write_value(file, "  ", "send_overhead", send, as_time, "sixteen in a row");
		write_value(file, "  ", "recv_overhead", recv, as_time, "sixteen that had arrived");
	}
	write_per_byte("send", fit->send_per_B_s, file);
	write_per_byte("recv", fit->recv_per_B_s, file);
}

/* By what a connection has carried where new ones were there to measure it. */
static void write_unattended(const struct fit *fit, FILE *file)
{
	if (fit->n_used < 2) {
		fprintf(
		    file,
		    "  unattended_send: %.0f   # of a connection that large messages have used\n",
		    fit->unattended_B);
		return;
	}
	fprintf(file, "  unattended_send:   # by what the connection had carried\n");
	write_list(fit->used, fit->n_used, file);
}

static void write_progress(const struct fit *fit, bool is_lazy, FILE *file)
{
	if (!is_lazy) {
		fprintf(file, "  progress: async\n");
		return;
	}
	fprintf(file, "  progress: %s\n", fit->looks_if_complete ? "in_mpi" : "in_waiting");
	if (fit->unattended_B >= LEAST_BUFFER_B)
		write_unattended(fit, file);
}

/* By the size of a message where that is measured, since systems let buffers grow. */
static void write_send_buffer(const struct fit *fit, FILE *file)
{
	const struct since *list = fit->send_buffers;
	int n = fit->n_send_buffers;

	if (n == 0 && fit->buffered_B > LEAST_BUFFER_B)
		fprintf(file, "  send_buffer: %.0f\n", fit->buffered_B);
	else if (n == 1 && list[0].size_B > LEAST_BUFFER_B)
		fprintf(file, "  send_buffer: %.0f   # sends returned before\n", list[0].size_B);
	if (n < 2 || list[n - 1].size_B <= LEAST_BUFFER_B)
		return;
	fprintf(file, "  send_buffer:   # what sends of that size left behind them\n");
	write_list(list, n, file);
}

/* Of messages by rendezvous: without, there is nothing to set. */
static void write_rendezvous(const struct fit *fit, FILE *file)
{
	bool is_lazy = fit->send_wait > 0.5 || fit->recv_wait > 0.5;
	bool has_rendezvous = fit->threshold_B[fit->subject] != INT64_MAX;

	if (fit->control_B.is_known)
		fprintf(file, "  control_message: %.0f   # %.0f to %.0f; step at the threshold\n",
			fit->control_B.value, fmax(fit->control_B.low, 0), fit->control_B.high);
	if (has_rendezvous && fit->request_data_B > 0)
		fprintf(file,
			"  request_data: %.0f   # were there already when a receive came late\n",
			fit->request_data_B);
	if (has_rendezvous && fit->is_acknowledged)
		fprintf(file, "  rendezvous_end: acknowledged   # a send waited for a receiver "
			      "that computed\n");
	if (fit->send_wait < 0)
		return;
	fprintf(
	    file,
	    "  # of a large message's time, %.0f %% of a send and %.0f %% of a receive were left "
	    "after computing 1.5 times as long\n",
	    fit->send_wait * 100, fit->recv_wait * 100);
	if (has_rendezvous)
		write_progress(fit, is_lazy, file);
	if (fit->buffered_B >= 0)
		fprintf(file, "  # a large send returned with %.0f B on their way\n",
			fit->buffered_B);
	if (has_rendezvous)
		write_send_buffer(fit, file);
}

static void write_protocol(const struct fit *fit, FILE *file)
{
	int w = fit->subject;

	fprintf(file, "\nprotocol:\n");
	write_overheads(fit, file);
	fprintf(file, "  eager_threshold: ");
	write_threshold(fit->threshold_B[w], file);
	if (w == BETWEEN_NODES && fit->empty[WITHIN_NODE].is_known) {
		fprintf(file, "  # within a node: ");
		write_threshold(fit->threshold_B[WITHIN_NODE], file);
	}
	if (fit->is_synchronous_acknowledged)
		fprintf(file,
			"  synchronous_send: acknowledged   # an empty one took two latencies\n");
	if (fit->is_late_probe)
		fprintf(file, "  late_answers: %s   # a first question says no\n",
			fit->is_late_test ? "tests" : "probes");
	if (is_ordered(fit))
		fprintf(file, "  order: per_pair   # an empty message behind a large one arrives "
			      "behind it\n");
	write_rendezvous(fit, file);
}

/* The library's own rules, where they are known (docs/collectives.md). */
static void write_collectives(const struct fit *fit, FILE *file)
{
	const char *library = samples_get_fact(fit->samples, "library", 0), *profile = NULL;

	if (library && !strncmp(library, "Open MPI", 8))
		profile = "openmpi";
	else if (library && !strncmp(library, "MPICH", 5))
		profile = "mpich";
	if (profile)
		fprintf(file, "\ncollectives:\n  profile: %s   # by the library's name\n", profile);
}

static void write_table(const struct fit *fit, FILE *file)
{
	int n = fit->table_n;
	double widest = 0;

	if (n < 0)
		return;
	fprintf(file, "\ncpu:\n  communication_cost:\n");
	if (fit->table_is_partial)
		fprintf(file, "    # WARNING: fewer computing ranks than cores: what idle cores "
			      "took is not seen. "
			      "Start one rank more than cores on the first node.\n");
	fprintf(file,
		"    # rows: 0, 1, ... outgoing transfers; columns: incoming ones\n    table:\n");
	for (int o = 0; o <= n; o++) {
		fprintf(file, "      - [");
		for (int i = 0; i <= n; i++) {
			const struct value *v = &fit->table[o * (n + 1) + i];
			double cost = fmin(fmax(v->value, 0), fit->cores);

			widest = fmax(widest, (v->high - v->low) / 2);
			fprintf(file, "%s%.4f", i ? ", " : "", o + i ? cost : 0.0);
		}
		fprintf(file, "]\n");
	}
	fprintf(file, "    # within +- %.4f or better, %d samples each at least\n", widest,
		fit->table[(n + 1) * (n + 1) - 1].n);
}

static void write_sharing(const struct fit *fit, FILE *file)
{
	for (int k = 0; k < fit->n_sharing; k++) {
		const struct sharing *s = &fit->sharing[k];

		if (k == 0)
			fprintf(
			    file,
			    "\n# sharing, %lld B each; efficiency: 1 if fair and nothing lost\n",
			    (long long)s->size_B);
		fprintf(file,
			"#   %s, %d flows: efficiency %.3f, the first ended at %.3f of the time\n",
			s->name, s->n_flows, s->efficiency, s->first);
	}
}

/* One line of the section. The value itself is within, whatever its rounding and shifts. */
static void write_interval(FILE *file, const char *key, double value, double low, double high,
			   format_fn format)
{
	double step = value < 1 ? 1e-12 : 1; /* more than the digits that are written can hide */
	char from[40], to[40];

	if (!isfinite(value) || !isfinite(high))
		return;
	low = fmax(fmin(low, value) - step, value < 1 ? 0 : 1);
	high = fmax(high, value) + step;
	fprintf(file, "  %s: [%s, %s]\n", key, format(low, from), format(high, to));
}

/* Of the CPU's cost as a whole, relative to the largest entry. */
static void write_cost_interval(const struct fit *fit, FILE *file)
{
	int n_entries = (fit->table_n + 1) * (fit->table_n + 1);
	double largest = 0, widest = 0;

	for (int k = 1; k < n_entries; k++) {
		largest = fmax(largest, fit->table[k].value);
		widest = fmax(widest, (fit->table[k].high - fit->table[k].low) / 2);
	}
	if (largest >= LEAST_COST && widest > 0)
		fprintf(file, "  cpu.communication_cost_scale: [%.6g, %.6g]\n",
			fmax(0, 1 - widest / largest), fmin(1 + widest / largest, 1e6));
}

/* What mpisim-run --vary-cluster draws from. */
static void write_uncertainty(const struct fit *fit, FILE *file)
{
	int w = fit->subject;
	const struct value *latency = &fit->latency[w], *bandwidth = &fit->bandwidth_Bps[w],
			   *send = &fit->send_overhead[w], *recv = &fit->recv_overhead[w];

	fprintf(file,
		"\nuncertainty:   # 95 %% intervals of the values above, for --vary-cluster\n");
	write_interval(file, "network.latency", latency->value, latency->low, latency->high,
		       as_time);
	write_interval(file, "network.bandwidth", bandwidth->value, bandwidth->low, bandwidth->high,
		       as_bandwidth);
	if (overheads_differ(fit)) {
		write_interval(file, "protocol.send_overhead", send->value, send->low, send->high,
			       as_time);
		write_interval(file, "protocol.recv_overhead", recv->value, recv->low, recv->high,
			       as_time);
	} else {
		write_interval(file, "protocol.overhead", (send->value + recv->value) / 2,
			       (send->low + recv->low) / 2, (send->high + recv->high) / 2, as_time);
	}
	if (w != WITHIN_NODE && fit->latency[WITHIN_NODE].is_known) {
		const struct value *rate = &fit->bandwidth_Bps[WITHIN_NODE];
		double shift = fit_intra_latency(fit) - fit->latency[WITHIN_NODE].value;

		latency = &fit->latency[WITHIN_NODE];
		write_interval(file, "network.intra_node.latency", latency->value + shift,
			       latency->low + shift, latency->high + shift, as_time);
		write_interval(file, "network.intra_node.bandwidth", rate->value, rate->low,
			       rate->high, as_bandwidth);
	}
	write_cost_interval(fit, file);
}

/* In double quotes, so that no character of the library's name means anything. */
static void write_name(const struct fit *fit, FILE *file)
{
	const char *library = samples_get_fact(fit->samples, "library", 0);
	int n = 0;

	fprintf(file, "name: \"calibrated, ");
	for (; library && *library && *library != ',' && n < 40; library++, n++)
		fputc(*library < ' ' || *library == '"' || *library == '\\' ? ' ' : *library, file);
	fprintf(file, "\"\n");
}

void fit_write_yaml(const struct fit *fit, FILE *file)
{
	fprintf(file,
		"# Measured by mpisim-calibrate; docs/calibrate.md says how. Value, then its 95 %% "
		"interval.\n");
	write_facts(fit, file);
	if (fit_is_noisy(fit))
		fprintf(file, "# WARNING: %s\n", FIT_NOISY);
	fprintf(file, "mpisim_cluster: 1\n");
	write_name(fit, file);
	fprintf(file, "nodes: %d\n", fit->n_nodes);
	fprintf(file, "cores: %d%s\n", fit->cores,
		fit->cores_are_certain ? "" : "   # at least: more were never busy");
	write_table(fit, file);
	write_network(fit, file);
	write_protocol(fit, file);
	write_collectives(fit, file);
	write_uncertainty(fit, file);
	write_sharing(fit, file);
}
