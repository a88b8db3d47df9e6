/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What leaves on a connection while its sender computes, by what the connection has carried before.
 * Each measurement needs a connection that nothing large has used yet: another ordered pair of
 * nodes.
 */
#include "calibrate.h"

enum {
	N_POINTS = 6,
	ROUNDS = 2,
	WORDS = 4
};
enum { LEAST_BUFFERED_B = 65536, MOST_BUFFERED_B = 4 << 20, LEAST_LEFT_B = 16384 };

enum { STEPS_BETWEEN = 4 };
static const double NEARLY_ALL = 0.9; /* of a message */

static const int64_t carried_B[N_POINTS] = {0, 16000, 64000, 512000, 2000000, 8000000};

struct use {
	int source, dest; /* ranks */
	int64_t carried_B, size_B;
	double compute_s;
};

/* What `source` and `dest` do with so many bytes; *pattern: their clocks. */
static void run(struct cal *cal, const struct use *use, int64_t size_B, const char *source,
		const char *dest, struct pattern *pattern)
{
	*pattern = (struct pattern){.ranks = {use->source, use->dest},
				    .steps = {source, dest},
				    .size_B = size_B,
				    .n = WORDS,
				    .pause_s = 0.5 * use->compute_s,
				    .compute_s = use->compute_s};
	pattern_run(cal, pattern);
}

/* Libraries connect two ranks when they begin to talk, and need a few messages for it. Some exchange
 * what an answer needs only before the first message that wants one, and a request waits until then. */
static void talk(struct cal *cal, const struct use *use)
{
	struct pattern pattern;

	run(cal, use, 0, "(k1 r1 w)", "(k0 r0 w)", &pattern);
}

static void carry(struct cal *cal, const struct use *use)
{
	struct pattern pattern;

	talk(cal, use);
	if (use->carried_B > 0)
		run(cal, use, use->carried_B, "S1", "R0", &pattern);
}

/*
 * The request and what travels with it arrive while both attend. Then the receiver answers, and the
 * sender computes, looks once, so that the bulk begins, computes again, and waits. Seconds from the
 * receiver's word that the request is there until it has everything, at the receiver, without what
 * computing took longer at the sender, as communication takes some of it.
 */
static void measure(struct cal *cal, const struct use *use)
{
	struct sample_key key = sample_key("used", BETWEEN_NODES, use->carried_B, use->size_B);
	struct pattern pattern;
	double time_s, more_s;

	carry(cal, use);
	/* the sender computes when the answer comes */
	run(cal, use, use->size_B, "r1 I1 r1 b c e l b c e w", "s0 p p s0 b p R0 e", &pattern);
	time_s = pattern.times_s[0];
	more_s = pattern.times_s[0] + pattern.times_s[1] - 2 * use->compute_s;
	/* nobody goes on to the next connection before */
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, use->dest, MPI_COMM_WORLD);
	MPI_Bcast(&more_s, 1, MPI_DOUBLE, use->source, MPI_COMM_WORLD);
	if (cal->rank == 0)
		samples_add(&cal->samples, &key, time_s - more_s);
}

/* The receiver says that it is ready, takes the message, and says that it has it. */
static double until_answer(struct cal *cal, const struct use *use, const char *source)
{
	struct pattern pattern;
	double time_s;

	run(cal, use, use->size_B, source, "s0 R0 s0", &pattern);
	time_s = pattern.times_s[0];
	MPI_Bcast(&time_s, 1, MPI_DOUBLE, use->source, MPI_COMM_WORLD);
	return time_s;
}

/* A large eager message on a connection that has carried less than a request brings with it; the
 * sender computes, and then waits for the answer: how long? */
static void probe_eager_use(struct cal *cal)
{
	struct use use = {.size_B = cal->threshold_B};
	struct sample_key key;
	double time_s;

	if (use.size_B < LEAST_BUFFERED_B / 2 || use.size_B > cal->largest_B[BETWEEN_NODES])
		return;
	use.compute_s =
	    2 * (cal->empty_s[BETWEEN_NODES] + (double)use.size_B * cal->per_byte_s[BETWEEN_NODES]);
	for (int point = 0; carried_B[point] < use.size_B / 2; point++) {
		if (cal_share(MPI_Wtime() > cal->group_end_s) > 0 ||
		    !cal_new_connection(cal, &use.source, &use.dest))
			return;
		use.carried_B = carried_B[point];
		carry(cal, &use);
		time_s = until_answer(cal, &use, "r1 I1 c b r1 e w");
		key = sample_key("used_eager", BETWEEN_NODES, use.carried_B, use.size_B);
		if (cal->rank == 0)
			samples_add(&cal->samples, &key, time_s);
	}
}

