// SPDX-License-Identifier: BSD-3-Clause
/* The gnuplot scripts of a report. Each can be run again by hand: gnuplot timeline.gp */
#include <string.h>

#include "traces/reasons.h"
#include "traces/report_parts.h"
#include "util/gnuplot.h"
#include "util/units.h"

/* Colours that people with any colour vision tell apart; waiting is pale: nothing happens. */
#define BLUE "#2166ac"
#define SKY "#92c5de"
#define PURPLE "#b07aa1"
#define ORANGE "#f28e2b"
#define GREY "#c8c8c8"
#define WHITE "#f4f4f4"

#define KEY "set key tmargin center horizontal Left reverse\n"

#define MAX_LABELLED_PHASES 40
#define MAX_PHASE_BARS 24
#define MIN_LABELLED_PART 0.06 /* of the width: room for some ten letters */
#define MAX_BOX_MATRIX 48

static const char *ranks_word(const struct trace_report *report)
{
	return report->detail->ranks_per_row > 1 ? "first rank of each group" : "rank";
}

static void write_title(const struct trace_report *report, const char *what, FILE *file)
{
	const struct cluster *cluster = report->summary->cluster;
	char time[32], text[512];
	int n = report->summary->n_ranks;

	util_format_time(time, sizeof time, report->end_s);
	fprintf(file, "set title \"%s\\n\".", what);
	snprintf(text, sizeof text, "%d rank%s on %.80s, %s %s", n, n == 1 ? "" : "s",
		 cluster->name ? cluster->name : report->run->cluster_file,
		 report->run->outcome == TRACE_COMPLETED ? "predicted running time"
							 : "simulated until it ended:",
		 time);
	util_gnuplot_quote(text, sizeof text, file);
	fputs(" noenhanced\n", file);
}

static void write_head(const struct trace_report *report, int height, FILE *file)
{
	fprintf(file,
		"# SPDX-License-Identifier: BSD-3-Clause\n"
		"# Drawn by mpisim-run --report; run it again with: gnuplot THIS-FILE\n"
		"set encoding utf8\n"
		"set datafile separator ','\n"
		"per_s = %.17g # %s in a second\n"
		"end = %.17g * per_s\n"
		"if (end <= 0) end = 1\n"
		"height = %d\n"
		"set tics out nomirror\n"
		"set border 3\n"
		"set key noenhanced\n"
		"set style fill solid noborder\n",
		report->per_s, report->unit, report->end_s, height);
}

/* gnuplot has no way to draw one plot on two terminals but to say it twice. */
static void write_tail(const char *name, const char *plot, FILE *file)
{
	fprintf(file,
		"set terminal pngcairo size 1200,height font 'sans,12' noenhanced\n"
		"set output '%s.png'\n"
		"%s"
		"set terminal svg size 1200,height font 'sans,14' noenhanced background '#ffffff'\n"
		"set output '%s.svg'\n"
		"%s",
		name, plot, name, plot);
}

/* Whole numbers only on an axis of ranks, and no bar wider than it is high. */
static void write_rank_axis(const struct trace_report *report, const char *axis, FILE *file)
{
	int n = report->detail->n_ranks,
	    last = (report->detail->n_rows - 1) * report->detail->ranks_per_row;

	if (n <= 32)
		fprintf(file, "set %stics 0, 1, %d\n", axis, n - 1);
	fprintf(file, "set %slabel '%s'\n", axis, ranks_word(report));
	fprintf(file, "last = %d\nper_row = %d\n", last, report->detail->ranks_per_row);
}

