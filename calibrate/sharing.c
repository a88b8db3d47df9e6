/* SPDX-License-Identifier: BSD-3-Clause */
/* What several transfers get of a link together. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fit.h"

/* Of a link, but for errors of measurement. */
static const double MOST_EFFICIENT = 1.05;

/* Each flow of these has a link of its own, or one each way: they should not lengthen each other.
 */
static bool is_parallel(const char *name)
{
	return !strcmp(name, "both_ways") || !strcmp(name, "sendrecv") || !strcmp(name, "ring");
}

static bool is_shared(const char *name)
{
	return !strcmp(name, "many_to_one") || !strcmp(name, "one_to_many");
}

static double median(const struct samples *samples, const char *name, int64_t x, int64_t size_B)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, x, size_B);

	return samples_summary(samples, &key).median;
}

/* Half the size, if that was measured, too; else -1. */
static int64_t smaller_size(const struct samples *samples, const struct sample_key *key)
{
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample_key *other = &samples->list[i].key;

		if (!strcmp(other->name, key->name) && other->x == key->x && other->y == key->y / 2)
			return other->y;
	}
	return -1;
}

/* What no link is occupied by: latencies by size, but those that links share. */
static double delay_s(const struct fit *fit, int64_t size_B)
{
	const struct curve *curve = &fit->transfers[fit->subject];
	int64_t bulk_B = size_B;
	int k = 0;

	if (fit->is_latency_shared || curve->n_segments == 0)
		return 0;
	if (size_B > fit->threshold_B[fit->subject])
		bulk_B -= (int64_t)fmax(fit->request_data_B, 0);
	while (k + 1 < curve->n_segments && bulk_B >= curve->segments[k + 1].from_B)
		k++;
	return fmax(curve->segments[k].latency_s, 0);
}

/* Overheads per byte: each sender has its own, a receiver's are those of all that it receives. */
static double overhead_per_B_s(const struct fit *fit, const struct sample_key *key)
{
	if (key->y > fit->threshold_B[fit->subject])
		return 0;
	return fit->send_per_B_s +
	       fit->recv_per_B_s * (!strcmp(key->name, "many_to_one") ? (double)key->x : 1);
}

/* How long the bytes by which two measurements of n flows differ occupy links. */
static double links_s(const struct fit *fit, const struct sample_key *key, int64_t smaller_B)
{
	return median(fit->samples, key->name, key->x, key->y) -
	       median(fit->samples, key->name, key->x, smaller_B) -
	       overhead_per_B_s(fit, key) * (double)(key->y - smaller_B) -
	       (delay_s(fit, key->y) - delay_s(fit, smaller_B));
}

/* By two sizes: whatever does not depend on the size is no matter. 0: there are no two. */
static double efficiency(const struct fit *fit, const struct sample_key *key)
{
	double k = is_parallel(key->name) ? 1 : (double)key->x;
	struct sample_key alone = sample_key("many_to_one", BETWEEN_NODES, 1, key->y);
	int64_t smaller_B = smaller_size(fit->samples, key);

	if (smaller_B < 0 || smaller_B != smaller_size(fit->samples, &alone))
		return 0;
	return k * links_s(fit, &alone, smaller_B) / links_s(fit, key, smaller_B);
}

static void add(struct fit *fit, const struct sample_key *key)
{
	struct sharing *s = &fit->sharing[fit->n_sharing];

	memcpy(s->name, key->name, sizeof(s->name));
	s->n_flows = (int)key->x;
	s->efficiency = efficiency(fit, key);
	fit->n_sharing += s->efficiency > 0;
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

	fit->n_sharing = 0;
	for (size_t i = 0; i < samples->n && fit->n_sharing < FIT_SHARING; i++) {
		const struct sample_key *key = &samples->list[i].key;
		bool is_alone = is_shared(key->name) && key->x == 1;

		if ((is_shared(key->name) || is_parallel(key->name)) && !is_alone &&
		    is_new(samples, i))
			add(fit, key);
	}
}

/* What the links lose, not what a library does one after the other: the best of the ways to do it.
 */
double fit_duplex_penalty(const struct fit *fit)
{
	double best = -1;

	for (int k = 0; k < fit->n_sharing; k++) {
		const struct sharing *s = &fit->sharing[k];

		if (is_parallel(s->name))
			best = fmax(best, s->efficiency);
	}
	return best < 0 ? 0 : fmin(fmax(1 - best, 0), 0.99);
}

/* Mean of in and out at n flows, or at the largest measured number that is not more. */
double fit_sharing_efficiency(const struct fit *fit, int n_flows)
{
	double efficiency = 1;
	int at = 1;

	for (int k = 0; k < fit->n_sharing; k++) {
		const struct sharing *s = &fit->sharing[k];

		/* more than all: a CPU limits each flow, not the link, and tells nothing of it */
		if (!is_shared(s->name) || s->efficiency > MOST_EFFICIENT || s->n_flows > n_flows)
			continue;
		if (s->n_flows == at) {
			efficiency = (efficiency + s->efficiency) / 2;
		} else if (s->n_flows > at) {
			efficiency = s->efficiency;
			at = s->n_flows;
		}
	}
	return fmin(fmax(efficiency, 0.01), 1);
}

int fit_most_flows(const struct fit *fit)
{
	int most = 1;

	for (int k = 0; k < fit->n_sharing; k++)
		if (is_shared(fit->sharing[k].name) && fit->sharing[k].n_flows > most)
			most = fit->sharing[k].n_flows;
	return most;
}
