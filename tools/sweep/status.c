// SPDX-License-Identifier: BSD-3-Clause
#include "tools/sweep/status.h"

#include <getopt.h>
#include <stdlib.h>

#include "tools/sweep/options.h"
#include "util/units.h"

#define MAX_ERRORS 5

static const char help[] =
    "mpisim-sweep status says how far a sweep is, what failed, and which point is the fastest.\n"
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

static void print_fastest(struct sweep_db *db, FILE *file)
{
	static const char sql[] = "SELECT place, predicted_time_s, efficiency, node_seconds FROM"
				  " point JOIN result USING (hash) WHERE state = 'done'"
				  " ORDER BY predicted_time_s, place LIMIT 1";
	sqlite3_stmt *fastest = NULL;
	char time[32];

	sqlite3_prepare_v2(sweep_db_handle(db), sql, -1, &fastest, NULL);
	if (sqlite3_step(fastest) == SQLITE_ROW) {
		fputs("fastest:", file);
		print_point(db, sqlite3_column_int(fastest, 0), file);
		fprintf(file, "\n  %s, efficiency %.1f %%, %.4g node-seconds\n",
			util_format_time(time, sizeof time, sqlite3_column_double(fastest, 1)),
			100 * sqlite3_column_double(fastest, 2), sqlite3_column_double(fastest, 3));
	}
	sqlite3_finalize(fastest);
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
		print_fastest(db, stdout);
		sweep_failures_print(db, stdout);
		free(name);
	}
	sweep_db_close(db);
	return failed;
}

int sweep_main_status(int argc, char **argv)
{
	static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};
	struct util_error err = {0};
	int option, failed = 0;

	opterr = 0;
	while (!failed && (option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h') {
			fputs(help, stdout);
			return 0;
		}
		failed = sweep_refuse_option(option, argv, "status", &err);
	}
	if (!failed && argc - optind != 1)
		failed = util_error_set(&err, UTIL_EINPUT,
					"found %d files, wanted one: mpisim-sweep status SWEEP.db",
					argc - optind);
	if (!failed)
		failed = print_status(argv[optind], &err);
	return failed ? sweep_refuse(&err) : 0;
}
