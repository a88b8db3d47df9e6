/* SPDX-License-Identifier: BSD-3-Clause */
/* What several transfers get of a link together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Each flow of these has a link of its own, or one each way: they should not lengthen each other.
 */
static bool is_parallel(const char *name)
{
	return !strcmp(name, "both_ways") || !strcmp(name, "sendrecv") || !strcmp(name, "ring") ||
	       !strcmp(name, "pairs");
}

static bool is_shared(const char *name)
{
	return !strcmp(name, "many_to_one") || !strcmp(name, "one_to_many");
}

/* Like that of one flow, but that the bytes take k times as long / the efficiency. */
static void add(struct fit *fit, const struct sample_key *key, double alone_s)
{
	struct sharing *s = &fit->sharing[fit->n_sharing++];
	struct sample_key first_key = *key;
	struct summary last = samples_summary(fit->samples, key), first;
	double bytes_s = (double)key->y / fit->bandwidth_Bps[fit->subject].value;
	double k = is_parallel(key->name) ? 1 : (double)key->x;

	snprintf(first_key.name, sizeof(first_key.name), "first_%s", key->name);
	first = samples_summary(fit->samples, &first_key);
	memcpy(s->name, key->name, sizeof(s->name));
	s->n_flows = (int)key->x;
	s->size_B = key->y;
	s->efficiency = k * bytes_s / (last.median - alone_s + bytes_s);
	s->first = first.n ? first.median : 1;
}

static bool is_new(const struct samples *samples, size_t i)
{
	const struct sample_key *key = &samples->list[i].key, *other;

	for (size_t k = i; k-- > 0;) {
		other = &samples->list[k].key;
		if (other->x == key->x && !strcmp(other->name, key->name))
			return false;
	}
	return true;
}

void fit_sharing(struct fit *fit)
{
	const struct samples *samples = fit->samples;
	double alone_s = -1;

	for (size_t i = 0; i < samples->n && fit->n_sharing < FIT_SHARING; i++) {
		const struct sample_key *key = &samples->list[i].key;

		if ((!is_shared(key->name) && !is_parallel(key->name)) || !is_new(samples, i))
			continue;
		if (is_shared(key->name) && key->x == 1)
			alone_s = samples_summary(samples, key).median;
		else if (alone_s >= 0)
			add(fit, key, alone_s);
	}
}

/* What the links lose, not what a library does one after the other: the best of the ways to do it.
 */
double fit_duplex_penalty(const struct fit *fit)
{
	double best = -1;

	for (int k = 0; k < fit->n_sharing; k++) {
		const struct sharing *s = &fit->sharing[k];

		if (is_parallel(s->name) && strcmp(s->name, "pairs"))
			best = fmax(best, s->efficiency);
	}
	return best < 0 ? 0 : fmin(fmax(1 - best, 0), 0.99);
}

/* Mean of in and out at n flows; what lies between two measured numbers of flows is on a line. */
double fit_sharing_efficiency(const struct fit *fit, int n_flows)
{
	double below = 1, above = 1;
	int at_below = 1, at_above = 0;

	for (int k = 0; k < fit->n_sharing; k++) {
		const struct sharing *s = &fit->sharing[k];

		if (!is_shared(s->name))
			continue;
		if (s->n_flows <= n_flows && s->n_flows > at_below) {
			at_below = s->n_flows;
			below = s->efficiency;
		} else if (s->n_flows == at_below && at_below > 1) {
			below = (below + s->efficiency) / 2;
		} else if (s->n_flows > n_flows && (!at_above || s->n_flows < at_above)) {
			at_above = s->n_flows;
			above = s->efficiency;
		}
	}
	if (at_above && at_below < n_flows)
		below += (above - below) * (n_flows - at_below) / (at_above - at_below);
	return fmin(fmax(below, 0.01), 1);
}

int fit_most_flows(const struct fit *fit)
{
	int most = 1;

	for (int k = 0; k < fit->n_sharing; k++)
		if (is_shared(fit->sharing[k].name) && fit->sharing[k].n_flows > most)
			most = fit->sharing[k].n_flows;
	return most;
}
