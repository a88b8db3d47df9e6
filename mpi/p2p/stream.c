/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections (`protocol.order: per_pair`): a map from (source, destination) to the
 * stream of that pair. Streams stay where they are, since transfers hold them, and until the
 * run ends.
 *
 * With `protocol.unattended_send` the system takes so many bytes beyond those that have arrived,
 * whenever the rank looks; those are handed over, and leave whatever the rank does. Sends that wait
 * for that, the handovers of a connection, end in the order of their bytes. With
 * `protocol.unattended_receive` the receiver's system takes so many bytes beyond those that had
 * arrived when its rank looked last, until they were there once: then it lets its buffer grow.
 */
#include <stddef.h>
#include <stdlib.h>

#include "mpi/p2p/message.h"
#include "mpi/p2p/causes.h"
#include "netmodel/model.h"
#include "util/map.h"

/* A send that is complete when the bytes of its connection before end_B are the system's. */
struct mpi_handover {
	int64_t end_B;
	struct mpi_message *message; /* under way: it cannot have arrived */
	struct mpi_request *send;    /* NULL: the bulk's of a rendezvous */
	struct mpi_handover *next;
};

struct mpi_connection {
	struct net_stream stream;
	struct mpi_rank *from;
	struct mpi_connection *next, *next_incoming; /* of the sender's, and of the receiver's */
	bool was_full;				     /* the receiver's buffer */
	struct mpi_handover *first, *last;
};

struct mpi_stream_table {
	struct util_map connections; /* struct mpi_connection by key_of */
	struct util_pool handovers;
};

int mpi_stream_table_create(struct mpi_stream_table **out)
{
	struct mpi_stream_table *table = calloc(1, sizeof(*table));

	if (!table)
		return UTIL_ENOMEM;
	util_pool_init(&table->handovers, sizeof(struct mpi_handover));
	*out = table;
	return 0;
}

void mpi_stream_table_destroy(struct mpi_stream_table *table)
{
	if (!table)
		return;
	util_map_finish_items(&table->connections);
	util_pool_finish(&table->handovers);
	free(table);
}

static uint64_t key_of(const struct mpi_rank *from, const struct mpi_rank *to)
{
	return (uint64_t)(uint32_t)from->rank << 32 | (uint32_t)to->rank;
}

/* --- what the system takes --- */

static bool is_attending(const struct mpi_rank *rank)
{
	return rank->endpoint->is_blocked || mpi_rank_has_left(rank);
}

static struct mpi_connection *connection_of(struct net_stream *stream)
{
	return (struct mpi_connection *)((char *)stream - offsetof(struct mpi_connection, stream));
}

/* A send ends because bytes have arrived: those of the connection's first transfer. */
static void tell_causes(const struct mpi_connection *connection,
			const struct mpi_handover *handover)
{
	const struct net_stream *stream = &connection->stream;
	int64_t there_B = net_stream_arrived_of_first(stream);
	struct mpi_message *message =
	    there_B > 0 ? mpi_message_of(stream->first) : handover->message;

	if (there_B > 0)
		mpi_cause_arrived(message, there_B, false);
	if (handover->send)
		handover->send->cause_mark = mpi_cause_released(message, connection->from);
}

/* Ends the sends whose bytes the system has. */
static bool end_sends(struct mpi_connection *connection)
{
	struct mpi_handover *handover;
	bool has_ended = false;

	while ((handover = connection->first) && handover->end_B <= connection->stream.handed_B) {
		connection->first = handover->next;
		connection->from->endpoint->last_started = handover->message->started;
		tell_causes(connection, handover);
		if (handover->send)
			mpi_request_complete(handover->send, MPI_SUCCESS);
		else
			mpi_message_let_sender_go(handover->message);
		util_pool_put(&connection->from->world->streams->handovers, handover);
		has_ended = true;
	}
	return has_ended;
}

/* The system takes what it can when so much has arrived. Whether a send has ended. */
static bool take_at(struct mpi_connection *connection, int64_t arrived_B)
{
	int64_t more_B = cluster_unattended_send(connection->from->world->pd->cluster, arrived_B);

	net_stream_hand(&connection->stream, more_B < 0 ? INT64_MAX : arrived_B + more_B);
	return end_sends(connection);
}

/* The rank looks at its connection. */
static bool take(struct mpi_connection *connection)
{
	return take_at(connection, net_stream_arrived(&connection->stream));
}

static void taken_more(struct net_stream *stream);

/* While the rank attends: to be called when the system can take what the first send waits for. */
static void ask(struct mpi_connection *connection)
{
	const struct cluster *cluster = connection->from->world->pd->cluster;
	const struct mpi_handover *first = connection->first;
	struct net_stream *stream = &connection->stream;

	if (first)
		net_stream_tell_at(
		    stream, cluster_handed_when(cluster, net_stream_arrived(stream), first->end_B),
		    taken_more);
	else
		net_stream_tell_at(stream, 0, NULL);
}

