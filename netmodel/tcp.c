/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How many packets of a connection may be under way (docs/model.md §3): TCP with cubic (RFC 9438)
 * where nothing is lost, its slow start ended as in Linux. The constants are Linux's.
 */
#include "netmodel/tcp.h"

#include <math.h>

#define FIRST_WINDOW 10	     /* RFC 6928 */
#define SMALLEST_LEAVING 16  /* smaller windows do not leave slow start */
#define N_SAMPLES 8	     /* of the delay, in a round */
#define TRAIN_GAP_S 2e-3     /* acknowledgements that are closer belong to one train */
#define TRAIN_SLACK_S 1e-3   /* and end slow start when it is half this and half the delay long */
#define SLACK_PART 8	     /* a delay that has grown by this part ends it, but */
#define LEAST_SLACK_S 4e-3   /* not by less */
#define LARGEST_SLACK_S 16e-3 /* and by more in any case */
#define SLOWEST_GROWTH 20    /* acknowledged packets for one more, as long as nothing was lost */
#define FASTEST_GROWTH 2
#define CUBIC_PER_S3 0.4     /* packets after t seconds: 0.4 t³ */
#define TIMEOUT_S 0.2	     /* a rest that is longer halves the window, and so on */

static double since(sim_time_ps now, sim_time_ps then)
{
	return sim_time_to_s(now - then);
}

static bool is_in_slow_start(const struct net_tcp *tcp)
{
	return tcp->window < tcp->threshold;
}

void net_tcp_begin(struct net_tcp *tcp, double latency_s)
{
	tcp->window = FIRST_WINDOW;
	tcp->threshold = INT32_MAX;
	tcp->least_delay_s = 2 * latency_s;
}

void net_tcp_rested(struct net_tcp *tcp, sim_time_ps now)
{
	double rest_s = since(now, tcp->last_sent);

	if (tcp->growing_since > 0)
		tcp->growing_since += now - tcp->last_sent;
	if (rest_s <= TIMEOUT_S)
		return;
	if (tcp->threshold < tcp->window - tcp->window / 4)
		tcp->threshold = tcp->window - tcp->window / 4;
	for (rest_s -= TIMEOUT_S; rest_s > 0 && tcp->window > FIRST_WINDOW; rest_s -= TIMEOUT_S)
		tcp->window /= 2;
	if (tcp->window < FIRST_WINDOW)
		tcp->window = FIRST_WINDOW;
}

/* A round is what the packets take that are under way at its begin. */
static void begin_round(struct net_tcp *tcp, sim_time_ps now)
{
	tcp->round_began = tcp->last_acked = now;
	tcp->round_end = tcp->n_sent;
	tcp->round_delay_s = INFINITY;
	tcp->n_samples = 0;
}

/* A train of acknowledgements as long as the path, or a delay that has grown: the path is full. */
static bool is_path_full(struct net_tcp *tcp, sim_time_ps now, double delay_s)
{
	double slack_s =
	    fmin(fmax(tcp->least_delay_s / SLACK_PART, LEAST_SLACK_S), LARGEST_SLACK_S);
	bool is_full = false;

	if (tcp->n_acked > tcp->round_end)
		begin_round(tcp, now);
	if (tcp->window < SMALLEST_LEAVING)
		return false;
	if (since(now, tcp->last_acked) <= TRAIN_GAP_S) {
		tcp->last_acked = now;
		is_full = since(now, tcp->round_began) > (tcp->least_delay_s + TRAIN_SLACK_S) / 2;
	}
	tcp->round_delay_s = fmin(tcp->round_delay_s, delay_s);
	if (tcp->n_samples < N_SAMPLES)
		tcp->n_samples++;
	else
		is_full |= tcp->round_delay_s > tcp->least_delay_s + slack_s;
	return is_full;
}

/* How many packets have to be acknowledged for one more in the window. */
static int growth(struct net_tcp *tcp, sim_time_ps now)
{
	double t_s, more;

	if (tcp->growing_since == 0)
		tcp->growing_since = now;
	t_s = since(now, tcp->growing_since) + tcp->least_delay_s;
	more = CUBIC_PER_S3 * t_s * t_s * t_s;
	if (more * SLOWEST_GROWTH <= tcp->window)
		return SLOWEST_GROWTH;
	return (int)fmax(tcp->window / more, FASTEST_GROWTH);
}

static void grow(struct net_tcp *tcp, sim_time_ps now, int n)
{
	int needed;

	if (is_in_slow_start(tcp)) {
		tcp->window = n < tcp->threshold - tcp->window ? tcp->window + n : tcp->threshold;
		return;
	}
	needed = growth(tcp, now);
	tcp->n_grown += n;
	tcp->window += tcp->n_grown / needed;
	tcp->n_grown %= needed;
}

void net_tcp_acknowledged(struct net_tcp *tcp, sim_time_ps now, int n, double delay_s)
{
	/* a window that nobody needs does not grow */
	bool is_needed =
	    tcp->is_full || (is_in_slow_start(tcp) && tcp->window < 2 * tcp->largest_flight);

	tcp->flight -= n;
	tcp->n_acked += n;
	tcp->least_delay_s = fmin(tcp->least_delay_s, delay_s);
	if (!tcp->is_growing_slowly && is_in_slow_start(tcp) && is_path_full(tcp, now, delay_s)) {
		tcp->is_growing_slowly = true;
		tcp->threshold = tcp->window;
	}
	if (is_needed)
		grow(tcp, now, n);
}
