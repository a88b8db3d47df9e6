/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The shape of times by size: where a line ends and another one begins, and what messages take that
 * come after a rest, alone or several in a row. The sizes to measure depend on what was measured.
 */
#include <math.h>

#include "calibrate.h"

enum { MOST_SIZES = 256 };

struct sizes {
	int n;
	struct size {
		double size_B, time_s, scatter_s;
	} list[MOST_SIZES]; /* [n], ascending */
};

static struct summary measured(const struct cal *cal, const char *probe, int where, int64_t size_B)
{
	struct sample_key key = sample_key(probe, where, size_B, 0);
	struct summary here = samples_summary(&cal->samples, &key);

	return here.n > 0 ? cal_summary(cal, probe, where, size_B, 0) : here;
}

/* Times of messages in a game of ping-pong; at rank 0. */
static void gather(const struct cal *cal, int where, struct sizes *sizes)
{
	const struct sample_key *key = NULL;

	sizes->n = 0;
	while (sizes->n < MOST_SIZES &&
	       (key = samples_next(&cal->samples, "one_way", key ? key->x : -1))) {
		struct summary time = measured(cal, "one_way", where, key->x);

		if (time.n)
			sizes->list[sizes->n++] =
			    (struct size){(double)key->x, time.median, (time.high - time.low) / 4};
	}
}

