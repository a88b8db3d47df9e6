/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes that are messages of two or three ranks, and how each is asked for; before them, the clock. */
#include <math.h>

#include "calibrate.h"

#define HALVES "c:.75t c:.75t" /* computes as long as the message takes, and half as long again */
#define STREAM "M1 I1 I1 (7 r1 I1) r1 b I1 (15 r1 I1) r1 e:16 I1 r1 r1 W"

const struct probe probe_table[] = {
    {"warm_up", {"M1 (20 S1 R1)", "M0 (20 R0 S0)"}},
    {"one_way", {"M1 b (S1 R1) e:2n", "M0 (R0 S0)"}},
    /* sends one after the other; takes what arrived while it paused */
    {"send_overhead", {"M1 b (S1) e:1n", "M0 (R0)"}},
    {"recv_overhead", {"M1 p:2t+1m b (R1) e:1n", "M0 (S0)"}},
    {"late_receiver", {"M1 b M1 e b S1 e", "M0 M0 p:8S+4B+2m+1t R0"}},
    /* what is still waited for then: without a look, with one, with questions for what is complete */
    {"send_progress", {"M1 I1 " HALVES " b w e", "J0 M0 w"}},
    {"send_look", {"M1 I1 c:.75t l c:.75t b w e", "J0 M0 w"}},
    {"send_complete_look", {"M1 I1 c:.75t L c:.75t b w e", "J0 M0 w"}},
    {"recv_progress", {"J1 M1 " HALVES " b w e", "M0 S0"}},
    {"send_return", {"M1 M1 b S1 e", "M0 M0 R0"}},
    /* the bulk is on its way when the empty message leaves, and takes longer than that */
    {"behind_large", {"M1 I1 f:1t-1S-.75B i1 W", "J0 j0 M0 b w e w e"}},
    {"two_at_once", {"M1 M2 j1 j2 b i1 i2 W e", "M0 r0 s0", "M0 r0 s0"}},
    /* with an empty answer */
    {"rested", {"M1 p:2g+1m b S1 r1 e", "M0 R0 s0"}},
    {"packets", {"M1 p:1S+1B+1m b S1 r1 e", "M0 R0 s0"}},
    {"packet_stream", {STREAM, "M0 (26 R0 s0)"}},
    /* the receiver takes the last one first, which is there last: it is as busy as with one */
    {"train", {"M1 p:4t+2m b (S1) T1 r1 e", "M0 U0 s0 (R0)"}},
    /* the partner is in its receive by then */
    {"synchronous", {"M1 p:20S b y1 e", "M0 r0"}},
    /* does a first question for what came while nobody looked say no? */
    {"late_probe", {"M1 p:20S+5m Q1 r1", "M0 p:5S+1m s0"}},
    {"late_tests", {"M1 j1 p:20S+5m q w", "M0 p:5S+1m s0"}},
    /* a byte to a third node and an answer, when three quarters of a large message's bytes are left,
     * and half of them: what a queue holds is the same, what a window lets out is not */
    {"beside_nothing", {"M1 M2 b B2 r2 e", "M0", "M0 D0 s0"}},
    {"beside_bulk", {"M1 M2 I1 f:1h+.25B b B2 r2 e w", "J0 M0 w", "M0 D0 s0"}},
    {"beside_half", {"M1 M2 I1 f:1h+.5B b B2 r2 e w", "J0 M0 w", "M0 D0 s0"}},
    /* what shares links with it, but stands in no queue with it: from the third node, whose word
     * rank 0 begins with */
    {"beside_away", {"M1 M2 I1 w", "J0 M0 D2 s2 w", "M0 p:1S+1h+.25B b B1 r1 e"}, 2},
    /* The receiver attends for a while, so that the bulk begins, and then computes for twice as
     * long as the message takes: how long does the send take, and what does the receiver still
     * wait for? It looks until it has answered the request and what travels with it, and no longer
     * than until the bulk is there, whether handshakes are halves of two control messages or
     * quarters of four. The sender begins when the word of the receiver, which looks already, is
     * there; the request comes behind the sender's word. */
    {"receiver_away", {"M1 b S1 e", "J0 M0 f:.75t+.75S-.25h c:2t w"}},
    {"receiver_back", {"J1 M1 f:.75t-.75S-.375h c:2t b w e", "M0 S0"}},
    /* the request, and whatever travels with it, has arrived */
    {"late_bulk", {"M1 p:3t+2m b R1 e", "M0 S0"}},
    /* Libraries connect two ranks when they begin to talk, and need a few messages for it. Some
     * exchange what an answer needs only before the first message that wants one, and a request
     * waits until then. */
    {"talk", {"(4 k1 r1 w)", "(4 k0 r0 w)"}},
    {"carry", {"S1", "R0"}},
    /* The request and what travels with it arrive while both attend. Then the receiver answers, and
     * the sender computes, looks once, so that the bulk begins, computes again, and waits. */
    {"used", {"r1 I1 r1 b c:1t e l b c:1t e w", "s0 p:.5t p:.5t s0 b p:.5t R0 e"}},
    /* the receiver says that it is ready, takes the message, and says that it has it */
    {"used_eager", {"r1 I1 c:1t b r1 e w", "s0 R0 s0"}},
    {"send_buffer", {"r1 S1 b r1 e", "s0 R0 s0"}},
    {"send_buffer_used", {"r1 S1 b r1 e", "s0 R0 s0"}},
    {"vary_messages", {"M1 b S1 R1 e", "M0 R0 S0"}},
};

