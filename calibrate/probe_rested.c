/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times by size once more, each message after a rest. In a game of ping-pong links regain only what
 * they are idle for while the ball comes back: a message that would pass at once takes longer there
 * than after a rest, or a part of it does, if links can save up more than that.
 */
#include <math.h>

#include "calibrate.h"

enum { MOST_SIZES = 96 };
/* What links save up is told by messages of that many bytes. */
static const int64_t MOST_B = 256 << 10;
/* Of a time, what it is less than bytes would make it, if that is more than times scatter by. */
static const double LEAST_SPARED = 0.05;
/* Messages of so many bursts find a whole one in a game of ping-pong. */
static const double BURSTS_APART = 5;
/* If a latency takes links, the word that both begin with uses some of it up: that matters for so
 * many. */
static const double BURSTS_OF_LATENCIES = 100;

/* Sizes between nodes, ascending; how many. */
static int gather(const struct cal *cal, int64_t *sizes_B)
{
	const struct sample_key *key = NULL;
	int n = 0;

	while (n < MOST_SIZES &&
	       (key = samples_next(&cal->samples, "one_way", key ? key->x : -1))) {
		struct sample_key here = sample_key("one_way", BETWEEN_NODES, key->x, 0);

		if (samples_count(&cal->samples, &here) > 0)
			sizes_B[n++] = key->x;
	}
	return n;
}

/* What messages take less than others of their protocol and the bytes that they have more, at most:
 * seconds; 0 where links are not known to save up more than they regain. */
static double spared_s(const struct cal *cal, const int64_t *sizes_B, int n)
{
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], most_s = 0, least_s = 0;

	for (int k = 0; k < n && sizes_B[k] <= MOST_B; k++) {
		double time_s = samples_message(&cal->samples, BETWEEN_NODES, sizes_B[k]).median,
		       behind_s = time_s - (double)sizes_B[k] * per_byte_s;

		/* the largest so far, of which the rest is taken */
		if (k == 0 || (sizes_B[k] > cal->threshold_B && sizes_B[k - 1] <= cal->threshold_B))
			least_s = behind_s;
		least_s = fmax(least_s, behind_s);
		if (least_s - behind_s > LEAST_SPARED * time_s)
			most_s = fmax(most_s, least_s - behind_s);
	}
	return most_s > 2 * cal->empty_s[BETWEEN_NODES] ? most_s : 0;
}

/* Of these sizes, those that may find a part of a burst only; how many. */
static int choose(struct cal *cal, int64_t *sizes_B, double *rest_s)
{
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], burst_s;
	int n = gather(cal, sizes_B), chosen = 0;
	bool passes = samples_is_rested(&cal->samples, BETWEEN_NODES, 0);
	double apart = passes ? BURSTS_OF_LATENCIES : BURSTS_APART;

	burst_s = cal->spared_s =
	    per_byte_s > 0 && !samples_get_fact(&cal->samples, "packet_jump_B", 0)
		? spared_s(cal, sizes_B, n)
		: 0;
	for (int k = 0; k < n && burst_s > 0; k++) {
		double bytes_s = (double)sizes_B[k] * per_byte_s;

		struct sample_key key = sample_key("rested", BETWEEN_NODES, sizes_B[k], 0);

		if ((sizes_B[k] == 0 || passes || bytes_s > cal->empty_s[BETWEEN_NODES]) &&
		    bytes_s < apart * burst_s && !samples_count(&cal->samples, &key))
			sizes_B[chosen++] = sizes_B[k];
	}
	*rest_s = 2 * burst_s + 1e-3;
	return chosen;
}

void probe_rested(struct cal *cal, double until)
{
	int64_t sizes_B[MOST_SIZES];
	struct pattern rested = {.ranks = {0, cal->far}};
	int n = cal->rank == 0 ? choose(cal, sizes_B, &rested.pause_s) : 0;

	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(sizes_B, n, MPI_INT64_T, 0, MPI_COMM_WORLD);
	MPI_Bcast(&rested.pause_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	cal->spared_s = cal_share(cal->spared_s);
	cal_group(cal, "times after a rest", until, n);
	for (int k = 0; k < n; k++) {
		rested.size_B = sizes_B[k];
		pattern_repeat(cal, &rested, "rested", BETWEEN_NODES, "M1 p b S1 r1 e",
			       "M1 R0 s0"); /* with an empty answer */
	}
}