static void write_breakdown(const struct trace_report *report, FILE *file)
{
	static const char plot[] =
	    "plot 'breakdown.csv' skip 1 using 1:(sum [i=3:9] column(i) * per_s) with boxes lc "
	    "rgb '" WHITE "' notitle, \\\n"
	    "  '' skip 1 using 1:(sum [i=3:7] column(i) * per_s) with boxes lc rgb '" GREY
	    "' notitle, \\\n"
	    "  '' skip 1 using 1:(sum [i=3:6] column(i) * per_s) with boxes lc rgb '" ORANGE
	    "' notitle, \\\n"
	    "  '' skip 1 using 1:(sum [i=3:5] column(i) * per_s) with boxes lc rgb '" PURPLE
	    "' notitle, \\\n"
	    "  '' skip 1 using 1:(sum [i=3:4] column(i) * per_s) with boxes lc rgb '" SKY
	    "' notitle, \\\n"
	    "  '' skip 1 using 1:($3 * per_s) with boxes lc rgb '" BLUE "' notitle, \\\n"
	    "  keyentry with boxes fc rgb '" BLUE "' title 'computing', \\\n"
	    "  keyentry with boxes fc rgb '" SKY "' title 'CPU stolen by messages', \\\n"
	    "  keyentry with boxes fc rgb '" PURPLE "' title 'CPU shared with other ranks', \\\n"
	    "  keyentry with boxes fc rgb '" ORANGE "' title 'communicating', \\\n"
	    "  keyentry with boxes fc rgb '" GREY
	    "' title 'waiting in MPI, nothing under way', \\\n"
	    "  keyentry with boxes fc rgb '" WHITE "' title 'ended before the others, sleeping'\n";

	write_head(report, 700, file);
	write_title(report, "Where the time of each rank went", file);
	write_rank_axis(report, "x", file);
	fprintf(file,
		"set ylabel 'time (%s)'\n"
		"set yrange [0:end * 1.02]\n"
		"margin = last < 4 * per_row ? 2 : 0.6 * per_row\n"
		"set xrange [-margin:last + margin]\n"
		"set boxwidth (last < 64 * per_row ? 0.8 : 1) * per_row\n" KEY,
		report->unit);
	write_tail("breakdown", plot, file);
}

struct unit {
	const char *text;
	double size;
};

static struct unit flow_unit(const struct trace_report *report, double most, bool is_far_apart)
{
	static const struct unit units[] = {
	    {"volume in the whole run (GB); white: no bytes", 1e9},
	    {"volume in the whole run (MB); white: no bytes", 1e6},
	    {"volume in the whole run (kB); white: no bytes", 1e3},
	    {"volume in the whole run (B); white: no bytes", 1},
	};
	size_t i = 0;

	if (report->has_volume && is_far_apart)
		return (struct unit){"volume in the whole run; white: no bytes", 1};

	if (!report->has_volume)
		return (struct unit){"messages in the whole run, all empty; white: none", 1};
	while (i < 3 && most < units[i].size)
		i++;
	return units[i];
}

/* Colours from the least to the most; by orders of magnitude where they are far apart. */
static void write_palette(const struct trace_report *report, FILE *file)
{
	const struct trace_detail *detail = report->detail;
	uint64_t least = UINT64_MAX, most = 0;
	bool is_far_apart;
	struct unit unit;

	for (int i = 0; i < detail->n_rows * detail->n_rows; i++) {
		uint64_t flow = trace_report_flow(report, &detail->flows[i]);

		if (flow > 0 && flow < least)
			least = flow;
		if (flow > most)
			most = flow;
	}
	is_far_apart = (double)most > 1000 * (double)least;
	unit = flow_unit(report, (double)most, is_far_apart);
	fprintf(file,
		"set cblabel '%s' offset 1.5,0\n"
		"set palette defined (0 '#deebf7', 0.5 '#4292c6', 1 '#08306b')\n"
		"scale = 1.0 / %.17g\n",
		unit.text, unit.size);
	if (is_far_apart)
		fprintf(file,
			"set logscale cb\nset format cb '%s'\n"
			"set cbrange [%.17g:%.17g]\n",
			report->has_volume ? "%.0s %cB" : "%.0s %c", (double)least / unit.size,
			(double)most / unit.size);
	else
		fprintf(file, "set cbrange [0:%.17g]\n", (double)most / unit.size);
}

static void write_messages(const struct trace_report *report, FILE *file)
{
	static const char image[] = "plot 'messages-matrix.csv' matrix using "
				    "($1 * per_row):($2 * per_row):($3 > 0 ? $3 * scale : NaN) "
				    "with image pixels notitle\n";
	static const char boxes[] = "plot 'messages.csv' skip 1 using "
				    "2:1:(0.5 * per_row):(0.5 * per_row):(column(shown) > 0 ? "
				    "column(shown) * scale : NaN) "
				    "with boxxyerror fc palette notitle\n";

	write_head(report, 1000, file);
	write_title(report, "Who sent how much to whom", file);
	write_rank_axis(report, "x", file);
	write_rank_axis(report, "y", file);
	fprintf(file,
		"set xlabel 'to %s'\nset ylabel 'from %s'\n"
		"set border 15\n"
		"set size square\n"
		"set xrange [-0.5 * per_row:last + 0.5 * per_row]\n"
		"set yrange [last + 0.5 * per_row:-0.5 * per_row]\n"
		"shown = %d\n",
		ranks_word(report), ranks_word(report), report->has_volume ? 4 : 3);
	write_palette(report, file);
	write_tail("messages", report->detail->n_rows <= MAX_BOX_MATRIX ? boxes : image, file);
}

