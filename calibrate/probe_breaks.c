/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where the time by size leaves its line for another one: the sizes that probe_size.c measured say
 * between which two, and bisection says where. What it measures are more times by size, for the
 * fit.
 */
#include <math.h>
#include <stdlib.h>

#include "calibrate.h"

enum { MOST_BREAKS = 6, POINTS_OF_BREAK = 14 };
/* Of a size that is alone on its line, others that are there lie within one. */
enum { PARTS_ALONE = 16 };

/* Of a time: how well a line says the size before those that make it, and by how much the two lines
 * differ at a break. */
static const double ON_LINE = 0.005, LEAST_JUMP = 0.01;
/* Of what the two times at a break scatter by. */
static const double SURE = 4;

struct sizes {
	int n;
	struct size {
		double size_B, time_s, scatter_s;
	} * list; /* [n], by size */
};

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
};

static int compare_sizes(const void *a, const void *b)
{
	double left = ((const struct size *)a)->size_B, right = ((const struct size *)b)->size_B;

	return (left > right) - (left < right);
}

/* At rank 0. */
static void gather(const struct cal *cal, int where, struct sizes *sizes)
{
	const struct sample_key *key = NULL;
	int most = 0;

	while ((key = samples_next(&cal->samples, "one_way", key ? key->x : -1)))
		most++;
	sizes->list = calloc((size_t)most + 1, sizeof(*sizes->list));
	if (!sizes->list)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (sizes->n = 0; (key = samples_next(&cal->samples, "one_way", key ? key->x : -1));) {
		struct sample_key here = sample_key("one_way", where, key->x, 0);
		struct summary time = samples_summary(&cal->samples, &here);

		if (time.n)
			sizes->list[sizes->n++] =
			    (struct size){(double)key->x, time.median, (time.high - time.low) / 4};
	}
	qsort(sizes->list, (size_t)sizes->n, sizeof(*sizes->list), compare_sizes);
}

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
	if (gap->known == BOTH || (gap->known == BELOW && n_below >= 3))
		gap->below = line_of(low - 1, low);
	if (gap->known == BOTH || (gap->known == ABOVE && n_above >= 3))
		gap->above = line_of(high, high + 1);
	if (gap->known == BELOW)
		gap->above = (struct line){high->size_B, high->time_s, gap->below.per_byte_s};
	if (gap->known == ABOVE)
		gap->below = (struct line){low->size_B, low->time_s, gap->above.per_byte_s};
	return gap->known == BOTH || (gap->known == BELOW ? n_below : n_above) >= 3;
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
static void keep(const struct gap *gap, struct gap *gaps, int *n)
{
	int place = *n < MOST_BREAKS ? (*n)++ : MOST_BREAKS - 1;

	if (place == MOST_BREAKS - 1 && *n == MOST_BREAKS && gaps[place].jump >= gap->jump)
		return;
	for (; place > 0 && gaps[place - 1].jump < gap->jump; place--)
		gaps[place] = gaps[place - 1];
	gaps[place] = *gap;
}

static int find_gaps(const struct cal *cal, int where, struct gap *gaps)
{
	struct sizes sizes;
	int n = 0, n_eager = 0;

	gather(cal, where, &sizes);
	while (n_eager < sizes.n && sizes.list[n_eager].size_B <= (double)cal->threshold_B)
		n_eager++;
	for (int k = 0; k + 1 < sizes.n; k++) {
		struct gap gap;
		bool is_eager = k + 1 < n_eager;

		if (k + 1 != n_eager &&
		    find_gap(sizes.list, is_eager ? 0 : n_eager, is_eager ? n_eager : sizes.n, k,
			     &gap) &&
		    (gap.known == BOTH ||
		     (n_eager < sizes.n && gap.known == (is_eager ? BELOW : ABOVE))))
			keep(&gap, gaps, &n);
	}
	free(sizes.list);
	return n;
}

static bool is_above(const struct gap *gap, double time_s, double below_s, double above_s)
{
	double near_s = fmin(fabs(above_s - below_s) / 2, ON_LINE * time_s + SURE * gap->scatter_s);

	if (gap->known == BELOW)
		return fabs(time_s - below_s) > near_s;
	if (gap->known == ABOVE)
		return fabs(time_s - above_s) <= near_s;
	return fabs(time_s - above_s) < fabs(time_s - below_s);
}

/* The size that is alone gets two others on its line; false: there is hardly anything on it. */
static bool is_accompanied(struct cal *cal, int where, struct gap *gap)
{
	int64_t alone_B = gap->known == BELOW ? gap->high_B : gap->low_B;

	for (int part = 2 * PARTS_ALONE; part >= PARTS_ALONE; part /= 2) {
		int64_t size_B = alone_B + (gap->known == BELOW ? -1 : 1) * (alone_B / part);
		double below_s = time_on(&gap->below, (double)size_B),
		       above_s = time_on(&gap->above, (double)size_B);

		if (size_B <= gap->low_B || size_B >= gap->high_B ||
		    is_above(gap, probe_one_way(cal, where, size_B), below_s, above_s) !=
			(gap->known == BELOW))
			return false;
		alone_B = part == PARTS_ALONE ? size_B : alone_B;
	}
	*(gap->known == BELOW ? &gap->high_B : &gap->low_B) = alone_B;
	return true;
}

static void bisect(struct cal *cal, int where, struct gap *gap)
{
	if (gap->known != BOTH && !is_accompanied(cal, where, gap))
		return;
	while (gap->high_B - gap->low_B > 1) {
		int64_t middle_B = gap->low_B + (gap->high_B - gap->low_B) / 2;
		double below_s = time_on(&gap->below, (double)middle_B),
		       above_s = time_on(&gap->above, (double)middle_B), time_s;

		if (fabs(above_s - below_s) < SURE * gap->scatter_s)
			return;
		time_s = probe_one_way(cal, where, middle_B);
		if (is_above(gap, time_s, below_s, above_s))
			gap->high_B = middle_B;
		else
			gap->low_B = middle_B;
	}
}

void probe_breaks(struct cal *cal, int where, double until)
{
	struct gap gaps[MOST_BREAKS] = {0};
	int n = cal->rank == 0 ? find_gaps(cal, where, gaps) : 0;

	if (cal->rank == 0 && samples_get_fact(&cal->samples, "packet_jump_B", 0))
		n = 0; /* times jump with each packet */
	MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	MPI_Bcast(gaps, sizeof(gaps), MPI_BYTE, 0, MPI_COMM_WORLD);
	cal_group(cal, "breaks", until, n * POINTS_OF_BREAK);
	for (int k = 0; k < n; k++)
		bisect(cal, where, &gaps[k]);
}
