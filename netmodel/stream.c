/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Streams: transfers that follow each other, and how much of them may pass. A position in a stream
 * is a number of bytes from its begin. In the first transfer of a fluid stream, of `first_s` seconds
 * of work and size_B bytes, the work that lies behind position x is
 *
 *     first_s · (end - x) / size_B, not more than first_s, not less than 0.
 */
#include <math.h>

#include "netmodel/private.h"

/* Work that is left out of a comparison: rounding of sums of parts. */
#define NOTHING_S 1e-13

static double behind(const struct net_stream *stream, int64_t position_B)
{
	int64_t size_B = stream->first->size_B;
	int64_t behind_B = stream->arrived_B + size_B - position_B;

	if (behind_B <= 0)
		return 0;
	return behind_B >= size_B ? stream->first_s
				  : stream->first_s * (double)behind_B / (double)size_B;
}

/* What is left of a transfer on its links, the work after its mark included. */
static double whole(const struct net_transfer *transfer)
{
	return transfer->remaining_s + (transfer->mark ? transfer->last_s : 0);
}

/* … and at this instant. */
static double whole_now(const struct net_transfer *transfer)
{
	sim_time_ps now = transfer->model->engine->now;

	return transfer->stage == NET_STAGE_SHARED
		   ? whole(transfer) - transfer->rate * sim_time_to_s(now - transfer->updated)
		   : whole(transfer);
}

double net_stream_left(const struct net_transfer *first)
{
	const struct net_stream *stream = first->stream;
	double left_s;

	if (!stream->is_held && !stream->is_closed)
		return first->remaining_s;
	left_s = whole(first) - behind(stream, net_stream_limit(stream));
	return fmax(fmin(left_s, first->remaining_s), 0);
}

double net_stream_next(const struct net_transfer *first)
{
	const struct net_stream *stream = first->stream;
	double left_s = net_stream_left(first);

	if (!stream->tell)
		return left_s;
	return fmax(fmin(left_s, whole(first) - behind(stream, stream->tell_B)), 0);
}

/* Nothing of it passes before more is handed over. */
static bool is_stopped(const struct net_transfer *first)
{
	double left_s = net_stream_left(first);

	return left_s <= NOTHING_S && first->remaining_s - left_s > NOTHING_S;
}

int64_t net_stream_arrived(const struct net_stream *stream)
{
	const struct net_transfer *first = stream->first;
	double part;

	if (!first || first->stage < NET_STAGE_BEHIND || stream->first_s <= 0)
		return stream->arrived_B;
	part = 1 - whole_now(first) / stream->first_s;
	return stream->arrived_B + (int64_t)floor(fmax(part, 0) * (double)first->size_B + 1e-3);
}

/* What the transfer on its links has done since its rate was set. */
static void settle(struct net_transfer *transfer)
{
	sim_time_ps now = transfer->model->engine->now;
	double passed_s = transfer->rate * sim_time_to_s(now - transfer->updated);

	transfer->remaining_s = fmax(transfer->remaining_s - passed_s, 0);
	transfer->updated = now;
}

/* After what it may do has changed: the first transfer goes on, or its next event is due at another
 * time. */
static void go_on(struct net_stream *stream)
{
	struct net_transfer *first = stream->first;
	struct net_model *model;

	if (!first)
		return;
	model = first->model;
	if (model->has_packets) {
		net_packets_go(model, stream);
	} else if (first->stage == NET_STAGE_STALLED && !is_stopped(first)) {
		net_transfer_enter_links(model, first);
	} else if (first->stage == NET_STAGE_SHARED && first->rate > 0) {
		settle(first);
		sim_engine_at(model->engine, &first->event,
			      net_model_due(model, net_transfer_next(first) / first->rate));
	}
}

void net_stream_hand(struct net_stream *stream, int64_t until_B)
{
	if (until_B > stream->started_B)
		until_B = stream->started_B;
	if (until_B <= stream->handed_B)
		return;
	stream->handed_B = until_B;
	if (stream->is_held)
		go_on(stream);
}

void net_stream_hold(struct net_stream *stream)
{
	if (stream->is_held)
		return;
	stream->is_held = true;
	go_on(stream);
}

void net_stream_release(struct net_stream *stream)
{
	if (!stream->is_held)
		return;
	stream->is_held = false;
	go_on(stream);
}

void net_stream_close(struct net_stream *stream, int64_t window_B)
{
	stream->is_closed = true;
	stream->window_B = window_B;
	go_on(stream);
}

void net_stream_open(struct net_stream *stream)
{
	if (!stream->is_closed)
		return;
	stream->is_closed = false;
	go_on(stream);
}

void net_stream_tell_at(struct net_stream *stream, int64_t at_B, net_stream_fn reached)
{
	if (stream->tell == reached && stream->tell_B == at_B)
		return;
	stream->tell = reached;
	stream->tell_B = at_B;
	go_on(stream);
}

void net_stream_tell(struct net_stream *stream, int64_t arrived_B)
{
	net_stream_fn tell = stream->tell;

	if (!tell || arrived_B < stream->tell_B)
		return;
	stream->tell = NULL;
	tell(stream);
}

void net_stream_append(struct net_stream *stream, struct net_transfer *transfer)
{
	*(stream->last ? &stream->last->next : &stream->first) = transfer;
	stream->last = transfer;
	stream->started_B += transfer->size_B;
}

void net_stream_remove_first(struct net_stream *stream)
{
	stream->arrived_B += stream->first->size_B;
	stream->first = stream->first->next;
	if (!stream->first)
		stream->last = NULL;
	net_stream_tell(stream, stream->arrived_B);
}

void net_stream_advance(struct net_stream *stream)
{
	struct net_transfer *first = stream->first;

	if (first && first->model->has_packets) {
		net_packets_go(first->model, stream);
		return;
	}
	while ((first = stream->first) && first->is_ready && first->stage == NET_STAGE_QUEUED) {
		stream->first_s = whole(first);
		if (is_stopped(first)) {
			first->stage = NET_STAGE_STALLED;
			return;
		}
		if (first->remaining_s > 0 || first->mark || first->model->queue_s > 0) {
			net_transfer_enter_links(first->model, first);
			return;
		}
		net_stream_remove_first(stream);
		first->done(first);
	}
}

/* No more of its stream may pass: the transfer leaves its links until it may. */
static void stall(struct net_transfer *first)
{
	net_transfer_leave_links(first->model, first);
	first->rate = 0;
	first->stage = NET_STAGE_STALLED;
}

bool net_stream_stops(struct net_transfer *first)
{
	struct net_stream *stream = first->stream;
	double left_s = net_stream_left(first), next_s = net_stream_next(first);
	bool tells = stream->tell && left_s - next_s > NOTHING_S;

	if (first->stage != NET_STAGE_SHARED ||
	    (!tells && first->remaining_s - left_s <= NOTHING_S))
		return false;
	first->remaining_s -= next_s;
	first->updated = first->model->engine->now;
	if (!tells)
		stall(first);
	net_stream_tell(stream, tells ? stream->tell_B : net_stream_arrived(stream));
	go_on(stream);
	return true;
}
