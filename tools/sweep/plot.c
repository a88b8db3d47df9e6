// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/plot.h"

#include <stdlib.h>
#include <string.h>

#include "tools/sweep/options.h"
#include "util/gnuplot.h"
#include "util/outfile.h"

static const struct sweep_plot_kind kinds[] = {
    {"speedup", sweep_draw_speedup}, {"efficiency", sweep_draw_efficiency},
    {"time", sweep_draw_time},	     {"heatmap", sweep_draw_heatmap},
    {"tornado", sweep_draw_tornado}, {"curves", sweep_draw_curves},
    {"pareto", sweep_draw_pareto},   {NULL, NULL},
};

static const struct sweep_plot_kind *find_kind(const char *name, struct util_error *err)
{
	for (const struct sweep_plot_kind *kind = kinds; kind->name; kind++)
		if (strcmp(kind->name, name) == 0)
			return kind;
	util_refuse(err,
		    "found the kind \"%.40s\", wanted speedup, efficiency, time, heatmap, tornado, "
		    "curves or pareto",
		    name);
	return NULL;
}

/* "results/lu.db" and "time" → "results" and "lu-time". */
static int choose_names(struct sweep_plot *plot, struct util_error *err)
{
	const char *from = plot->options.output ? plot->options.output : plot->options.db;
	const char *slash = strrchr(from, '/'), *name = slash ? slash + 1 : from;
	size_t length = strlen(name);

	plot->folder =
	    slash ? strndup(from, slash == from ? 1 : (size_t)(slash - from)) : strdup(".");
	if (plot->options.output) {
		plot->base = strdup(name);
	} else {
		if (length > 3 && strcmp(name + length - 3, ".db") == 0)
			length -= 3;
		if (asprintf(&plot->base, "%.*s-%s", (int)length, name, plot->options.kind) < 0)
			plot->base = NULL;
	}
	if (!plot->folder || !plot->base)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!plot->base[0])
		return util_refuse(err, "--output: found \"%s\", wanted a name", from);
	return 0;
}

static int write_text(const void *text, FILE *file, struct util_error *err)
{
	fputs(text, file);
	return 0;
}

static int put_file(const struct sweep_plot *plot, const char *end, const char *text,
		    struct util_error *err)
{
	char *path;
	int failed;

	if (asprintf(&path, "%s/%s.%s", plot->folder, plot->base, end) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	failed = util_outfile_write(path, write_text, text, err);
	free(path);
	return failed;
}

/* Both files are made in memory, so that nothing is there when there is nothing to draw. */
static int write_files(struct sweep_plot *plot, const struct sweep_plot_kind *kind,
		       struct util_error *err)
{
	char *csv = NULL, *gp = NULL;
	size_t csv_size, gp_size;
	int failed = 0;

	plot->csv = open_memstream(&csv, &csv_size);
	plot->gp = open_memstream(&gp, &gp_size);
	if (!plot->csv || !plot->gp)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed) {
		sweep_script_head(plot, plot->gp);
		fputs("base = ", plot->gp);
		util_gnuplot_quote(plot->base, strlen(plot->base), plot->gp);
		fputc('\n', plot->gp);
		failed = kind->draw(plot, err);
	}
	if (plot->csv && fclose(plot->csv) && !failed)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (plot->gp && fclose(plot->gp) && !failed)
		failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (!failed)
		failed = put_file(plot, "csv", csv, err);
	if (!failed)
		failed = put_file(plot, "gp", gp, err);
	free(csv);
	free(gp);
	return failed;
}

static int draw(const struct sweep_plot *plot, struct util_error *err)
{
	char *script, doubts[256];
	int end;

	if (asprintf(&script, "%s.gp", plot->base) < 0)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	end = util_gnuplot_run(plot->folder, script, err);
	free(script);
	if (end > 0)
		return util_error_set(
		    err, UTIL_ESYSTEM,
		    "found no gnuplot, wanted it for the picture; %s/%s.gp and .csv are "
		    "written",
		    plot->folder, plot->base);
	if (end < 0)
		return err->code;
	sweep_plot_doubts(plot->table, doubts, sizeof doubts);
	if (doubts[0]) /* papers have no titles that say it */
		fprintf(stderr, "mpisim-sweep: %s\n", doubts);
	for (const char *at = plot->options.formats; *at; at += 3 + (at[3] == ','))
		printf("%s%s%s.%.3s\n", strcmp(plot->folder, ".") ? plot->folder : "",
		       strcmp(plot->folder, ".") ? "/" : "", plot->base, at);
	return 0;
}

int sweep_main_plot(int argc, char **argv)
{
	struct util_error err = {0};
	struct sweep_plot plot = {0};
	const struct sweep_plot_kind *kind = NULL;
	int failed = sweep_plot_options_parse(argc, argv, &plot.options, &err);

	if (!failed && plot.options.help)
		return 0;
	if (!failed && !(kind = find_kind(plot.options.kind, &err)))
		failed = UTIL_EINPUT;
	if (!failed)
		failed = choose_names(&plot, &err);
	if (!failed)
		failed = sweep_table_load(plot.options.db, plot.options.where, &plot.table, &err);
	if (!failed)
		failed = write_files(&plot, kind, &err);
	if (!failed)
		failed = draw(&plot, &err);
	sweep_table_destroy(plot.table);
	free(plot.folder);
	free(plot.base);
	return failed ? sweep_refuse(&err) : 0;
}