static void write_efficiency(const struct trace_report *report, FILE *file)
{
	static const char plot[] = "plot 'efficiency.csv' skip 1 using (0.5 * ($1 + $2) * "
				   "per_s):($5 * 100):(($2 - $1) * per_s) with boxes lc rgb "
				   "'" SKY "' title 'in each window of time', \\\n"
				   "  mean with lines lw 2 lc rgb '" ORANGE
				   "' title sprintf('over the whole run: %.1f %%', mean)\n";

	write_head(report, 600, file);
	write_title(report,
		    "Dynamic efficiency over time: useful computation / (cores held × time)", file);
	fprintf(file,
		"mean = %.17g\n"
		"set xlabel 'simulated time (%s)'\nset ylabel 'dynamic efficiency (%%)'\n"
		"set xrange [0:end]\nset yrange [0:100]\n"
		"set grid ytics\n" KEY,
		100 * trace_efficiency(report->summary), report->unit);
	write_tail("efficiency", plot, file);
}

/* Steps end where the last window begins: it gets a line of its own. */
static void write_factors(const struct trace_report *report, FILE *file)
{
	static const char plot[] =
	    "plot 'factors.csv' skip 1 using ($1 * per_s):($4 * 100) with steps lw 2 lc rgb "
	    "'" PURPLE "' title 'load balance', \\\n"
	    "  '' skip 1 @last4 lw 2 lc rgb '" PURPLE "' notitle, \\\n"
	    "  '' skip 1 using ($1 * per_s):($5 * 100) with steps lw 2 lc rgb '" SKY
	    "' title 'serialization', \\\n"
	    "  '' skip 1 @last5 lw 2 lc rgb '" SKY "' notitle, \\\n"
	    "  '' skip 1 using ($1 * per_s):($6 * 100) with steps lw 2 lc rgb '" ORANGE
	    "' title 'transfer', \\\n"
	    "  '' skip 1 @last6 lw 2 lc rgb '" ORANGE "' notitle, \\\n"
	    "  '' skip 1 using ($1 * per_s):($3 * 100) with steps lw 3 lc rgb '" BLUE
	    "' title 'parallel efficiency: the product', \\\n"
	    "  '' skip 1 @last3 lw 3 lc rgb '" BLUE "' notitle\n";

	write_head(report, 600, file);
	write_title(report, "Efficiencies over time: load balance × serialization × transfer",
		    file);
	fprintf(file,
		"set xlabel 'simulated time (%s)'\nset ylabel 'efficiency (%%)'\n"
		"set xrange [0:end]\nset yrange [0:102]\n"
		"set grid ytics\n" KEY,
		report->unit);
	for (int column = 3; column <= 6; column++)
		fprintf(
		    file,
		    "last%d = 'every ::%d using ($1 * per_s):($%d * 100):(($2 - $1) * per_s):(0) "
		    "with vectors nohead'\n",
		    column, report->n_windows - 1, column);
	write_tail("factors", plot, file);
}

static void write_bandwidth(const struct trace_report *report, FILE *file)
{
	static const char plot[] =
	    "plot 'bandwidth.csv' skip 1 using 1:($2 * per_s) with linespoints lw 2 pt 7 lc rgb "
	    "'" BLUE "' title 'predicted running time', \\\n"
	    "  '' skip 1 using ($1 == own ? own : NaN):($2 * per_s) with points pt 7 ps 2 lc rgb "
	    "'" ORANGE "' title 'this cluster'\n";
	const struct trace_bandwidth *curve = report->run->reasons->bandwidth;
	char size[32];

	write_head(report, 600, file);
	write_title(report, "What another bandwidth of the network would give", file);
	fprintf(file,
		"own = %.17g\nset logscale x 2\n"
		"set xlabel 'bandwidth of the network'\nset ylabel 'running time (%s)'\n"
		"set yrange [0:*]\nset grid ytics\n" KEY,
		curve->own_Bps, report->unit);
	for (int i = 0; i < TRACE_N_BANDWIDTHS; i++)
		fprintf(file, "%s'%s/s' %.17g%s", i ? ", " : "set xtics (",
			(util_format_size(size, sizeof size, curve->points[i].bandwidth_Bps), size),
			curve->points[i].bandwidth_Bps, i == TRACE_N_BANDWIDTHS - 1 ? ")\n" : "");
	if (curve->knee_Bps > 0)
		fprintf(
		    file,
		    "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead dt 2\n"
		    "set label 'above it more saves less than 5 %% ' at first %.17g, graph 0.95 right\n",
		    curve->knee_Bps, curve->knee_Bps, curve->knee_Bps);
	write_tail("bandwidth", plot, file);
}

