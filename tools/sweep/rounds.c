// SPDX-License-Identifier: BSD-3-Clause
/*
 * What is measured is so in several rounds, and all points in turns: what disturbs the machine for
 * a while does not fall on one point alone. After the first rounds those go on of which it cannot
 * be told which is the fastest.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/sweep/run.h"
#include "tools/sweep/verdict.h"

static int most_of(const struct sweep_run *run)
{
	return run->options.n_measurements ? run->options.n_measurements
					   : run->spec->n_measurements;
}

int sweep_run_is_todo(const struct sweep_run *run, int point, bool *out, struct util_error *err)
{
	const char *hash = run->hashes[point];
	int there = run->db ? sweep_db_has(run->db, hash, err) : 0, n, failed;

	if (there < 0)
		return there;
	*out = there == 0;
	if (there == 0 || !run->is_measured[point])
		return 0;
	failed = sweep_db_n_measured(run->db, hash, &n, err);
	*out = n <= run->round && n < most_of(run) &&
	       (run->round < SWEEP_LEAST_MEASUREMENTS || run->is_candidate[point]);
	return failed;
}

/* Whether another round may tell more. The rows are the points of the grid, in its order. */
static int look(struct sweep_run *run, bool *out_goes_on, struct util_error *err)
{
	struct sweep_table *table = NULL;
	int best, failed = sweep_table_load(run->db_path, NULL, &table, err);

	if (failed)
		return failed;
	*out_goes_on = sweep_is_undecided(table, sweep_candidates_mark(table, &best));
	for (int i = 0; i < run->grid.n_points && i < table->n_rows; i++)
		run->is_candidate[i] = table->rows[i].is_candidate;
	sweep_table_destroy(table);
	return 0;
}

bool sweep_run_has_measured(const struct sweep_run *run)
{
	for (int i = 0; i < run->grid.n_points; i++)
		if (run->is_measured[i])
			return true;
	return false;
}

int sweep_run_rounds(struct sweep_run *run, int (*engine)(struct sweep_run *, struct util_error *),
		     struct util_error *err)
{
	int failed;

	run->n_new = run->n_runs = run->n_todo;
	failed = engine(run, err);
	for (run->round = 1; !failed && sweep_run_has_measured(run) && run->round < most_of(run);
	     run->round++) {
		bool goes_on = true;

		if (run->round >= SWEEP_LEAST_MEASUREMENTS)
			failed = look(run, &goes_on, err);
		if (failed || !goes_on)
			break;
		failed = sweep_run_find_todo(run, err);
		run->n_runs += run->n_todo;
		run->progress.n_all += run->n_todo;
		if (!failed && run->n_todo > 0)
			failed = engine(run, err);
	}
	return failed;
}
