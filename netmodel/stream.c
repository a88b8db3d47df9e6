/* SPDX-License-Identifier: BSD-3-Clause */
/* Streams: transfers that follow each other, and how much of them may pass. */
#include <math.h>

#include "netmodel/private.h"

/* Work that is left out of a comparison: rounding of sums of parts. */
#define NOTHING_S 1e-13

double net_stream_room(const struct net_stream *stream)
{
	return stream && stream->is_limited ? stream->room_s : INFINITY;
}

bool net_stream_is_full(const struct net_transfer *transfer)
{
	return transfer->remaining_s - net_stream_room(transfer->stream) > NOTHING_S;
}

void net_stream_pass(struct net_stream *stream, double passed_s)
{
	if (stream->is_limited)
		stream->room_s = fmax(stream->room_s - passed_s, 0);
}

/* What the transfer on its links has done since its rate was set. */
static void settle(struct net_transfer *transfer)
{
	sim_time_ps now = transfer->model->engine->now;
	double passed_s =
	    fmin(transfer->rate * sim_time_to_s(now - transfer->updated), transfer->remaining_s);

	transfer->remaining_s -= passed_s;
	transfer->updated = now;
	net_stream_pass(transfer->stream, passed_s);
}

/* After the room changed: the first transfer goes on, and its next event is due at another time. */
static void go_on(struct net_stream *stream)
{
	struct net_transfer *first = stream->first;
	struct net_model *model;

	if (!first)
		return;
	model = first->model;
	if (first->stage == NET_STAGE_STALLED && net_stream_room(stream) > 0)
		net_transfer_enter_links(model, first);
	else if (first->stage == NET_STAGE_SHARED && first->rate > 0)
		sim_engine_at(model->engine, &first->event,
			      net_model_due(model, net_transfer_left(first) / first->rate));
}

static void settle_first(struct net_stream *stream)
{
	if (stream->first && stream->first->stage == NET_STAGE_SHARED)
		settle(stream->first);
}

/* More packets of it may pass, or fewer. */
static void limit_packets(struct net_model *model, struct net_stream *stream, int64_t limit_B)
{
	stream->is_limited = true;
	stream->tcp.limit_B = limit_B;
	net_packets_go(model, stream);
}

void net_stream_limit(struct net_model *model, struct net_stream *stream, int64_t more_B)
{
	if (model->has_packets) {
		limit_packets(model, stream, stream->tcp.arrived_B + more_B);
		return;
	}
	settle_first(stream);
	stream->is_limited = true;
	/* a transfer whose duration was varied upwards takes more work for as many bytes */
	stream->room_s =
	    (double)more_B / model->cluster->bandwidth_Bps * (1 + model->transfer_amplitude);
	go_on(stream);
}

void net_stream_release(struct net_stream *stream)
{
	if (!stream->is_limited)
		return;
	settle_first(stream);
	stream->is_limited = false;
	if (stream->first && stream->first->model->has_packets)
		net_packets_go(stream->first->model, stream);
	else
		go_on(stream);
}

static double waiting(struct net_stream *stream)
{
	double sum_s = 0;

	settle_first(stream);
	for (const struct net_transfer *t = stream->first; t; t = t->next)
		sum_s += t->remaining_s + (t->mark ? t->last_s : 0);
	return sum_s;
}

void net_stream_top_up(struct net_model *model, struct net_stream *stream, int64_t more_B)
{
	if (!stream->is_limited)
		return;
	if (model->has_packets ? stream->tcp.limit_B >= stream->tcp.started_B
			       : stream->room_s + NOTHING_S >= waiting(stream))
		net_stream_limit(model, stream, more_B);
}

void net_stream_grant(struct net_stream *stream)
{
	struct net_model *model = stream->first ? stream->first->model : NULL;

	if (!model || !stream->is_limited)
		return;
	if (model->has_packets) {
		if (stream->tcp.limit_B < stream->tcp.started_B)
			limit_packets(model, stream, stream->tcp.started_B);
		return;
	}
	stream->room_s = fmax(waiting(stream), stream->room_s);
	go_on(stream);
}

void net_stream_append(struct net_stream *stream, struct net_transfer *transfer)
{
	*(stream->last ? &stream->last->next : &stream->first) = transfer;
	stream->last = transfer;
}

void net_stream_remove_first(struct net_stream *stream)
{
	stream->passed_B += stream->first->size_B;
	stream->first = stream->first->next;
	if (!stream->first)
		stream->last = NULL;
}

void net_stream_advance(struct net_stream *stream)
{
	struct net_transfer *first = stream->first;

	if (first && first->model->has_packets) {
		net_packets_go(first->model, stream);
		return;
	}
	while ((first = stream->first) && first->is_ready && first->stage == NET_STAGE_QUEUED) {
		if (first->remaining_s > 0 && net_stream_room(stream) <= 0) {
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

void net_stream_stall(struct net_transfer *transfer)
{
	double passed_s = net_transfer_left(transfer);

	net_transfer_leave_links(transfer->model, transfer);
	transfer->remaining_s -= passed_s;
	net_stream_pass(transfer->stream, passed_s);
	transfer->rate = 0;
	transfer->stage = NET_STAGE_STALLED;
}
