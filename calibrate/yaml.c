/* SPDX-License-Identifier: BSD-3-Clause */
/* The fit as a cluster file. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "yaml.h"

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

const char *yaml_time(double seconds, char text[40])
{
	if (seconds == 0)
		snprintf(text, 40, "0s");
	else
		snprintf(text, 40, "%.6fus", seconds * 1e6);
	return text;
}

const char *yaml_bandwidth(double Bps, char text[40])
{
	if (isfinite(Bps))
		snprintf(text, 40, "%.6f MB/s", Bps / 1e6);
	else
		snprintf(text, 40, "inf");
	return text;
}

void yaml_value(FILE *file, const char *indent, const char *key, const struct value *v,
		yaml_format_fn format, const char *how)
{
	char value[40], low[40], high[40];

	fprintf(file, "%s%s: %s   # %s to %s, %d samples, %d outliers; %s\n", indent, key,
		format(v->value, value), format(fmax(v->low, 0), low), format(v->high, high), v->n,
		v->n_outliers, how);
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

void yaml_interval(FILE *file, const char *key, double value, double low, double high,
		   yaml_format_fn format)
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
	yaml_interval(file, "network.latency", latency->value, latency->low, latency->high,
		      yaml_time);
	yaml_interval(file, "network.bandwidth", bandwidth->value, bandwidth->low, bandwidth->high,
		      yaml_bandwidth);
	if (yaml_overheads_differ(fit)) {
		yaml_interval(file, "protocol.send_overhead", send->value, send->low, send->high,
			      yaml_time);
		yaml_interval(file, "protocol.recv_overhead", recv->value, recv->low, recv->high,
			      yaml_time);
	} else {
		yaml_interval(file, "protocol.overhead", (send->value + recv->value) / 2,
			      (send->low + recv->low) / 2, (send->high + recv->high) / 2,
			      yaml_time);
	}
	if (w != WITHIN_NODE && fit->latency[WITHIN_NODE].is_known) {
		const struct value *rate = &fit->bandwidth_Bps[WITHIN_NODE];
		double shift = fit_intra_latency(fit) - fit->latency[WITHIN_NODE].value;

		latency = &fit->latency[WITHIN_NODE];
		yaml_interval(file, "network.intra_node.latency", latency->value + shift,
			      latency->low + shift, latency->high + shift, yaml_time);
		yaml_interval(file, "network.intra_node.bandwidth", rate->value, rate->low,
			      rate->high, yaml_bandwidth);
	}
	write_cost_interval(fit, file);
	yaml_services_intervals(fit, file);
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
	yaml_network(fit, file);
	yaml_protocol(fit, file);
	write_collectives(fit, file);
	yaml_services(fit, file);
	write_uncertainty(fit, file);
	write_sharing(fit, file);
}
