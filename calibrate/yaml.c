/* SPDX-License-Identifier: BSD-3-Clause */
/* The fit as a cluster file. */
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "yaml.h"

/* Of collective operations that were timed, the one that is off most. */
double fit_collective_off(const struct check *check)
{
	double most = -1;

	for (int k = 0; k < check->n_worst; k++)
		if (!strncmp(check->worst[k].key.name, "coll_", 5))
			most = fmax(most, check->worst[k].error);
	return most;
}

/* Of a CPU: less is a measurement's error. */
static const double LEAST_COST = 1e-3;
/* Of a value, half of its interval: more makes it doubtful; as outliers do, of the samples. */
static const double WIDE = 0.1, MANY = 0.1;
static const double LEAST_TIME_S = 1e-9; /* a smaller interval of nothing does not matter */
static const double MOST_BPS = 1e15;	 /* clocks tell nothing of faster links */

/* --- values, and where they are from --- */

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

const char *yaml_plural(int n)
{
	return n == 1 ? "" : "s";
}

struct summary yaml_samples(const struct samples *samples, const char *probes, int where)
{
	struct summary there = samples_probes(samples, probes, where);

	return there.n > 0 ? there
			   : samples_probes(samples, probes,
					    where == WITHIN_NODE ? BETWEEN_NODES : WITHIN_NODE);
}

void yaml_probes(FILE *file, const char *probes, int n)
{
	fprintf(file, "%s %s, %d sample%s", strchr(probes, ' ') ? "probes" : "probe", probes, n,
		yaml_plural(n));
}

void yaml_line(const struct yaml *out, const char *probes, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vfprintf(out->file, format, args);
	va_end(args);
	yaml_probes(out->file, probes,
		    yaml_samples(out->fit->samples, probes, out->fit->subject).n);
	fputc('\n', out->file);
}

/* Who reads the value reads this, too: a warning further up is easily lost. */
void yaml_doubts(FILE *file, const struct value *v, bool has_few, bool has_end)
{
	double half = (v->high - fmax(v->low, 0)) / 2;
	bool has_outliers = v->n_outliers > MANY * v->n, is_wide = v->low < MOST_BPS;

	if (isfinite(v->value))
		is_wide = half > (v->value > 0 ? WIDE * v->value : LEAST_TIME_S);
	if (has_few || is_wide || has_outliers)
		fprintf(file, "; DOUBTFUL: ");
	if (has_few)
		fprintf(file, "too few samples for an interval");
	else if (is_wide && !has_end)
		fprintf(file, "the interval has no end");
	else if (is_wide && v->value <= 0)
		fprintf(file, "all of the interval may be true");
	else if (is_wide)
		fprintf(file, "known to +- %.0f %% only", 100 * half / v->value);
	if (has_outliers)
		fprintf(file, "%s%.0f %% of the samples are outliers",
			has_few || is_wide ? ", " : "", 100.0 * v->n_outliers / v->n);
}

void yaml_unvaried(FILE *file, const char *key, bool has_few)
{
	fprintf(file, "  # %s: not varied, %s\n", key,
		has_few ? "too few samples for an interval" : "its interval has no end");
}

/* The value itself is within, whatever its rounding and shifts. */
static void write_interval(FILE *file, const char *key, const struct value *v,
			   yaml_format_fn format)
{
	double step = v->value < 1 ? 1e-12 : 1; /* more than the digits that are written can hide */
	double low = fmax(fmin(v->low, v->value) - step, v->value < 1 ? 0 : 1),
	       high = fmax(v->high, v->value) + step;
	char from[40], to[40];

	if (v->n < SAMPLES_FEW || !isfinite(v->high))
		yaml_unvaried(file, key, v->n < SAMPLES_FEW);
	else
		fprintf(file, "  %s: [%s, %s]\n", key, format(low, from), format(high, to));
}

void yaml_value(const struct yaml *out, const char *key, const struct value *v,
		yaml_format_fn format, const char *how)
{
	char value[40], low[40], high[40];
	const char *last = strrchr(key, '.');
	int indent = strchr(key, '.') == last ? 2 : 4;

	fprintf(out->file, "%*s%s: %s   # %s to %s, %d sample%s, %d outlier%s; %s", indent, "",
		last + 1, format(v->value, value), format(fmax(v->low, 0), low),
		format(v->high, high), v->n, yaml_plural(v->n), v->n_outliers,
		yaml_plural(v->n_outliers), how);
	yaml_doubts(out->file, v, v->n < SAMPLES_FEW, isfinite(v->high));
	fputc('\n', out->file);
	write_interval(out->intervals, key, v, format);
}

/* --- what is not searched for --- */

static void write_table(const struct yaml *out)
{
	const struct fit *fit = out->fit;
	int n = fit->table_n + 1, fewest = INT_MAX;
	double largest = 0, widest = 0;

	if (n == 0)
		return;
	fprintf(out->file, "\ncpu:\n  communication_cost:\n");
	if (fit->table_is_partial)
		fprintf(out->file,
			"    # WARNING: fewer computing ranks than cores: what idle cores "
			"took is not seen. "
			"Start one rank more than cores on the first node.\n");
	yaml_line(out, "compute_speed",
		  "    # rows: 0, 1, ... outgoing transfers; columns: incoming ones; ");
	fprintf(out->file, "    table:\n");
	for (int k = 0; k < n * n; k++) {
		const struct value *v = &fit->table[k];
		/* what may be nothing is nothing: noise above it would add up */
		double cost = v->low > 0 ? fmin(v->value, fit->cores) : 0;

		largest = fmax(largest, v->value);
		widest = fmax(widest, (v->high - v->low) / 2);
		if (k > 0 && v->n < fewest)
			fewest = v->n;
		fprintf(out->file, "%s%.4f%s", k % n ? ", " : "      - [", cost,
			k % n == n - 1 ? "]\n" : "");
	}
	fprintf(out->file, "    # within +- %.4f or better, %d sample%s each at least%s\n", widest,
		fewest, yaml_plural(fewest),
		fewest < SAMPLES_FEW ? "; DOUBTFUL: too few for an interval of their own" : "");
	/* of the cost as a whole, relative to the largest entry */
	if (largest >= LEAST_COST && widest > 0)
		fprintf(out->intervals, "  cpu.communication_cost.scale: [%.6g, %.6g]\n",
			fmax(0, 1 - widest / largest), fmin(1 + widest / largest, 1e6));
}

