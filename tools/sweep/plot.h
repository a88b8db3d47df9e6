/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_PLOT_H
#define TOOLS_SWEEP_PLOT_H

#include <stdio.h>

#include "tools/sweep/table.h"

/* What the files behind `mpisim-sweep plot` share. */
enum sweep_style { SWEEP_STYLE_PAPER, SWEEP_STYLE_SCREEN, SWEEP_STYLE_DARK };

#define SWEEP_MAX_BY 4
#define SWEEP_MAX_SERIES 8 /* as many as colours are told apart */

struct sweep_plot_options { /* strings are borrowed from argv; NULL: the default */
	const char *db, *kind, *x, *y, *by[SWEEP_MAX_BY], *where, *value, *output, *formats;
	const char *title, *x_label, *y_label;
	int n_by;
	bool has_by; /* also "--by none" */
	enum sweep_style style;
	bool is_relative, is_reference_per_line, help;
};

int sweep_plot_options_parse(int argc, char **argv, struct sweep_plot_options *out,
			     struct util_error *err);

struct sweep_axis { /* how numbers become an axis */
	char label[160];
	double scale; /* of what is in the CSV, to what is drawn */
	bool is_log;
};

struct sweep_cell { /* one point of a series: median, least and most over the repetitions, or its
			interval where there is one repetition that has one */
	int series;
	double x, y, low, high;
	const char *combination; /* the other parameters of the fastest; owned by the series */
};

struct sweep_series {
	char **names; /* [n] of the series */
	int n;
	char title[128];	  /* what the names are values of; "": one series without a name */
	struct sweep_cell *cells; /* [n_cells] by series, then x */
	int n_cells;
	char **combinations; /* [n_combinations] */
	int n_combinations;
	char rest[256];	    /* the parameters of which the fastest was taken; "": none */
	int n_repeats;	    /* the most repetitions of a point */
	bool has_intervals; /* cells are as certain as low and high say */
};

struct sweep_plot {
	struct sweep_plot_options options;
	struct sweep_table *table;
	char *folder, *base; /* where the files go, and their name without an end */
	FILE *csv, *gp;	     /* while they are written */
};

struct sweep_plot_kind {
	const char *name;
	/* Writes plot->csv and plot->gp, without the parts that all have. */
	int (*draw)(struct sweep_plot *plot, struct util_error *err);
};

/* x and y of a row; the parameters that they stand for (-1: none) do not count as others. */
struct sweep_choice {
	int x_parameter;	    /* -1: a figure */
	enum sweep_figure x_figure; /* where x is no parameter */
	enum sweep_figure y_figure;
	int by[SWEEP_MAX_BY], n_by;
};

/* plot_data.c: the done rows as series. Errors: UTIL_EINPUT (nothing to draw, too many series). */
int sweep_series_make(const struct sweep_plot *plot, const struct sweep_choice *choice,
		      struct sweep_series *out, struct util_error *err);
void sweep_series_finish(struct sweep_series *series);
/* Different values of a parameter among the done rows. */
int sweep_plot_n_values(const struct sweep_table *table, int parameter);
bool sweep_plot_is_numeric(const struct sweep_table *table, int parameter);
/* The parameter `name`, or an error that lists them. */
int sweep_plot_find(const struct sweep_table *table, const char *option, const char *name, int *out,
		    struct util_error *err);
/* The numeric parameter with the most values, but `except`; -1: none. */
int sweep_plot_widest(const struct sweep_table *table, int except);
/* Takes --by, or the first parameter of texts. */
int sweep_plot_choose_by(const struct sweep_plot *plot, struct sweep_choice *choice,
			 struct util_error *err);
/* The figure that --value names; `otherwise` without one. */
int sweep_plot_figure(const struct sweep_plot *plot, enum sweep_figure otherwise,
		      enum sweep_figure *out, struct util_error *err);

/* plot_axis.c: axes for a figure and for a parameter, by the largest and least value. */
void sweep_axis_of_figure(enum sweep_figure figure, double least, double most,
			  struct sweep_axis *out);
void sweep_axis_of_parameter(const struct sweep_table *table, int parameter, double least,
			     double most, struct sweep_axis *out);
double sweep_median(double values[], int n);

/* plot_script.c: the parts of scripts. */
/* What a picture alone would not say: that its winner may be none, and that points have warnings;
 * "": nothing. */
void sweep_plot_doubts(struct sweep_table *table, char *out, size_t size);
void sweep_script_head(const struct sweep_plot *plot, FILE *gp);
/* `extra` and --where stand below `text`; `extra` "": nothing more. */
void sweep_script_title(const struct sweep_plot *plot, const char *text, const char *extra,
			FILE *gp);
void sweep_script_axis(const struct sweep_plot *plot, char axis, const struct sweep_axis *of,
		       FILE *gp);
/* Draws `plot` on every format. */
void sweep_script_draw(const struct sweep_plot *plot, const char *commands, FILE *gp);
/* One line, dots and error bars for each series of a CSV with columns x, then median, least, most
 * for each; appended to `out`. `ideal`: a gnuplot expression of x, NULL: none. */
void sweep_script_lines(const struct sweep_series *series, const struct sweep_axis *x,
			const struct sweep_axis *y, const char *ideal, FILE *out);
/* That CSV. */
void sweep_csv_series(const struct sweep_series *series, const char *x_name, FILE *csv);
void sweep_csv_text(const char *text, FILE *file);

int sweep_draw_speedup(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_efficiency(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_time(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_heatmap(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_tornado(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_curves(struct sweep_plot *plot, struct util_error *err);
int sweep_draw_pareto(struct sweep_plot *plot, struct util_error *err);

#endif
