/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How much of a CPU communication takes from computation. Rank 0 has the transfers. With more ranks
 * on its node those compute, else rank 0 computes too, between looks at its transfers. Counted is
 * what is computed while all transfers are certainly under way.
 */
#include <math.h>

#include "calibrate.h"

enum { CHUNKS = 160, MOST_CHUNKS = 32768, MOST_TRANSFERS = 32, ACK = 100, STOP = 99 };
static const double LEAST_CHUNK_S = 20e-6;

struct cost {
	int n_out, n_in;
	int64_t size_B;	     /* of one transfer alone */
	int64_t out_B, in_B; /* of each, so that they share the links and end together */
	double longest_s;    /* a piece of computing, if looks did not matter */
	double chunk_s, alone_s;
	double to_begin_s, to_end_s; /* so much of the time something is not under way */
	bool is_stuck;		     /* rank 0: transfers did not end while it computed */
	double first_s;		     /* rank 0: when the first of them ended */
	double looks_s;		     /* rank 0: what it may have computed after that */
	/* this rank's record of computed chunks */
	int n_chunks;
	double ends[MOST_CHUNKS + 1]; /* [0] is the begin of the first */
};

static bool has_both(const struct cost *cost)
{
	return cost->n_out > 0 && cost->n_in > 0;
}

static int receiver_of(const struct cal *cal, int transfer)
{
	return cal->leader[1 + transfer % (cal->n_nodes - 1)];
}

/* Senders are taken from the other end: what says that a transfer is over may have to wait behind
 * what goes the same way. */
static int sender_of(const struct cal *cal, int transfer)
{
	return cal->leader[cal->n_nodes - 1 - transfer % (cal->n_nodes - 1)];
}

static void compute_chunk(struct cost *cost)
{
	if (cost->n_chunks == 0)
		cost->ends[0] = MPI_Wtime();
	load_compute(cost->chunk_s);
	if (cost->n_chunks < MOST_CHUNKS)
		cost->ends[++cost->n_chunks] = MPI_Wtime();
}

/* Chunks per second computed within the window; NAN if there was none. */
static double speed_within(const struct cost *cost, double begin, double end)
{
	double time_s = 0;
	int n = 0;

	for (int k = 1; k <= cost->n_chunks; k++)
		if (cost->ends[k - 1] >= begin && cost->ends[k] <= end) {
			time_s += cost->ends[k] - cost->ends[k - 1];
			n++;
		}
	return n ? n / time_s : NAN;
}

static void list_flows(const struct cal *cal, const struct cost *cost, struct flows *flows)
{
	for (flows->n = 0; flows->n < cost->n_out + cost->n_in; flows->n++) {
		int k = flows->n;
		bool is_out = k < cost->n_out;

		flows->source[k] = is_out ? 0 : sender_of(cal, k - cost->n_out);
		flows->dest[k] = is_out ? receiver_of(cal, k) : 0;
		flows->sizes_B[k] = is_out ? cost->out_B : cost->in_B;
	}
}

/* All have them; rank 0 is the late one. Counts and begin as flows_start. */
static int start(const struct cal *cal, const struct cost *cost, MPI_Request *requests,
		 int *n_receives, double *begin)
{
	struct flows flows;
	bool has_requests = has_both(cost) && cal->threshold_B < cost->in_B;

	list_flows(cal, cost, &flows);
	return flows_start(cal, &flows, has_requests ? 0 : -1, requests, n_receives, begin);
}

/* The other ends: a transfer's receiver says when it has it; without transfers one tells the end.
 */
static void serve(const struct cal *cal, const struct cost *cost)
{
	MPI_Request requests[2 * MOST_TRANSFERS];
	int n_receives, index;
	double begin;
	int n = start(cal, cost, requests, &n_receives, &begin);

	for (int k = 0; k < n_receives; k++) {
		MPI_Waitany(n_receives, requests, &index, MPI_STATUS_IGNORE);
		MPI_Send(NULL, 0, MPI_BYTE, 0, ACK, MPI_COMM_WORLD);
	}
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
	if (cost->n_out + cost->n_in == 0 && receiver_of(cal, 0) == cal->rank) {
		load_pause(cost->alone_s);
		MPI_Send(NULL, 0, MPI_BYTE, 0, ACK, MPI_COMM_WORLD);
	}
}

