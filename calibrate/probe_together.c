/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What all ranks do together: several transfers at once, into one node, out of one node, both ways,
 * round a ring; three collective operations; computation on several cores; and how much what is
 * equal differs.
 */
#include <math.h>

#include "calibrate.h"

static double longest_empty_s(const struct cal *cal)
{
	return fmax(cal->empty_s[BETWEEN_NODES], cal->empty_s[WITHIN_NODE]);
}

/* In the simulator messages of a barrier are over after a while, even where latencies share links. */
static double begin_together(const struct cal *cal, double empty_s)
{
	MPI_Barrier(MPI_COMM_WORLD);
	if (cal->is_simulated)
		load_pause(10 * empty_s);
	return MPI_Wtime();
}

static double slowest(double time_s)
{
	double slowest_s = 0;

	MPI_Reduce(&time_s, &slowest_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return slowest_s;
}

/* --- sharing --- */

enum { TAG = 7 };

/* From that rank; -1: from all. */
static void receive_from(const struct cal *cal, const struct flows *flows, int rank,
			 MPI_Request *requests, int *n)
{
	for (int k = 0; k < flows->n; k++)
		if (flows->dest[k] == cal->rank && (rank < 0 || flows->source[k] == rank)) {
			MPI_Irecv(cal->recv_buf + (int64_t)*n * flows->sizes_B[k],
				  (int)flows->sizes_B[k], MPI_BYTE, flows->source[k], TAG,
				  MPI_COMM_WORLD, &requests[*n]);
			++*n;
		}
}

int flows_start(const struct cal *cal, const struct flows *flows, int late, MPI_Request *requests,
		int *n_receives, double *begin)
{
	bool is_late = cal->rank == late;
	int n, n_received = 0;

	*n_receives = 0;
	for (int k = 0; k < flows->n; k++)
		*n_receives += flows->dest[k] == cal->rank;
	n = *n_receives;
	if (!is_late)
		receive_from(cal, flows, -1, requests, &n_received);
	*begin = begin_together(cal, cal->empty_s[BETWEEN_NODES]);
	for (int k = 0; k < flows->n && is_late; k++)
		if (flows->dest[k] == cal->rank)
			MPI_Probe(flows->source[k], TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int node = 0; node < cal->n_nodes; node++) {
		for (int k = 0; k < flows->n; k++)
			if (flows->source[k] == cal->rank && flows->dest[k] == cal->leader[node])
				MPI_Isend(cal->send_buf, (int)flows->sizes_B[k], MPI_BYTE,
					  flows->dest[k], TAG, MPI_COMM_WORLD, &requests[n++]);
		if (is_late)
			receive_from(cal, flows, cal->leader[node], requests, &n_received);
	}
	return n;
}

/* What ranks tell each other must not meet the flows: all wait for rank 0, which has a part in each
 * of them, or in most. */
static double slowest_behind_flows(double time_s)
{
	char word = 0;

	MPI_Bcast(&word, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
	return slowest(time_s);
}

/* Seconds until the last receiver had everything, each counted from its own leaving of a barrier.
 */
static double measure_flows(struct cal *cal, void *context)
{
	const struct flows *flows = context;
	bool is_pair = flows->n == 2 && flows->source[0] == flows->dest[1] &&
		       cal->threshold_B < flows->sizes_B[0];
	MPI_Request requests[2 * MOST_FLOWS];
	int n_receives, n, index;
	double begin, last_s = 0;

	n = flows_start(cal, flows, is_pair ? flows->dest[0] : -1, requests, &n_receives, &begin);
	if (n == 0) /* a waiting rank may poll */
		load_pause(10 * cal->empty_s[BETWEEN_NODES] + flows->n_sharing *
								  (double)flows->sizes_B[0] *
								  cal->per_byte_s[BETWEEN_NODES]);
	for (int k = 0; k < n; k++) {
		MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
		if (index < n_receives)
			last_s = MPI_Wtime() - begin;
	}
	return slowest_behind_flows(last_s);
}

/* Both ways between two, by MPI_Sendrecv: some libraries do nonblocking messages both ways one
 * after the other. */
static double measure_sendrecv(struct cal *cal, void *context)
{
	int size_B = (int)((const struct flows *)context)->sizes_B[0],
	    other = cal->rank == 0 ? cal->far : 0;
	double begin, time_s = 0;

	MPI_Barrier(MPI_COMM_WORLD);
	begin = MPI_Wtime();
	if (cal->rank == 0 || cal->rank == cal->far) {
		MPI_Sendrecv(cal->send_buf, size_B, MPI_BYTE, other, TAG, cal->recv_buf, size_B,
			     MPI_BYTE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		time_s = MPI_Wtime() - begin;
	}
	return slowest_behind_flows(time_s);
}

/* The size of each of so many at which latency, and what ranks begin apart, is a small part, as far
 * as buffers and time allow; half of it goes by the same protocol. A power of two, that almost the
 * same times have the same. */
static int64_t flow_size(const struct cal *cal, int n_flows)
{
	enum { APART = 24, LEAST_B = 4 << 20 }; /* latencies that a flow takes */
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       wanted_B = per_byte_s > 0 ? APART * cal->empty_s[BETWEEN_NODES] / per_byte_s : 0;
	int64_t size_B = LEAST_B;

	while ((double)size_B < fmin(wanted_B, 1e9))
		size_B *= 2;
	size_B = smaller(smaller(size_B, cal->largest_B[BETWEEN_NODES]),
			 cal->settings.max_size_B / n_flows);
	return cal->threshold_B >= size_B / 2 ? smaller(size_B, cal->threshold_B) : size_B;
}

/* Flows of half that size, too: what does not depend on it is in both times. */
static void repeat_halves(struct cal *cal, const char *name, cal_measure_fn measure,
			  struct flows *flows, int64_t size_B)
{
	for (int part = 1; part <= 2; part++) {
		for (int k = 0; k < flows->n; k++)
			flows->sizes_B[k] = size_B / part;
		cal_repeat(cal, name, BETWEEN_NODES, flows->n, size_B / part, measure, flows);
	}
}

enum shape { MANY_TO_ONE, ONE_TO_MANY, BOTH_WAYS, RING };

/* Each node of a ring has both ways, but no connection. */
static void measure_shape(struct cal *cal, enum shape shape, int n, int64_t size_B)
{
	static const char *const names[] = {"many_to_one", "one_to_many", "both_ways", "ring"};
	struct flows flows = {.n = n, .n_sharing = shape <= ONE_TO_MANY ? n : 1};

	for (int k = 0; k < n; k++) {
		bool is_ring = shape > ONE_TO_MANY;
		int one = cal->leader[is_ring ? k : k + 1],
		    other = is_ring ? cal->leader[(k + 1) % n] : 0;

		flows.source[k] = shape == ONE_TO_MANY ? other : one;
		flows.dest[k] = shape == ONE_TO_MANY ? one : other;
	}
	repeat_halves(cal, names[shape], measure_flows, &flows, size_B);
	if (shape == BOTH_WAYS)
		repeat_halves(cal, "sendrecv", measure_sendrecv, &flows, size_B);
}

/* 1, 2, … 8, 12, 16, 24, … and the largest there is. */
static int next_count(int k, int most)
{
	int next = k < 8 ? k + 1 : (k & (k - 1)) ? k / 3 * 4 : k / 2 * 3;

	return k < most && next > most ? most : next;
}

void probe_sharing(struct cal *cal, int where)
{
	int others = cal->n_nodes - 1 < MOST_FLOWS ? cal->n_nodes - 1 : MOST_FLOWS, n_points = 5;
	int64_t size_B = flow_size(cal, 1), before_B = size_B;

	for (int k = 2; k <= others; k = next_count(k, others))
		n_points += flow_size(cal, k) == size_B ? 2 : 3;
	cal_group(cal, "sharing", 2 * n_points);
	measure_shape(cal, MANY_TO_ONE, 1, size_B);
	measure_shape(cal, BOTH_WAYS, 2, size_B);
	if (others >= 2)
		measure_shape(cal, RING, 3, size_B);
	for (int k = 2; k <= others; k = next_count(k, others), before_B = size_B) {
		size_B = flow_size(cal, k);
		if (size_B != before_B) /* what they are compared with */
			measure_shape(cal, MANY_TO_ONE, 1, size_B);
		measure_shape(cal, MANY_TO_ONE, k, size_B);
		measure_shape(cal, ONE_TO_MANY, k, size_B);
	}
}

/* --- collective operations, at sizes at which libraries take different algorithms --- */

struct operation {
	const char *name;
	int64_t size_B; /* of a block */
	enum { BCAST, ALLREDUCE, ALLTOALL } kind;
};

static void call(const struct cal *cal, const struct operation *operation)
{
	int n = (int)operation->size_B;

	if (operation->kind == BCAST)
		MPI_Bcast(cal->send_buf, n, MPI_BYTE, 0, MPI_COMM_WORLD);
	else if (operation->kind == ALLREDUCE)
		MPI_Allreduce(cal->send_buf, cal->recv_buf, n, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
	else
		MPI_Alltoall(cal->send_buf, n, MPI_BYTE, cal->recv_buf, n, MPI_BYTE,
			     MPI_COMM_WORLD);
}

static double measure_collective(struct cal *cal, void *context)
{
	double begin = begin_together(cal, longest_empty_s(cal));

	call(cal, context);
	return slowest(MPI_Wtime() - begin);
}

void probe_collectives(struct cal *cal, int where)
{
	struct operation list[] = {{"coll_bcast", 512 << 10, BCAST},
				   {"coll_allreduce", 32 << 10, ALLREDUCE},
				   {"coll_alltoall", 2 << 10, ALLTOALL}};
	enum { N = sizeof(list) / sizeof(list[0]) };

	if (cal->n_ranks < 3) /* all algorithms are the same */
		return;
	cal_group(cal, "collective operations", N);
	for (struct operation *at = list; at < list + N; at++) {
		at->size_B = smaller(at->size_B, cal->settings.max_size_B / cal->n_ranks);
		call(cal, at); /* connects */
		cal_repeat(cal, at->name, where, at->size_B, cal->n_ranks, measure_collective, at);
	}
}

/* --- cores: the first `n` ranks of the node compute at once --- */

struct cores {
	int n;
	double work_s;
};

static double measure_cores(struct cal *cal, void *context)
{
	const struct cores *cores = context;
	double begin, time_s = 0, apart_s = 20 * longest_empty_s(cal);

	MPI_Barrier(MPI_COMM_WORLD);
	/* messages of the barrier, and of who is ready first, take from computing, too */
	load_pause(apart_s);
	begin = MPI_Wtime();
	if (cal->node[cal->rank] == 0 && cal->place[cal->rank] < cores->n) {
		load_compute(cores->work_s);
		time_s = MPI_Wtime() - begin;
	} else {
		load_pause(cores->work_s + apart_s); /* a waiting rank may poll */
	}
	return slowest(time_s) * cal->settings.window_s / cores->work_s;
}

void probe_cores(struct cal *cal, int where)
{
	/* ranks leave a barrier some messages' time apart */
	struct cores cores = {.work_s = fmax(cal->settings.window_s, 40 * longest_empty_s(cal))};

	cal_group(cal, "cores of a node", cal->n_here);
	for (cores.n = 1; cores.n <= cal->n_here; cores.n++)
		cal_repeat(cal, "cores", where, cores.n, 0, measure_cores, &cores);
}

/* --- variation: the same computation on each node, again and again, and the same message to each
 * node; every single time is a sample --- */

enum { TIMES = 41, MOST_NODES = 64 };

/* All nodes at once, one rank on each. */
static void vary_computing(struct cal *cal, int n_nodes)
{
	static const double PIECE = 0.04; /* of the window in which the CPU cost is measured */
	double values[TIMES] = {0}, begin;

	MPI_Barrier(MPI_COMM_WORLD);
	load_pause(20 * longest_empty_s(cal));
	for (int k = 0; k < TIMES && cal->place[cal->rank] == 0; k++) {
		begin = MPI_Wtime();
		load_compute(PIECE * cal->settings.window_s);
		values[k] = MPI_Wtime() - begin;
	}
	for (int node = 0; node < n_nodes; node++) {
		int leader = cal->leader[node];

		if (leader > 0 && cal->rank == leader)
			MPI_Send(values, TIMES, MPI_DOUBLE, 0, TAG, MPI_COMM_WORLD);
		else if (leader > 0 && cal->rank == 0)
			MPI_Recv(values, TIMES, MPI_DOUBLE, leader, TAG, MPI_COMM_WORLD,
				 MPI_STATUS_IGNORE);
		for (int k = 0; k < TIMES; k++)
			cal_keep(cal, "vary_computing", BETWEEN_NODES, node, 0, values[k]);
	}
}

void probe_variation(struct cal *cal, int where)
{
	static const int64_t sizes_B[] = {64, 8192};
	int n_nodes = cal->n_nodes < MOST_NODES ? cal->n_nodes : MOST_NODES, one = 1;

	if (cal->is_replay)
		return;
	cal_group(cal, "variation", 1);
	vary_computing(cal, n_nodes);
	for (int k = 0; k < 2 * (n_nodes - 1); k++) {
		int node = 1 + k / 2;
		struct exchange round = {BETWEEN_NODES, sizes_B[k % 2],
					 .ranks = {0, cal->leader[node]}};

		for (int i = 0; i < TIMES && round.size_B <= cal->settings.max_size_B; i++) {
			exchange_run(cal, "vary_messages", &round);
			cal_keep(cal, "vary_messages", BETWEEN_NODES, round.size_B, node,
				 round.times_s[0]);
		}
		cal_share_asleep(cal, &one);
	}
}