enum { PHASE_LABEL_B = 96 };

static void format_phase(const struct trace_summary *summary, const struct trace_phase *phase,
			 char text[PHASE_LABEL_B])
{
	const char *name = summary->phase_names.text[phase->name];

	if (summary->phases_of_name[phase->name].n == 1)
		snprintf(text, PHASE_LABEL_B, "%.40s", name);
	else
		snprintf(text, PHASE_LABEL_B, "%.40s %d", name, phase->index);
}

static void write_phase_label(const struct trace_summary *summary, const struct trace_phase *phase,
			      FILE *file)
{
	char text[PHASE_LABEL_B];

	format_phase(summary, phase, text);
	util_gnuplot_quote(text, sizeof text, file);
}

/* gnuplot takes a tic's label for a format of its number. */
static void write_tic_label(const struct trace_summary *summary, const struct trace_phase *phase,
			    FILE *file)
{
	char text[PHASE_LABEL_B], escaped[2 * PHASE_LABEL_B];
	size_t n = 0;

	format_phase(summary, phase, text);
	for (const char *c = text; *c; c++) {
		if (*c == '%')
			escaped[n++] = '%';
		escaped[n++] = *c;
	}
	escaped[n] = '\0';
	util_gnuplot_quote(escaped, sizeof escaped, file);
}

static void write_phases(const struct trace_report *report, FILE *file)
{
	static const char plot[] =
	    "plot 'phases.csv' skip 1 using 1:($7 * 100) with boxes lc rgb '" BLUE
	    "' title 'in each phase', \\\n"
	    "  mean with lines lw 2 lc rgb '" ORANGE
	    "' title sprintf('over the whole run: %.1f %%', mean)\n";
	const struct trace_summary *summary = report->summary;
	int n = summary->phases.n;

	write_head(report, 650, file);
	write_title(report,
		    "Dynamic efficiency of each phase: useful computation / (cores held × time)",
		    file);
	fprintf(file,
		"mean = %.17g\n"
		"set xlabel 'phase, in the order of their begins'\nset ylabel 'dynamic efficiency "
		"(%%)'\n"
		"set xrange [%g:%g]\nset yrange [0:100]\n"
		"set boxwidth %g\n"
		"set grid ytics\n" KEY,
		100 * trace_efficiency(summary), n < 4 ? -2.0 : -1.0, n < 4 ? n + 1.0 : (double)n,
		n < 100 ? 0.8 : 1.0);
	if (n <= MAX_LABELLED_PHASES) {
		fputs("set xtics rotate by -40 (", file);
		for (int i = 0; i < n; i++) {
			write_tic_label(summary, summary->phases.of[i], file);
			fprintf(file, " %d%s", i, i + 1 < n ? ", " : ")\n");
		}
	}
	write_tail("phases", plot, file);
}

/* Phases as bars above the ranks: in as many lanes as it takes that they do not overlap; what does
 * not fit is left out. */
static int write_phase_bars(const struct trace_report *report, FILE *file)
{
	enum { LANES = 4 };
	const struct trace_summary *summary = report->summary;
	sim_time_ps free_from[LANES] = {0};
	sim_time_ps slack = summary->end / 200; /* ranks do not leave at quite the same time */
	int n_lanes = 0, lane;

	if (summary->phases.n > MAX_PHASE_BARS)
		return 0;
	fputs("lane = rows * 0.05\nif (lane < 0.35) lane = 0.35\n", file);
	for (int i = 0; i < summary->phases.n; i++) {
		const struct trace_phase *phase = summary->phases.of[i];

		for (lane = 0; lane < LANES && phase->begin + slack < free_from[lane]; lane++)
			;
		if (lane == LANES)
			continue;
		free_from[lane] = phase->end;
		if (lane >= n_lanes)
			n_lanes = lane + 1;
		fprintf(file,
			"set object rectangle from %.17g * per_s, top - lane * %g to %.17g * "
			"per_s, top - lane * %g fc rgb '#e6e6fa' "
			"fs solid border lc rgb '#8080b0'\n",
			sim_time_to_s(phase->begin), lane + 0.15, sim_time_to_s(phase->end),
			lane + 1.0);
		if (sim_time_to_s(phase->end - phase->begin) < MIN_LABELLED_PART * report->end_s)
			continue;
		fputs("set label ", file);
		write_phase_label(summary, phase, file);
		fprintf(file,
			" at %.17g * per_s, top - lane * %g center font ',9' noenhanced front\n",
			sim_time_to_s((phase->begin + phase->end) / 2), lane + 0.57);
	}
	return n_lanes;
}