enum {
	BURST = 16,	 /* empty messages */
	BURST_LARGE = 4, /* eager ones that are not: few, so that systems take them all */
	OVERHEADS_B = 8192,
	LARGE_B = 4 << 20
};

static double between(double low, double value, double high)
{
	return fmin(fmax(value, low), high);
}

/* Bytes that take so long; 0 where they take no time. */
static double bytes_in(const struct cal *cal, int where, double time_s)
{
	return cal->per_byte_s[where] > 0 ? time_s / cal->per_byte_s[where] : 0;
}

/* The smallest difference between two readings that are not equal. */
void probe_clock(struct cal *cal)
{
	double smallest = cal_measured_fact(cal, "clock_resolution_s", MPI_Wtick());

	/* In the simulator time stands still while a program only reads the clock. */
	for (int k = 0; k < 1000 && !cal->is_simulated; k++) {
		double begin = MPI_Wtime(), end = begin;

		while (end == begin)
			end = MPI_Wtime();
		if (k == 0 || end - begin < smallest)
			smallest = end - begin;
	}
	cal->resolution_s = cal_share(smallest);
	cal_fact(cal, "clock_resolution_s", "%.3g", cal->resolution_s);
}

/* --- time by size --- */

/* So many round trips that the clock's resolution does not matter, but not more than needed. */
static double one_way(struct cal *cal, int where, int64_t size_B, double expected_s)
{
	double n = fmax(200 * cal->resolution_s, 20e-6) / (2 * fmax(expected_s, 1e-9));

	return exchange_repeat(
	    cal, "one_way", (struct exchange){where, size_B, .n = (int)ceil(between(1, n, 200))});
}

double probe_one_way(struct cal *cal, int where, int64_t size_B)
{
	return one_way(cal, where, size_B, cal_estimate(cal, where, size_B));
}

/* 0, 1, 2, 3, 4, 6, 8, 12, … */
static int64_t next_size(int64_t size_B)
{
	if (size_B < 2)
		return size_B + 1;
	return (size_B & (size_B - 1)) ? size_B / 3 * 4 : size_B / 2 * 3;
}

static void measure_sizes(struct cal *cal, int where)
{
	double time_s = 1e-6, before_s = 0;
	int64_t size_B = 0, before_B = 0, most_B = cal->settings.max_size_B;

	for (; size_B <= most_B; before_B = size_B, size_B = next_size(size_B)) {
		double left_s = cal_share(cal->group_end_s - MPI_Wtime()), here_s;

		/* What does not fit into the time is left out, and the file says so. */
		if (!cal->is_replay && size_B > 65536 &&
		    2 * time_s * ((double)size_B / (double)before_B) > left_s / 2)
			break;
		here_s = one_way(cal, where, size_B, time_s);
		if (isnan(here_s))
			break;
		before_s = time_s;
		time_s = here_s;
		if (size_B == 0)
			cal->empty_s[where] = time_s;
		else
			cal->per_byte_s[where] = (time_s - before_s) / (double)(size_B - before_B);
		if (cal->per_byte_s[where] <= 0)
			cal->per_byte_s[where] =
			    fmax(time_s - cal->empty_s[where], 0) / (double)(size_B ? size_B : 1);
	}
	cal->largest_B[where] = before_B;
	if (size_B <= most_B)
		cal_fact(cal, "warning", "messages above %lld B did not fit into the time budget",
			 (long long)before_B);
}