/* Returns when the first of the transfers is over. */
static void compute_until_first(const struct cal *cal, struct cost *cost, int n,
				MPI_Request *requests)
{
	enum { LAST_LOOKS = 3 }; /* that the end of one transfer takes at most */
	/* Where transfers stand still while their rank computes, the first would never end. */
	int index, is_over = 0;
	double most_s = 4 * CHUNKS * cost->longest_s * (cost->n_out + cost->n_in + 1), done_s = 0;

	if (cal->n_here > 1) {
		MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);
		return;
	}
	for (; done_s < most_s && !is_over; done_s += cost->chunk_s) {
		compute_chunk(cost);
		MPI_Testany(n, requests, &index, &is_over, MPI_STATUS_IGNORE);
	}
	cost->is_stuck |= !is_over;
	cost->looks_s = (cost->ends[cost->n_chunks] - cost->ends[0]) / cost->n_chunks * LAST_LOOKS;
}

/* --- the window in which all transfers are under way --- */

/* Where messages of a pair follow each other, what says that one is over stands behind what goes
 * the same way, in its connection or in the switch. */
static bool has_hidden_ends(const struct cal *cal, const struct cost *cost)
{
	return cal->is_ordered && has_both(cost);
}

/* What the sender of an eager message, or its receiver, does with its bytes. */
static double bytes_s(const struct cal *cal, int64_t size_B, double per_B_s)
{
	return size_B <= cal->threshold_B ? (double)size_B * per_B_s : 0;
}

/* Then all are under way: an answer to a request stands behind what rank 0's own requests bring. */
static double begun_s(const struct cal *cal, const struct cost *cost)
{
	return cost->to_begin_s + (cost->n_out > 1 ? cal->queue_s : 0) +
	       cost->n_out * cal->request_B * cal->per_byte_s[BETWEEN_NODES] +
	       bytes_s(cal, cost->in_B, cal->send_per_B_s);
}

/* None of that size ends before, even if it had its links to itself. The first one began before the
 * others had been sent. */
static double least_s(const struct cal *cal, const struct cost *cost, int64_t size_B)
{
	/* of an eager message's time, where what copying takes of it is not known well */
	static const double LEAST_OF_LINKS = 0.3;
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES],
	       per_copy_s =
		   fmin(cal->send_per_B_s + cal->recv_per_B_s, (1 - LEAST_OF_LINKS) * per_byte_s);

	return ((double)size_B - cal->request_B) * per_byte_s - bytes_s(cal, size_B, per_copy_s) -
	       cost->n_out * bytes_s(cal, cost->out_B, cal->send_per_B_s);
}

/* Before the first is over none of these has left its links, but for one that is copied then: what
 * has arrived may have to be. */
static double busy_s(const struct cal *cal, const struct cost *cost, int64_t size_B)
{
	return fmax(cost->first_s - bytes_s(cal, size_B, cal->recv_per_B_s),
		    least_s(cal, cost, size_B));
}

/*
 * The second half of the time until the first transfer ended: transfers that wait in the node's
 * queue, or for an overhead, are under way then, too. Empty if that was over too soon.
 */
