/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_KERNELS_KERNELS_H
#define CALIBRATE_KERNELS_KERNELS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "pdexec/store_internal.h"
#include "util/error.h"

/*
 * mpisim-kernels: measures kernels or reads measurements, fits a model to each, writes a model file (docs/kernels.md). A program of
 * its own, since it links GSL; of the simulator it uses the reader of expressions alone.
 */

/* --- measurements (data.c) --- */

struct kern_sample {
	double seconds;
	int node; /* number of the file that it comes from */
};

struct kern_point { /* one set of parameters */
	double params[PD_STORE_MAX_PARAMS]; /* unused ones 0 */
	struct kern_sample *samples;        /* [n_samples] */
	size_t n_samples;
	bool is_batched;  /* a sample is the mean of several calls: no use for their spread */
	double mean_s;    /* without outliers */
	size_t n_outliers;
};

struct kern_series { /* one kernel */
	char name[PD_STORE_MAX_NAME + 1];
	int n_params;
	bool has_complexity;
	struct pd_expression complexity; /* a term with a minus may have a negative coefficient */
	struct kern_point *points;       /* [n_points], ascending in the order of the parameters after kern_data_finish */
	size_t n_points;
};

struct kern_data {
	struct kern_series *series; /* [n_series] */
	size_t n_series;
	int n_nodes;
};

/* The kernel's series, made when it is new. Errors: UTIL_ENOMEM; UTIL_EINPUT for another number of parameters (-1: any). */
int kern_data_series(struct kern_data *data, const char *name, int n_params, struct kern_series **out,
		     struct util_error *err);
int kern_series_add(struct kern_series *series, const double params[], double seconds, int node,
		    bool is_batched, struct util_error *err);
/* Reads a benchmark store (docs/benchmark-store.md) as the measurements of one more node. Errors: UTIL_EINPUT with file:line. */
int kern_data_read(struct kern_data *data, const char *path, struct util_error *err);
/* Sorts points, finds outliers and means. */
void kern_data_complete(struct kern_data *data);
void kern_data_finish(struct kern_data *data);

/* --- measuring (catalog.c, grid.c, measure.c, contention.c) --- */

struct kern_operands { /* room for the largest call, and clean contents */
	double *a, *b, *c, *clean;
	int *pivots;
	size_t length; /* doubles in each, */
	size_t n_c;    /* and in c, which is larger than all caches for kernels with n_rows */
	size_t turn;   /* where in c the next call of such a kernel works */
};

struct kern_kernel {
	const char *name, *complexity;
	int n_params;
	int smallest, largest; /* of vectors, of square matrices */
	enum kern_spoils {     /* operand c, which is made anew before each call */
		KERN_KEEPS,
		KERN_SPOILS_DOMINANT, /* from a matrix with a dominant diagonal */
		KERN_SPOILS_RANDOM,
	} spoils;
	bool is_tall; /* p1 >= p2 */
	void (*run)(struct kern_operands *o, const int p[]);
	int n_rows; /* of c, which comes from memory, where that is no parameter; 0: it is one */
};
extern const struct kern_kernel kern_catalog[]; /* ends with a NULL name */

/* Of a BLAS or LAPACK routine of any precision, from the catalog's of that routine; false when the
 * name is none. */
bool kern_known_complexity(const char *name, int n_params, struct pd_expression *out);

struct kern_settings {
	const char *kernels; /* "dgemm,daxpy"; NULL: all */
	double budget_s;     /* CPU time for all measurements */
	int max_size;        /* 0: the catalog's; else the largest dimension of level 2 and 3 */
	int n_cores;         /* for contention: 0: none */
	bool shows_progress; /* on stderr */
	/* measuring ends with UTIL_EPROGRAM once it is not 0 */
	const volatile sig_atomic_t *interrupt;
};

struct kern_contention {
	char name[PD_STORE_MAX_NAME + 1];
	int n_cores;
	double speed[256]; /* [n_cores]: of each when 1, 2, … compute */
};

/* UTIL_EPROGRAM when settings->interrupt says so, to end measuring. */
int kern_check_interrupt(const struct kern_settings *settings, struct util_error *err);
/* Errors: UTIL_EINPUT for an unknown kernel, UTIL_ENOMEM; UTIL_EPROGRAM: interrupted, what `data`
 * has so far is good. */
