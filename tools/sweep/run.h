/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_RUN_H
#define TOOLS_SWEEP_RUN_H

#include "tools/sweep/command.h"
#include "tools/sweep/execute.h"
#include "tools/sweep/options.h"

/* Whether a point sends the same messages as the one whose recording it shares. */
enum sweep_course { SWEEP_COURSE_UNKNOWN, SWEEP_COURSE_SAME, SWEEP_COURSE_OTHER };

struct sweep_run { /* one `mpisim-sweep run` */
	struct sweep_run_options options;
	struct sweep_spec *spec;
	struct sweep_grid grid;
	struct sweep_tools tools;
	char *db_path, *own_path; /* absolute */
	const char *lib_from_bin;
	struct sweep_db *db;
	char (*hashes)[SWEEP_HASH_SIZE]; /* [grid.n_points] */
	bool *is_measured;		 /* [grid.n_points] */
	bool *is_candidate; /* [grid.n_points] for being the fastest, after the first rounds */
	char *courses; /* [grid.n_points] of enum sweep_course: as far as the engine auto looked */
	char (*traced)[SWEEP_HASH_SIZE]; /* [grid.n_points]; empty: cannot be replayed */
	int *todo; /* [n_todo] points without a result, each hash once, in the grid's order */
	int n_todo;
	int round;	   /* what is measured is so in several, see tools/sweep/verdict.h */
	int n_new, n_runs; /* points that had no result when this began; runs and replays since */
	struct sweep_progress progress;
	bool is_replay_only; /* the engine replay: also where a run might say something else */
};

int sweep_run_command(const struct sweep_run *run, int point, struct sweep_command *out,
		      struct util_error *err);

/* Sets todo anew: what has no result, or is to be measured in this round. */
int sweep_run_find_todo(struct sweep_run *run, struct util_error *err);

/* Whether any point of the grid is measured. */
bool sweep_run_has_measured(const struct sweep_run *run);
/* Whether a point is to be run in this round. */
int sweep_run_is_todo(const struct sweep_run *run, int point, bool *out, struct util_error *err);
/* Runs what is to be done, in as many rounds as measuring takes. Errors: as sweep_execute. */
int sweep_run_rounds(struct sweep_run *run, int (*engine)(struct sweep_run *, struct util_error *),
		     struct util_error *err);

/* Engines: run what is to be done. Errors: as sweep_execute. */
/* Processes at a time. */
int sweep_run_n_jobs(const struct sweep_run *run);
int sweep_engine_replay(struct sweep_run *run, struct util_error *err); /* also auto */
int sweep_engine_direct(struct sweep_run *run, struct util_error *err);
int sweep_engine_slurm(struct sweep_run *run, struct util_error *err);

#endif