/* What rank 0 has chosen, on all ranks. */
static void tell(void *list, size_t size_B, int *n)
{
	MPI_Bcast(n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(list, (int)size_B, MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* --- breaks: the sizes that were measured say between which two, and bisection says where --- */

enum { MOST_BREAKS = 6, POINTS_OF_BREAK = 14 };
/* Of a size that is alone on its line, others that are there lie within one. */
enum { PARTS_ALONE = 16 };

/* Of a time: how well a line says the size before those that make it, and by how much the two lines
 * differ at a break. */
static const double ON_LINE = 0.005, LEAST_JUMP = 0.01;
/* Of what the two times at a break scatter by. */
static const double SURE = 4;

struct line {
	double at_B, time_s, per_byte_s;
};

/* A line holds up to low_B, another one from high_B on; if that is known of one side only, the
 * other has the same slope. */
struct gap {
	enum { BOTH, BELOW, ABOVE } known;
	int64_t low_B, high_B;
	struct line below, above;
	double scatter_s, jump; /* of the time, between the two lines */
	int where;
};

static struct line line_of(const struct size *a, const struct size *b)
{
	return (struct line){a->size_B, a->time_s,
			     (b->time_s - a->time_s) / (b->size_B - a->size_B)};
}

static double time_on(const struct line *line, double size_B)
{
	return line->time_s + line->per_byte_s * (size_B - line->at_B);
}

static bool is_on(const struct line *line, const struct size *size)
{
	return fabs(time_on(line, size->size_B) - size->time_s) <
	       ON_LINE * size->time_s + SURE * size->scatter_s;
}

/* The lines on both sides of sizes k and k + 1. One size alone, beside the threshold, has none:
 * then three on the other side are needed. */
static bool find_lines(const struct size *list, int first, int end, int k, struct gap *gap)
{
	const struct size *low = &list[k], *high = &list[k + 1];
	int n_below = k - first + 1, n_above = end - k - 1;

	gap->known = n_below == 1 ? ABOVE : n_above == 1 ? BELOW : BOTH;
	if (gap->known != BOTH && (gap->known == BELOW ? n_below : n_above) < 3)
		return false;
	if (gap->known != ABOVE)
		gap->below = line_of(low - 1, low);
	if (gap->known != BELOW)
		gap->above = line_of(high, high + 1);
	if (gap->known == BELOW)
		gap->above = (struct line){high->size_B, high->time_s, gap->below.per_byte_s};
	if (gap->known == ABOVE)
		gap->below = (struct line){low->size_B, low->time_s, gap->above.per_byte_s};
	return true;
}

/* Between sizes k and k + 1, with those around them that belong to the same protocol; false: no
 * line ends there for certain. */
static bool find_gap(const struct size *list, int first, int end, int k, struct gap *gap)
{
	const struct size *low = &list[k], *high = &list[k + 1];
	double middle_B = (low->size_B + high->size_B) / 2;

	if (high->size_B - low->size_B < 2 || !find_lines(list, first, end, k, gap))
		return false;
	gap->low_B = (int64_t)low->size_B;
	gap->high_B = (int64_t)high->size_B;
	gap->scatter_s = hypot(low->scatter_s, high->scatter_s);
	if ((k - first > 1 && !is_on(&gap->below, low - 2)) ||
	    (end - k > 3 && !is_on(&gap->above, high + 2)))
		return false;
	gap->jump = fabs(time_on(&gap->above, middle_B) - time_on(&gap->below, middle_B));
	if (gap->jump < SURE * gap->scatter_s)
		return false;
	gap->jump /= high->time_s;
	return gap->jump > LEAST_JUMP;
}

/* Among those that are there, the most distinct ones first. */
static void keep_gap(const struct gap *gap, struct gap *gaps, int *n)
{
	int place = (*n)++;

	for (; place > 0 && gaps[place - 1].jump < gap->jump; place--)
		gaps[place] = gaps[place - 1];
	gaps[place] = *gap;
	*n = *n > MOST_BREAKS ? MOST_BREAKS : *n;
}

static int find_gaps(const struct cal *cal, int where, struct gap *gaps)
{
	struct sizes sizes;
	int n = 0, n_eager = 0;

	gather(cal, where, &sizes);
	while (n_eager < sizes.n && sizes.list[n_eager].size_B <= (double)cal->threshold_B)
		n_eager++;
	for (int k = 0; k + 1 < sizes.n; k++) {
		struct gap gap = {.where = where};
		bool is_eager = k + 1 < n_eager;

		if (k + 1 != n_eager &&
		    find_gap(sizes.list, is_eager ? 0 : n_eager, is_eager ? n_eager : sizes.n, k,
			     &gap) &&
		    (gap.known == BOTH ||
		     (n_eager < sizes.n && gap.known == (is_eager ? BELOW : ABOVE))))
			keep_gap(&gap, gaps, &n);
	}
	return n;
}

/* On which of the lines a size is; nobody needs to know where they nearly meet. */
static int is_above(struct cal *cal, int64_t size_B, void *context)
{
	const struct gap *gap = context;
	double below_s = time_on(&gap->below, (double)size_B),
	       above_s = time_on(&gap->above, (double)size_B), apart_s = fabs(above_s - below_s),
	       time_s, near_s;

	if (apart_s < SURE * gap->scatter_s)
		return -1;
	time_s = probe_one_way(cal, gap->where, size_B);
	near_s = fmin(apart_s / 2, ON_LINE * time_s + SURE * gap->scatter_s);
	if (gap->known == BELOW)
		return fabs(time_s - below_s) > near_s;
	if (gap->known == ABOVE)
		return fabs(time_s - above_s) <= near_s;
	return fabs(time_s - above_s) < fabs(time_s - below_s);
}

/* The size that is alone gets two others on its line; false: there is hardly anything on it. */
static bool is_accompanied(struct cal *cal, struct gap *gap)
{
	int64_t *alone_B = gap->known == BELOW ? &gap->high_B : &gap->low_B, first_B = *alone_B,
		size_B = first_B;

	for (int part = 2 * PARTS_ALONE; part >= PARTS_ALONE; part /= 2) {
		size_B = first_B + (gap->known == BELOW ? -1 : 1) * (first_B / part);
		if (size_B <= gap->low_B || size_B >= gap->high_B ||
		    is_above(cal, size_B, gap) != (gap->known == BELOW))
			return false;
	}
	*alone_B = size_B;
	return true;
}

void probe_breaks(struct cal *cal, int where)
{
	struct gap gaps[MOST_BREAKS + 1] = {0}; /* room for one too many */
	int n = cal->rank == 0 && !cal->has_packets ? find_gaps(cal, where, gaps) : 0;

	tell(gaps, MOST_BREAKS * sizeof(*gaps), &n);
	cal_group(cal, "breaks", n * POINTS_OF_BREAK);
	for (int k = 0; k < n; k++)
		if (gaps[k].known == BOTH || is_accompanied(cal, &gaps[k]))
			cal_bisect(cal, gaps[k].low_B, gaps[k].high_B, 1, is_above, &gaps[k]);
}

/* --- after a rest: in a game of ping-pong links regain only what they are idle for while the ball
 * comes back, and a message that would pass at once takes longer there --- */

/* A rest makes processors slower: a message of nothing is what it is in a game of ping-pong, unless
 * its latency passes at once then, as links have saved it up. */
static bool latency_passes(const struct cal *cal)
{
	static const double PASSES = 0.9; /* of its time in a game of ping-pong, at most */
	struct summary round_trip = measured(cal, "rested", BETWEEN_NODES, 0);

	return round_trip.n > 0 &&
	       round_trip.high / 2 < PASSES * measured(cal, "one_way", BETWEEN_NODES, 0).median;
}

/* Times of messages, as after a rest where they were measured then. */
static void gather_rested(const struct cal *cal, struct sizes *sizes)
{
	double nothing_s = measured(cal, "rested", BETWEEN_NODES, 0).median / 2;
	bool passes = latency_passes(cal);

	gather(cal, BETWEEN_NODES, sizes);
	for (int k = 0; k < sizes->n; k++) {
		struct size *size = &sizes->list[k];
		struct summary time = measured(cal, "rested", BETWEEN_NODES, (int64_t)size->size_B);

		if (time.n > 0 && (size->size_B > 0 || passes))
			size->time_s = time.median - nothing_s;
	}
}

/* What messages take less than others of their protocol and the bytes that they have more, at most:
 * seconds; 0 where links are not known to save up more than they regain. */
static double find_spared_s(const struct cal *cal, const struct sizes *sizes)
{
	/* told by messages of that many bytes; of a time, what it is less than bytes would make it,
	 * if that is more than times scatter by */
	static const double MOST_B = 256 << 10, LEAST_SPARED = 0.05;
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], most_s = 0, least_s = 0;
	bool is_eager = true, was_eager = true;

	for (int k = 0; k < sizes->n && sizes->list[k].size_B <= MOST_B; k++) {
		double time_s = sizes->list[k].time_s,
		       behind_s = time_s - sizes->list[k].size_B * per_byte_s;

		/* the largest so far, of which the rest is taken */
		is_eager = sizes->list[k].size_B <= (double)cal->threshold_B;
		if (k == 0 || is_eager != was_eager)
			least_s = behind_s;
		was_eager = is_eager;
		least_s = fmax(least_s, behind_s);
		if (least_s - behind_s > LEAST_SPARED * time_s)
			most_s = fmax(most_s, least_s - behind_s);
	}
	return most_s > 2 * cal->empty_s[BETWEEN_NODES] ? most_s : 0;
}

/* Of the sizes, those that may find a part of a burst only; how many. */
static int choose_rested(struct cal *cal, int64_t *chosen_B)
{
	/* Messages of so many bursts find a whole one in a game of ping-pong. If a latency takes
	 * links, the word that both begin with uses some of it up: that matters for more. */
	static const double BURSTS_APART = 5, BURSTS_OF_LATENCIES = 100;
	bool passes = latency_passes(cal);
	double apart = passes ? BURSTS_OF_LATENCIES : BURSTS_APART;
	struct sizes sizes;
	int n = 0;

	gather_rested(cal, &sizes);
	cal->spared_s = cal->per_byte_s[BETWEEN_NODES] > 0 && !cal->has_packets
			    ? find_spared_s(cal, &sizes)
			    : 0;
	for (int k = 0; k < sizes.n && cal->spared_s > 0; k++) {
		int64_t size_B = (int64_t)sizes.list[k].size_B;
		double bytes_s = (double)size_B * cal->per_byte_s[BETWEEN_NODES];

		if ((size_B == 0 || passes || bytes_s > cal->empty_s[BETWEEN_NODES]) &&
		    bytes_s < apart * cal->spared_s &&
		    measured(cal, "rested", BETWEEN_NODES, size_B).n == 0)
			chosen_B[n++] = size_B;
	}
	return n;
}

void probe_rested(struct cal *cal, int where)
{
	int64_t sizes_B[MOST_SIZES] = {0};
	int n = cal->rank == 0 ? choose_rested(cal, sizes_B) : 0;

	tell(sizes_B, sizeof(sizes_B), &n);
	cal->spared_s = cal_share(cal->spared_s);
	cal_group(cal, "times after a rest", n);
	for (int k = 0; k < n; k++)
		exchange_repeat(cal, "rested", (struct exchange){where, sizes_B[k]});
}

/* --- trains: several eager messages in a row, and an answer. What links have saved up spares all
 * of them together as much as one alone: that tells a burst from small messages that are fast. Of
 * empty ones, how long each has its links for itself. --- */

enum { TRAINS = 3, EMPTY_TRAINS = 4, MOST_EMPTY = 512, LEAST_CARS = 4, LEAST_TRAIN_B = 64 };
enum { LARGEST_BURST_B = 65536, MOST_CARS = 400 };

static double measure_train(struct cal *cal, int64_t size_B, int n)
{
	return exchange_repeat(
	    cal, "train",
	    (struct exchange){BETWEEN_NODES, size_B, .y = n, .n = n - 1,
			      .time_s = n * cal_estimate(cal, BETWEEN_NODES, size_B)});
}

/* Where latencies take links, these may save up some: until each one more has its links for as long
 * as the one before, and all that links may have saved up is used. */
static void measure_empty(struct cal *cal)
{
	/* of the time of one more message, and of all: what the clock may add */
	static const double SAME = 0.02, NOTHING = 1e-9;
	double most = LARGEST_BURST_B * cal->per_byte_s[BETWEEN_NODES] /
		      fmax(2 * cal->empty_s[BETWEEN_NODES], 1e-9),
	       before_s = measure_train(cal, 0, LEAST_CARS), each_s = INFINITY, each_before_s;
	int n = LEAST_CARS;

	do {
		double time_s = measure_train(cal, 0, n *= 2);

		each_before_s = each_s;
		each_s = 2 * (time_s - before_s) / n;
		before_s = time_s;
	} while (n < MOST_EMPTY &&
		 !(n / 2 >= most && each_s < (1 + SAME) * each_before_s + NOTHING * before_s));
}

/* What eager messages take less than an empty one and their bytes do, at most. All of their bytes:
 * then it may be more. */
static double most_spared_s(const struct cal *cal)
{
	/* of an empty message's time: what times scatter by is no burst */
	static const double LEAST_SPARED = 0.01;
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], most_s = 0, largest_s = 0;
	struct sizes sizes;

	gather_rested(cal, &sizes);
	for (int k = 0; k < sizes.n && sizes.list[k].size_B <= (double)cal->threshold_B; k++) {
		largest_s = sizes.list[k].size_B * per_byte_s;
		most_s =
		    fmax(most_s, cal->empty_s[BETWEEN_NODES] + largest_s - sizes.list[k].time_s);
	}
	if (most_s < LEAST_SPARED * cal->empty_s[BETWEEN_NODES])
		return 0;
	return most_s > 0.9 * largest_s ? fmax(most_s, LARGEST_BURST_B * per_byte_s) : most_s;
}

/* Trains of messages that a burst holds several of, which use it up, though links rest for a part
 * of it while the CPU makes the next message; at rank 0. */
static int choose_trains(const struct cal *cal, int64_t *sizes_B, int *lengths)
{
	/* of the burst: all of a train of n; a message has its links for so much longer than its
	 * sender's CPU is busy for it */
	static const double TRAIN = 3, BOUND = 1.3;
	double spared_s = most_spared_s(cal), per_byte_s = cal->per_byte_s[BETWEEN_NODES];
	/* what fits, and was found to be eager */
	double most_B = (double)smaller(cal->threshold_B, cal->largest_B[BETWEEN_NODES]);
	const struct sample_key *key = NULL;
	int n = 0;

	if (cal->is_replay) {
		while (n < TRAINS &&
		       (key = samples_next(&cal->measured, "train", key ? key->x : 0))) {
			if (key->x > cal->settings.max_size_B || key->y > MOST_CARS)
				continue;
			sizes_B[n] = key->x;
			lengths[n++] = (int)key->y;
		}
		return n;
	}

	for (int k = 1; k <= TRAINS && spared_s > 0 && per_byte_s > 0; k++) {
		double size_B = floor(fmin(spared_s / per_byte_s, most_B) / (1 << k)),
		       busy_s = size_B * per_byte_s,
		       send_s = cal->send_overhead_s + size_B * cal->send_per_B_s;

		if (size_B < LEAST_TRAIN_B || busy_s < BOUND * send_s)
			continue;
		sizes_B[n] = (int64_t)size_B;
		lengths[n++] =
		    (int)fmin(fmax(TRAIN * spared_s / (busy_s - send_s), LEAST_CARS), MOST_CARS);
	}
	return n;
}

void probe_trains(struct cal *cal, int where)
{
	int64_t sizes_B[TRAINS] = {0};
	int lengths[TRAINS] = {0}, n = cal->rank == 0 ? choose_trains(cal, sizes_B, lengths) : 0;

	tell(sizes_B, sizeof(sizes_B), &n);
	tell(lengths, sizeof(lengths), &n);
	cal_group(cal, "trains", 3 * n + EMPTY_TRAINS);
	measure_empty(cal);
	for (int k = 0; k < n; k++) {
		probe_one_way(cal, where, sizes_B[k]);
		measure_train(cal, sizes_B[k], lengths[k]);
		measure_train(cal, sizes_B[k], 2 * lengths[k]);
	}
}
