/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that the rules have found about, fitted: the probes run in the simulator on candidates. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "fit.h"
#include "least_squares.h"

enum { MOST_STEPS = 6, MOST_VALUES = 16, SCANNED = 16, QUARTERS = 7 };
/* Of the loss: a fit that gains less leaves the values as they were measured. */
static const double ENOUGH = 0.001, GAIN = 0.8;
static const double FAR = 100; /* a factor either way */
/* Of an empty message's time: what is told, and where nothing tells. */
static const double LEAST_BURST = 0.02, FIRST_BURST = 0.25;
static const double LESS = 4; /* of a burst that lines say, either way */
static const double MOST_BURST_B = 131072;

struct tune {
	struct candidates *candidates;
	const struct fit *fit;
};

static double *add(double *at[], int *n, double *value)
{
	if (*value > 0 && isfinite(*value) && *n < MOST_VALUES)
		at[(*n)++] = value;
	return value;
}

/* What times follow smoothly. */
static int values_of(struct fit *fit, double *at[MOST_VALUES])
{
	int w = fit->subject, n = 0;

	add(at, &n, &fit->latency[w].value);
	add(at, &n, &fit->bandwidth_Bps[w].value);
	add(at, &n, &fit->send_overhead[w].value);
	add(at, &n, &fit->recv_overhead[w].value);
	add(at, &n, &fit->recv_per_B_s);
	add(at, &n, &fit->burst_s);
	add(at, &n, &fit->request_data_B);
	if (fit->n_used > 1) {
		add(at, &n, &fit->used[0].size_B);
		add(at, &n, &fit->used[fit->n_used - 1].size_B);
	} else {
		add(at, &n, &fit->unattended_B);
	}
	if (fit->n_send_buffers == 1)
		add(at, &n, &fit->send_buffers[0].size_B);
	return n;
}

static void set_all(struct fit *fit, const double *values)
{
	double *at[MOST_VALUES];
	int n = values_of(fit, at);

	for (int k = 0; k < n; k++)
		*at[k] = values[k];
}

static int predict(void *context, const double *values, int n, double *residuals,
		   struct util_error *err)
{
	struct tune *tune = context;
	struct fit fits[MOST_VALUES + 1];
	const void *list[MOST_VALUES + 1];
	struct check *checks = calloc((size_t)n, sizeof(*checks));
	double *at[MOST_VALUES];
	int n_values;

	if (!checks)
		return util_error_set(err, UTIL_ENOMEM, "out of memory");
	for (int k = 0; k < n; k++) {
		fits[k] = *tune->fit;
		n_values = values_of(&fits[k], at);
		set_all(&fits[k], values + (ptrdiff_t)k * n_values);
		list[k] = &fits[k];
	}
	candidates_run(tune->candidates, list, n, checks, residuals);
	free(checks);
	return 0;
}

/* --- readings of the samples --- */

/* Mean of what residuals add. */
static double loss_of(const double *residuals, int n)
{
	double sum = 0;
	int n_told = 0;

	for (int k = 0; k < n; k++) {
		sum += isnan(residuals[k]) ? 0 : least_squares_loss(residuals[k]);
		n_told += !isnan(residuals[k]);
	}
	return n_told ? sum / n_told : INFINITY;
}

struct reading {
	struct fit fit;
	struct check check;
	double loss;
};

static int run(struct reading *reading, struct candidates *candidates)
{
	const void *list[] = {&reading->fit};
	double *residuals = calloc((size_t)candidates->base.n + 1, sizeof(*residuals));

	if (!residuals)
		return -1;
	candidates_run(candidates, list, 1, &reading->check, residuals);
	reading->loss = reading->check.is_made ? loss_of(residuals, candidates->base.n) : INFINITY;
	free(residuals);
	return 0;
}