static void write_timeline(const struct trace_report *report, FILE *file)
{
	static const char exact[] =
	    "is(name) = strcol(4) eq name ? 1 : NaN\n"
	    "plot 'timeline.csv' skip 1 using ($2 * per_s * is('computing')):1:($2 * "
	    "per_s):($3 * per_s):($1 - half):($1 + half) "
	    "with boxxyerror fc rgb '" BLUE "' title 'computing', \\\n"
	    "  '' skip 1 using ($2 * per_s * is('communicating')):1:($2 * per_s):($3 * "
	    "per_s):($1 - half):($1 + half) "
	    "with boxxyerror fc rgb '" ORANGE "' title 'communicating', \\\n"
	    "  '' skip 1 using ($2 * per_s * is('waiting')):1:($2 * per_s):($3 * per_s):($1 - "
	    "half):($1 + half) "
	    "with boxxyerror fc rgb '" GREY "' title 'waiting in MPI, nothing under way'\n";
	static const char raster[] =
	    "mix(a, b, c, rest) = a * column(4) + b * column(5) + c * column(6) + rest * "
	    "idle(0)\n"
	    "idle(x) = (r = 1 - column(4) - column(5) - column(6), r < 0 ? 0 : r)\n"
	    "plot 'timeline-raster.csv' skip 1 using (0.5 * ($2 + $3) * per_s):1:(mix(0x21, "
	    "0xf2, 0xc8, 0xff)):"
	    "(mix(0x66, 0x8e, 0xc8, 0xff)):(mix(0xac, 0x2b, 0xc8, 0xff)) with rgbimage "
	    "notitle, \\\n"
	    "  keyentry with boxes fc rgb '" BLUE "' title 'computing', \\\n"
	    "  keyentry with boxes fc rgb '" ORANGE "' title 'communicating', \\\n"
	    "  keyentry with boxes fc rgb '" GREY
	    "' title 'waiting in MPI, nothing under way', \\\n"
	    "  keyentry with boxes fc rgb '#8a7a6c' title 'mixed colours: several within one "
	    "dot'\n";
	int n_rows = report->detail->n_rows, n_lanes;
	int height = 300 + 28 * n_rows;

	write_head(report, height > 900 ? 900 : height, file);
	write_title(report, "What each rank did when", file);
	write_rank_axis(report, "y", file);
	fprintf(file,
		"set xlabel 'simulated time (%s)'\n"
		"half = 0.4\nrows = %d * per_row\ntop = -0.6 * per_row\n"
		"set xrange [0:end]\n" KEY,
		report->unit, n_rows);
	n_lanes = write_phase_bars(report, file);
	fprintf(file, "set yrange [last + 0.6 * per_row:top - %g * %s]\n", n_lanes + 0.2,
		n_lanes > 0 ? "lane" : "0");
	write_tail("timeline", report->has_exact_timeline ? exact : raster, file);
}

const struct trace_report_file trace_report_scripts[] = {
    {"breakdown.gp", write_breakdown},
    {"timeline.gp", write_timeline},
    {"efficiency.gp", write_efficiency},
    {"factors.gp", write_factors},
    {"bandwidth.gp", write_bandwidth},
    {"phases.gp", write_phases},
    {"messages.gp", write_messages},
    {NULL, NULL},
};

bool trace_report_has(const struct trace_report *report, const char *name)
{
	if (strncmp(name, "factors.", 8) == 0)
		return report->n_windows > 0;
	if (strncmp(name, "bandwidth.", 10) == 0)
		return report->run->reasons && report->run->reasons->bandwidth;
	if (strstr(name, ".csv"))
		return true;
	if (strcmp(name, "phases.gp") == 0)
		return report->has_phases;
	if (strcmp(name, "messages.gp") == 0)
		return report->has_messages;
	if (strcmp(name, "timeline.gp") == 0)
		return report->detail->n_intervals > 0;
	return report->end_s > 0;
}