void probe_sizes(struct cal *cal, int where)
{
	struct exchange warm_up = {where, 1024};
	int n = 1; /* the empty one comes twice */

	for (int64_t size_B = 0; size_B <= cal->settings.max_size_B; size_B = next_size(size_B))
		n++;
	cal_group(cal, where == WITHIN_NODE ? "time by size, within a node" : "time by size", n);
	for (int k = 0; k < 5; k++) /* connections are made at the first, and CPUs wake up */
		exchange_run(cal, "warm_up", &warm_up);
	measure_sizes(cal, where);
	/* Latency matters most, and is what a disturbance falsifies most: once more, at another
	 * time. */
	cal->empty_s[where] = one_way(cal, where, 0, cal->empty_s[where]);
}

/* --- overheads --- */

void probe_overhead(struct cal *cal, int where)
{
	struct exchange point = {where, .n = BURST, .time_s = BURST * cal->empty_s[where]};

	cal_group(cal, "overhead per message", 2);
	cal->send_overhead_s = exchange_repeat(cal, "send_overhead", point);
	cal->recv_overhead_s = exchange_repeat(cal, "recv_overhead", point);
}

static double more_per_B(double time_s, double empty_s, int64_t size_B)
{
	return fmax(time_s - empty_s, 0) / (double)size_B;
}

void probe_overhead_by_size(struct cal *cal, int where)
{
	struct exchange point = {where, OVERHEADS_B, .n = BURST_LARGE};

	point.size_B = smaller(smaller(point.size_B, cal->largest_B[where]), cal->threshold_B);
	if (point.size_B < 1)
		return;
	point.time_s = BURST_LARGE * cal_estimate(cal, where, point.size_B);
	cal_group(cal, "overhead per byte", 2);
	cal->send_per_B_s = more_per_B(exchange_repeat(cal, "send_overhead", point),
				       cal->send_overhead_s, point.size_B);
	cal->recv_per_B_s = more_per_B(exchange_repeat(cal, "recv_overhead", point),
				       cal->recv_overhead_s, point.size_B);
}

/* --- eager threshold --- */

/*
 * Whether a message of that size waits for its receiver. The pause begins after rank 0 has asked to
 * meet, so that from there no rendezvous is shorter, however late rank 0 goes on. A delayed eager
 * send looks like a rendezvous: the shortest of several tells, of which all but the first pause for
 * longer than others keep a processor, and what was late already tells nothing. Others' messages
 * may hold up the meeting by 3 S.
 */
static int waits(struct cal *cal, int64_t size_B, void *context)
{
	enum { WAITS, LEAVES, LATE };
	enum { TRIES = 3, MOST_TRIES = 12 };
	static const double OTHERS_S = 50e-3; /* what runs on the same processor */
	int where = *(const int *)context, verdict = WAITS, n_waited = 0;
	double empty_s = cal->empty_s[where],
	       pause_s = 4 * (cal_estimate(cal, where, size_B) + empty_s) + 2e-3, all_s;
	struct exchange point = {where, size_B};

	for (int k = 0; k < MOST_TRIES && n_waited < TRIES && verdict != LEAVES; k++) {
		point.time_s = k > 0 ? OTHERS_S : 0;
		exchange_run(cal, "late_receiver", &point);
		all_s = point.times_s[0] + point.times_s[1];
		cal_keep(cal, "late_receiver", where, size_B, 0, all_s);
		verdict = all_s < 0.9 * (pause_s + point.time_s)     ? LEAVES
			  : point.times_s[0] > 5 * empty_s + 0.25e-3 ? LATE
								     : WAITS;
		verdict = (int)cal_share(verdict);
		n_waited += verdict == WAITS;
	}
	return verdict != LEAVES;
}

/* The same in a replay, as it was found. */
static int replay_waits(struct cal *cal, int64_t size_B, void *context)
{
	bool is_within = *(const int *)context == WITHIN_NODE;
	double found_B = cal_share(cal_measured_fact(
	    cal, is_within ? "eager_threshold_within_B" : "eager_threshold_B", -2));

	waits(cal, size_B, context);
	return found_B > -2 && (double)size_B > found_B;
}

void probe_eager(struct cal *cal, int where)
{
	int64_t first_B;

	cal_group(cal, "eager threshold", 2);
	first_B = cal_find(cal, -1, 0, cal->largest_B[where], 1,
			   cal->is_replay ? replay_waits : waits, &where);
	cal->threshold_B = first_B < 0 ? INT64_MAX : first_B - 1;
	if (first_B > 1)
		probe_one_way(cal, where, first_B - 1);
	if (first_B > 0)
		probe_one_way(cal, where, first_B);
	cal_fact(cal, where == WITHIN_NODE ? "eager_threshold_within_B" : "eager_threshold_B",
		 "%lld", first_B < 0 ? -2LL : (long long)first_B - 1);
}

