/* SPDX-License-Identifier: BSD-3-Clause */
/* How kernels' times scatter, from call to call and from node to node, replayed with a seed. Format: docs/benchmark-store.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "pdexec/store_internal.h"
#include "util/units.h"

/* Streams of the seed that nothing else uses: those of calls and of nodes begin here. */
#define CALL_STREAMS ((uint64_t)1 << 40)
#define NODE_STREAMS ((uint64_t)2 << 40)
#define IRWIN_HALL 12 /* this many uniform numbers have variance 1, and a sum that is close to normal */

/* "0.97 0.99 1.06": ascending, relative to each other only. */
static int quantiles_parse(const char *text, struct pd_spread *out, struct util_error *err)
{
	char copy[1024], *at, *token;
	double sum = 0;

	if (strlen(text) >= sizeof(copy))
		return util_refuse(err, "found more than %zu characters of quantiles",
				   sizeof(copy) - 1);
	strcpy(copy, text);
	out->n = 0;
	for (token = strtok_r(copy, " \t", &at); token; token = strtok_r(NULL, " \t", &at)) {
		if (out->n == PD_MAX_QUANTILES)
			return util_refuse(err, "found more than %d quantiles", PD_MAX_QUANTILES);
		if (util_parse_double(token, &out->quantiles[out->n], err))
			return util_error_prepend(err, "quantile %d", out->n + 1);
		if (out->quantiles[out->n] < 0 ||
		    (out->n > 0 && out->quantiles[out->n] < out->quantiles[out->n - 1]))
			return util_refuse(
			    err, "found the quantile %s, wanted ascending numbers from 0", token);
		out->n++;
	}
	if (out->n < 2 || out->quantiles[out->n - 1] <= 0)
		return util_refuse(err, "found %d quantiles, wanted 2 to %d, the last above 0",
				   out->n, PD_MAX_QUANTILES);
	/* Linear between neighbours: the mean is that of the trapezoids. */
	for (int i = 0; i + 1 < out->n; i++)
		sum += 0.5 * (out->quantiles[i] + out->quantiles[i + 1]);
	for (int i = 0; i < out->n; i++)
		out->quantiles[i] *= (out->n - 1) / sum;
	return 0;
}

int pd_spread_parse(const char *kind, const char *text, struct pd_spread *out,
		    struct util_error *err)
{
	struct pd_spread spread = {.is_known = true};

	if (!strcmp(kind, "quantiles")) {
		if (quantiles_parse(text, &spread, err))
			return UTIL_EINPUT;
	} else if (!strcmp(kind, "normal")) {
		if (util_parse_double(text, &spread.deviation, err))
			return util_error_prepend(err, "relative standard deviation");
		if (spread.deviation < 0 || spread.deviation > 1)
			return util_refuse(
			    err, "found the relative standard deviation %s, wanted 0 to 1", text);
	} else {
		return util_refuse(
		    err, "found the distribution \"%.60s\", wanted normal or quantiles", kind);
	}
	*out = spread;
	return 0;
}

int pd_deviates_parse(const char *kind, enum pd_deviates *out, struct util_error *err)
{
	if (!strcmp(kind, "normal"))
		*out = PD_DEVIATES_NORMAL;
	else if (!strcmp(kind, "half-normal"))
		*out = PD_DEVIATES_HALF_NORMAL;
	else
		return util_refuse(
		    err, "found the distribution \"%.60s\", wanted normal or half-normal", kind);
	return 0;
}

/* Close to normal, mean 0, variance 1. Uses no functions that come out differently elsewhere. */
static double normal_draw(struct util_rng *rng)
{
	double sum = 0;

	for (int i = 0; i < IRWIN_HALL; i++)
		sum += util_rng_uniform(rng);
	return sum - IRWIN_HALL / 2;
}

/* Its absolute value, moved and stretched to mean 0 and variance 1. */
static double half_normal_draw(struct util_rng *rng)
{
	/* E|S - 6| of the sum S of 12 uniform numbers, 2/13! · sum of (-1)^k (12 over k) (6-k)^13 */
	const double mean = 14849671.0 / 18532800.0;

	return (fabs(normal_draw(rng)) - mean) / sqrt(1 - mean * mean);
}

/* A factor with mean 1; never below 0. */
static double spread_draw(const struct pd_spread *spread, struct util_rng *rng)
{
	double place, factor;
	int below;

	if (!spread->is_known)
		return 1;
	if (spread->n > 0) {
		place = util_rng_uniform(rng) * (spread->n - 1);
		below = (int)place;
		return spread->quantiles[below] +
		       (place - below) * (spread->quantiles[below + 1] - spread->quantiles[below]);
	}
	factor = 1 + spread->deviation * normal_draw(rng);
	return factor > 0 ? factor : 0;
}

void pd_store_vary_init(const struct pd_store *store, int rank, struct util_rng *calls)
{
	util_rng_init(calls, store->seed, CALL_STREAMS + (uint64_t)rank);
}

/* By the deviation that the model states. */
static void deviate(struct pd_charge *charge, struct util_rng *calls)
{
	double seconds = charge->seconds;

	charge->seconds +=
	    charge->deviation_s * (charge->deviates == PD_DEVIATES_NORMAL ? normal_draw(calls)
								       : half_normal_draw(calls));
	if (charge->seconds < 0)
		charge->seconds = 0;
	charge->kernel->info.charged_s += (charge->seconds - seconds) * charge->scale;
}

void pd_store_vary(struct pd_store *store, struct pd_charge *charge, int node,
		   struct util_rng *calls)
{
	struct pd_kernel *kernel = charge->kernel;
	const struct pd_spread *spreads = kernel->spreads;
	double factor;
	struct util_rng nodes;

	if (!store->varies || charge->execute)
		return;
	if (charge->deviates != PD_DEVIATES_NOT)
		deviate(charge, calls);
	if (!spreads[PD_VARY_CALL].is_known && !spreads[PD_VARY_NODE].is_known)
		spreads = store->spreads;
	kernel->info.n_varied += charge->deviates != PD_DEVIATES_NOT ||
				 spreads[PD_VARY_CALL].is_known || spreads[PD_VARY_NODE].is_known;
	if (!spreads[PD_VARY_CALL].is_known && !spreads[PD_VARY_NODE].is_known)
		return;
	/* The same numbers for all kernels: a slow node is slow in everything. */
	util_rng_init(&nodes, store->seed, NODE_STREAMS + (uint64_t)node);
	factor = spread_draw(&spreads[PD_VARY_NODE], &nodes) *
		 spread_draw(&spreads[PD_VARY_CALL], calls);
	kernel->info.charged_s += (factor - 1) * charge->seconds * charge->scale;
	charge->seconds *= factor;
}
