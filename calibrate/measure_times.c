/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * --times FILE: a table of times of pairs of ranks, for --fit: within the levels of a node, between
 * two nodes, across the halves of all nodes, one pair and several at once.
 */
#include "benchmark.h"
#include "calibrate.h"
#include "util/outfile.h"

enum { MOST_ROWS = 512, MOST_PAIRS = 8, ROUNDS = 5, SMALL_B = 128 };
static const double LEAST_S = 5e-3,
		    MOST_S = 0.3; /* of a test: after one that is longer come no larger ones */

struct row {
	const struct benchmark *what;
	enum place place;
	int size_B, n_ranks;
	double time_s[ROUNDS];
};

struct table {
	struct cal *cal;
	struct places places;
	int n_rows, n_rounds;
	struct row rows[MOST_ROWS];
	double longest_s; /* of the last test */
};

static double run_row(struct table *table, const struct row *row)
{
	struct test test = {.what = row->what,
			    .size_B = row->size_B,
			    .n_ranks = row->n_ranks,
			    .place = row->place,
			    .least_s = table->cal->is_simulated ? 0 : LEAST_S,
			    .send = table->cal->send_buf,
			    .recv = table->cal->recv_buf};
	double begin = MPI_Wtime(), time_s = benchmark_run(&test, &table->places);

	table->longest_s = cal_share(MPI_Wtime() - begin);
	return time_s;
}

/* By size, as long as it is quick. */
static void add_curve(struct table *table, const char *name, enum place place, int n_ranks,
		      int first_B, int last_B)
{
	for (int size_B = first_B; size_B <= last_B && table->n_rows < MOST_ROWS; size_B *= 64) {
		struct row *row = &table->rows[table->n_rows++];

		*row = (struct row){benchmark_of(name), place, size_B, n_ranks, {0}};
		run_row(table, row);
		if (table->longest_s > MOST_S)
			break;
	}
}

/* More pairs than that tell no more, and are long in being simulated. Several between two nodes tell
 * how many messages a NIC sends: small ones. */
static void add_place(struct table *table, enum place place)
{
	int there = places_count(&table->places, place),
	    most = there < MOST_PAIRS || place == PLACE_ACROSS ? there : MOST_PAIRS,
	    last_B = place == PLACE_NODES ? SMALL_B : TIMES_LARGEST_B;

	if (most == 0)
		return;
	add_curve(table, "latency", place, 2, 2, TIMES_LARGEST_B);
	add_curve(table, "bw", place, 2, 2, TIMES_LARGEST_B);
	if (place <= PLACE_NODE)
		add_curve(table, "bibw", place, 2, 8192, TIMES_LARGEST_B);
	for (int n = 2; n < most && place != PLACE_ACROSS; n *= 2)
		add_curve(table, "mbw_mr", place, 2 * n, 2, last_B);
	if (most > 1)
		add_curve(table, "mbw_mr", place, 2 * most, 2, last_B);
}

static int write_table(const void *context, FILE *file, struct util_error *err)
{
	const struct table *table = context;

	fprintf(file,
		"# Measured by mpisim-calibrate --times, for --fit: %d ranks on %d node%s.\n"
		"operation,size,time,ranks,place\n",
		table->places.n_ranks, table->places.n_nodes,
		table->places.n_nodes == 1 ? "" : "s");
	for (int k = 0; k < table->n_rows; k++)
		for (int j = 0; j < table->n_rounds; j++) {
			const struct row *row = &table->rows[k];

			fprintf(file, "%s,%d,%.9gus,%d,%s\n", row->what->name, row->size_B,
				row->time_s[j] * 1e6, row->n_ranks, place_name(row->place));
		}
	return 0;
}

static int keep(const struct table *table, const char *path)
{
	struct util_error err;

	if (util_outfile_write(path, write_table, table, &err)) {
		fprintf(stderr, "mpisim-calibrate: %s\n", err.text);
		return 1;
	}
	printf("written to:  %s\nnext:        mpisim-calibrate --fit %s --cluster FILE -o "
	       "cluster.yaml\n",
	       path, path);
	return 0;
}

static void measure_all(struct table *table)
{
	for (int place = PLACE_DOMAIN; place < PLACES; place++)
		add_place(table, (enum place)place);
	for (int j = 0; j < table->n_rounds; j++)
		for (int k = 0; k < table->n_rows; k++)
			table->rows[k].time_s[j] = run_row(table, &table->rows[k]);
}

int measure_times(struct cal *cal)
{
	static struct table table;
	int status = 0;

	table.cal = cal;
	table.n_rounds = cal->is_simulated ? 1 : ROUNDS;
	places_find(&table.places);
	if (cal->rank == 0 && table.places.of[0].domain < 0 && cal->near >= 0)
		fputs("mpisim-calibrate: ranks are not bound to cores (mpirun --bind-to core): "
		      "nothing is measured within a node\n",
		      stderr);
	measure_all(&table);
	if (cal->rank == 0)
		status = keep(&table, cal->settings.times);
	places_finish(&table.places);
	cal_share_asleep(cal, &status);
	return status;
}
