/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures by gnuplot: time and bandwidth by size, measured and fitted, and the CPU cost. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "check.h"
#include "fit.h"
#include "util/gnuplot.h"

/* One of the files that are written; its folder and name stay the caller's. */
struct part {
	FILE *file;
	char path[4096];
	struct util_error *err;
};

static int begin(struct part *part, const char *directory, const char *name, struct util_error *err)
{
	part->err = err;
	snprintf(part->path, sizeof(part->path), "%s/%s", directory, name);
	part->file = fopen(part->path, "we");
	return part->file ? 0 : util_error_errno(err, errno, "cannot write %s", part->path);
}

static int end(struct part *part)
{
	int failed = fflush(part->file) || ferror(part->file), why = errno;

	if (fclose(part->file) && !failed) {
		failed = 1;
		why = errno;
	}
	return failed ? util_error_errno(part->err, why, "cannot write %s", part->path) : 0;
}

/* Size, median, its interval. */
static int write_curve(const struct fit *fit, int where, const char *directory, const char *name,
		       struct util_error *err)
{
	const struct sample_key *key = NULL;
	struct part part;

	if (!fit->empty[where].is_known)
		return 0;
	if (begin(&part, directory, name, err))
		return -1;
	fprintf(part.file, "# bytes seconds low high\n");
	while ((key = samples_next(fit->samples, "one_way", key ? key->x : -1))) {
		struct value time = fit_value(fit->samples, "one_way", where, key->x, 0);

		if (time.is_known)
			fprintf(part.file, "%lld %.9g %.9g %.9g\n", (long long)key->x, time.value,
				time.low, time.high);
	}
	return end(&part);
}

static int write_table(const struct fit *fit, const char *directory, struct util_error *err)
{
	struct part part;

	if (fit->table_n < 0)
		return 0;
	if (begin(&part, directory, "cpu_cost.dat", err))
		return -1;
	fprintf(part.file, "# outgoing incoming cost\n");
	for (int o = 0; o <= fit->table_n; o++) {
		for (int i = 0; i <= fit->table_n; i++)
			fprintf(part.file, "%d %d %.6f\n", o, i,
				fit->table[o * (fit->table_n + 1) + i].value);
		fprintf(part.file, "\n");
	}
	return end(&part);
}

/* Each measurement of each probe, and what the simulator makes of it. */
static int write_probes(const struct fit *fit, const char *cluster, const char *directory,
			struct util_error *err)
{
	struct check check;
	struct part part;

	if (begin(&part, directory, "probes.dat", err))
		return -1;
	fprintf(part.file, "# probe place x y measured predicted\n");
	check_file(fit->samples, cluster, &check, part.file);
	return end(&part);
}

/* A line for each probe: measurements that the file reproduces stand at 1. */
static void plot_probes(FILE *script)
{
	fprintf(script,
		"unset logscale\nset logscale x\nset format '%%g'\nset output 'probes.png'\n"
		"set xlabel 'predicted / measured'\nset ylabel ''\nset xrange [0.3:3]\n"
		"set arrow from 0.9, graph 0 to 0.9, graph 1 nohead dt 2\n"
		"set arrow from 1.1, graph 0 to 1.1, graph 1 nohead dt 2\nunset title\n"
		"names = system(\"awk '!/^#/ && !seen[$1]++ {print $1}' probes.dat\")\n"
		"set yrange [0:words(names)+1]\nset ytics () noenhanced\n"
		"do for [k=1:words(names)] { set ytics add (word(names, k) k) }\n"
		"plot for [k=1:words(names)] 'probes.dat' using "
		"(strcol(1) eq word(names, k) ? $6/$5 : 1/0):(k) pt 6 notitle\n");
}

/* Predicted ones stand among the probes. */
static void plot_curves(const struct fit *fit, bool has_probes, FILE *script, const char *column,
			const char *predicted)
{
	static const char *const names[] = {"between", "within"};
	const char *separator = "plot";

	for (int w = BETWEEN_NODES; w <= WITHIN_NODE; w++) {
		if (!fit->empty[w].is_known)
			continue;
		fprintf(script,
			"%s '%s.dat' using %s with yerrorbars pt 6 lc %d title '%s%s, measured, "
			"95 %% intervals'",
			separator, names[w], column, w + 1, names[w], w ? " a node" : " nodes");
		if (has_probes)
			fprintf(script,
				", \"< awk '$1 == \\\"one_way\\\" && $2 == \\\"%s\\\"' "
				"probes.dat\" using %s with lines lc %d title 'predicted'",
				names[w], predicted, w + 1);
		separator = ",";
	}
	fprintf(script, "\n");
}

/* Whose times these are: the library, to the first comma, and the date. */
static void write_title(const struct fit *fit, FILE *script)
{
	const char *library = samples_get_fact(fit->samples, "library", 0),
		   *date = samples_get_fact(fit->samples, "date", 0);
	char text[120];

	snprintf(text, sizeof(text), "%.*s, %s", library ? (int)strcspn(library, ",") : 0,
		 library ? library : "", date ? date : "no date");
	fprintf(script, "set title ");
	util_gnuplot_quote(text, sizeof(text), script);
	fprintf(script, " noenhanced\n");
}

static int write_script(const struct fit *fit, const char *cluster, const char *directory,
			struct util_error *err)
{
	struct part part;
	FILE *script;

	if (begin(&part, directory, "plot.gp", err))
		return -1;
	script = part.file;
	fprintf(script,
		"set terminal pngcairo size 1000,700\nset logscale xy\nset grid\nset key left top\n"
		"set xlabel 'message size + 1 [B]'\nset format '%%.0s%%c'\n"
		"set output 'time.png'\nset ylabel 'time one way [s]'\n");
	write_title(fit, script);
	plot_curves(fit, cluster != NULL, script, "($1+1):2:3:4", "($3+1):6");
	fprintf(script, "set output 'bandwidth.png'\nset ylabel 'size / time [B/s]'\n");
	plot_curves(fit, cluster != NULL, script, "($1+1):($1/$2):($1/$4):($1/$3)",
		    "($3+1):($3/$6)");
	if (fit->table_n >= 0)
		fprintf(script,
			"unset logscale\nset format '%%g'\nset output 'cpu_cost.png'\n"
			"set xlabel 'incoming transfers'\nset ylabel 'CPU cost [cores]'\n"
			"plot for [o=0:%d] 'cpu_cost.dat' using 2:($1==o?$3:1/0) with linespoints "
			"title sprintf('%%d outgoing', o)\n",
			fit->table_n);
	if (cluster)
		plot_probes(script);
	return end(&part);
}

int fit_plot(const struct fit *fit, const char *cluster, const char *directory,
	     struct util_error *err)
{
	if (mkdir(directory, 0777) && errno != EEXIST)
		return util_error_errno(err, errno, "cannot make the folder %s", directory);
	if (write_curve(fit, BETWEEN_NODES, directory, "between.dat", err) ||
	    write_curve(fit, WITHIN_NODE, directory, "within.dat", err) ||
	    write_table(fit, directory, err) ||
	    (cluster && write_probes(fit, cluster, directory, err)) ||
	    write_script(fit, cluster, directory, err))
		return -1;
	switch (util_gnuplot_run(directory, "plot.gp")) {
	case UTIL_GNUPLOT_DRAWN:
		return 0;
	case UTIL_GNUPLOT_MISSING:
		return 1;
	default:
		return util_error_set(err, UTIL_ESYSTEM,
				      "gnuplot failed; what it said is in %s/gnuplot.log",
				      directory);
	}
}