/* Least squares, kept if they gain something. Whole packets hide small steps. */
static void tune(struct reading *reading, struct candidates *candidates)
{
	double *at[MOST_VALUES], values[MOST_VALUES], least[MOST_VALUES], most[MOST_VALUES];
	struct reading tuned = *reading;
	struct tune context = {candidates, &reading->fit};
	struct least_squares squares = {.n_values = values_of(&tuned.fit, at),
					.n_residuals = candidates->base.n,
					.least = least,
					.most = most,
					.predict = predict,
					.context = &context,
					.n_steps = MOST_STEPS};
	struct util_error err;

	if (reading->loss < ENOUGH || !isfinite(reading->loss) || reading->fit.payload_B > 0)
		return;
	for (int k = 0; k < squares.n_values; k++) {
		values[k] = *at[k];
		least[k] = values[k] / FAR;
		most[k] = values[k] * FAR;
	}
	if (least_squares_run(&squares, values, &err))
		return;
	set_all(&tuned.fit, values);
	if (run(&tuned, candidates) == 0 && tuned.loss < GAIN * reading->loss)
		*reading = tuned;
}

/* A number more has to gain as much (Bayesian information criterion). */
static double score(const struct reading *reading, const struct candidates *candidates)
{
	const struct fit *fit = &reading->fit;
	int n = (fit->burst_s > 0) + fit->is_latency_shared + fit->is_acknowledged +
		(fit->recv_per_B_s > 0);

	if (fit_needs_segments(fit, BETWEEN_NODES))
		n += 2 * fit->transfers[BETWEEN_NODES].n_segments;
	return reading->loss + n * log(candidates->base.n) / candidates->base.n;
}

/* False: there is no such reading. */
static bool read_as(struct reading *reading, struct candidates *candidates,
		    struct fit_choice choice)
{
	char error[256];

	*reading = (struct reading){0};
	if (fit_make_with(&reading->fit, candidates->measured, choice, error) < 0)
		return false;
	if (run(reading, candidates) == 0)
		tune(reading, candidates);
	return true;
}

/* Whether the other one is better, and has taken its place; it is finished in any case. */
static void take_better(struct reading *best, struct reading *other,
			const struct candidates *candidates)
{
	bool is_better = other->check.is_made && score(other, candidates) < score(best, candidates);

	fit_finish(is_better ? &best->fit : &other->fit);
	if (is_better)
		*best = *other;
}

struct readings {
	struct candidates *candidates;
	struct fit_choice choice; /* but for the burst */
};

/* Readings with other bursts, from which all other values follow. */
static int predict_bursts(void *context, const double *values, int n, double *residuals,
			  struct util_error *err)
{
	struct readings *readings = context;
	struct candidates *candidates = readings->candidates;
	struct fit fits[2];
	const void *list[2] = {&fits[0], &fits[1]};
	struct check checks[2];
	char error[256];

	for (int k = 0; k < n; k++) {
		readings->choice.burst_s = values[k];
		if (fit_make_with(&fits[k], candidates->measured, readings->choice, error) < 0)
			return util_error_set(err, UTIL_EINPUT, "%s", error);
	}
	candidates_run(candidates, list, n, checks, residuals);
	for (int k = 0; k < n; k++)
		fit_finish(&fits[k]);
	return 0;
}

static double loss_with(struct readings *readings, double burst_s)
{
	int n = readings->candidates->base.n;
	double *residuals = calloc((size_t)n + 1, sizeof(*residuals)), loss = INFINITY;
	struct util_error err;

	if (residuals && predict_bursts(readings, &burst_s, 1, residuals, &err) == 0)
		loss = loss_of(residuals, n);
	free(residuals);
	return loss;
}

