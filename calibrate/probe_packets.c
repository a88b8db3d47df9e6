/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Do links carry packets? Each has headers of its own, so the time of a message jumps by theirs
 * where its size needs one more packet. Sizes over a wide range say roughly where; bisection finds
 * some of these places to the byte. Messages follow each other, so that the link never rests and
 * takes its time for each, whatever processors do meanwhile. No more than two are on their way: the
 * system joins what waits in a connection, and fills packets with it.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"

enum {
	LEAST_PAYLOAD_B = 512,
	LEAST_B = 2048, /* of a message: of smaller ones processors have as much work as the link */
	STEPS = 24,	/* a step is this part of a size, */
	MOST_STEP_B = 512,
	LEAST_POINTS = 8,
	MOST_POINTS = 160,
	PLACES = 32, /* of the first jump that are tried, for each distance of jumps */
	JUMPS = 3,   /* to find, */
	ENOUGH_JUMPS = 2,
	POINTS_OF_JUMP = 12,
	FEW_PACKETS = 8 /* of a message after a rest */
};
/* of sizes that are looked at; the first one does for frames of 1500 B, the last one for 9000 B */
static const int64_t ranges_B[] = {8192, 32768};
static const double LEAST_OVERHEAD_B = 8;
static const double LEAST_BUSY = 0.1; /* of a byte's time, the link for longer than processors */
static const double TOLERANCE = 1e-3; /* a jump is a hundredth of a time, or less */
static const double GOLDEN = 0.6180339887; /* its multiples spread evenly */
static const double SAME_HEIGHT = 0.5, SAME_DISTANCE = 0.01;

struct points {
	int n;
	double size_B[MOST_POINTS], time_s[MOST_POINTS];
};

/* A line with jumps of one height at equal distances. */
struct saw {
	double first_B, distance_B; /* jumps at first_B + k distance_B, behind these sizes */
	/* the best line, how many points tell it, their variance from it */
	double start_s, per_byte_s, jump_s;
	int n_points;
	double rest;
};

struct jump { /* between below_B and the next size */
	int64_t below_B;
	double height_s;
};

/* From answer to answer. Acknowledgements of answers take the link, too: as many of them, since
 * messages that are not counted follow. */
static double time_of(struct cal *cal, int64_t size_B)
{
	return exchange_repeat(cal, "packet_stream", (struct exchange){BETWEEN_NODES, size_B});
}

static double time_after_rest(struct cal *cal, int64_t size_B)
{
	return exchange_repeat(cal, "packets", (struct exchange){BETWEEN_NODES, size_B});
}

/* Steps differ: if all were as long as a packet no size would be behind a jump that others are not
 * behind. */
static void choose_sizes(int64_t from_B, int64_t to_B, struct points *points)
{
	points->n = 0;
	for (int64_t size_B = from_B; size_B <= to_B && points->n < MOST_POINTS;) {
		int64_t most_B = (int64_t)(MOST_STEP_B * (0.7 + 0.4 * fmod(GOLDEN * points->n, 1)));

		points->size_B[points->n++] = (double)size_B;
		size_B += smaller(size_B / STEPS, most_B);
	}
}

static double n_jumps(const struct saw *saw, double size_B)
{
	return ceil((size_B - saw->first_B) / saw->distance_B);
}

/* Least squares of time = start + per_byte size + jump n(size), behind the first jump. */
static void fit_saw(const struct points *points, struct saw *saw)
{
	double n = 0, s = 0, k = 0, t = 0, ss = 0, sk = 0, kk = 0, st = 0, kt = 0, tt = 0,
	       determinant;

	for (int i = 0; i < points->n; i++) {
		double size = points->size_B[i], time = points->time_s[i],
		       jumps = n_jumps(saw, size);

		if (jumps < 1)
			continue;
		n++;
		s += size;
		k += jumps;
		t += time;
		ss += size * size;
		sk += size * jumps;
		kk += jumps * jumps;
		st += size * time;
		kt += jumps * time;
		tt += time * time;
	}
	saw->per_byte_s = saw->jump_s = 0;
	if (n < LEAST_POINTS)
		return;
	ss -= s * s / n;
	sk -= s * k / n;
	kk -= k * k / n;
	st -= s * t / n;
	kt -= k * t / n;
	tt -= t * t / n;
	determinant = ss * kk - sk * sk;
	if (determinant <= 1e-9 * ss * kk)
		return;
	saw->n_points = (int)n;
	saw->per_byte_s = (st * kk - kt * sk) / determinant;
	saw->jump_s = (kt * ss - st * sk) / determinant;
	saw->start_s = (t - saw->per_byte_s * s - saw->jump_s * k) / n;
	saw->rest = (tt - saw->per_byte_s * st - saw->jump_s * kt) / (n - 3);
}

