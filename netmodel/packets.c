/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Transfers as packets (docs/model.md §3): each waits for its turn at its node's outgoing link and
 * at the switch's link to its destination, first in, first out, and acknowledgements do so on their
 * way back.
 */
#include <math.h>
#include <stdlib.h>

#include "netmodel/private.h"
#include "netmodel/tcp.h"

#define N_AT_ONCE 2   /* packets that are acknowledged together, */
#define N_PROMPT 16   /* but for so many acknowledgements at the begin of a connection */

struct net_packet {
	struct sim_event event;
	struct net_model *model;
	struct net_stream *stream;
	struct net_transfer *transfer; /* NULL: an acknowledgement */
	int source_node, dest_node;
	bool is_at_switch, has_left; /* … and it has left its second link */
	int n_acked;		     /* by an acknowledgement */
	int64_t size_B;
	double wire_s;
	sim_time_ps sent; /* of an acknowledgement: the last packet that it tells of */
};

static void fire_packet(struct sim_event *event);

void net_packets_init(struct net_model *model)
{
	const struct cluster *cluster = model->cluster;
	double ratio;

	util_pool_init(&model->packets, sizeof(struct net_packet));
	model->has_packets = cluster->network.packet_payload_B > 0;
	if (!model->has_packets)
		return;
	ratio = 1 + (double)cluster->network.packet_overhead_B /
			(double)cluster->network.packet_payload_B;
	model->wire_s_per_B = 1 / (cluster->network.bandwidth_Bps * ratio);
}

void net_packets_finish(struct net_model *model)
{
	util_pool_finish(&model->packets);
	for (int i = 0; model->others && i < model->cluster->n_nodes; i++)
		free(model->others[i]);
	free(model->others);
}

/* --- packets on links --- */

static struct net_packet *packet_create(struct net_model *model, struct net_stream *stream,
					int source_node, int dest_node, int64_t size_B,
					double factor)
{
	struct net_packet *packet = util_pool_get(&model->packets);
	int64_t wire_B = size_B + model->cluster->network.packet_overhead_B;

	if (!packet) {
		net_model_out_of_memory(model);
		return NULL;
	}
	*packet = (struct net_packet){.model = model,
				      .stream = stream,
				      .source_node = source_node,
				      .dest_node = dest_node,
				      .size_B = size_B,
				      .wire_s = (double)wire_B * model->wire_s_per_B * factor};
	sim_event_init(&packet->event, fire_packet);
	return packet;
}

/* Queues a packet; when it leaves the link. A token bucket lets go what the link has saved. */
static sim_time_ps leave(const struct net_model *model, struct net_link *link, double wire_s)
{
	sim_time_ps now = model->engine->now;
	sim_time_ps begin = link->busy_until > now ? link->busy_until : now;
	double rest_s = sim_time_to_s(begin - link->busy_until);
	double credit_s = fmin(link->credit_s + rest_s, model->burst_s);

	if (credit_s < wire_s) {
		begin = sim_time_add(begin, sim_time_from_s(wire_s - credit_s));
		credit_s = wire_s;
	}
	link->credit_s = credit_s - wire_s;
	link->busy_until = begin;
	return begin;
}

static void enter(struct net_packet *packet, int link)
{
	struct net_model *model = packet->model;

	sim_engine_at(model->engine, &packet->event,
		      leave(model, &model->links[link], packet->wire_s));
}

/* --- the sender's end --- */

static void count_transfer(struct net_model *model, const struct net_transfer *transfer, int by)
{
	net_out_link(transfer)->n += by;
	net_in_link(transfer)->n += by;
	net_transfer_touch_cpus(model, transfer);
}

static void send_packet(struct net_model *model, struct net_stream *stream, int64_t size_B)
{
	struct net_transfer *transfer = stream->sending;
	struct net_tcp *tcp = &stream->tcp;
	struct net_packet *packet =
	    packet_create(model, stream, transfer->source_node, transfer->dest_node, size_B,
			  transfer->factor);

	if (!packet)
		return;
	if (!tcp->has_begun)
		count_transfer(model, transfer, 1);
	tcp->has_begun = true;
	packet->transfer = transfer;
	packet->sent = tcp->last_sent = model->engine->now;
	tcp->n_sent++;
	tcp->flight++;
	if (tcp->flight > tcp->largest_flight)
		tcp->largest_flight = tcp->flight;
	tcp->sent_B += size_B;
	tcp->unsent_B -= size_B;
	tcp->queued_B += size_B;
	enter(packet, transfer->source_node);
}

static void send_next(struct net_stream *stream, struct net_transfer *next)
{
	stream->sending = next;
	stream->tcp.unsent_B = next ? next->size_B : 0;
	stream->tcp.has_begun = false;
}