/* --- progress and buffers, with a message that goes by rendezvous if any does --- */

/* What was still waited for without a look, and after one; the same as of samples in the fit. */
static double unattended_s(const struct cal *cal, double expected_s, int where, double wait_s,
			   double look_s)
{
	/* of a large message's time: what a sender that looked once still waits for, at least, if
	 * the rest had stalled, and what has left since, at most */
	static const double LEAST_STALLED = 0.05, MOST_STALLED = 0.7;
	double leaves_s = wait_s - look_s,
	       latency_s = cal->empty_s[where] - cal->send_overhead_s - cal->recv_overhead_s;

	if (look_s < LEAST_STALLED * expected_s || leaves_s > MOST_STALLED * expected_s)
		return INFINITY;
	return fmax(leaves_s - latency_s, 0);
}

void probe_protocol(struct cal *cal, int where)
{
	struct exchange point = {where, LARGE_B};
	double wait_s, look_s;

	if (cal->threshold_B != INT64_MAX && point.size_B < 4 * cal->threshold_B)
		point.size_B = 4 * cal->threshold_B;
	point.size_B = smaller(point.size_B, cal->largest_B[where]);
	cal_group(cal, "progress and buffers", 6);
	point.time_s = probe_one_way(cal, where, point.size_B);
	wait_s = exchange_repeat(cal, "send_progress", point);
	look_s = exchange_repeat(cal, "send_look", point);
	cal->unattended_s = unattended_s(cal, point.time_s, where, wait_s, look_s);
	exchange_repeat(cal, "send_complete_look", point);
	exchange_repeat(cal, "recv_progress", point);
	exchange_repeat(cal, "send_return", point);
}

/* --- whether latencies share the links, whether a short message passes a long one --- */

static const double LATENCIES = 20; /* of a message that others stay behind */

/* Of the time of a large message, when an empty one arrives that was sent behind it; at the
 * receiver, on all ranks. */
static double measure_behind_large(struct cal *cal, void *context)
{
	struct exchange *point = context;
	/* what has arrived may be copied only then */
	double fraction, copy_s = point->size_B <= cal->threshold_B
				      ? (double)point->size_B * cal->recv_per_B_s
				      : 0;

	exchange_run(cal, "behind_large", point);
	fraction = point->times_s[0] / (point->times_s[1] - copy_s);
	MPI_Bcast(&fraction, 1, MPI_DOUBLE, cal->far, MPI_COMM_WORLD);
	return fraction;
}

static void probe_order(struct cal *cal)
{
	/* of the time of a large message's bytes, how long before its end an empty one behind it
	 * arrives at most that cannot pass it */
	static const double IN_ORDER = 0.1;
	struct exchange point = {BETWEEN_NODES};
	double empty_s = cal->empty_s[BETWEEN_NODES], fraction;
	int64_t largest_B = cal->largest_B[BETWEEN_NODES];

	point.size_B = (int64_t)between(LARGE_B, bytes_in(cal, BETWEEN_NODES, LATENCIES * empty_s),
					(double)largest_B);
	if (cal->threshold_B < INT64_MAX && 2 * cal->threshold_B > point.size_B)
		point.size_B = smaller(2 * cal->threshold_B, largest_B);
	point.time_s = probe_one_way(cal, BETWEEN_NODES, point.size_B);
	fraction = cal_repeat(cal, "behind_large", BETWEEN_NODES, point.size_B, 0,
			      measure_behind_large, &point);
	cal->is_ordered = (1 - fraction) * (empty_s + point.time_s) <
			  IN_ORDER * (double)point.size_B * cal->per_byte_s[BETWEEN_NODES];
}

/* About: the second of two messages follows the first by the latency, and not by an overhead. */
static bool shares_latency(const struct cal *cal, double time_s)
{
	double empty_s = cal->empty_s[BETWEEN_NODES],
	       overhead_s = fmax(cal->send_overhead_s, cal->recv_overhead_s),
	       latency_s = empty_s - cal->send_overhead_s - cal->recv_overhead_s;

	return latency_s > overhead_s && time_s > 2 * empty_s + (latency_s + overhead_s) / 2;
}