/* The distance and place of jumps that fit the points best, among all that they tell apart. */
static struct saw find_saw(const struct points *points)
{
	double from_B = points->size_B[0], to_B = points->size_B[points->n - 1];
	struct saw best = {.rest = INFINITY}, saw = {0};

	for (saw.distance_B = LEAST_PAYLOAD_B; saw.distance_B < (to_B - from_B) / 2;
	     saw.distance_B += saw.distance_B * saw.distance_B / (8 * (to_B - from_B)))
		for (int place = 0; place < PLACES; place++) {
			saw.first_B = from_B + saw.distance_B * place / PLACES;
			fit_saw(points, &saw);
			if (saw.jump_s > 0 && saw.rest < best.rest)
				best = saw;
		}
	return best;
}

struct tooth {
	const struct saw *saw;
	double below_s; /* half a jump above the line that ends */
	double low_s, high_s;
};

static int is_behind(struct cal *cal, int64_t size_B, void *context)
{
	struct tooth *tooth = context;
	double time_s = time_of(cal, size_B);
	bool is = time_s > tooth->below_s + tooth->saw->per_byte_s * (double)size_B;

	*(is ? &tooth->high_s : &tooth->low_s) = time_s;
	return is;
}

/* Where the time leaves the line for the next one, a quarter of a packet around. */
static struct jump find_jump(struct cal *cal, const struct saw *saw, double place_B)
{
	int64_t low_B = (int64_t)(place_B - saw->distance_B / 4),
		high_B = (int64_t)(place_B + saw->distance_B / 4);
	struct tooth tooth = {saw,
			      saw->start_s + saw->jump_s * (n_jumps(saw, (double)low_B) + 0.5)};
	int64_t first_B = cal_bisect(cal, low_B, high_B, 1, is_behind, &tooth);

	return (struct jump){first_B - 1, tooth.high_s - tooth.low_s};
}

/* At equal distances; one may have been disturbed, so not all need the height of the line's. */
static bool are_jumps(const struct saw *saw, const struct jump *jumps, int n)
{
	int n_high = 0;

	for (int k = 0; k < n; k++) {
		double distance_B = (double)(jumps[k].below_B - jumps[0].below_B) -
				    k * (double)(jumps[n - 1].below_B - jumps[0].below_B) / (n - 1);

		if (fabs(distance_B) > SAME_DISTANCE * saw->distance_B)
			return false;
		n_high += fabs(jumps[k].height_s - saw->jump_s) <= SAME_HEIGHT * saw->jump_s;
	}
	return n_high >= ENOUGH_JUMPS;
}

/* Half of the time that is left for all of it. */
static void begin(struct cal *cal, double until, int n_points)
{
	double spent = cal_share((MPI_Wtime() - cal->begin_s) / cal->settings.budget_s);

	cal->until = (spent + until) / 2;
	cal_group(cal, "packets", n_points);
}

/* Looks for jumps in a range of sizes, but for the first one. The size below the second one, and
 * the distance of jumps; 0: there are none. */
static int64_t probe_range(struct cal *cal, double until, int64_t from_B, int64_t to_B,
			   int64_t *distance_B)
{
	struct points points;
	struct saw saw = {0};
	struct jump jumps[JUMPS];
	int n = 0;

	choose_sizes(from_B, to_B, &points);
	begin(cal, until, points.n + JUMPS * POINTS_OF_JUMP);
	if (cal_is_over(cal))
		return 0;
	for (int k = 0; k < points.n; k++)
		points.time_s[k] = time_of(cal, (int64_t)points.size_B[k]);
	if (cal->rank == 0)
		saw = find_saw(&points);
	MPI_Bcast(&saw, sizeof(saw), MPI_BYTE, 0, MPI_COMM_WORLD);
	if (!(saw.jump_s > LEAST_OVERHEAD_B * saw.per_byte_s) || saw.per_byte_s <= 0)
		return 0;
	for (double place_B = saw.first_B + saw.distance_B;
	     n < JUMPS && place_B + saw.distance_B / 4 <= (double)to_B; place_B += saw.distance_B)
		jumps[n++] = find_jump(cal, &saw, place_B);
	if (!are_jumps(&saw, jumps, n))
		return 0;
	for (int k = 0; k < n; k++)
		cal_fact(cal, "packet_jump_B", "%lld", (long long)jumps[k].below_B);
	*distance_B = jumps[1].below_B - jumps[0].below_B;
	return jumps[0].below_B;
}