/* Returns when such a send does, and how much later the receiver has everything, as bytes. */
static double left_in_buffer(struct cal *cal, const char *name, const struct use *use)
{
	struct sample_key key = sample_key(name, BETWEEN_NODES, use->size_B, 0);
	double left_s;

	talk(cal, use);
	left_s = until_answer(cal, use, "r1 S1 b r1 e");
	if (cal->rank == 0)
		samples_add(&cal->samples, &key, left_s);
	return left_s;
}

/* Of a message of that size, all on new connections, as long as there are any, or all on a used
 * one. False: the time is over, or there are no more. */
static bool measure_buffer(struct cal *cal, struct use *use, int *n_new, double *left_s)
{
	bool is_new;

	if (cal_share(MPI_Wtime() > cal->group_end_s) > 0)
		return false;
	is_new = cal_new_connection(cal, &use->source, &use->dest);
	if (!is_new && *n_new > 0)
		return false;
	if (!is_new) {
		use->source = 0;
		use->dest = cal->far;
	}
	*n_new += is_new;
	*left_s = left_in_buffer(cal, "send_buffer", use) - cal->empty_s[BETWEEN_NODES];
	return true;
}

/* Sizes that double, and, where all of a message was left behind, some between them: buffers that
 * grow with the size may leave all of one size and not of a smaller one. */
static void measure_buffers(struct cal *cal, struct use *use, int64_t least_B, int64_t most_B)
{
	int64_t telling_B = 0;
	int n_new = 0;
	double left_s;

	for (use->size_B = least_B; use->size_B <= most_B; use->size_B *= 2) {
		if (!measure_buffer(cal, use, &n_new, &left_s))
			return;
		if (!telling_B &&
		    left_s < NEARLY_ALL * (double)use->size_B * cal->per_byte_s[BETWEEN_NODES])
			telling_B = use->size_B;
	}
	for (int64_t size_B = least_B; size_B < telling_B; size_B *= 2)
		for (int k = 1; k < STEPS_BETWEEN; k++) {
			use->size_B = size_B + k * size_B / STEPS_BETWEEN;
			if (!measure_buffer(cal, use, &n_new, &left_s))
				return;
		}
}

void probe_send_buffer(struct cal *cal, double until)
{
	struct use use = {.source = 0, .dest = cal->far};
	int64_t largest_B = cal->largest_B[BETWEEN_NODES], size_B = LEAST_BUFFERED_B;

	if (cal->threshold_B == INT64_MAX || 4 * cal->threshold_B > largest_B)
		return;
	cal_group(cal, "send buffers", until, 1);
	while (size_B < 2 * cal->threshold_B)
		size_B *= 2;
	use.size_B = largest_B < MOST_BUFFERED_B ? largest_B : MOST_BUFFERED_B;
	/* the answer: no send returns early */
	if (left_in_buffer(cal, "send_buffer_used", &use) >=
	    cal->empty_s[BETWEEN_NODES] + (double)LEAST_LEFT_B * cal->per_byte_s[BETWEEN_NODES])
		measure_buffers(cal, &use, size_B, use.size_B);
}

void probe_used(struct cal *cal, double until)
{
	struct use use = {.size_B = 1 << 20};
	int n_points = N_POINTS;

	if (cal->threshold_B == INT64_MAX || 4 * cal->threshold_B > cal->largest_B[BETWEEN_NODES] ||
	    cal->largest_B[BETWEEN_NODES] < use.size_B)
		return;
	if (use.size_B < 4 * cal->threshold_B)
		use.size_B = 4 * cal->threshold_B;
	use.compute_s = 1.2 * (cal->empty_s[BETWEEN_NODES] +
			       (double)use.size_B * cal->per_byte_s[BETWEEN_NODES]);
	while (n_points > 0 && carried_B[n_points - 1] > cal->settings.max_size_B)
		n_points--;
	cal_group(cal, "connections by use", until, 1);
	if (cal->n_nodes >= 5)
		probe_eager_use(cal);
	if (cal->rank == 0)
		samples_fact(&cal->samples, "used_compute_s", "%.12g", use.compute_s);
	for (int k = 0; k < (cal->n_nodes >= 5 ? ROUNDS : 1) * n_points; k++) {
		if (k % n_points == 0 && cal_share(MPI_Wtime() > cal->group_end_s) > 0)
			return;
		if (!cal_new_connection(cal, &use.source, &use.dest))
			return;
		use.carried_B = carried_B[k % n_points];
		measure(cal, &use);
	}
}
