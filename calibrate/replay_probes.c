/* SPDX-License-Identifier: BSD-3-Clause */
#include "replay_probes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* How often a candidate's run makes each measurement, since connections' windows open as they are
 * used; and that which is compared in the end. */
enum { FEW_REPEATS = 2, MOST_REPEATS = 6 };

/* --- what is told --- */

/* Each measurement by its median and the ends of its interval, which is all of six or fewer. */
static int condense(const struct samples *samples, struct samples *out)
{
	int failed = 0;

	for (size_t i = 0; i < samples->n_facts; i++)
		failed |= samples_fact(out, samples->facts[i].name, "%s", samples->facts[i].value);
	for (size_t i = 0; i < samples->n; i++) {
		const struct sample_key *key = &samples->list[i].key;
		/* a stream repeats its messages itself */
		int n = strcmp(key->name, "packet_stream") ? MOST_REPEATS : 1;
		struct summary s;

		if (!samples_is_first(samples, i))
			continue;
		s = samples_summary(samples, key);
		n = n < s.n ? n : s.n;
		for (int k = 0; k < n; k++)
			failed |= samples_add(out, key,
					      n < 3	   ? s.median
					      : k == 0	   ? s.low
					      : k == n - 1 ? s.high
							   : s.median);
	}
	return failed;
}

int replay_make(const struct samples *measured, const struct check_base *base,
		const double *weights, char **text)
{
	struct samples samples = {0};
	size_t n;
	int failed = condense(measured, &samples);
	FILE *file;

	failed |= samples_fact(&samples, "repeats", "%d", weights ? FEW_REPEATS : MOST_REPEATS);
	free(*text);
	*text = NULL;
	for (int k = 0; weights && k < base->n; k++) {
		char key[SAMPLES_KEY_B];

		sample_key_text(&base->list[k].key, key);
		if (weights[k] == 0)
			failed |= samples_fact(&samples, "left_out", "%s", key);
	}
	file = open_memstream(text, &n);
	if (file) {
		samples_print(&samples, file);
		failed |= fclose(file);
	}
	samples_finish(&samples);
	return failed || !file ? -1 : 0;
}

/* --- what is needed --- */

/* Of a probe, so many tell all that it has to say: messages by size carry most of a prediction. */
static const double ENOUGH = 8, ENOUGH_MESSAGES = 24;

static bool is_like(const struct sample_key *a, const struct sample_key *b)
{
	return !strcmp(a->name, b->name) && a->where == b->where;
}

/* Streams of packets, which follow each other by size: as few as open a connection's window, but no
 * fewer than tell a line. */
static bool is_stream_needed(const struct check_base *base, int k)
{
	enum { MESSAGES = 26, OPENING_B = 128 << 20, LEAST = 4 };
	double carried_B = 0;
	int first = k, end, step;

	while (first > 0 && is_like(&base->list[first - 1].key, &base->list[k].key))
		first--;
	for (end = first; end < base->n && is_like(&base->list[end].key, &base->list[k].key); end++)
		carried_B += MESSAGES * (double)base->list[end].key.x;
	step = (int)fmax(fmin(carried_B / OPENING_B, (end - first) / LEAST), 1);
	return (k - first) % step == 0;
}

/* Whether runs of candidates make this measurement: of packets, which take long, some tell no more
 * than others. */
static bool is_needed(const struct samples *measured, const struct check_base *base, int k)
{
	enum { LARGE_B = 4 << 20 };
	const struct sample_key *key = &base->list[k].key;

	if (!strcmp(key->name, "compute_speed")) /* nothing that is searched for depends on more */
		return key->x <= 1 && key->y <= 1;
	if (!samples_get_fact(measured, "packet_jump_B", 1))
		return true;
	if (!strcmp(key->name, "packet_stream"))
		return is_stream_needed(base, k);
	if (is_probe_named("many_to_one one_to_many both_ways sendrecv ring", key->name))
		return key->y <= LARGE_B &&
		       (key->x <= 3 || key->x == samples_largest(measured, key->name));
	/* packets are between nodes */
	return strcmp(key->name, "one_way") || key->where == WITHIN_NODE || key->x <= LARGE_B;
}

void replay_weights(const struct samples *measured, const struct check_base *base, double *weights)
{
	for (int k = 0; k < base->n; k++)
		weights[k] = is_needed(measured, base, k);
	for (int k = 0; k < base->n; k++) {
		const struct sample_key *key = &base->list[k].key;
		int n = 0;

		for (int j = 0; j < base->n; j++)
			n += is_like(&base->list[j].key, key) && weights[j] > 0;
		if (weights[k] > 0)
			weights[k] =
			    fmin(1, (strcmp(key->name, "one_way") ? ENOUGH : ENOUGH_MESSAGES) / n);
	}
}