int kern_measure(const struct kern_settings *settings, struct kern_data *data, struct util_error *err);
/* One entry for each kernel asked for, at its largest size; `out` has room for the catalog. */
int kern_contention_measure(const struct kern_settings *settings, struct kern_contention out[], int *out_n,
			    struct util_error *err);
bool kern_is_wanted(const struct kern_settings *settings, const char *name);
int kern_operands_create(const struct kern_kernel *kernel, size_t length, struct kern_operands *out,
			 struct util_error *err);
void kern_operands_finish(struct kern_operands *operands);
int kern_largest(const struct kern_kernel *kernel, const struct kern_settings *settings);
struct kern_grid {			  /* grid.c */
	const struct kern_kernel *kernel; /* borrowed */
	int largest, longest;		  /* dimension of the largest square; of any operand */
	struct pd_term work;		  /* the leading term of the complexity */
	double most_work;
	int at[PD_STORE_MAX_PARAMS];
	bool is_over;
};
int kern_grid_create(const struct kern_kernel *kernel, const struct kern_settings *settings,
		     struct kern_grid *out, struct util_error *err);
/* The next point, p[PD_STORE_MAX_PARAMS], unused ones 0; false after the last. */
bool kern_grid_next(struct kern_grid *grid, int p[]);
/* Numbers in the largest operand of that point. */
size_t kern_operand_length(const struct kern_kernel *kernel, const int p[]);
/* How many points are to come, and the numbers in their largest operand. */
int kern_grid_count(const struct kern_grid *grid, size_t *out_length);
/* CPU time of `n` calls in a row, seconds. */
double kern_time(const struct kern_kernel *kernel, struct kern_operands *operands, const int p[], int n);

/* --- models (fit.c, spread.c) --- */

#define KERN_MAX_PIECES 8
#define KERN_QUANTILES 33

struct kern_piece {
	struct pd_range ranges[PD_MAX_RANGES];
	int n_ranges;
	struct pd_expression expression;
	size_t n_points;
	double held_out; /* root mean square of predicted / measured - 1 over points that were left out, in turn */
	double residual, worst; /* over all points: root mean square, and the largest magnitude */
};

struct kern_model {
	const struct kern_series *series; /* borrowed */
	struct kern_piece pieces[KERN_MAX_PIECES];
	int n_pieces;
	double held_out, residual, worst;
	bool has_calls, has_nodes;
	double quantiles[KERN_QUANTILES]; /* of measured / mean, from call to call */
	double call_deviation, node_deviation; /* relative standard deviations */
	const char *kind;                 /* the distribution that is nearest */
	double kind_distance;             /* Kolmogorov-Smirnov, of that one */
	size_t n_calls;
};

/* Fits the series. Errors: UTIL_EINPUT when no candidate fits; UTIL_ENOMEM. */
int kern_fit(const struct kern_series *series, struct kern_model *out, struct util_error *err);
/* The model's value; the piece whose ranges hold. */
double kern_model_value(const struct kern_model *model, const double params[]);
/* Whether its samples scatter so much that the machine may have been busy. */
bool kern_is_noisy(const struct kern_model *model);
/* Variation from call to call, and between nodes when there are several. */
int kern_spread(const struct kern_series *series, int n_nodes, struct kern_model *model, struct util_error *err);

/* --- results (write.c, plot.c) --- */

void kern_print_table(FILE *file, const struct kern_model models[], size_t n);
void kern_print_points(FILE *file, const struct kern_model models[], size_t n);
/* Writes the model file; it is there whole or not at all. Errors: UTIL_ESYSTEM. */
int kern_write(const char *path, const struct kern_model models[], size_t n,
	       const struct kern_contention contention[], int n_contention, struct util_error *err);
/* A picture and a table for each kernel in the directory, and the script. 1: no pictures, as
 * gnuplot is not installed. Errors: UTIL_ESYSTEM. */
int kern_plot(const char *folder, const struct kern_model models[], size_t n, struct util_error *err);

#endif
