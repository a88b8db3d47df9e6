// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/table.h"

#include <stdlib.h>
#include <string.h>

#include "tools/sweep/verdict.h"

#define COLUMNS                                                                             \
	"predicted_time_s, efficiency, node_seconds, nodes, cores, ranks, messages, bytes," \
	" useful_s, communicating_s, waiting_s, host_s"

const char *const sweep_figure_names[SWEEP_N_FIGURES] = {
    [SWEEP_TIME_S] = "predicted_time_s",   [SWEEP_EFFICIENCY] = "efficiency",
    [SWEEP_NODE_SECONDS] = "node_seconds", [SWEEP_NODES] = "nodes_held",
    [SWEEP_CORES] = "cores_held",	   [SWEEP_RANKS] = "ranks_run",
    [SWEEP_MESSAGES] = "messages_sent",	   [SWEEP_BYTES] = "bytes_sent",
    [SWEEP_USEFUL_S] = "useful_s",	   [SWEEP_COMMUNICATING_S] = "communicating_s",
    [SWEEP_WAITING_S] = "waiting_s",	   [SWEEP_HOST_S] = "host_s",
};

static void row_finish(struct sweep_row *row, int n_parameters)
{
	for (int i = 0; i < n_parameters && row->values; i++)
		free(row->values[i]);
	free(row->values);
	free(row->state);
	free(row->error);
	free(row->engine);
	free(row->curve);
	free(row->warnings);
	free(row->times_s);
}

void sweep_table_destroy(struct sweep_table *table)
{
	if (!table)
		return;
	for (int i = 0; i < table->n_rows; i++)
		row_finish(&table->rows[i], table->n_parameters);
	for (int i = 0; i < table->n_parameters; i++) {
		free(table->names[i]);
		free(table->bases[i]);
	}
	free(table->rows);
	free(table->name);
	free(table);
}

int sweep_table_parameter(const struct sweep_table *table, const char *name)
{
	for (int i = 0; i < table->n_parameters; i++)
		if (strcmp(table->names[i], name) == 0)
			return i;
	return -1;
}

/* NULL where the column is. */
static char *text_of(sqlite3_stmt *statement, int column)
{
	const unsigned char *text = sqlite3_column_text(statement, column);

	return text ? strdup((const char *)text) : NULL;
}

