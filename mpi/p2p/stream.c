/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Connections (`protocol.order: per_pair`): an open-addressing hash from (source, destination) to
 * the stream of that pair. Streams stay where they are, since transfers hold them, and until the
 * run ends.
 */
#include <stdlib.h>

#include "mpi/p2p/endpoint.h"
#include "netmodel/model.h"

struct mpi_connection {
	uint64_t key;
	struct net_stream stream;
	struct mpi_connection *next; /* of the sender's */
	int64_t started_B;	     /* of all transfers so far */
};

struct mpi_stream_table {
	struct mpi_connection **slots; /* [capacity], NULL: free */
	uint64_t capacity, n;	       /* capacity: a power of two, at least 2 n */
};

int mpi_stream_table_create(struct mpi_stream_table **out)
{
	struct mpi_stream_table *table = calloc(1, sizeof(*table));

	if (!table)
		return UTIL_ENOMEM;
	table->capacity = 256;
	table->slots = calloc(table->capacity, sizeof(*table->slots));
	if (!table->slots) {
		free(table);
		return UTIL_ENOMEM;
	}
	*out = table;
	return 0;
}

void mpi_stream_table_destroy(struct mpi_stream_table *table)
{
	if (!table)
		return;
	for (uint64_t i = 0; i < table->capacity; i++)
		free(table->slots[i]);
	free(table->slots);
	free(table);
}

static uint64_t key_of(const struct mpi_rank *from, const struct mpi_rank *to)
{
	return (uint64_t)(uint32_t)from->rank << 32 | (uint32_t)to->rank;
}

/* The slot of the key, or the free one where it belongs. */
static uint64_t find(const struct mpi_stream_table *table, uint64_t key)
{
	uint64_t i = (key * UINT64_C(0x9e3779b97f4a7c15)) >> 20 & (table->capacity - 1);

	while (table->slots[i] && table->slots[i]->key != key)
		i = (i + 1) & (table->capacity - 1);
	return i;
}

static int grow(struct mpi_stream_table *table)
{
	struct mpi_stream_table larger = {.capacity = 4 * table->capacity, .n = table->n};

	larger.slots = calloc(larger.capacity, sizeof(*larger.slots));
	if (!larger.slots)
		return UTIL_ENOMEM;
	for (uint64_t i = 0; i < table->capacity; i++)
		if (table->slots[i])
			larger.slots[find(&larger, table->slots[i]->key)] = table->slots[i];
	free(table->slots);
	*table = larger;
	return 0;
}

/* --- what passes while nobody attends to it --- */

static bool is_attending(const struct mpi_rank *rank)
{
	return rank->endpoint->is_blocked || mpi_rank_has_left(rank);
}

static void limit(const struct mpi_rank *from, struct mpi_connection *connection)
{
	struct pd_world *pd = from->world->pd;
	/* what is under way has not been carried yet */
	int64_t more_B = net_cluster_unattended_send(pd->cluster, connection->stream.passed_B);

	if (more_B >= 0)
		net_stream_limit(pd->model, &connection->stream, more_B);
}

/* A new connection. Without memory for an endpoint it has no limits; the rank will fail. */
static void join(struct mpi_rank *from, struct mpi_connection *connection)
{
	if (mpi_endpoint_create(from))
		return;
	connection->next = from->endpoint->connections;
	from->endpoint->connections = connection;
	if (!is_attending(from))
		limit(from, connection);
}

void mpi_connections_release(struct mpi_rank *me)
{
	for (struct mpi_connection *c = me->endpoint->connections; c; c = c->next)
		net_stream_release(&c->stream);
}

void mpi_connections_limit(struct mpi_rank *me)
{
	for (struct mpi_connection *c = me->endpoint->connections; c; c = c->next)
		limit(me, c);
}

/* The system takes what starts, if it took all before it. */
static void top_up(struct mpi_world *world, struct mpi_connection *connection, int64_t size_B)
{
	const struct net_cluster *cluster = world->pd->cluster;

	if (connection->stream.is_limited)
		net_stream_top_up(world->pd->model, &connection->stream,
				  net_cluster_unattended_send(cluster, connection->started_B));
	connection->started_B += size_B;
}

static struct mpi_connection *create(struct mpi_world *world, struct mpi_rank *from, uint64_t key)
{
	struct mpi_stream_table *table = world->streams;
	struct mpi_connection *connection;
	uint64_t slot;

	if (2 * table->n >= table->capacity && grow(table) < 0)
		return NULL;
	slot = find(table, key);
	connection = table->slots[slot] = calloc(1, sizeof(*connection));
	if (!connection)
		return NULL;
	table->n++;
	connection->key = key;
	if (world->pd->cluster->unattended_sends.n > 0)
		join(from, connection);
	return connection;
}

struct net_stream *mpi_stream_get(struct mpi_world *world, struct mpi_rank *from,
				  const struct mpi_rank *to, int64_t size_B)
{
	struct mpi_stream_table *table = world->streams;
	uint64_t key = key_of(from, to);
	struct mpi_connection *connection;

	if (!table || from->pd->node == to->pd->node)
		return NULL;
	connection = table->slots[find(table, key)];
	if (!connection && !(connection = create(world, from, key)))
		return NULL;
	top_up(world, connection, size_B);
	return &connection->stream;
}

int64_t mpi_connection_carried(const struct mpi_rank *from, const struct mpi_rank *to)
{
	const struct mpi_stream_table *table = from->world->streams;
	const struct mpi_connection *connection =
	    table ? table->slots[find(table, key_of(from, to))] : NULL;

	return connection ? connection->stream.passed_B : 0;
}

void mpi_connection_grant(struct mpi_rank *from, const struct mpi_rank *to)
{
	const struct mpi_stream_table *table = from->world->streams;
	struct mpi_connection *connection;

	if (from->pd->node == to->pd->node)
		return;
	connection = table->slots[find(table, key_of(from, to))];
	if (connection)
		net_stream_grant(&connection->stream);
}