/* Ranges from from_B up to to_B. */
static int64_t probe_ranges(struct cal *cal, double until, int64_t from_B, int64_t to_B,
			    int64_t *distance_B)
{
	int64_t found_B = 0;

	for (size_t k = 0; k < sizeof(ranges_B) / sizeof(*ranges_B) && !found_B; k++) {
		int64_t end_B = smaller(from_B + ranges_B[k], to_B);

		if (end_B >= from_B + ranges_B[0])
			found_B = probe_range(cal, until, from_B, end_B, distance_B);
	}
	return found_B;
}

/* In a replay: the sizes, jumps and their distance are known. */
static int64_t replay_ranges(struct cal *cal, int64_t *distance_B)
{
	const struct sample_key *key = NULL;
	const char *second = samples_get_fact(&cal->measured, "packet_jump_B", 1);
	double found_B = cal_share(second ? cal_measured_fact(cal, "packet_jump_B", 0) : 0), size_B;

	*distance_B = (int64_t)(cal_share(second ? strtod(second, NULL) : 0) - found_B);
	do {
		key = samples_next(&cal->measured, "packet_stream", key ? key->x : -1);
		size_B = cal_share(key ? (double)key->x : -1);
		if (size_B >= 0 && size_B <= (double)cal->settings.max_size_B)
			time_of(cal, (int64_t)size_B);
	} while (size_B >= 0);
	return *distance_B > 0 ? (int64_t)found_B : 0;
}

/* The link is busy with one of two messages for as long as processors are with its bytes, and an
 * answer and the next one on their way. */
static int64_t least_size(const struct cal *cal)
{
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       overhead_s = cal->send_per_B_s + cal->recv_per_B_s, least_B;

	if (cal->threshold_B == INT64_MAX) /* of which they are a part */
		overhead_s *= 2;
	least_B = 2 * cal->empty_s[BETWEEN_NODES] /
		  fmax(per_byte_s - overhead_s, LEAST_BUSY * per_byte_s);
	return LEAST_B + (int64_t)fmin(least_B, (double)cal->largest_B[BETWEEN_NODES]);
}

/* An eager one of few packets: of many, the bandwidth would have to be known too well. */
static void measure_after_rest(struct cal *cal, int64_t found_B, int64_t distance_B,
			       int64_t threshold_B)
{
	double nothing_s = time_after_rest(cal, 0),
	       least_s = nothing_s + LEAST_PAYLOAD_B * cal->per_byte_s[BETWEEN_NODES];
	bool is_eager = found_B > 0 && found_B <= threshold_B;

	if (is_eager && found_B > 2 * FEW_PACKETS * distance_B)
		found_B -= (found_B / distance_B - FEW_PACKETS) * distance_B;
	/* what takes no longer passes at once: nothing tells how much more would */
	while (is_eager && found_B <= threshold_B && time_after_rest(cal, found_B) < least_s)
		found_B *= 2;
	if (!is_eager && threshold_B > 0)
		time_after_rest(cal, smaller(threshold_B, ranges_B[1]));
}

void probe_packets(struct cal *cal, int where)
{
	double tolerance = cal->settings.tolerance, until = cal->until;
	int64_t from_B, largest_B = cal->largest_B[where],
			threshold_B = smaller(cal->threshold_B, largest_B), found_B, distance_B = 1;

	if (cal->per_byte_s[where] <= 0)
		return;
	from_B = least_size(cal);
	cal->settings.tolerance = TOLERANCE;
	if (cal->is_replay)
		found_B = replay_ranges(cal, &distance_B);
	else
		found_B = probe_ranges(cal, until, from_B, threshold_B, &distance_B);
	if (!cal->is_replay && !found_B && threshold_B < largest_B)
		found_B = probe_ranges(cal, until, from_B + (threshold_B > 0 ? threshold_B : 0),
				       largest_B, &distance_B);
	cal->has_packets = found_B > 0;
	begin(cal, until, 2);
	measure_after_rest(cal, found_B, distance_B, threshold_B);
	cal->settings.tolerance = tolerance;
}