static int load_parameters(struct sweep_table *table, struct sweep_db *db, struct util_error *err)
{
	sqlite3_stmt *all = NULL;
	int failed = 0, code;

	if (sqlite3_prepare_v2(sweep_db_handle(db),
			       "SELECT name, is_seed, base FROM parameter ORDER BY place", -1, &all,
			       NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while ((code = sqlite3_step(all)) == SQLITE_ROW &&
	       table->n_parameters < SWEEP_MAX_PARAMETERS) {
		int i = table->n_parameters++;

		table->names[i] = text_of(all, 0);
		table->is_seed[i] = sqlite3_column_int(all, 1);
		table->bases[i] = text_of(all, 2);
		if (!table->names[i] || !table->bases[i])
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	if (!failed && code != SQLITE_DONE)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(all);
	return failed;
}

static void fill_row(struct sweep_row *row, sqlite3_stmt *point)
{
	for (int i = 0; i < SWEEP_N_FIGURES; i++)
		row->figures[i] = sqlite3_column_double(point, i);
	row->state = text_of(point, SWEEP_N_FIGURES);
	row->error = text_of(point, SWEEP_N_FIGURES + 1);
	row->engine = text_of(point, SWEEP_N_FIGURES + 2);
	row->curve = text_of(point, SWEEP_N_FIGURES + 3);
	row->warnings = text_of(point, SWEEP_N_FIGURES + 4);
	row->is_done = row->state && strcmp(row->state, "done") == 0;
}

static int load_values(struct sweep_table *table, struct sweep_db *db, struct util_error *err)
{
	sqlite3_stmt *all = NULL;
	int code, failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), "SELECT point, parameter, value FROM value", -1,
			       &all, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while (!failed && (code = sqlite3_step(all)) == SQLITE_ROW) {
		int point = sqlite3_column_int(all, 0), parameter = sqlite3_column_int(all, 1);

		if (point < 0 || point >= table->n_rows || parameter < 0 ||
		    parameter >= table->n_parameters || table->rows[point].values[parameter])
			continue;
		table->rows[point].values[parameter] = text_of(all, 2);
	}
	sqlite3_finalize(all);
	for (int i = 0; i < table->n_rows && !failed; i++)
		for (int p = 0; p < table->n_parameters && !failed; p++)
			if (!table->rows[i].values[p])
				failed = util_refuse(err, "found point %d without a value of %s", i,
						     table->names[p]);
	return failed;
}

static int load_rows(struct sweep_table *table, struct sweep_db *db, struct util_error *err)
{
	static const char sql[] =
	    "SELECT " COLUMNS ", coalesce(state, 'to run'), error, engine, curve,"
	    " warnings FROM point LEFT JOIN result USING (hash) ORDER BY place";
	struct sweep_counts counts;
	sqlite3_stmt *point = NULL;
	int failed = sweep_db_count(db, &counts, err), code = SQLITE_DONE;

	if (failed)
		return failed;
	table->rows = calloc((size_t)counts.n_points + 1, sizeof *table->rows);
	if (!table->rows)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &point, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while (!failed && table->n_rows < counts.n_points &&
	       (code = sqlite3_step(point)) == SQLITE_ROW) {
		struct sweep_row *row = &table->rows[table->n_rows++];

		fill_row(row, point);
		row->values = calloc((size_t)table->n_parameters + 1, sizeof *row->values);
		if (!row->values || !row->state)
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	if (!failed && code != SQLITE_DONE && code != SQLITE_ROW)
		failed = sweep_db_fail(db, err);
	sqlite3_finalize(point);
	return failed ? failed : load_values(table, db, err);
}

static int add_time(struct sweep_row *row, int round, double time_s)
{
	double *more;

	if (round < 0 || round >= SWEEP_MOST_MEASUREMENTS)
		return 0;
	if (round >= row->n_rounds) {
		more = realloc(row->times_s, (size_t)(round + 1) * sizeof *more);
		if (!more)
			return -1;
		row->times_s = more;
		while (row->n_rounds <= round)
			more[row->n_rounds++] = 0;
	}
	row->times_s[round] = time_s;
	return 0;
}

static int load_times(struct sweep_table *table, struct sweep_db *db, struct util_error *err)
{
	static const char sql[] = "SELECT place, round, m.predicted_time_s FROM point JOIN"
				  " measured AS m USING (hash) JOIN result USING (hash) WHERE"
				  " result.state = 'done'";
	sqlite3_stmt *all = NULL;
	int failed = 0;

	if (sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &all, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while (!failed && sqlite3_step(all) == SQLITE_ROW) {
		int place = sqlite3_column_int(all, 0);

		if (place >= 0 && place < table->n_rows &&
		    add_time(&table->rows[place], sqlite3_column_int(all, 1),
			     sqlite3_column_double(all, 2)))
			failed = util_error_set(err, UTIL_ENOMEM, "out of memory");
	}
	sqlite3_finalize(all);
	for (int i = 0; i < table->n_rows && !failed; i++)
		if (table->rows[i].n_rounds > 0)
			sweep_row_set_interval(&table->rows[i]);
	return failed;
}

static int load_intervals(struct sweep_table *table, struct sweep_db *db, struct util_error *err)
{
	sqlite3_stmt *all = NULL;

	if (sqlite3_prepare_v2(sweep_db_handle(db),
			       "SELECT place, low_s, high_s FROM point JOIN interval USING (hash)",
			       -1, &all, NULL) != SQLITE_OK)
		return sweep_db_fail(db, err);
	while (sqlite3_step(all) == SQLITE_ROW) {
		int place = sqlite3_column_int(all, 0);

		if (place < 0 || place >= table->n_rows || table->rows[place].n_rounds > 0)
			continue;
		table->rows[place].has_interval = true;
		table->rows[place].low_s = sqlite3_column_double(all, 1);
		table->rows[place].high_s = sqlite3_column_double(all, 2);
	}
	sqlite3_finalize(all);
	return 0;
}

static int holds(const struct sweep_table *table, const struct sweep_row *row,
		 const struct sweep_expression *where, bool *out, struct util_error *err)
{
	struct sweep_value values[SWEEP_MAX_PARAMETERS + SWEEP_N_FIGURES];

	for (int i = 0; i < table->n_parameters; i++)
		values[i] = sweep_value_of(row->values[i]);
	for (int i = 0; i < SWEEP_N_FIGURES; i++)
		values[table->n_parameters + i] =
		    (struct sweep_value){.number = row->figures[i], .is_number = true};
	return sweep_expression_holds(where, values, out, err);
}

static int filter(struct sweep_table *table, const char *text, struct util_error *err)
{
	const char *names[SWEEP_MAX_PARAMETERS + SWEEP_N_FIGURES];
	struct sweep_expression *where = NULL;
	int n_kept = 0, n = table->n_rows, failed;

	for (int i = 0; i < table->n_parameters; i++)
		names[i] = table->names[i];
	for (int i = 0; i < SWEEP_N_FIGURES; i++)
		names[table->n_parameters + i] = sweep_figure_names[i];
	failed =
	    sweep_expression_parse(text, table->n_parameters + SWEEP_N_FIGURES, names, &where, err);
	for (int i = 0; i < n && !failed; i++) {
		bool is_kept = false;

		failed = holds(table, &table->rows[i], where, &is_kept, err);
		if (failed)
			break;
		if (!is_kept) {
			row_finish(&table->rows[i], table->n_parameters);
			table->rows[i] = (struct sweep_row){0};
		} else if (n_kept++ != i) {
			table->rows[n_kept - 1] = table->rows[i];
			table->rows[i] = (struct sweep_row){0};
		}
	}
	sweep_expression_destroy(where);
	if (failed)
		return util_error_prepend(err, "--where");
	table->n_rows = n_kept;
	return n_kept ? 0 : util_refuse(err, "--where: found no point for which %.200s", text);
}

int sweep_table_load(const char *path, const char *where, struct sweep_table **out,
		     struct util_error *err)
{
	struct sweep_table *table = calloc(1, sizeof *table);
	struct sweep_db *db = NULL;
	int failed = table ? sweep_db_open(path, false, false, &db, err)
			   : util_error_set(err, UTIL_ENOMEM, "out of memory");

	/* One view of all tables, whoever writes meanwhile. */
	if (!failed && sqlite3_exec(sweep_db_handle(db), "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
		failed = sweep_db_fail(db, err);
	if (!failed) {
		table->name = sweep_db_info(db, "name");
		failed =
		    table->name
			? load_parameters(table, db, err)
			: util_refuse(err, "%s: found no grid, wanted one from mpisim-sweep run",
				      path);
	}
	if (!failed)
		failed = load_rows(table, db, err);
	if (!failed)
		failed = load_times(table, db, err);
	if (!failed)
		failed = load_intervals(table, db, err);
	if (!failed && where)
		failed = filter(table, where, err);
	sweep_db_close(db);
	if (failed)
		sweep_table_destroy(table);
	else
		*out = table;
	return failed;
}
