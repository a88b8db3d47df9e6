/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Several eager messages in a row, and an answer, after a rest: what links have saved up spares all
 * of them together as much as one alone. That tells a burst from small messages that are fast. Of
 * empty ones, how long each has its links for itself.
 */
#include <math.h>

#include "calibrate.h"

enum {
	SIZES = 3,
	MOST_CARS = 400,
	LEAST_CARS = 4,
	MOST_EMPTY = 512, /* in a row */
	EMPTY_TRAINS = 4, /* lengths of them, about */
	LEAST_B = 64,
	LARGEST_BURST_B = 65536,
	OVERHEADS_B = 8192 /* of the messages whose overhead was measured by size */
};
/* Of the burst: all of a train of n. */
static const double TRAIN = 3;
/* A message has its links for so much longer than its sender's CPU is busy for it. */
static const double BOUND = 1.3;
/* What times scatter by is no burst, as part of an empty message's. */
static const double LEAST_SPARED = 0.01;
static const double SAME = 0.02; /* of the time of one more message */

struct train {
	int64_t size_B;
	int n;
};

static double measure(struct cal *cal, void *context)
{
	pattern_run(cal, context);
	return ((struct pattern *)context)->times_s[0];
}

/* The receiver takes the last one first, which is there last, so that it is as busy as with one. */
static double measure_train(struct cal *cal, const struct train *train)
{
	double each_s = cal->empty_s[BETWEEN_NODES] +
			(double)train->size_B * cal->per_byte_s[BETWEEN_NODES];
	struct pattern probe = {.ranks = {0, cal->far},
				.steps = {"M1 p b (S1) T1 r1 e", "M1 U0 s0 (R0)"},
				.size_B = train->size_B,
				.n = train->n - 1,
				.pause_s = 4 * train->n * each_s + 2e-3};

	return cal_repeat(cal, "train", BETWEEN_NODES, train->size_B, train->n, measure, &probe);
}

static void measure_both(struct cal *cal, struct train *train)
{
	measure_train(cal, train);
	train->n *= 2;
	measure_train(cal, train);
}

/* Where latencies take links, these may save up some: until each one more has its links for as long
 * as the one before, and all that links may have saved up is used. */
static void measure_empty(struct cal *cal)
{
	struct train train = {.size_B = 0, .n = LEAST_CARS};
	double most = LARGEST_BURST_B * cal->per_byte_s[BETWEEN_NODES] /
		      fmax(2 * cal->empty_s[BETWEEN_NODES], 1e-9),
	       before_s = measure_train(cal, &train), time_s, each_s, each_before_s = INFINITY;

	do {
		train.n *= 2;
		time_s = measure_train(cal, &train);
		each_s = 2 * (time_s - before_s) / train.n;
		before_s = time_s;
		if (train.n >= MOST_EMPTY ||
		    (train.n / 2 >= most && each_s < (1 + SAME) * each_before_s))
			break;
		each_before_s = each_s;
	} while (true);
}

static double median_of(const struct cal *cal, const char *name, int64_t size_B)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, size_B, 0);

	return samples_summary(&cal->samples, &key).median;
}

static double send_overhead_s(const struct cal *cal, int64_t size_B)
{
	struct sample_key by_size = sample_key("send_overhead", BETWEEN_NODES, OVERHEADS_B, 0);
	double empty_s = median_of(cal, "send_overhead", 0), more_s = 0;

	if (samples_count(&cal->samples, &by_size) > 0)
		more_s = fmax(median_of(cal, "send_overhead", OVERHEADS_B) - empty_s, 0);
	return empty_s + more_s * (double)size_B / OVERHEADS_B;
}

/* What eager messages take less than an empty one and their bytes do, at most. All of their bytes:
 * then it may be more. */
static double most_spared_s(const struct cal *cal)
{
	const struct sample_key *key = NULL;
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], most_s = 0, largest_s = 0;

	while ((key = samples_next(&cal->samples, "one_way", key ? key->x : -1)) &&
	       key->x <= cal->threshold_B) {
		struct sample_key here = sample_key("one_way", BETWEEN_NODES, key->x, 0);

		if (!samples_count(&cal->samples, &here))
			continue;
		largest_s = (double)key->x * per_byte_s;
		most_s =
		    fmax(most_s, cal->empty_s[BETWEEN_NODES] + largest_s -
				     samples_message(&cal->samples, BETWEEN_NODES, key->x).median);
	}
	if (most_s < LEAST_SPARED * cal->empty_s[BETWEEN_NODES])
		return 0;
	return most_s > 0.9 * largest_s ? fmax(most_s, LARGEST_BURST_B * per_byte_s) : most_s;
}

/* Trains of messages that a burst holds several of, which use it up, though links rest for a part
 * of it while the CPU makes the next message; at rank 0. */
static int choose(const struct cal *cal, struct train *trains)
{
	double spared_s = most_spared_s(cal), per_byte_s = cal->per_byte_s[BETWEEN_NODES];
	/* what fits, and was found to be eager */
	double most_B = (double)(cal->threshold_B < cal->largest_B[BETWEEN_NODES]
				     ? cal->threshold_B
				     : cal->largest_B[BETWEEN_NODES]);
	int n = 0;

	for (int k = 1; k <= SIZES && spared_s > 0 && per_byte_s > 0; k++) {
		double size_B = fmin(spared_s / per_byte_s, most_B) / (1 << k),
		       busy_s = floor(size_B) * per_byte_s,
		       send_s = send_overhead_s(cal, (int64_t)size_B);

		if (size_B < LEAST_B || busy_s < BOUND * send_s)
			continue;
		trains[n++] = (struct train){
		    .size_B = (int64_t)size_B,
		    .n = (int)fmin(fmax(TRAIN * spared_s / (busy_s - send_s), LEAST_CARS),
				   MOST_CARS),
		};
	}
	return n;
}

void probe_trains(struct cal *cal, double until)
{
	struct train trains[SIZES] = {0};
	int n = cal->rank == 0 ? choose(cal, trains) : 0;

	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(trains, sizeof(trains), MPI_BYTE, 0, MPI_COMM_WORLD);
	cal_group(cal, "trains", until, 3 * n + EMPTY_TRAINS);
	measure_empty(cal);
	for (int k = 0; k < n; k++) {
		probe_one_way(cal, BETWEEN_NODES, trains[k].size_B);
		measure_both(cal, &trains[k]);
	}
}
