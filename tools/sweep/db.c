// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/db.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "util/outpath.h"
#include "util/version.h"

#define BUSY_TIMEOUT_MS 10000
#define FORMAT "1"
#define APPLICATION_ID 0x6d707377 /* "mpsw": what file(1) and we know it by */

struct sweep_db {
	char *path;
	sqlite3 *handle;
	int lock_fd;
	sqlite3_stmt *has, *put;
};

static const char schema[] =
    "CREATE TABLE info (key TEXT PRIMARY KEY, value TEXT NOT NULL);"
    "CREATE TABLE parameter (place INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,"
    " is_seed INTEGER NOT NULL, base TEXT NOT NULL);"
    "CREATE TABLE point (place INTEGER PRIMARY KEY, hash TEXT NOT NULL);"
    "CREATE TABLE value (point INTEGER NOT NULL, parameter INTEGER NOT NULL, value TEXT NOT NULL,"
    " PRIMARY KEY (point, parameter)) WITHOUT ROWID;"
    "CREATE TABLE result (hash TEXT PRIMARY KEY, state TEXT NOT NULL, exit_status INTEGER NOT NULL,"
    " error TEXT, predicted_time_s REAL, efficiency REAL, node_seconds REAL, useful_s REAL,"
    " communicating_s REAL, waiting_s REAL, ranks INTEGER, nodes INTEGER, cores INTEGER,"
    " messages INTEGER, bytes INTEGER, host_s REAL NOT NULL, engine TEXT NOT NULL,"
    " command TEXT NOT NULL, curve TEXT, warnings TEXT);"
    "CREATE TABLE task (hash TEXT PRIMARY KEY, words TEXT NOT NULL, timeout_s REAL NOT NULL,"
    " is_measured INTEGER NOT NULL);";
/* Tables that older files lack: each measurement of a point as a result, and the intervals of
 * results that vary at random. Of a file that cannot be written they are in memory, empty. */
static const char later_schema[] =
    "CREATE %s TABLE IF NOT EXISTS measured AS SELECT *, 0 AS round FROM result WHERE 0;"
    "CREATE UNIQUE INDEX IF NOT EXISTS %s.measured_round ON measured (hash, round);"
    "CREATE %s TABLE IF NOT EXISTS interval (hash TEXT PRIMARY KEY, low_s REAL NOT NULL,"
    " high_s REAL NOT NULL);";

void sweep_result_finish(struct sweep_result *result)
{
	free(result->error);
	free(result->command);
	free(result->curve);
	free(result->warnings);
	*result = (struct sweep_result){0};
}

sqlite3 *sweep_db_handle(struct sweep_db *db)
{
	return db->handle;
}

int sweep_db_fail(struct sweep_db *db, struct util_error *err)
{
	int code = sqlite3_errcode(db->handle);

	if (code == SQLITE_NOTADB || code == SQLITE_CORRUPT)
		return util_refuse(
		    err, "%s: found no SQLite file (%s), wanted the results of mpisim-sweep",
		    db->path, sqlite3_errmsg(db->handle));
	return util_error_set(err, UTIL_ESYSTEM, "%s: %s", db->path, sqlite3_errmsg(db->handle));
}

static int execute(struct sweep_db *db, const char *sql, struct util_error *err)
{
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK
		   ? 0
		   : sweep_db_fail(db, err);
}

static int get_int(struct sweep_db *db, const char *sql, int *out, struct util_error *err)
{
	sqlite3_stmt *statement = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(db->handle, sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW)
		failed = sweep_db_fail(db, err);
	else
		*out = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	return failed;
}

static int prepare_later(struct sweep_db *db, struct util_error *err)
{
	bool is_fixed = sqlite3_db_readonly(db->handle, "main") == 1;
	const char *where = is_fixed ? "TEMP" : "";
	char sql[sizeof later_schema + 16];
	int n = 0, failed = get_int(db,
				    "SELECT count(*) FROM sqlite_master WHERE name IN ('measured', "
				    "'measured_round', 'interval')",
				    &n, err);

	if (failed || n == 3)
		return failed;
	snprintf(sql, sizeof sql, later_schema, where, is_fixed ? "temp" : "main", where);
	return execute(db, sql, err);
}

