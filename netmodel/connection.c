/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections (struct net_stream): transfers that follow each other, counters of bytes, and thresholds.
 * How the bytes get there is the method's.
 */
#include "netmodel/private.h"

int64_t net_stream_arrived_of_first(const struct net_stream *stream)
{
	const struct net_transfer *first = stream->first;

	return first ? first->model->method->arrived_of_first(stream) : 0;
}

int64_t net_stream_arrived(const struct net_stream *stream)
{
	return stream->arrived_B + net_stream_arrived_of_first(stream);
}

/* What it may pass, or whom it has to tell, has changed. */
static void go_on(struct net_stream *stream)
{
	if (stream->first)
		stream->first->model->method->go(stream);
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
	if (stream->tcp.sent_B > stream->handed_B) /* packets under way are not held up */
		stream->handed_B = stream->tcp.sent_B;
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