/* Where nodes differ, and how much one alone does. */
static void write_nodes(const struct yaml *out)
{
	enum { MOST_NODES = 64 };
	double times_s[MOST_NODES], varies[MOST_NODES];
	int n = fit_node_speeds(out->fit, times_s, varies, MOST_NODES);

	for (int k = 0; k < n; k++)
		fprintf(out->file,
			"#   node %d: the same computation takes %.3f times as long as on the "
			"first, varies by %.2g\n",
			k, times_s[k] / times_s[0], varies[k]);
}

/* The simulator itself does not vary, unless it is told to. */
static void write_variation(const struct yaml *out)
{
	const char *library = samples_get_fact(out->fit->samples, "library", 0);
	struct fit_varies varies;

	if (fit_variation(out->fit, &varies)) {
		yaml_line(
		    out, "vary_computing vary_messages",
		    "\nvariation: {computation: %.3g, messages: %.3g}   # what is equal takes "
		    "so much more or less; ",
		    varies.computation, varies.messages);
		write_nodes(out);
	} else if (library && strncmp(library, "mpisim", 6) != 0) {
		fprintf(out->file,
			"\nvariation: {computation: 0.01, messages: 0.01}   # assumed, not "
			"measured: what is equal never takes equally long\n");
	}
}

static void write_cores(const struct yaml *out)
{
	struct sample_key one = sample_key("cores", WITHIN_NODE, 1, 0);
	int n = samples_summary(out->fit->samples, &one).n;

	fprintf(out->file, "cores: %d   # ", out->fit->cores);
	if (samples_get_fact(out->fit->samples, "cpus", 0))
		fprintf(out->file, "as the system, or --cores, says\n");
	else
		fprintf(out->file, "%s; probe cores, %d sample%s for each number of ranks\n",
			out->fit->cores_are_certain ? "more ranks compute no more together"
						    : "at least: more were never busy",
			n, yaml_plural(n));
}

/* In double quotes, so that no character of the library's name means anything. */
static void write_name(const struct yaml *out)
{
	const char *library = samples_get_fact(out->fit->samples, "library", 0);
	int n = 0;

	fprintf(out->file, "name: \"calibrated, ");
	for (; library && *library && *library != ',' && n < 40; library++, n++)
		fputc(*library < ' ' || *library == '"' || *library == '\\' ? ' ' : *library,
		      out->file);
	fprintf(out->file, "\"\n");
}

static void write_known(const struct yaml *out)
{
	fprintf(out->file, "mpisim_cluster: 1\n");
	write_name(out);
	fprintf(out->file, "nodes: %d   # host names of the ranks\n", out->fit->n_nodes);
	write_cores(out);
	write_table(out);
	if (out->fit->subject == WITHIN_NODE)
		fprintf(out->file,
			"\n# NOT MEASURED: there was one node; the network's values are those "
			"within it\n");
	yaml_rma(out);
	yaml_spawn(out);
	yaml_storage(out);
	write_variation(out);
	fputc('\n', out->file);
}

int fit_write_known(struct fit *fit)
{
	size_t n[2];
	struct yaml out = {fit, open_memstream(&fit->known, &n[0]),
			   open_memstream(&fit->intervals, &n[1])};
	bool is_written = out.file && out.intervals;

	if (is_written)
		write_known(&out);
	if (out.file && fclose(out.file))
		is_written = false;
	if (out.intervals && fclose(out.intervals))
		is_written = false;
	return is_written ? 0 : -1;
}

/* --- all --- */

static void write_check(const struct check *check, FILE *file)
{
	fputs(check->is_made ? "# " : "# WARNING: ", file);
	check_verdict(check, file);
	fputc('\n', file);
	if (!check->is_made)
		fputs("# WARNING: " FIT_UNSEARCHED "\n", file);
	check_list(check, "# WARNING: ", "#   ", file);
}

/* Whose rules choose the algorithms of collective operations, and how right they are. */
static void write_collectives(const struct fit *fit, const struct check *check, FILE *file)
{
	double most = fit_collective_off(check);

	if (most >= 0)
		yaml_line(&(struct yaml){fit, file, NULL},
			  "coll_bcast coll_allreduce coll_alltoall",
			  "# timed collective operations are %.0f %% off at most; ", 100 * most);
}

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

void fit_write_yaml(const struct fit *fit, const struct check *check, FILE *file)
{
	struct machine_file how = {fit->known, fit->intervals, fit->samples, true};

	fprintf(file,
		"# Measured by mpisim-calibrate; docs/calibrate.md says how. Value, then its 95 %% "
		"interval.\n");
	write_facts(fit, file);
	if (fit_is_noisy(fit))
		fprintf(file, "# WARNING: %s\n", FIT_NOISY);
	write_check(check, file);
	write_collectives(fit, check, file);
	if (fit->machine.value[THRESHOLD] <= 0 && !fit->machine.has[REQUEST_DATA])
		fputs("# overheads per byte: none can be seen, and none counts: no message with "
		      "bytes is eager\n",
		      file);
	machine_write(&fit->machine, &how, file);
}
