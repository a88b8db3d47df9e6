// SPDX-License-Identifier: BSD-3-Clause
/* The grid in the results file, what is known about it, and results from other files. */
#include <stdlib.h>

#include "tools/sweep/db.h"

static int run_statement(struct sweep_db *db, sqlite3_stmt *statement, struct util_error *err)
{
	int code = sqlite3_step(statement);

	sqlite3_reset(statement);
	return code == SQLITE_DONE ? 0 : sweep_db_fail(db, err);
}

static int put_parameters(struct sweep_db *db, const struct sweep_spec *spec,
			  struct util_error *err)
{
	sqlite3_stmt *put = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), "INSERT INTO parameter VALUES (?, ?, ?, ?)", -1,
			       &put, NULL) != SQLITE_OK)
		failed = sweep_db_fail(db, err);
	for (int i = 0; i < spec->n_parameters && !failed; i++) {
		const struct sweep_parameter *parameter = &spec->parameters[i];

		sqlite3_bind_int(put, 1, i);
		sqlite3_bind_text(put, 2, parameter->name, -1, SQLITE_STATIC);
		sqlite3_bind_int(put, 3, parameter->is_seed);
		sqlite3_bind_text(put, 4, parameter->values[parameter->base], -1, SQLITE_STATIC);
		failed = run_statement(db, put, err);
	}
	sqlite3_finalize(put);
	return failed;
}

static int put_points(struct sweep_db *db, const struct sweep_spec *spec,
		      const struct sweep_grid *grid, const char (*hashes)[SWEEP_HASH_SIZE],
		      sqlite3_stmt *point, sqlite3_stmt *value, struct util_error *err)
{
	int failed = 0;

	for (int p = 0; p < grid->n_points && !failed; p++) {
		const int *choice = grid->choices + (size_t)p * (size_t)grid->n_parameters;

		sqlite3_bind_int(point, 1, p);
		sqlite3_bind_text(point, 2, hashes[p], -1, SQLITE_STATIC);
		failed = run_statement(db, point, err);
		for (int i = 0; i < grid->n_parameters && !failed; i++) {
			sqlite3_bind_int(value, 1, p);
			sqlite3_bind_int(value, 2, i);
			sqlite3_bind_text(value, 3, spec->parameters[i].values[choice[i]], -1,
					  SQLITE_STATIC);
			failed = run_statement(db, value, err);
		}
	}
	return failed;
}

int sweep_db_put_grid(struct sweep_db *db, const struct sweep_spec *spec,
		      const struct sweep_grid *grid, const char (*hashes)[SWEEP_HASH_SIZE],
		      struct util_error *err)
{
	sqlite3 *handle = sweep_db_handle(db);
	sqlite3_stmt *point = NULL, *value = NULL;
	int failed;

	if (sqlite3_exec(handle, "DELETE FROM value; DELETE FROM point; DELETE FROM parameter;",
			 NULL, NULL, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	failed = put_parameters(db, spec, err);
	if (!failed && (sqlite3_prepare_v2(handle, "INSERT INTO point VALUES (?, ?)", -1, &point,
					   NULL) != SQLITE_OK ||
			sqlite3_prepare_v2(handle, "INSERT INTO value VALUES (?, ?, ?)", -1, &value,
					   NULL) != SQLITE_OK))
		failed = sweep_db_fail(db, err);
	if (!failed)
		failed = put_points(db, spec, grid, hashes, point, value, err);
	sqlite3_finalize(point);
	sqlite3_finalize(value);
	if (!failed)
		failed = sweep_db_put_info(db, "name", spec->name, err);
	return failed ? failed : sweep_db_put_info(db, "source", spec->source, err);
}

int sweep_db_count(struct sweep_db *db, struct sweep_counts *out, struct util_error *err)
{
	static const char sql[] =
	    "SELECT (SELECT count(*) FROM point),"
	    " (SELECT count(*) FROM point JOIN result USING (hash) WHERE state = 'done'),"
	    " (SELECT count(*) FROM point JOIN result USING (hash) WHERE state = 'failed'),"
	    " (SELECT count(*) FROM result WHERE hash NOT IN (SELECT hash FROM point))";
	sqlite3_stmt *statement = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW)
		failed = sweep_db_fail(db, err);
	else
		*out = (struct sweep_counts){
		    .n_points = sqlite3_column_int(statement, 0),
		    .n_done = sqlite3_column_int(statement, 1),
		    .n_failed = sqlite3_column_int(statement, 2),
		    .n_others = sqlite3_column_int(statement, 3),
		};
	sqlite3_finalize(statement);
	return failed;
}

int sweep_db_merge(struct sweep_db *db, const char *path, int *out_n, struct util_error *err)
{
	sqlite3 *handle = sweep_db_handle(db);
	sqlite3_stmt *attach = NULL;
	int failed = 0, n_measured = 0;

	if (sqlite3_prepare_v2(handle, "ATTACH ? AS other", -1, &attach, NULL) != SQLITE_OK ||
	    sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC) != SQLITE_OK ||
	    sqlite3_step(attach) != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(attach);
	if (failed)
		return failed;
	if (sqlite3_exec(handle, "INSERT OR IGNORE INTO main.result SELECT * FROM other.result",
			 NULL, NULL, NULL) != SQLITE_OK)
		failed = sweep_db_fail(db, err);
	else
		*out_n = sqlite3_changes(handle);
	if (!failed)
		failed = sweep_db_merge_measured(db, &n_measured, err);
	if (n_measured > *out_n)
		*out_n = n_measured;
	sqlite3_exec(handle, "DETACH other", NULL, NULL, NULL);
	return failed;
}