/* Of bursts that grow by that factor, the one that predicts best. */
static double best_burst_s(struct readings *readings, double first_s, double factor, int n_values)
{
	struct candidates *candidates = readings->candidates;
	struct reading list[SCANNED] = {0};
	const void *fits[SCANNED] = {0};
	struct check checks[SCANNED];
	double *residuals = calloc((size_t)candidates->base.n * SCANNED + 1, sizeof(*residuals));
	double best = INFINITY, best_s = first_s;
	char error[256];
	int n = 0;

	for (; n < n_values && residuals; n++) {
		readings->choice.burst_s = first_s * pow(factor, n);
		if (fit_make_with(&list[n].fit, candidates->measured, readings->choice, error) < 0)
			break;
		fits[n] = &list[n].fit;
	}
	candidates_run(candidates, fits, n, checks, residuals);
	for (int k = 0; k < n; k++) {
		list[k].loss =
		    checks[k].is_made
			? loss_of(residuals + (ptrdiff_t)k * candidates->base.n, candidates->base.n)
			: INFINITY;
		if (score(&list[k], candidates) < best) {
			best = score(&list[k], candidates);
			best_s = list[k].fit.choice.burst_s;
		}
		fit_finish(&list[k].fit);
	}
	free(residuals);
	return best_s;
}

/* Least squares find no other valley, and noise hides from lines by size where a burst ends: from
 * less than they say up to all that links are known to save up, in steps of two, then of a quarter
 * around the best. */
static double scanned_burst_s(struct readings *readings, const struct fit *fit, double burst_s)
{
	double least_s = burst_s / LESS, most_s = burst_s * LESS, best_s;
	int n = 1;

	most_s = fmax(most_s, MOST_BURST_B / fit->bandwidth_Bps[fit->subject].value);
	while (n < SCANNED && least_s * exp2(n - 1) < most_s)
		n++;
	best_s = best_burst_s(readings, least_s, 2, n);
	return best_burst_s(readings, best_s / exp2(0.75), exp2(0.25), QUARTERS);
}

/* Least squares, kept if they gain something. */
static double tuned_burst_s(struct readings *readings, const struct fit *fit, double first_s)
{
	double burst_s = scanned_burst_s(readings, fit, first_s), least_s = burst_s / FAR,
	       most_s = burst_s * FAR;
	struct least_squares squares = {.n_values = 1,
					.n_residuals = readings->candidates->base.n,
					.least = &least_s,
					.most = &most_s,
					.predict = predict_bursts,
					.context = readings,
					.n_steps = MOST_STEPS};
	struct util_error err;

	if (least_squares_run(&squares, &burst_s, &err))
		return first_s;
	return loss_with(readings, burst_s) < GAIN * loss_with(readings, first_s) ? burst_s
										  : first_s;
}

static void try_choice(struct reading *best, struct candidates *candidates,
		       struct fit_choice choice)
{
	struct reading other;

	if (read_as(&other, candidates, choice))
		take_better(best, &other, candidates);
}

/* A burst, if there is one: lines of transfers begin with a latency, and are behind it by the burst
 * where it is used up. */
static double first_burst_s(const struct fit *fit)
{
	const struct curve *lines = &fit->transfers[fit->subject];
	double empty_s = fit->empty[fit->subject].value, most_s = 0;

	for (int k = 1; k < lines->n_segments; k++)
		most_s = fmax(most_s, lines->segments[0].latency_s - lines->segments[k].latency_s);
	return most_s > LEAST_BURST * empty_s ? most_s : FIRST_BURST * empty_s;
}

/* Nothing is left to explain, and no line to be explained better. */
static bool is_enough(const struct reading *best)
{
	return best->loss < ENOUGH && !fit_needs_segments(&best->fit, BETWEEN_NODES);
}

/* With the other end of a rendezvous, where nobody is seen to wait for it: what was chosen before
 * may have stood in for something else. */
static void try_end(struct reading *best, struct candidates *candidates)
{
	struct fit_choice choice = best->fit.choice;
	bool is_seen = best->fit.is_acknowledged && !choice.is_acknowledged;

	if (is_seen || (is_enough(best) && !choice.is_acknowledged) ||
	    best->fit.threshold_B[best->fit.subject] == INT64_MAX)
		return;
	choice.is_acknowledged = !choice.is_acknowledged;
	try_choice(best, candidates, choice);
}

