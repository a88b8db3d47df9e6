/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much what is equal differs, from single times. The model's factors are uniform in 1 ± a
 * (docs/model.md §2): the median distance from the median is a/2 then, and of the mean of two of
 * them, as in a round trip, a (1 - 1/√2).
 */
#include <math.h>
#include <string.h>

#include "fit.h"

enum { MOST = 4096 };
static const double OF_ONE = 2, OF_TWO = 3.4142;
static const double LEAST_VARIATION = 1e-3, MOST_VARIATION = 0.5;

/* Median distance from the median of one key's samples, in the median less `constant`. */
static double distance_of(const struct samples *samples, const struct sample_key *key,
			  double constant)
{
	double values[MOST], median;
	int n = 0;

	for (size_t i = 0; i < samples->n && n < MOST; i++) {
		const struct sample_key *here = &samples->list[i].key;

		if (here->x == key->x && here->y == key->y && !strcmp(here->name, key->name))
			values[n++] = samples->list[i].value;
	}
	if (n == 0)
		return 0;
	median = summary_of(values, n).median;
	for (int k = 0; k < n; k++)
		values[k] = fabs(values[k] - median);
	return median > constant ? summary_of(values, n).median / (median - constant) : 0;
}

/* The median over all keys of that probe from x on; NAN: it was not measured. */
static double typical(const struct samples *samples, const char *name, int64_t first_x,
		      double constant)
{
	double distances[MOST];
	const struct sample_key *before = NULL;
	int n = 0;

	for (size_t i = 0; i < samples->n && n < MOST; i++) {
		const struct sample_key *key = &samples->list[i].key;

		if (strcmp(key->name, name) || key->x < first_x ||
		    (before && before->x == key->x && before->y == key->y))
			continue;
		before = key;
		distances[n++] = distance_of(samples, key, constant);
	}
	return n > 0 ? summary_of(distances, n).median : NAN;
}

/* Of the largest messages: what disturbs small ones as long, a part of large ones it is not. */
static double messages_vary(const struct samples *samples, double overheads_s)
{
	const struct sample_key *key = NULL;
	int64_t largest_B = 0;

	while ((key = samples_next(samples, "vary_messages", key ? key->x : -1)))
		largest_B = key->x;
	return typical(samples, "vary_messages", largest_B, 2 * overheads_s);
}

static double limit(double variation)
{
	return fmin(fmax(variation, LEAST_VARIATION), MOST_VARIATION);
}

bool fit_variation(const struct fit *fit, struct fit_varies *out)
{
	const struct samples *samples = fit->samples;
	double overheads_s = fit->send_overhead.value + fit->recv_overhead.value,
	       computing = typical(samples, "vary_computing", 0, 0),
	       messages = messages_vary(samples, overheads_s);

	if (isnan(computing) || (computing == 0 && !(messages > 0)))
		return false;
	out->computation = limit(OF_ONE * computing);
	out->messages = isnan(messages) ? out->computation : limit(OF_TWO * messages);
	return true;
}

int fit_node_speeds(const struct fit *fit, double *times_s, double *varies, int most)
{
	int n = 0;

	for (; n < most; n++) {
		struct sample_key key = sample_key("vary_computing", BETWEEN_NODES, n, 0);
		struct summary time = samples_summary(fit->samples, &key);

		if (time.n == 0)
			break;
		times_s[n] = time.median;
		varies[n] = OF_ONE * distance_of(fit->samples, &key, 0);
	}
	return n;
}
