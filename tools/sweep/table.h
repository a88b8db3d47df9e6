/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_TABLE_H
#define TOOLS_SWEEP_TABLE_H

#include "tools/sweep/db.h"

/* The points of the last grid with their results, in memory: what is exported and drawn. */
enum sweep_figure {
	SWEEP_TIME_S,
	SWEEP_EFFICIENCY,
	SWEEP_NODE_SECONDS,
	SWEEP_NODES,
	SWEEP_CORES,
	SWEEP_RANKS,
	SWEEP_MESSAGES,
	SWEEP_BYTES,
	SWEEP_USEFUL_S,
	SWEEP_COMMUNICATING_S,
	SWEEP_WAITING_S,
	SWEEP_HOST_S,
	SWEEP_N_FIGURES,
};
/* In exports and conditions: "predicted_time_s", …; no parameter may be called so. */
extern const char *const sweep_figure_names[SWEEP_N_FIGURES];

struct sweep_row {
	char **values; /* [n_parameters] */
	char *state;   /* "done", "failed", "to run" */
	bool is_done;
	double figures[SWEEP_N_FIGURES];	 /* of a done point; else 0 */
	char *error, *engine, *curve, *warnings; /* NULL: none */
	double *times_s; /* [n_rounds] of a point that is measured, by round; 0: none */
	int n_rounds, n_measured;
	bool has_interval; /* low_s and high_s are set: tools/sweep/verdict.h */
	double low_s, high_s;
	bool is_candidate; /* see sweep_candidates_mark */
};

struct sweep_table {
	char *name; /* of the sweep */
	int n_parameters;
	char *names[SWEEP_MAX_PARAMETERS];
	char *bases[SWEEP_MAX_PARAMETERS]; /* see sweep_parameter.base */
	bool is_seed[SWEEP_MAX_PARAMETERS];
	struct sweep_row *rows; /* [n_rows] */
	int n_rows;
};

/*
 * Reads the grid. `where`: only points for which it holds, an expression over parameters and
 * figures; NULL: all. Errors: as sweep_db_open; UTIL_EINPUT about `where`.
 */
int sweep_table_load(const char *path, const char *where, struct sweep_table **out,
		     struct util_error *err);
void sweep_table_destroy(struct sweep_table *table);
/* The parameter's place; -1: there is none of that name. */
int sweep_table_parameter(const struct sweep_table *table, const char *name);

#endif
