// SPDX-License-Identifier: BSD-3-Clause

#include <stdlib.h>

#include <jansson.h>

#include "tools/sweep/options.h"
#include "tools/sweep/verdict.h"
#include "util/options.h"
#include "util/units.h"

#define MAX_ERRORS 5
#define MAX_CANDIDATES 10

static const char help[] =
    "mpisim-sweep status says how far a sweep is, what failed, what was warned of, and which point\n"
    "is the fastest, or that this cannot be told.\n"
    "\n"
    "usage: mpisim-sweep status SWEEP.db\n"
    "\n"
    "It may be called while the sweep runs. Exit status: 0; 2 wrong usage or input.\n";

/* The parameters of a point: "n=16 r=324". */
static void print_point(struct sweep_db *db, int point, FILE *file)
{
	static const char sql[] =
	    "SELECT name, value FROM value JOIN parameter ON place = parameter"
	    " WHERE point = ? ORDER BY place";
	sqlite3_stmt *values = NULL;

	sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &values, NULL);
	sqlite3_bind_int(values, 1, point);
	while (sqlite3_step(values) == SQLITE_ROW)
		fprintf(file, " %s=%s", sqlite3_column_text(values, 0),
			sqlite3_column_text(values, 1));
	sqlite3_finalize(values);
}

void sweep_failures_print(struct sweep_db *db, FILE *file)
{
	static const char sql[] = "SELECT error, count(*) AS n, min(place) FROM point JOIN result"
				  " USING (hash) WHERE state = 'failed' GROUP BY error"
				  " ORDER BY n DESC, min(place)";
	sqlite3_stmt *errors = NULL;
	int n = 0;

	sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &errors, NULL);
	while (sqlite3_step(errors) == SQLITE_ROW && n++ < MAX_ERRORS) {
		fprintf(file, "failed, %d point%s, the first:", sqlite3_column_int(errors, 1),
			sqlite3_column_int(errors, 1) == 1 ? "" : "s");
		print_point(db, sqlite3_column_int(errors, 2), file);
		fprintf(file, "\n  %s\n", sqlite3_column_text(errors, 0));
	}
	if (n > MAX_ERRORS)
		fputs("… and other errors: mpisim-sweep export lists them all\n", file);
	sqlite3_finalize(errors);
}

static void print_row(const struct sweep_table *table, const struct sweep_row *row, FILE *file)
{
	char time[32], low[32], high[32];

	for (int i = 0; i < table->n_parameters; i++)
		fprintf(file, " %s=%s", table->names[i], row->values[i]);
	fprintf(file, "\n  %s", util_format_time(time, sizeof time, row->figures[SWEEP_TIME_S]));
	if (row->has_interval)
		fprintf(file, " (%s to %s", util_format_time(low, sizeof low, row->low_s),
			util_format_time(high, sizeof high, row->high_s));
	if (row->n_measured > 0)
		fprintf(file, "%s%d measurement%s", row->has_interval ? "; " : " (",
			row->n_measured, row->n_measured == 1 ? "" : "s");
	fprintf(file, "%s, efficiency %.1f %%, %.4g node-seconds\n",
		row->has_interval || row->n_measured > 0 ? ")" : "",
		100 * row->figures[SWEEP_EFFICIENCY], row->figures[SWEEP_NODE_SECONDS]);
}

void sweep_verdict_print(struct sweep_table *table, FILE *file)
{
	int best, n = sweep_candidates_mark(table, &best), n_shown = 0;

	if (best < 0)
		return;
	if (!sweep_is_undecided(table, n)) {
		fputs("fastest:", file);
		print_row(table, &table->rows[best], file);
		return;
	}
	fprintf(file, "no difference can be told between %d points that may be the fastest:\n", n);
	for (int i = 0; i < table->n_rows && n_shown < MAX_CANDIDATES; i++) {
		if (!table->rows[i].is_candidate)
			continue;
		print_row(table, &table->rows[i], file);
		n_shown++;
	}
	if (n > n_shown)
		fprintf(file, "… and %d more\n", n - n_shown);
}

static void print_warnings(const struct sweep_table *table, FILE *file)
{
	int n = 0, first = -1;
	json_t *list;

	for (int i = 0; i < table->n_rows; i++) {
		n += table->rows[i].warnings != NULL;
		first = first < 0 && table->rows[i].warnings ? i : first;
	}
	if (n == 0)
		return;
	fprintf(file, "warnings, %d point%s, the first:", n, n == 1 ? "" : "s");
	for (int i = 0; i < table->n_parameters; i++)
		fprintf(file, " %s=%s", table->names[i], table->rows[first].values[i]);
	list = json_loads(table->rows[first].warnings, 0, NULL);
	fprintf(file, "\n  %s\n",
		json_array_size(list) ? json_string_value(json_array_get(list, 0)) : "");
	json_decref(list);
}

static int print_verdict(const char *path, struct util_error *err)
{
	struct sweep_table *table = NULL;
	int failed = sweep_table_load(path, NULL, &table, err);

	if (!failed) {
		sweep_verdict_print(table, stdout);
		print_warnings(table, stdout);
	}
	sweep_table_destroy(table);
	return failed;
}

static int print_status(const char *path, struct util_error *err)
{
	struct sweep_counts c = {0};
	struct sweep_db *db = NULL;
	int failed = sweep_db_open(path, false, false, &db, err);
	char *name;

	if (!failed)
		failed = sweep_db_count(db, &c, err);
	if (!failed) {
		name = sweep_db_info(db, "name");
		printf("%s: %d points: %d done, %d failed, %d to run\n", name ? name : path,
		       c.n_points, c.n_done, c.n_failed, c.n_points - c.n_done - c.n_failed);
		if (c.n_others)
			printf("%d results of other grids are kept\n", c.n_others);
		if (c.n_points > 0)
			failed = print_verdict(path, err);
		sweep_failures_print(db, stdout);
		free(name);
	}
	sweep_db_close(db);
	return failed;
}

int sweep_main_status(int argc, char **argv)
{
	static const struct util_option table[] = {{"help", UTIL_OPTION_LAST, .letter = 'h'}};
	static const struct util_options options = {table, 1, "see mpisim-sweep status --help",
						    .takes_empty = true};
	struct util_error err = {0};
	uint64_t given = 0;
	bool is_help;
	int failed = util_options_read(argc, argv, &options, &given, &is_help, &err);

	if (failed > 0) {
		fputs(help, stdout);
		return 0;
	}
	if (!failed && argc - optind != 1)
		failed =
		    util_refuse(&err, "found %d files, wanted one: mpisim-sweep status SWEEP.db",
				argc - optind);
	if (!failed)
		failed = print_status(argv[optind], &err);
	return failed ? sweep_refuse(&err) : 0;
}
