/* SPDX-License-Identifier: BSD-3-Clause */
/* Several transfers at once: into one node, out of one node, both ways, round a ring. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "calibrate.h"

enum { MOST_FLOWS = 64 };
/* Latencies that a flow takes: those that ranks begin apart are a small part. */
enum { APART = 24 };

struct flows {
	int n;
	int source[MOST_FLOWS], dest[MOST_FLOWS]; /* ranks */
	int64_t size_B;
};

static void receive_all(const struct cal *cal, const struct flows *flows, MPI_Request *requests)
{
	int n = 0;

	for (int k = 0; k < flows->n; k++)
		if (flows->dest[k] == cal->rank) {
			MPI_Irecv(cal->recv_buf + (int64_t)n * flows->size_B, (int)flows->size_B,
				  MPI_BYTE, flows->source[k], 7, MPI_COMM_WORLD, &requests[n]);
			n++;
		}
}

/* Where messages of a pair follow each other, an answer to a request must not come behind the bulk
 * that goes the same way: of two that send to each other one has the request before it sends its
 * own, and answers behind that. */
static bool is_second(const struct cal *cal, const struct flows *flows)
{
	return flows->n == 2 && flows->source[1] == cal->rank && flows->dest[0] == cal->rank &&
	       flows->source[0] == flows->dest[1] && cal->threshold_B < flows->size_B;
}

/* Starts this rank's ends of the flows, at *begin; the receives are at requests[0 … *n_receives -
 * 1]. */
static int start(const struct cal *cal, const struct flows *flows, MPI_Request *requests,
		 int *n_receives, double *begin)
{
	bool waits = is_second(cal, flows);
	int n = 0;

	for (int k = 0; k < flows->n; k++)
		n += flows->dest[k] == cal->rank;
	*n_receives = n;
	if (!waits)
		receive_all(cal, flows, requests);
	MPI_Barrier(MPI_COMM_WORLD);
	if (cal->is_simulated) /* its messages are over then, even where latencies share links */
		load_pause(10 * cal->empty_s[BETWEEN_NODES]);
	*begin = MPI_Wtime();
	if (waits)
		MPI_Probe(flows->source[0], 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int k = 0; k < flows->n; k++)
		if (flows->source[k] == cal->rank)
			MPI_Isend(cal->send_buf, (int)flows->size_B, MPI_BYTE, flows->dest[k], 7,
				  MPI_COMM_WORLD, &requests[n++]);
	if (waits)
		receive_all(cal, flows, requests);
	return n;
}

/* About how long the flows take: those of the first one's source, or destination, share a link. */
static double expected_s(const struct cal *cal, const struct flows *flows)
{
	int n_from = 0, n_to = 0;

	for (int k = 0; k < flows->n; k++) {
		n_from += flows->source[k] == flows->source[0];
		n_to += flows->dest[k] == flows->dest[0];
	}
	return (n_from > n_to ? n_from : n_to) * (double)flows->size_B *
		   cal->per_byte_s[BETWEEN_NODES] +
	       10 * cal->empty_s[BETWEEN_NODES];
}

/* What ranks tell each other must not meet the flows: all wait for rank 0, which has a part in each
 * of them, or in most. */
