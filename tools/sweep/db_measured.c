// SPDX-License-Identifier: BSD-3-Clause
/* Results of points that are measured several times. */
#include <limits.h>

#include "tools/sweep/db.h"

#define COLUMNS                                                                                  \
	"hash, state, exit_status, error, predicted_time_s, efficiency, node_seconds, useful_s," \
	" communicating_s, waiting_s, ranks, nodes, cores, messages, bytes, host_s, engine,"     \
	" command, curve, warnings"

static int run_about(struct sweep_db *db, const char *sql, const char *hash, int round,
		     struct util_error *err)
{
	sqlite3_stmt *statement = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC) != SQLITE_OK ||
	    (round >= 0 && sqlite3_bind_int(statement, 2, round) != SQLITE_OK) ||
	    sqlite3_step(statement) != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(statement);
	return failed;
}

/* Of an even number the shorter one of the two in the middle. */
static int take_middle(struct sweep_db *db, const char *hash, struct util_error *err)
{
	return run_about(db,
			 "INSERT OR REPLACE INTO result SELECT " COLUMNS " FROM measured"
			 " WHERE hash = ?1 ORDER BY predicted_time_s, round LIMIT 1 OFFSET"
			 " (SELECT (count(*) - 1) / 2 FROM measured WHERE hash = ?1)",
			 hash, -1, err);
}

static int put(struct sweep_db *db, const struct sweep_result *result, int round,
	       struct util_error *err)
{
	int failed = sweep_db_put_result(db, result, err);

	if (!failed && result->state == SWEEP_FAILED)
		return run_about(db, "DELETE FROM measured WHERE hash = ?", result->hash, -1, err);
	if (!failed)
		failed = run_about(db,
				   "INSERT OR REPLACE INTO measured SELECT " COLUMNS
				   ", ?2 FROM result WHERE hash = ?1",
				   result->hash, round, err);
	return failed ? failed : take_middle(db, result->hash, err);
}

int sweep_db_put_measurement(struct sweep_db *db, const struct sweep_result *result, int round,
			     struct util_error *err)
{
	int failed = sweep_db_begin(db, err);

	if (failed)
		return failed;
	failed = put(db, result, round, err);
	if (!failed)
		return sweep_db_commit(db, err);
	sqlite3_exec(sweep_db_handle(db), "ROLLBACK", NULL, NULL, NULL);
	return failed;
}

int sweep_db_n_measured(struct sweep_db *db, const char *hash, int *out, struct util_error *err)
{
	static const char sql[] =
	    "SELECT state = 'failed', (SELECT count(*) FROM measured WHERE hash = ?1) FROM result"
	    " WHERE hash = ?1";
	sqlite3_stmt *statement = NULL;
	int code = SQLITE_ERROR;

	*out = 0;
	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_bind_text(statement, 1, hash, -1, SQLITE_STATIC) == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*out =
		    sqlite3_column_int(statement, 0) ? INT_MAX : sqlite3_column_int(statement, 1);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : sweep_db_fail(db, err);
}

int sweep_db_merge_measured(struct sweep_db *db, int *out_n, struct util_error *err)
{
	sqlite3 *handle = sweep_db_handle(db);

	if (sqlite3_exec(handle, "INSERT OR IGNORE INTO main.measured SELECT * FROM other.measured",
			 NULL, NULL, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	*out_n = sqlite3_changes(handle);
	if (sqlite3_exec(
		handle,
		"INSERT OR REPLACE INTO main.result SELECT " COLUMNS
		" FROM (SELECT *, row_number() OVER (PARTITION BY hash ORDER BY"
		" predicted_time_s, round) AS place, count(*) OVER (PARTITION BY hash) AS n"
		" FROM main.measured WHERE hash IN (SELECT hash FROM other.measured))"
		" WHERE place = (n + 1) / 2;"
		"INSERT OR REPLACE INTO main.interval SELECT * FROM other.interval;",
		NULL, NULL, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	return 0;
}