/* A new file gets its tables; another one must be ours. */
static int prepare(struct sweep_db *db, struct util_error *err)
{
	int id = 0, n_tables = 0, failed;
	char *format;

	failed = get_int(db, "PRAGMA application_id", &id, err);
	if (!failed)
		failed = get_int(db, "SELECT count(*) FROM sqlite_master", &n_tables, err);
	if (failed)
		return failed;
	if (n_tables == 0) {
		failed = execute(db, "BEGIN IMMEDIATE; PRAGMA application_id = 0x6d707377;", err);
		if (!failed)
			failed = execute(db, schema, err);
		if (!failed)
			failed = sweep_db_put_info(db, "format", FORMAT, err);
		if (!failed)
			failed = prepare_later(db, err);
		return failed ? failed : execute(db, "COMMIT", err);
	}
	if (id != APPLICATION_ID)
		return util_refuse(err,
				   "%s: found an SQLite file of another program, wanted the "
				   "results of mpisim-sweep",
				   db->path);
	format = sweep_db_info(db, "format");
	if (!format || strcmp(format, FORMAT) != 0)
		failed = util_refuse(
		    err, "%s: found format %s, wanted " FORMAT "; this is mpisim-sweep %s",
		    db->path, format ? format : "none", util_version());
	free(format);
	return failed ? failed : prepare_later(db, err);
}