void probe_rest(struct cal *cal, int where)
{
	cal_group(cal, "order, and two at once", 3);
	probe_order(cal);
	if (cal->n_nodes > 2) /* empty messages to two nodes, and their answers */
		cal->is_latency_shared = shares_latency(
		    cal, exchange_repeat(cal, "two_at_once", (struct exchange){where}));
}

/* --- how a message by rendezvous begins and ends, and what waits behind a large one --- */

static void probe_queue(struct cal *cal, double handshake_s)
{
	struct exchange point = {BETWEEN_NODES};
	double empty_s = cal->empty_s[BETWEEN_NODES], nothing_s, bulk_s;

	nothing_s = exchange_repeat(cal, "beside_nothing", point);
	/* Packets follow a window, which grows with what has arrived: then one that takes many
	 * latencies. */
	point.size_B = (int64_t)between(
	    LARGE_B, cal->has_packets ? bytes_in(cal, BETWEEN_NODES, LATENCIES * empty_s) : 0,
	    (double)cal->largest_B[BETWEEN_NODES]);
	point.begin_s = handshake_s + empty_s / 4;
	if (point.size_B > LARGE_B)
		point.begin_s = probe_one_way(cal, BETWEEN_NODES, point.size_B) -
				cal_estimate(cal, BETWEEN_NODES, point.size_B);
	bulk_s = exchange_repeat(cal, "beside_bulk", point);
	exchange_repeat(cal, "beside_half", point);
	cal->queue_s = fmax(bulk_s - nothing_s, 0);
	if (cal->is_latency_shared && !cal->has_packets)
		exchange_repeat(cal, "beside_away", point);
}

/* A large message: there is a moment in which one can be away, and it is not missed. */
static struct exchange choose_away(struct cal *cal, int64_t size_B)
{
	/* Who looks for a quarter of a message's time looks for a microsecond: that long may a call
	 * that looks take, as it does in the simulator. */
	static const double SHORT_S = 4e-6, LONG_S = 8e-6;
	/* What passes at once takes no time in which one could be away, and what travels with a
	 * request uses up what links have saved: the bulk is to have more. */
	static const double MORE_BURSTS = 2.5;
	double per_byte_s = cal->per_byte_s[BETWEEN_NODES], empty_s = cal->empty_s[BETWEEN_NODES],
	       largest_B = (double)cal->largest_B[BETWEEN_NODES], bytes_s, wanted_s = 0,
	       more_B = MORE_BURSTS * cal->spared_s / fmax(per_byte_s, 1e-15);
	struct exchange away = {BETWEEN_NODES, size_B};

	if (more_B >= 1)
		away.size_B = (int64_t)fmin((double)size_B + more_B, largest_B);
	away.time_s = probe_one_way(cal, BETWEEN_NODES, away.size_B);
	bytes_s = fmax((double)away.size_B * per_byte_s - cal->spared_s, 0);
	away.begin_s = fmax(away.time_s - empty_s - bytes_s, 0);
	if (away.begin_s > 4 * empty_s + bytes_s)
		wanted_s = away.begin_s;
	if (away.time_s < SHORT_S)
		wanted_s = fmax(wanted_s, LONG_S);
	if (wanted_s > 0 && per_byte_s > 0) {
		away.size_B = (int64_t)fmin(bytes_in(cal, BETWEEN_NODES, wanted_s + cal->spared_s),
					    largest_B);
		away.time_s = probe_one_way(cal, BETWEEN_NODES, away.size_B);
	}
	return away;
}

void probe_ends(struct cal *cal, int where)
{
	int64_t rendezvous_B = cal->threshold_B > 0 ? 2 * cal->threshold_B : 2;
	bool has_rendezvous =
	    cal->threshold_B != INT64_MAX && rendezvous_B <= cal->largest_B[where];
	struct exchange empty = {where}, away = {where};
	double late_s;

	cal_group(cal, "ends and queues",
		  (has_rendezvous ? 4 : 0) + (cal->n_nodes > 2 ? 4 : 0) + 3);
	exchange_repeat(cal, "synchronous", empty);
	exchange_repeat(cal, "late_probe", empty);
	exchange_repeat(cal, "late_tests", empty);
	if (has_rendezvous) {
		away = choose_away(cal, rendezvous_B);
		exchange_repeat(cal, "receiver_away", away);
		exchange_repeat(cal, "receiver_back", away);
		late_s = exchange_repeat(cal, "late_bulk", away);
		cal->request_B = fmax(away.time_s - late_s - cal->empty_s[where], 0) /
				 fmax(cal->per_byte_s[where], 1e-15);
	}
	if (cal->n_nodes > 2)
		probe_queue(cal, away.begin_s);
}
