// SPDX-License-Identifier: BSD-3-Clause
#include "tools/whatif/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/whatif/change.h"
#include "util/array.h"

/* Where transfers share links, running times jump by nanoseconds when events change their order:
 * a change of the parameter must be large enough that this is nothing. */
#define RELATIVE_STEP 0.02
#define LEAST_STEP_S 1e-8 /* of times that are 0 */
#define LEAST_STEP_S_PER_B 1e-12
/* The path's derivative holds when the difference is the same but for this part, and for what
 * rounding to picoseconds makes of both times. */
#define SAME 0.02
#define ROUNDING_S 1e-10

static double value_of(const struct whatif_base *base, int which)
{
	const struct cluster *c = base->cluster;

	if (which == WHATIF_LATENCY)
		return c->network.latency_s;
	if (which == WHATIF_INVERSE_BANDWIDTH)
		return 1 / c->network.bandwidth_Bps;
	return fmin(c->protocol.send_overhead_s, c->protocol.recv_overhead_s);
}

static double step_of(const struct whatif_base *base, int which)
{
	double value = value_of(base, which);

	if (value > 0)
		return value * RELATIVE_STEP;
	return which == WHATIF_INVERSE_BANDWIDTH ? LEAST_STEP_S_PER_B : LEAST_STEP_S;
}

/* The scenario in which the parameter is larger by `step`, or smaller where that is negative. */
static int add_step(struct whatif_scenarios *scenarios, const struct whatif_base *base, int which,
		    double step, struct util_error *err)
{
	double value = value_of(base, which);
	char text[256], *overheads;
	int rc;

	if (which == WHATIF_OVERHEAD) {
		overheads = whatif_overheads(base->cluster, 1, step);
		rc = overheads ? whatif_scenarios_add(scenarios, base, overheads, err)
			       : util_error_set(err, UTIL_ENOMEM, "out of memory");
		free(overheads);
		return rc;
	}
	if (which == WHATIF_LATENCY && value > 0)
		snprintf(text, sizeof text, "latency*%.17g", 1 + step / value);
	else if (which == WHATIF_LATENCY)
		snprintf(text, sizeof text, "latency=%.17gs", step);
	else if (value > 0)
		snprintf(text, sizeof text, "bandwidth/%.17g", 1 + step / value);
	else
		snprintf(text, sizeof text, "bandwidth=%.17g B/s", 1 / step);
	return whatif_scenarios_add(scenarios, base, text, err);
}

/* `low` is the base where the parameter cannot be smaller. */
static void compare(const struct whatif_base *base, const struct whatif_scenario *low,
		    const struct whatif_scenario *high, struct whatif_derivative *d)
{
	double low_s = low ? low->time_s : base->time_s, width = low ? 2 * d->step : d->step;

	d->has_difference = !high->error && (!low || !low->error);
	if (d->has_difference)
		d->difference = (high->time_s - low_s) / width;
	d->is_path = d->has_difference &&
		     fabs(d->difference - d->path) <=
			 SAME * fmax(fabs(d->path), fabs(d->difference)) + ROUNDING_S / width;
}

static bool has_option(const struct whatif_base *base, const char *name)
{
	for (int i = 0; i < base->n_words; i++)
		if (strcmp(base->words[i], name) == 0)
			return true;
	return false;
}

static int add_words(struct whatif_scenario *scenario, int n, const char *const words[],
		     struct util_error *err)
{
	for (int i = 0; i < n; i++)
		if (util_texts_add(&scenario->words, &scenario->n_words, strdup(words[i])))
			return util_error_set(err, UTIL_ENOMEM, "out of memory");
	return 0;
}

/* The median of other runs would be another run, and the difference that of two seeds: each step is
 * the run that the base describes. */
static int keep_seed(const struct whatif_base *base, struct whatif_scenarios *steps,
		     struct util_error *err)
{
	const json_t *interval = json_object_get(base->result, "prediction_interval");
	char seed[32];
	const char *const words[] = {"--repeat", "1", "--seed", seed};
	int failed = 0;

	if (!interval || has_option(base, "--repeat") || has_option(base, "--seed"))
		return 0;
	snprintf(seed, sizeof seed, "%lld",
		 (long long)json_integer_value(json_object_get(interval, "reported_seed")));
	for (int i = 0; i < steps->n && !failed; i++)
		failed = add_words(&steps->list[i], 4, words, err);
	return failed;
}

/* Predicts what is a step away from the base, and compares. */
static int check(const struct whatif_base *base, int n_jobs, struct whatif_derivatives *all,
		 struct util_error *err)
{
	int low[WHATIF_N_DERIVATIVES], high[WHATIF_N_DERIVATIVES], failed = 0;
	struct whatif_scenarios steps = {0};

	for (int i = 0; i < WHATIF_N_DERIVATIVES && !failed; i++) {
		double step = all->list[i].step = step_of(base, i);

		low[i] = value_of(base, i) > 0 ? steps.n : -1;
		if (low[i] >= 0)
			failed = add_step(&steps, base, i, -step, err);
		high[i] = steps.n;
		if (!failed)
			failed = add_step(&steps, base, i, step, err);
	}
	if (!failed)
		failed = keep_seed(base, &steps, err);
	if (!failed)
		failed = whatif_predict(base, &steps, n_jobs, err);
	for (int i = 0; i < WHATIF_N_DERIVATIVES && !failed; i++)
		compare(base, low[i] < 0 ? NULL : &steps.list[low[i]], &steps.list[high[i]],
			&all->list[i]);
	whatif_scenarios_finish(&steps);
	return failed;
}

int whatif_derive(const struct whatif_base *base, int n_jobs, struct whatif_derivatives *out,
		  struct util_error *err)
{
	*out = (struct whatif_derivatives){
	    .list = {{.name = "latency",
		      .unit = "s per s",
		      .path = whatif_base_derivative(base, "latency")},
		     {.name = "inverse_bandwidth",
		      .unit = "B",
		      .path = whatif_base_derivative(base, "inverse_bandwidth_B")},
		     {.name = "overhead",
		      .unit = "s per s",
		      .path = whatif_base_derivative(base, "send_overhead") +
			      whatif_base_derivative(base, "recv_overhead")}},
	    .inexact_s = whatif_base_derivative(base, "inexact_s"),
	};
	return check(base, n_jobs, out, err);
}