static double greatest(double time_s)
{
	double slowest_s = 0;
	char word = 0;

	MPI_Bcast(&word, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Reduce(&time_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return slowest_s;
}

/* Seconds until the last receiver had everything, each counted from its own leaving of a barrier.
 */
static double measure_flows(struct cal *cal, void *context)
{
	struct flows *flows = context;
	MPI_Request requests[2 * MOST_FLOWS];
	int n_receives, n, index;
	double begin, last_s = 0;

	n = start(cal, flows, requests, &n_receives, &begin);
	if (n == 0) /* a waiting rank may poll */
		load_pause(expected_s(cal, flows));
	for (int k = 0; k < n; k++) {
		MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
		if (index < n_receives)
			last_s = MPI_Wtime() - begin;
	}
	return greatest(last_s);
}

/* Both ways between two, by MPI_Sendrecv: some libraries do nonblocking messages both ways one
 * after the other. */
static double measure_exchange(struct cal *cal, void *context)
{
	const struct flows *flows = context;
	double begin, time_s = 0;
	int other = cal->rank == 0 ? cal->far : 0;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (cal->rank == 0 || cal->rank == cal->far) {
		MPI_Sendrecv(cal->send_buf, (int)flows->size_B, MPI_BYTE, other, 8, cal->recv_buf,
			     (int)flows->size_B, MPI_BYTE, other, 8, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	}
	return greatest(time_s);
}

/* Flows of half that size, too: what does not depend on it is in both times. */
static void repeat_halves(struct cal *cal, const char *name, int x, cal_measure_fn measure,
			  struct flows *flows)
{
	int64_t size_B = flows->size_B;

	cal_repeat(cal, name, BETWEEN_NODES, x, size_B, measure, flows);
	flows->size_B = size_B / 2;
	cal_repeat(cal, name, BETWEEN_NODES, x, size_B / 2, measure, flows);
	flows->size_B = size_B;
}

static void repeat_flows(struct cal *cal, const char *name, int x, struct flows *flows)
{
	repeat_halves(cal, name, x, measure_flows, flows);
}

static void add(struct flows *flows, int source, int dest)
{
	flows->source[flows->n] = source;
	flows->dest[flows->n++] = dest;
}

/* The size of each of so many at which latency is a small part, as far as buffers and time allow;
 * half of it goes by the same protocol. */
static int64_t flow_size(const struct cal *cal, int n_flows)
{
	double wanted = cal->per_byte_s[BETWEEN_NODES] > 0
			    ? APART * cal->empty_s[BETWEEN_NODES] / cal->per_byte_s[BETWEEN_NODES]
			    : 4 << 20;
	int64_t limit = cal->settings.max_size_B / n_flows, size_B = (int64_t)fmin(wanted, 1e9);

	if (size_B < 4 << 20)
		size_B = 4 << 20;
	if (size_B > cal->largest_B[BETWEEN_NODES])
		size_B = cal->largest_B[BETWEEN_NODES];
	if (size_B > limit)
		size_B = limit;
	return cal->threshold_B >= size_B / 2 && cal->threshold_B < size_B ? cal->threshold_B
									   : size_B;
}

/* 1, 2, … 8, 12, 16, 24, … and the largest there is. */
static int next_count(int k, int most)
{
	int next = k < 8 ? k + 1 : (k & (k - 1)) ? k / 3 * 4 : k / 2 * 3;

	return k < most && next > most ? most : next;
}

/* One flow of the size that so many can have: what they are compared with. */
static void choose_size(struct cal *cal, int n_flows, struct flows *flows)
{
	int64_t size_B = flow_size(cal, n_flows);

	if (size_B == flows->size_B)
		return;
	flows->size_B = size_B;
	flows->n = 0;
	add(flows, cal->leader[1], 0);
	repeat_flows(cal, "many_to_one", 1, flows);
}

static void share_one_link(struct cal *cal, int most, struct flows *flows)
{
	for (int k = 2; k <= most; k = next_count(k, most)) {
		choose_size(cal, k, flows);
		flows->n = 0;
		for (int j = 1; j <= k; j++)
			add(flows, cal->leader[j], 0);
		repeat_flows(cal, "many_to_one", k, flows);
		flows->n = 0;
		for (int j = 1; j <= k; j++)
			add(flows, 0, cal->leader[j]);
		repeat_flows(cal, "one_to_many", k, flows);
	}
}

void probe_sharing(struct cal *cal, int where)
{
	int others = cal->n_nodes - 1 < MOST_FLOWS ? cal->n_nodes - 1 : MOST_FLOWS, n_points = 5;
	struct flows flows = {0};

	for (int k = 2; k <= others; k = next_count(k, others))
		n_points += flow_size(cal, k) == flow_size(cal, 1) ? 2 : 3;
	cal_group(cal, "sharing", 2 * n_points);
	choose_size(cal, 1, &flows);
	flows.n = 0;
	add(&flows, 0, cal->far);
	add(&flows, cal->far, 0);
	repeat_flows(cal, "both_ways", 2, &flows);
	repeat_halves(cal, "sendrecv", 2, measure_exchange, &flows);
	if (others >= 2) { /* each of three nodes both ways, but no connection */
		flows.n = 0;
		for (int j = 0; j < 3; j++)
			add(&flows, cal->leader[j], cal->leader[(j + 1) % 3]);
		repeat_flows(cal, "ring", 3, &flows);
	}
	share_one_link(cal, others, &flows);
}