static void taken_more(struct net_stream *stream)
{
	struct mpi_connection *connection = connection_of(stream);

	take_at(connection, stream->tell_B);
	ask(connection);
}

/* The receiver looks: what has arrived is read. */
static void read_all(struct mpi_connection *connection)
{
	struct net_stream *stream = &connection->stream;

	if (!stream->is_closed)
		return;
	connection->was_full |= net_stream_arrived(stream) >= stream->window_B;
	net_stream_open(stream);
}

static void leave_incoming(struct mpi_connection *connection)
{
	const struct cluster *cluster = connection->from->world->pd->cluster;
	struct net_stream *stream = &connection->stream;

	read_all(connection);
	if (!connection->was_full)
		net_stream_close(stream, net_stream_arrived(stream) +
					     cluster->protocol.unattended_receive_B);
}

static void leave(struct mpi_connection *connection)
{
	take(connection);
	net_stream_tell_at(&connection->stream, 0, NULL);
	net_stream_hold(&connection->stream);
	end_sends(connection);
}

bool mpi_connections_release(struct mpi_rank *me)
{
	bool has_ended = false;

	for (struct mpi_connection *c = me->endpoint->incoming; c; c = c->next_incoming)
		read_all(c);
	for (struct mpi_connection *c = me->endpoint->connections; c; c = c->next) {
		net_stream_release(&c->stream);
		if (c->first) {
			has_ended |= take(c);
			ask(c);
		}
	}
	return has_ended;
}

void mpi_connections_limit(struct mpi_rank *me)
{
	for (struct mpi_connection *c = me->endpoint->incoming; c; c = c->next_incoming)
		leave_incoming(c);
	for (struct mpi_connection *c = me->endpoint->connections; c; c = c->next)
		leave(c);
}

void mpi_connections_forget(struct mpi_rank *me)
{
	for (struct mpi_connection *c = me->endpoint->connections; c; c = c->next) {
		net_stream_tell_at(&c->stream, 0, NULL);
		while (c->first) {
			struct mpi_handover *handover = c->first;

			c->first = handover->next;
			util_pool_put(&me->world->streams->handovers, handover);
		}
	}
}

/* --- connections --- */

/* A new connection. Without memory for an endpoint it has no limits; the rank will fail. */
static void join(struct mpi_rank *from, struct mpi_rank *to, struct mpi_connection *connection)
{
	if (mpi_endpoint_create(from) || mpi_endpoint_create(to))
		return;
	connection->next = from->endpoint->connections;
	from->endpoint->connections = connection;
	from->endpoint->has_connections = true;
	if (!is_attending(from))
		leave(connection);
	if (from->world->pd->cluster->protocol.unattended_receive_B == INT64_MAX)
		return;
	connection->next_incoming = to->endpoint->incoming;
	to->endpoint->incoming = connection;
	to->endpoint->has_connections = true;
	if (!is_attending(to))
		leave_incoming(connection);
}

static struct mpi_connection *create(struct mpi_world *world, struct mpi_rank *from,
				     struct mpi_rank *to, uint64_t key)
{
	struct mpi_connection *connection = calloc(1, sizeof(*connection));

	if (!connection || util_map_put(&world->streams->connections, key, connection)) {
		free(connection);
		return NULL;
	}
	connection->from = from;
	if (world->pd->cluster->protocol.unattended_new_B > 0)
		join(from, to, connection);
	return connection;
}

struct net_stream *mpi_stream_get(struct mpi_world *world, struct mpi_rank *from,
				  struct mpi_rank *to)
{
	uint64_t key = key_of(from, to);
	const struct util_map_slot *slot;
	struct mpi_connection *connection;

	if (!world->streams || from->pd->node == to->pd->node)
		return NULL;
	slot = util_map_find(&world->streams->connections, key);
	connection = slot ? slot->item : create(world, from, to, key);
	return connection ? &connection->stream : NULL;
}

void mpi_stream_offer(struct net_stream *stream)
{
	int64_t before_B = stream->started_B - stream->last->size_B;

	if (stream->handed_B >= before_B)
		take(connection_of(stream));
}

bool mpi_connection_keeps(struct mpi_message *message, struct mpi_request *send)
{
	struct mpi_rank *from = message->source;
	struct net_stream *stream = mpi_stream_get(from->world, from, message->dest);
	struct mpi_connection *connection;
	struct mpi_handover *handover;

	if (!stream)
		return false;
	connection = connection_of(stream);
	if (is_attending(from))
		take(connection);
	if (stream->handed_B >= stream->started_B)
		return false;
	handover = util_pool_get(&from->world->streams->handovers);
	if (!handover)
		mpi_request_fail_memory(from);
	*handover =
	    (struct mpi_handover){.end_B = stream->started_B, .message = message, .send = send};
	*(connection->first ? &connection->last->next : &connection->first) = handover;
	connection->last = handover;
	if (is_attending(from))
		ask(connection);
	return true;
}