static void choose_window(const struct cal *cal, const struct cost *cost, double begin,
			  double window[2])
{
	double end_s = cost->first_s, from_s;

	if (cost->n_out > 0)
		end_s = fmin(end_s, busy_s(cal, cost, cost->out_B));
	if (cost->n_in > 0)
		end_s = fmin(end_s, busy_s(cal, cost, cost->in_B));
	end_s -= cost->looks_s;
	if (has_hidden_ends(cal, cost))
		end_s = fmin(end_s, least_s(cal, cost, smaller(cost->out_B, cost->in_B)));
	end_s -= cost->to_end_s;
	from_s = end_s / 2;
	if (has_hidden_ends(cal, cost))
		from_s = fmax(from_s, begun_s(cal, cost));
	window[0] = begin + from_s;
	window[1] = from_s < cost->to_begin_s || from_s > end_s ? window[0] : begin + end_s;
}

static void communicate(const struct cal *cal, struct cost *cost, double window[2])
{
	MPI_Request requests[3 * MOST_TRANSFERS];
	int n_acks = cost->n_out + cost->n_in == 0 ? 1 : cost->n_out, n, n_receives;
	double begin;

	for (int k = 0; k < n_acks; k++)
		MPI_Irecv(NULL, 0, MPI_BYTE, receiver_of(cal, k), ACK, MPI_COMM_WORLD,
			  &requests[k]);
	n = start(cal, cost, requests + n_acks, &n_receives, &begin) + n_acks;
	begin = MPI_Wtime();
	compute_until_first(cal, cost, n_acks + n_receives, requests);
	cost->first_s = MPI_Wtime() - begin;
	choose_window(cal, cost, begin, window);
	for (int rank = 1; rank < cal->n_ranks; rank++)
		if (cal->node[rank] == 0)
			MPI_Send(NULL, 0, MPI_BYTE, rank, STOP, MPI_COMM_WORLD);
	MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static void compute_until_told(struct cost *cost)
{
	MPI_Request stop;
	int is_told = 0;

	MPI_Irecv(NULL, 0, MPI_BYTE, 0, STOP, MPI_COMM_WORLD, &stop);
	MPI_Barrier(MPI_COMM_WORLD);
	while (!is_told) {
		compute_chunk(cost);
		MPI_Test(&stop, &is_told, MPI_STATUS_IGNORE);
	}
}

/* Of all transfers one way together: long enough to see, and what one of several leaves to the
 * node's queue is the smaller part of it. */
static double choose_total(const struct cal *cal, const struct cost *cost, int most)
{
	double all_B = (double)cost->size_B * most, per_B_s = cal->per_byte_s[BETWEEN_NODES],
	       least_B;

	if (per_B_s <= 0)
		return all_B;
	/* one may end when others have a third of the way before them */
	least_B = 1.5 * (cost->to_end_s + 2.1 * cost->to_begin_s) / per_B_s;
	if (cost->n_out > 1)
		least_B = fmax(least_B, 2 * cal->queue_s / per_B_s * most);
	if (has_hidden_ends(cal, cost))
		least_B =
		    most * (cal->request_B + (cost->to_end_s + 2 * begun_s(cal, cost)) / per_B_s);
	return fmin(fmax(all_B, least_B), (double)cal->settings.max_size_B);
}

static void choose_sizes(const struct cal *cal, struct cost *cost)
{
	enum { MOST_PIECES = 20 }; /* of what would be one otherwise */
	/* of the time for which a message goes on while its sender computes, one piece */
	static const double LOOKS_IN_TIME = 0.7, LEAST_PIECE_S = 1e-6;
	int most = cost->n_out > cost->n_in ? cost->n_out : cost->n_in;
	double all_B = choose_total(cal, cost, most), per_B_s = cal->per_byte_s[BETWEEN_NODES];

	cost->out_B = cost->n_out ? (int64_t)(all_B / cost->n_out) : 0;
	cost->in_B = cost->n_in ? (int64_t)(all_B / cost->n_in) : 0;
	cost->longest_s =
	    fmax((most ? all_B * per_B_s / most : cost->alone_s) / CHUNKS, LEAST_CHUNK_S);
	cost->chunk_s = cost->longest_s;
	/* a rank that computes beside its own messages must look before they stand still */
	if (cal->n_here == 1)
		cost->chunk_s =
		    fmin(cost->longest_s, fmax(LOOKS_IN_TIME * cal->unattended_s,
					       fmax(cost->longest_s / MOST_PIECES, LEAST_PIECE_S)));
}

/* What all computing ranks of the node together computed, in loops that run at the speed of a free
 * core. */
static double measure_cost(struct cal *cal, void *context)
{
	struct cost *cost = context;
	bool is_here = cal->node[cal->rank] == 0;
	double window[2] = {0, 0}, speed = 0, total;

	choose_sizes(cal, cost);
	cost->n_chunks = 0;
	if (cal->rank == 0)
		communicate(cal, cost, window);
	else if (is_here)
		compute_until_told(cost);
	else
		serve(cal, cost);
	MPI_Bcast(window, 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	if (is_here && (cal->rank > 0 || cal->n_here == 1))
		speed = speed_within(cost, window[0], window[1]) * cost->chunk_s;
	MPI_Reduce(&speed, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	return window[0] < window[1] ? total : NAN;
}

/* As many as there are other nodes, if --transfers does not say. With an order of messages, those
 * to one node follow each other, and never more are under way. */
static int choose_transfers(struct cal *cal)
{
	int n = cal->settings.n_transfers, others = cal->n_nodes - 1;

	if (n < 0)
		n = others > 8 ? 8 : others < 2 ? 2 : others;
	if (!cal->is_ordered || n <= others)
		return n;
	if (cal->settings.n_transfers >= 0)
		cal_fact(cal, "warning",
			 "CPU cost of more than %d transfers each way was not measured: "
			 "messages to one node follow each other, more are never under way",
			 others);
	return others;
}

/* The time of a group's measurements; whether there is something to see. */
static bool choose_times(const struct cal *cal, struct cost *cost, int n)
{
	/* messages from the barrier until all transfers are under way, and from the end of the first
	 * one until that is known; one more of each for each transfer */
	enum { TO_BEGIN = 8, TO_END = 4 };
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], empty_s = cal->empty_s[BETWEEN_NODES];

	cost->to_begin_s = (TO_BEGIN + n) * empty_s;
	cost->to_end_s = (TO_END + n) * empty_s;
	cost->alone_s = fmax(cal->settings.window_s, 5 * (cost->to_begin_s + cost->to_end_s));
	cost->size_B = (int64_t)fmin(per_byte_s > 0 ? cost->alone_s / per_byte_s : 1e9,
				     (double)(cal->settings.max_size_B / n));
	return (double)cal->settings.max_size_B * per_byte_s >
	       cost->to_end_s + 2.1 * cost->to_begin_s;
}

void probe_cpu_cost(struct cal *cal, int where)
{
	int n = choose_transfers(cal), n_missing = 0;
	static struct cost cost;

	if (!choose_times(cal, &cost, n)) {
		cal_fact(cal, "warning",
			 "CPU cost was not measured: messages of %lld B are over too soon, "
			 "allow larger ones (--max-size)",
			 (long long)cal->settings.max_size_B);
		return;
	}
	cal_group(cal, "CPU cost of communication", (n + 1) * (n + 1));
	for (cost.n_out = 0; cost.n_out <= n; cost.n_out++)
		for (cost.n_in = 0; cost.n_in <= n; cost.n_in++)
			if (isnan(cal_repeat(cal, "compute_speed", where, cost.n_out, cost.n_in,
					     measure_cost, &cost)) &&
			    n_missing++ == 0)
				cal_fact(cal, "warning",
					 "CPU cost of %d outgoing and %d incoming transfers was "
					 "not measured: the first were over before all were under "
					 "way",
					 cost.n_out, cost.n_in);
	if (cost.is_stuck)
		cal_fact(cal, "warning",
			 "transfers stood still while the only rank on their node computed: its "
			 "CPU cost means little; start a second rank on the first node");
	cal_fact(cal, "computing_ranks", "%d", cal->n_here > 1 ? cal->n_here - 1 : 1);
}