/* The lock of a run is on the file itself and goes with the process, however that ends. */
static int lock(struct sweep_db *db, struct util_error *err)
{
	db->lock_fd = open(db->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (db->lock_fd < 0)
		return util_error_errno(err, errno, "cannot open %s", db->path);
	if (flock(db->lock_fd, LOCK_EX | LOCK_NB) == 0)
		return 0;
	if (errno == EWOULDBLOCK)
		return util_refuse(err,
				   "found another mpisim-sweep at work on %s, wanted one at a time",
				   db->path);
	return util_error_errno(err, errno, "cannot lock %s", db->path);
}

int sweep_db_open(const char *path, bool may_make, bool is_run, struct sweep_db **out,
		  struct util_error *err)
{
	struct sweep_db *db = calloc(1, sizeof *db);
	int flags = SQLITE_OPEN_READWRITE | (may_make ? SQLITE_OPEN_CREATE : 0), failed = 0;

	if (!db || !(db->path = strdup(path))) {
		free(db);
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	db->lock_fd = -1;
	if (!may_make && access(path, R_OK))
		failed = util_refuse(err, "cannot open %s: %s", path, strerror(errno));
	else if (may_make && util_output_check(path, err))
		failed = err->code;
	else if (sqlite3_open_v2(path, &db->handle, flags, NULL) != SQLITE_OK)
		failed = util_refuse(err, "cannot open %s: %s", path,
				     db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
	if (!failed) {
		sqlite3_busy_timeout(db->handle, BUSY_TIMEOUT_MS);
		failed =
		    execute(db, "PRAGMA synchronous = NORMAL; PRAGMA journal_mode = DELETE;", err);
	}
	if (!failed && is_run) /* two that begin at once must not both make the tables */
		failed = lock(db, err);
	if (!failed)
		failed = prepare(db, err);
	if (failed)
		sweep_db_close(db);
	else
		*out = db;
	return failed;
}

void sweep_db_close(struct sweep_db *db)
{
	if (!db)
		return;
	sqlite3_finalize(db->has);
	sqlite3_finalize(db->put);
	sqlite3_close(db->handle);
	/* After SQLite: closing any descriptor of the file drops the locks that the process has. */
	if (db->lock_fd >= 0)
		close(db->lock_fd);
	free(db->path);
	free(db);
}

int sweep_db_begin(struct sweep_db *db, struct util_error *err)
{
	return execute(db, "BEGIN IMMEDIATE", err);
}

int sweep_db_commit(struct sweep_db *db, struct util_error *err)
{
	return execute(db, "COMMIT", err);
}

char *sweep_db_info(struct sweep_db *db, const char *key)
{
	sqlite3_stmt *statement = NULL;
	char *value = NULL;

	sqlite3_prepare_v2(db->handle, "SELECT value FROM info WHERE key = ?", -1, &statement,
			   NULL);
	if (sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		value = strdup((const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return value;
}

int sweep_db_put_info(struct sweep_db *db, const char *key, const char *value,
		      struct util_error *err)
{
	sqlite3_stmt *statement = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(db->handle, "INSERT OR REPLACE INTO info VALUES (?, ?)", -1,
			       &statement, NULL) != SQLITE_OK ||
	    sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) != SQLITE_OK ||
	    sqlite3_bind_text(statement, 2, value, -1, SQLITE_STATIC) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(statement);
	return failed;
}

int sweep_db_has(struct sweep_db *db, const char *hash, struct util_error *err)
{
	static const char sql[] = "SELECT 1 FROM result WHERE hash = ?";
	int code;

	if (!db->has && sqlite3_prepare_v2(db->handle, sql, -1, &db->has, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	sqlite3_bind_text(db->has, 1, hash, -1, SQLITE_STATIC);
	code = sqlite3_step(db->has);
	sqlite3_reset(db->has);
	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : sweep_db_fail(db, err);
}

int sweep_db_forget_failed(struct sweep_db *db, struct util_error *err)
{
	return execute(
	    db, "DELETE FROM result WHERE state = 'failed' AND hash IN (SELECT hash FROM point)",
	    err);
}

static void bind_number(sqlite3_stmt *put, int place, bool is_there, double value)
{
	if (is_there)
		sqlite3_bind_double(put, place, value);
	else
		sqlite3_bind_null(put, place);
}

static void bind_count(sqlite3_stmt *put, int place, bool is_there, long long value)
{
	if (is_there)
		sqlite3_bind_int64(put, place, value);
	else
		sqlite3_bind_null(put, place);
}

static void bind_result(sqlite3_stmt *put, const struct sweep_result *r)
{
	bool is_done = r->state == SWEEP_DONE;

	sqlite3_bind_text(put, 1, r->hash, -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 2, is_done ? "done" : "failed", -1, SQLITE_STATIC);
	sqlite3_bind_int(put, 3, r->exit_status);
	sqlite3_bind_text(put, 4, r->error, -1, SQLITE_STATIC);
	bind_number(put, 5, is_done, r->predicted_time_s);
	bind_number(put, 6, is_done, r->efficiency);
	bind_number(put, 7, is_done, r->node_seconds);
	bind_number(put, 8, is_done, r->useful_s);
	bind_number(put, 9, is_done, r->communicating_s);
	bind_number(put, 10, is_done, r->waiting_s);
	bind_count(put, 11, is_done, r->n_ranks);
	bind_count(put, 12, is_done, r->n_nodes);
	bind_count(put, 13, is_done, r->n_cores);
	bind_count(put, 14, is_done, r->n_messages);
	bind_count(put, 15, is_done, r->n_bytes);
	sqlite3_bind_double(put, 16, r->host_s);
	sqlite3_bind_text(put, 17, r->engine, -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 18, r->command ? r->command : "", -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 19, r->curve, -1, SQLITE_STATIC);
	sqlite3_bind_text(put, 20, r->warnings, -1, SQLITE_STATIC);
}

static int put_interval(struct sweep_db *db, const struct sweep_result *result,
			struct util_error *err)
{
	sqlite3_stmt *put = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(db->handle, "INSERT OR REPLACE INTO interval VALUES (?, ?, ?)", -1,
			       &put, NULL) != SQLITE_OK ||
	    sqlite3_bind_text(put, 1, result->hash, -1, SQLITE_STATIC) != SQLITE_OK ||
	    sqlite3_bind_double(put, 2, result->low_s) != SQLITE_OK ||
	    sqlite3_bind_double(put, 3, result->high_s) != SQLITE_OK ||
	    sqlite3_step(put) != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(put);
	return failed;
}

int sweep_db_put_result(struct sweep_db *db, const struct sweep_result *result,
			struct util_error *err)
{
	static const char sql[] =
	    "INSERT OR REPLACE INTO result (hash, state, exit_status, error,"
	    " predicted_time_s, efficiency, node_seconds, useful_s,"
	    " communicating_s, waiting_s, ranks, nodes, cores, messages, bytes,"
	    " host_s, engine, command, curve, warnings)"
	    " VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)";
	int code;

	if (!db->put && sqlite3_prepare_v2(db->handle, sql, -1, &db->put, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	bind_result(db->put, result);
	code = sqlite3_step(db->put);
	sqlite3_reset(db->put);
	if (code != SQLITE_DONE)
		return sweep_db_fail(db, err);
	return result->has_interval ? put_interval(db, result, err) : 0;
}
