/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures by gnuplot: time and bandwidth by size, measured and fitted, and the CPU cost. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "fit.h"
#include "util/gnuplot.h"
#include "util/outfile.h"

struct plot {
	const struct fit *fit;
	const char *cluster; /* with its probes; NULL: without */
};

static const char *const PLACE[] = {[BETWEEN_NODES] = "between", [WITHIN_NODE] = "within"};

/* Size, median, its interval. */
static void write_curve(const struct plot *plot, int where, FILE *file)
{
	const struct sample_key *key = NULL;

	fprintf(file, "# bytes seconds low high\n");
	while ((key = fit_next_message(plot->fit, where, key ? key->x : -1))) {
		struct value time = fit_value(plot->fit->samples, "one_way", where, key->x, 0);

		fprintf(file, "%lld %.9g %.9g %.9g\n", (long long)key->x, time.value, time.low,
			time.high);
	}
}

static void write_between(const struct plot *plot, FILE *file)
{
	write_curve(plot, BETWEEN_NODES, file);
}

static void write_within(const struct plot *plot, FILE *file)
{
	write_curve(plot, WITHIN_NODE, file);
}

static void write_table(const struct plot *plot, FILE *file)
{
	int n = plot->fit->table_n + 1;

	fprintf(file, "# outgoing incoming cost\n");
	for (int k = 0; k < n * n; k++)
		fprintf(file, "%d %d %.6f\n%s", k / n, k % n, plot->fit->table[k].value,
			k % n == n - 1 ? "\n" : "");
}

/* Each measurement of each probe, and what the simulator makes of it. */
static void write_probes(const struct plot *plot, FILE *file)
{
	struct check check;

	fprintf(file, "# probe place x y measured predicted off\n");
	check_file(plot->fit->samples, plot->cluster, &check, file);
}

/* A line for each probe: how far off, as the verdict counts it; what is too far for the picture stands at
 * its edge. */
static void plot_probes(FILE *script)
{
	fprintf(script,
		"unset logscale\nset format '%%g'\nset output 'probes.png'\n"
		"set xlabel 'predicted less measured [%%]: of what was measured, or of a message'\n"
		"set ylabel ''\nset xrange [-100:100]\nset key tmargin right\n"
		"far(r) = abs(r) > 1\n"
		"set arrow from -10, graph 0 to -10, graph 1 nohead dt 2\n"
		"set arrow from 10, graph 0 to 10, graph 1 nohead dt 2\nunset title\n"
		"names = system(\"awk '!/^#/ && !seen[$1]++ {print $1}' probes.dat\")\n"
		"set yrange [0:words(names)+1]\nset ytics () noenhanced\n"
		"do for [k=1:words(names)] { set ytics add (word(names, k) k) }\n"
		"plot for [k=1:words(names)] 'probes.dat' using (strcol(1) eq word(names, k) && "
		"!far($7) ? 100*$7 : 1/0):(k) pt 6 lc 1 notitle, "
		"for [k=1:words(names)] 'probes.dat' using (strcol(1) eq word(names, k) && "
		"far($7) ? 100*sgn($7) : 1/0):(k) pt 7 lc 'red' "
		"title k == 1 ? 'more than 100 %%' : ''\n");
}

/* Predicted ones stand among the probes. */
static void plot_curves(const struct plot *plot, FILE *script, const char *column,
			const char *predicted)
{
	const char *separator = "plot";

	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++) {
		if (!plot->fit->empty[w].is_known)
			continue;
		fprintf(script,
			"%s '%s.dat' using %s with yerrorbars pt 6 lc %d title '%s%s, measured, "
			"95 %% intervals'",
			separator, PLACE[w], column, w + 1, PLACE[w], w ? " a node" : " nodes");
		if (plot->cluster)
			fprintf(script,
				", \"< awk '$1 == \\\"one_way\\\" && $2 == \\\"%s\\\"' "
				"probes.dat\" using %s with lines lc %d title 'predicted'",
				PLACE[w], predicted, w + 1);
		separator = ",";
	}
	fprintf(script, "\n");
}

/* Whose times these are: the library, to the first comma, and the date. */
static void write_title(const struct plot *plot, FILE *script)
{
	const char *library = samples_get_fact(plot->fit->samples, "library", 0),
		   *date = samples_get_fact(plot->fit->samples, "date", 0);
	char text[120];

	snprintf(text, sizeof(text), "%.*s, %s", library ? (int)strcspn(library, ",") : 0,
		 library ? library : "", date ? date : "no date");
	fprintf(script, "set title ");
	util_gnuplot_quote(text, sizeof(text), script);
	fprintf(script, " noenhanced\n");
}

static void write_script(const struct plot *plot, FILE *script)
{
	fprintf(script,
		"set terminal pngcairo size 1000,700\nset logscale xy\nset grid\nset key left top\n"
		"set xlabel 'message size + 1 [B]'\nset format '%%.0s%%c'\n"
		"set output 'time.png'\nset ylabel 'time one way [s]'\n");
	write_title(plot, script);
	plot_curves(plot, script, "($1+1):2:3:4", "($3+1):6");
	fprintf(script, "set output 'bandwidth.png'\nset ylabel 'size / time [B/s]'\n");
	plot_curves(plot, script, "($1+1):($1/$2):($1/$4):($1/$3)", "($3+1):($3/$6)");
	if (plot->fit->table_n >= 0)
		fprintf(script,
			"unset logscale\nset format '%%g'\nset output 'cpu_cost.png'\n"
			"set xlabel 'incoming transfers'\nset ylabel 'CPU cost [cores]'\n"
			"stats 'cpu_cost.dat' using 3 nooutput\n"
			"set yrange [0:STATS_max > 0 ? 1.05 * STATS_max : 1]\n"
			"plot for [o=0:%d] 'cpu_cost.dat' using 2:($1==o?$3:1/0) with linespoints "
			"title sprintf('%%d outgoing', o)\n",
			plot->fit->table_n);
	if (plot->cluster)
		plot_probes(script);
}

struct part {
	const char *name; /* NULL: it is not wanted */
	void (*write)(const struct plot *plot, FILE *file);
	const struct plot *plot;
};

static int write_part(const void *context, FILE *file, struct util_error *err)
{
	const struct part *part = context;

	part->write(part->plot, file);
	return 0;
}

int fit_plot(const struct fit *fit, const char *cluster, const char *directory,
	     struct util_error *err)
{
	struct plot plot = {fit, cluster};
	const struct part parts[] = {
	    {fit->empty[BETWEEN_NODES].is_known ? "between.dat" : NULL, write_between, &plot},
	    {fit->empty[WITHIN_NODE].is_known ? "within.dat" : NULL, write_within, &plot},
	    {fit->table_n >= 0 ? "cpu_cost.dat" : NULL, write_table, &plot},
	    {cluster ? "probes.dat" : NULL, write_probes, &plot},
	    {"plot.gp", write_script, &plot},
	};
	char path[4096];

	if (mkdir(directory, 0777) && errno != EEXIST)
		return util_error_errno(err, errno, "cannot make the folder %s", directory);
	for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
		if (!parts[k].name)
			continue;
		snprintf(path, sizeof(path), "%s/%s", directory, parts[k].name);
		if (util_outfile_write(path, write_part, &parts[k], err))
			return -1;
	}
	return util_gnuplot_run(directory, "plot.gp", err);
}