/* Overheads per byte that times by size have not. */
static void try_copies(struct reading *best, struct candidates *candidates)
{
	struct fit_choice choice = best->fit.choice;

	if (best->loss < ENOUGH || best->fit.recv_per_B_s <= 0)
		return;
	choice.copies_meanwhile = true;
	try_choice(best, candidates, choice);
}

static void try_burst(struct reading *best, struct candidates *candidates, double first_s,
		      bool shares_latency)
{
	struct readings readings = {candidates, best->fit.choice};

	if (is_enough(best))
		return;
	readings.choice.shares_latency = shares_latency;
	readings.choice.burst_s = tuned_burst_s(&readings, &best->fit, first_s);
	try_choice(best, candidates, readings.choice);
}

static void try_bursts(struct reading *best, struct candidates *candidates)
{
	double first_s = first_burst_s(&best->fit);
	bool shares_latency = best->fit.is_latency_shared;

	try_burst(best, candidates, first_s, shares_latency);
	try_burst(best, candidates, first_s, !shares_latency);
}

/* Latencies that links have. */
static void try_shared(struct reading *best, struct candidates *candidates)
{
	struct fit_choice choice = best->fit.choice;

	if (is_enough(best))
		return;
	choice.shares_latency = true;
	try_choice(best, candidates, choice);
}

static void try_lines(struct reading *best, struct candidates *candidates)
{
	struct fit_choice choice = best->fit.choice;

	if (best->loss < ENOUGH)
		return;
	choice.has_segments = true;
	try_choice(best, candidates, choice);
}

/* Packets whose jumps scatter too much to be certain: of Ethernet, with headers of IP and TCP or
 * others. */
static void try_packets(struct reading *best, struct candidates *candidates)
{
	static const double overheads_B[] = {0, 38, 54, 66, 78, 90, 110};
	struct fit_choice choice = best->fit.choice;

	if (best->loss < ENOUGH || !best->fit.has_doubtful_packets)
		return;
	choice.has_packets = true;
	for (size_t k = 0; k < sizeof(overheads_B) / sizeof(overheads_B[0]); k++) {
		choice.overhead_B = overheads_B[k];
		try_choice(best, candidates, choice);
	}
}

/* One mechanism after the other, kept if the probes are predicted better. */
static void try_others(struct reading *best, struct candidates *candidates)
{
	const struct fit *fit = &best->fit;

	if (fit->subject == WITHIN_NODE || !best->check.is_made || is_enough(best))
		return;
	try_packets(best, candidates);
	try_end(best, candidates);
	if (fit->payload_B == 0) {
		try_shared(best, candidates);
		try_bursts(best, candidates);
	}
	try_end(best, candidates);
	try_copies(best, candidates);
	if (fit->payload_B > 0)
		return;
	if (fit->choice.copies_meanwhile)
		try_bursts(best, candidates);
	try_lines(best, candidates);
}

static void write_candidate(const void *candidate, FILE *file)
{
	fit_write_yaml(candidate, NULL, file);
}

/* Without a simulator lines by size stand in for packets that are not certain: they say at least
 * what a message alone takes. */
static void choose_unseen(struct fit *fit)
{
	struct fit lines;
	char error[256];

	if (!fit->has_doubtful_packets ||
	    fit_make_with(&lines, fit->samples, (struct fit_choice){.has_segments = true}, error))
		return;
	fit_finish(fit);
	*fit = lines;
}

void fit_choose(struct fit *fit, struct check *check)
{
	struct candidates candidates = {.measured = fit->samples, .write = write_candidate};
	struct reading best = {.fit = *fit, .check = {.why_not = "out of memory"}};

	if (check_begin(&candidates.base, fit->samples) == 0 && run(&best, &candidates) == 0) {
		tune(&best, &candidates);
		try_others(&best, &candidates);
		candidates.repeats = true;
		run(&best, &candidates);
		fit_collectives(&best.fit, &candidates, &best.check);
	}
	check_end(&candidates.base);
	*fit = best.fit;
	*check = best.check;
	if (!check->is_made)
		choose_unseen(fit);
}