/* What goes into the next packet; negative: nothing may. */
static int64_t next_size(const struct net_model *model, const struct net_stream *stream)
{
	const struct cluster *cluster = model->cluster;
	const struct net_tcp *tcp = &stream->tcp;
	int64_t size_B = cluster->network.packet_payload_B, limit_B = net_stream_limit(stream);

	if (tcp->unsent_B < size_B)
		size_B = tcp->unsent_B;
	if (cluster->network.queue_B > 0 && tcp->queued_B > 0 &&
	    tcp->queued_B + size_B > cluster->network.queue_B)
		return -1;
	if (limit_B - tcp->sent_B >= size_B)
		return size_B;
	return limit_B > tcp->sent_B ? limit_B - tcp->sent_B : -1;
}

void net_packets_go(struct net_model *model, struct net_stream *stream)
{
	struct net_tcp *tcp = &stream->tcp;
	struct net_transfer *transfer;
	int64_t size_B;

	while ((transfer = stream->sending) && transfer->is_ready &&
	       (size_B = next_size(model, stream)) >= 0) {
		if (tcp->window == 0)
			net_tcp_begin(tcp, model->cluster->network.latency_s);
		else if (tcp->flight == 0)
			net_tcp_rested(tcp, model->engine->now);
		tcp->is_full = tcp->flight >= tcp->window;
		if (tcp->is_full)
			return;
		send_packet(model, stream, size_B);
		if (tcp->unsent_B == 0)
			send_next(stream, transfer->next);
	}
}

/* For transfers that are in no stream: one for each pair of nodes. NULL: no memory. */
static struct net_stream *other_stream(struct net_model *model, int source_node, int dest_node)
{
	size_t n = (size_t)model->cluster->n_nodes;

	if (!model->others)
		model->others = calloc(n, sizeof(*model->others));
	if (model->others && !model->others[source_node])
		model->others[source_node] = calloc(n, sizeof(**model->others));
	if (model->others && model->others[source_node])
		return &model->others[source_node][dest_node];
	net_model_out_of_memory(model);
	return NULL;
}

void net_packets_start(struct net_transfer *transfer, struct net_stream *stream, double delay_s,
		       int64_t last_B, double factor)
{
	struct net_model *model = transfer->model;

	if (!stream)
		stream = other_stream(model, transfer->source_node, transfer->dest_node);
	if (!stream)
		return;
	transfer->stream = stream;
	transfer->stage = NET_STAGE_QUEUED;
	transfer->last_B = last_B;
	transfer->factor = factor;
	net_stream_append(stream, transfer);
	if (!stream->sending)
		send_next(stream, transfer);
	sim_engine_after(model->engine, &transfer->event, sim_time_from_s(delay_s));
}

/* --- the receiver's end --- */

static void acknowledge(const struct net_packet *packet)
{
	struct net_model *model = packet->model;
	struct net_tcp *tcp = &packet->stream->tcp;
	struct net_packet *back;

	tcp->n_unacked++;
	if (tcp->n_unacked < N_AT_ONCE && tcp->n_acks >= N_PROMPT)
		return;
	back =
	    packet_create(model, packet->stream, packet->dest_node, packet->source_node, 0, 1);
	if (!back)
		return;
	back->n_acked = tcp->n_unacked;
	back->sent = packet->sent;
	tcp->n_unacked = 0;
	tcp->n_acks++;
	enter(back, packet->dest_node);
}

/* Of the first transfer of the stream, since packets stay in order. */
static void arrive(struct net_packet *packet)
{
	struct net_model *model = packet->model;
	struct net_stream *stream = packet->stream;
	struct net_transfer *transfer = packet->transfer;
	struct net_tcp *tcp = &stream->tcp;
	net_transfer_fn mark = transfer->mark;

	acknowledge(packet);
	stream->arrived_B += packet->size_B;
	tcp->partial_B += packet->size_B;
	util_pool_put(&model->packets, packet);
	net_stream_tell(stream, stream->arrived_B);
	if (mark && transfer->size_B - tcp->partial_B <= transfer->last_B) {
		transfer->mark = NULL;
		mark(transfer);
	}
	if (tcp->partial_B < transfer->size_B)
		return;
	tcp->partial_B = 0;
	count_transfer(model, transfer, -1);
	stream->first = transfer->next;
	if (!stream->first)
		stream->last = NULL;
	transfer->done(transfer);
}

static void acknowledged(struct net_packet *packet)
{
	struct net_model *model = packet->model;
	struct net_stream *stream = packet->stream;
	sim_time_ps now = model->engine->now;

	net_tcp_acknowledged(&stream->tcp, now, packet->n_acked,
			     sim_time_to_s(now - packet->sent));
	util_pool_put(&model->packets, packet);
	net_packets_go(model, stream);
}

static void fire_packet(struct sim_event *event)
{
	struct net_packet *packet = (struct net_packet *)event;
	struct net_model *model = packet->model;

	if (!packet->is_at_switch) {
		packet->is_at_switch = true;
		enter(packet, model->cluster->n_nodes + packet->dest_node);
		if (packet->transfer) {
			packet->stream->tcp.queued_B -= packet->size_B;
			net_packets_go(model, packet->stream);
		}
	} else if (packet->transfer) {
		arrive(packet);
	} else if (!packet->has_left) {
		packet->has_left = true;
		sim_engine_after(model->engine, event,
				 sim_time_from_s(model->cluster->network.latency_s));
	} else {
		acknowledged(packet);
	}
}
