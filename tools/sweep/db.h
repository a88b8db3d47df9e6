/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_DB_H
#define TOOLS_SWEEP_DB_H

#include <stdbool.h>

#include <sqlite3.h>

#include "tools/sweep/file.h"
#include "tools/sweep/grid.h"

/*
 * The results file, an SQLite database; docs/sweep.md documents its tables. Results stand in it by
 * the hash of their inputs, whatever grid asked for them; the grid is that of the last `run`.
 */
enum sweep_state { SWEEP_DONE, SWEEP_FAILED };

struct sweep_result {
	char hash[SWEEP_HASH_SIZE];
	enum sweep_state state;
	int exit_status; /* of mpisim-run, or 128 + the signal that ended it */
	char *error;	 /* a sentence; NULL: done; owned */
	char *command;	 /* owned */
	char *curve; /* dynamic efficiency over time as JSON [[begin, end, efficiency], …]; owned */
	char *warnings; /* JSON list of sentences; owned */
	double predicted_time_s, efficiency, node_seconds;
	double useful_s, communicating_s, waiting_s; /* sums over the ranks */
	long long n_ranks, n_nodes, n_cores, n_messages, n_bytes;
	bool has_interval; /* of mpisim-run, for what varies at random */
	double low_s, high_s;
	double host_s; /* how long this point took here */
	char engine[16];
};

void sweep_result_finish(struct sweep_result *result);

struct sweep_db;

/* Opens, or makes with `may_make`. Errors: UTIL_EINPUT (no such file, no sweep's results, another
 * run is at work), UTIL_ESYSTEM. `is_run`: only one such at a time. */
int sweep_db_open(const char *path, bool may_make, bool is_run, struct sweep_db **out,
		  struct util_error *err);
void sweep_db_close(struct sweep_db *db);
sqlite3 *sweep_db_handle(struct sweep_db *db);

/* Several changes as one: all or none of them is there after a crash. */
int sweep_db_begin(struct sweep_db *db, struct util_error *err);
int sweep_db_commit(struct sweep_db *db, struct util_error *err);

/* Replaces the grid. `hashes` [n_points]. Within begin and commit. */
int sweep_db_put_grid(struct sweep_db *db, const struct sweep_spec *spec,
		      const struct sweep_grid *grid, const char (*hashes)[SWEEP_HASH_SIZE],
		      struct util_error *err);
int sweep_db_put_result(struct sweep_db *db, const struct sweep_result *result,
			struct util_error *err);
/* A result of one of several runs; the point's is then the one in the middle. One that failed is
 * the point's, and the others are gone. */
int sweep_db_put_measurement(struct sweep_db *db, const struct sweep_result *result, int round,
			     struct util_error *err);
/* How often a point was measured; a failed one counts as often enough: INT_MAX. */
int sweep_db_n_measured(struct sweep_db *db, const char *hash, int *out, struct util_error *err);
/* 1: a result is there; 0: none; negative: an error. */
int sweep_db_has(struct sweep_db *db, const char *hash, struct util_error *err);
/* Removes the results of the points of the grid that failed. */
int sweep_db_forget_failed(struct sweep_db *db, struct util_error *err);

struct sweep_counts { /* of the grid */
	int n_points, n_done, n_failed;
	int n_others; /* results of other grids */
};
int sweep_db_count(struct sweep_db *db, struct sweep_counts *out, struct util_error *err);

/* Adds the results of another file of the same kind. *out_n: how many were new. */
int sweep_db_merge(struct sweep_db *db, const char *path, int *out_n, struct util_error *err);
/* Of that the measurements and intervals; the file is attached as "other". */
int sweep_db_merge_measured(struct sweep_db *db, int *out_n, struct util_error *err);

/* A value of the table info, the caller's; NULL: none. */
char *sweep_db_info(struct sweep_db *db, const char *key);
int sweep_db_put_info(struct sweep_db *db, const char *key, const char *value,
		      struct util_error *err);

int sweep_db_fail(struct sweep_db *db, struct util_error *err);

#endif
