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
#include "util/pool.h"

#define N_AT_ONCE 2 /* packets that are acknowledged together, */
#define N_PROMPT 16 /* but for so many acknowledgements at the begin of a connection */

struct net_packet {
	struct sim_event event;
	struct net_packet *next; /* in its line */
	sim_time_ps leaves;
	uint64_t order; /* of the event */
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

/* Packets that leave in the order in which they came: only the first one's event is queued. */
struct line {
	struct net_packet *first, *last;
};

/* A model's. */
struct state {
	struct line *out, *in; /* [n_nodes]: at their links */
	struct line under_way; /* acknowledgements: all for as long */
	double wire_s_per_B;   /* overhead included */
	struct util_pool packets;
	struct net_stream *
	    *others; /* [n_nodes], rows [n_nodes] by destination, NULL as long as nobody
				       needs them: of transfers that are in no stream */
};

static int create(struct net_model *model)
{
	const struct cluster_network *network = &model->cluster->network;
	double ratio = 1 + (double)network->packet_overhead_B / (double)network->packet_payload_B;
	struct state *state = calloc(1, sizeof *state);

	if (!state)
		return UTIL_ENOMEM;
	state->out = calloc(2 * (size_t)model->cluster->n_nodes, sizeof(*state->out));
	if (!state->out) {
		free(state);
		return UTIL_ENOMEM;
	}
	state->in = state->out + model->cluster->n_nodes;
	util_pool_init(&state->packets, sizeof(struct net_packet));
	state->wire_s_per_B = 1 / (network->bandwidth_Bps * ratio);
	model->state = state;
	return 0;
}

static void destroy(struct net_model *model)
{
	struct state *state = model->state;

	if (!state)
		return;
	util_pool_finish(&state->packets);
	for (int i = 0; state->others && i < model->cluster->n_nodes; i++)
		free(state->others[i]);
	free(state->others);
	free(state->out);
	free(state);
}

/* --- packets on links --- */

static struct net_packet *packet_create(struct net_model *model, struct net_stream *stream,
					int source_node, int dest_node, int64_t size_B,
					double factor)
{
	struct state *state = model->state;
	struct net_packet *packet = util_pool_get(&state->packets);
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
				      .wire_s = (double)wire_B * state->wire_s_per_B * factor};
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

static void queue_first(const struct line *line)
{
	struct net_packet *packet = line->first;

	sim_engine_at_reserved(packet->model->engine, &packet->event, packet->leaves,
			       packet->order);
}

static void wait_in(struct line *line, struct net_packet *packet, sim_time_ps leaves)
{
	packet->leaves = leaves;
	packet->order = sim_queue_reserve(&packet->model->engine->queue);
	packet->next = NULL;
	if (line->first) {
		line->last = line->last->next = packet;
		return;
	}
	line->first = line->last = packet;
	queue_first(line);
}

static void remove_first(struct line *line)
{
	line->first = line->first->next;
	if (line->first)
		queue_first(line);
}

static void enter_out(struct net_packet *packet)
{
	struct net_model *model = packet->model;

	wait_in(&((struct state *)model->state)->out[packet->source_node], packet,
		leave(model, net_node_out(model, packet->source_node), packet->wire_s));
}

static void enter_in(struct net_packet *packet)
{
	struct net_model *model = packet->model;

	wait_in(&((struct state *)model->state)->in[packet->dest_node], packet,
		leave(model, net_node_in(model, packet->dest_node), packet->wire_s));
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
	struct net_packet *packet = packet_create(model, stream, transfer->source_node,
						  transfer->dest_node, size_B, transfer->factor);

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
	enter_out(packet);
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
	const struct cluster_network *network = &model->cluster->network;
	const struct net_tcp *tcp = &stream->tcp;
	int64_t size_B = network->packet_payload_B, limit_B = net_stream_limit(stream);

	if (tcp->unsent_B < size_B)
		size_B = tcp->unsent_B;
	if (network->packet_queue_B > 0 && tcp->queued_B > 0 &&
	    tcp->queued_B + size_B > network->packet_queue_B)
		return -1;
	if (limit_B - tcp->sent_B >= size_B)
		return size_B;
	return limit_B > tcp->sent_B ? limit_B - tcp->sent_B : -1;
}

/* Sends what the stream's window allows, and what was handed where it is held. */
static void go(struct net_stream *stream)
{
	struct net_model *model = stream->first->model;
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
	struct state *state = model->state;
	size_t n = (size_t)model->cluster->n_nodes;

	if (!state->others)
		state->others = calloc(n, sizeof(*state->others));
	if (state->others && !state->others[source_node])
		state->others[source_node] = calloc(n, sizeof(**state->others));
	if (state->others && state->others[source_node])
		return &state->others[source_node][dest_node];
	net_model_out_of_memory(model);
	return NULL;
}

/* Its delay is over. */
static void fire_ready(struct sim_event *event)
{
	struct net_transfer *transfer = (struct net_transfer *)event;

	transfer->is_ready = true;
	go(transfer->stream);
}

static void start(struct net_transfer *transfer, struct net_duration duration, int64_t last_B,
		  double factor)
{
	struct net_model *model = transfer->model;
	struct net_stream *stream = transfer->stream;

	if (!stream)
		stream = other_stream(model, transfer->source_node, transfer->dest_node);
	if (!stream)
		return;
	transfer->event.fire = fire_ready;
	transfer->stream = stream;
	transfer->stage = NET_STAGE_QUEUED;
	transfer->last_B = last_B;
	transfer->factor = factor;
	net_stream_append(stream, transfer);
	if (!stream->sending)
		send_next(stream, transfer);
	sim_engine_after(model->engine, &transfer->event, sim_time_from_s(duration.delay_s));
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
	back = packet_create(model, packet->stream, packet->dest_node, packet->source_node, 0, 1);
	if (!back)
		return;
	back->n_acked = tcp->n_unacked;
	back->sent = packet->sent;
	tcp->n_unacked = 0;
	tcp->n_acks++;
	enter_out(back);
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
	tcp->partial_B += packet->size_B;
	util_pool_put(&((struct state *)model->state)->packets, packet);
	net_stream_tell(stream, stream->arrived_B + tcp->partial_B);
	if (mark && transfer->size_B - tcp->partial_B <= transfer->last_B) {
		transfer->mark = NULL;
		mark(transfer);
	}
	if (tcp->partial_B < transfer->size_B)
		return;
	tcp->partial_B = 0;
	count_transfer(model, transfer, -1);
	net_stream_remove_first(stream);
	transfer->done(transfer);
}

static void acknowledged(struct net_packet *packet)
{
	struct net_model *model = packet->model;
	struct net_stream *stream = packet->stream;
	sim_time_ps now = model->engine->now;

	net_tcp_acknowledged(&stream->tcp, now, packet->n_acked, sim_time_to_s(now - packet->sent));
	util_pool_put(&((struct state *)model->state)->packets, packet);
	if (stream->first)
		go(stream);
}

static void fire_packet(struct sim_event *event)
{
	struct net_packet *packet = (struct net_packet *)event;
	struct net_model *model = packet->model;
	struct state *state = model->state;

	if (!packet->is_at_switch) {
		remove_first(&state->out[packet->source_node]);
		packet->is_at_switch = true;
		enter_in(packet);
		if (packet->transfer) {
			packet->stream->tcp.queued_B -= packet->size_B;
			go(packet->stream);
		}
	} else if (packet->has_left) {
		remove_first(&state->under_way);
		acknowledged(packet);
	} else {
		remove_first(&state->in[packet->dest_node]);
		if (packet->transfer) {
			arrive(packet);
			return;
		}
		packet->has_left = true;
		wait_in(&state->under_way, packet,
			sim_time_add(model->engine->now,
				     sim_time_from_s(model->cluster->network.latency_s)));
	}
}

static int64_t arrived_of_first(const struct net_stream *stream)
{
	return stream->tcp.partial_B;
}

static double load(const struct net_model *model, const struct net_link *link)
{
	return link->busy_until > model->engine->now;
}

const struct net_method net_packets = {
    .create = create,
    .destroy = destroy,
    .start = start,
    .go = go,
    .arrived_of_first = arrived_of_first,
    .load = load,
};
