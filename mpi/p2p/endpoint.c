/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/endpoint.h"

#include <stddef.h>
#include <stdlib.h>

#include "cluster/levels.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/contact.h"
#include "mpi/p2p/match.h"
#include "mpi/p2p/message.h"
#include "mpi/p2p/partitioned.h"

/* Up to how many bytes messages can be plain (mpi/p2p/send.c). */
static int64_t plain_size(const struct mpi_world *world)
{
	const struct cluster *cluster = world->pd->cluster;

	if (world->has_send_overhead || world->has_recv_overhead || world->streams ||
	    world->shortening || world->receiving || world->pd->observers.causes ||
	    cluster_has_levels(cluster) ||
	    cluster->protocol.progress != CLUSTER_PROGRESS_ASYNC)
		return -1;
	return world->buffered_B < MESSAGE_INLINE_B ? world->buffered_B : MESSAGE_INLINE_B;
}

void mpi_buffering_set(struct mpi_world *world, enum mpi_buffering buffering)
{
	int64_t threshold_B = world->pd->cluster->protocol.eager_threshold_B;

	world->buffered_B = buffering == MPI_BUFFERS_NONE  ? -1
			    : buffering == MPI_BUFFERS_ALL ? INT64_MAX
							   : threshold_B;
	world->plain_B = plain_size(world);
}

void mpi_shorten_by(struct mpi_world *world, const struct mpi_shortening *shortening)
{
	world->shortening = shortening;
	world->plain_B = plain_size(world);
}

void mpi_receiving_tell(struct mpi_world *world, mpi_receiving_fn *receiving)
{
	world->receiving = receiving;
	world->plain_B = plain_size(world);
}

int mpi_p2p_create(struct mpi_world *world)
{
	const struct cluster *cluster = world->pd->cluster;

	util_pool_init(&world->requests, sizeof(struct mpi_request));
	util_pool_init(&world->messages, sizeof(struct mpi_message));
	util_pool_init(&world->bare_messages, offsetof(struct mpi_message, inline_data));
	mpi_payloads_init(&world->payloads);
	world->has_send_overhead =
	    cluster->protocol.send_overhead_s > 0 || cluster->protocol.isend_overhead_s > 0 ||
	    cluster->protocol.send_costs.n > 0 || cluster->protocol.isend_costs.n > 0;
	world->has_recv_overhead =
	    cluster->protocol.recv_overhead_s != 0 || cluster->protocol.recv_costs.n > 0 ||
	    cluster->protocol.recv_overhead_per_B_s != 0 ||
	    cluster->protocol.late_answers ==
		CLUSTER_LATE_TESTS; /* what nobody has looked for is not complete */
	if (cluster->protocol.order == CLUSTER_ORDER_PER_PAIR &&
	    mpi_stream_table_create(&world->streams))
		return UTIL_ENOMEM;
	if (mpi_contacts_create(world))
		return UTIL_ENOMEM;
	mpi_buffering_set(world, MPI_BUFFERS_SMALL);
	return mpi_pair_table_create(&world->pairs);
}

static void free_payloads(struct mpi_world *world)
{
	for (int i = 0; world->ranks && i < world->n_ranks; i++) {
		struct mpi_endpoint *endpoint = world->ranks[i].endpoint;
		struct mpi_message *next;

		if (!endpoint)
			continue;
		for (struct mpi_message *m = endpoint->unexpected.first; m; m = next) {
			next = m->link.next;
			mpi_message_destroy(m);
		}
		for (struct mpi_request *r = endpoint->arrived.first; r; r = r->link.next)
			mpi_message_destroy(r->message);
		mpi_partitioned_destroy_left(endpoint->unmatched_partitioned);
		free(endpoint->buffer);
		mpi_match_index_end(&endpoint->posted_index);
		mpi_match_index_end(&endpoint->unexpected_index);
		free(endpoint);
	}
}

void mpi_p2p_destroy(struct mpi_world *world)
{
	free_payloads(world);
	mpi_contacts_destroy(world);
	mpi_pair_table_destroy(world->pairs);
	mpi_stream_table_destroy(world->streams);
	mpi_payloads_finish(&world->payloads);
	util_pool_finish(&world->messages);
	util_pool_finish(&world->bare_messages);
	util_pool_finish(&world->requests);
}

static void alarm_rang(struct sim_event *event)
{
	struct mpi_endpoint *endpoint =
	    (struct mpi_endpoint *)((char *)event - offsetof(struct mpi_endpoint, alarm));

	sim_task_wake(&endpoint->owner->pd->task);
}

/* Messages may arrive before MPI_Init: whoever comes first makes the endpoint. */
int mpi_endpoint_create(struct mpi_rank *me)
{
	if (me->endpoint)
		return 0;
	me->endpoint = calloc(1, sizeof *me->endpoint);
	if (!me->endpoint)
		return UTIL_ENOMEM;
	me->endpoint->owner = me;
	sim_event_init(&me->endpoint->alarm, alarm_rang);
	return 0;
}

void mpi_p2p_visit_messages(struct mpi_world *world, mpi_message_visit_fn visit, void *context)
{
	for (int i = 0; i < world->n_ranks; i++) {
		const struct mpi_endpoint *endpoint = world->ranks[i].endpoint;

		for (struct mpi_message *m = endpoint ? endpoint->unexpected.first : NULL; m;
		     m = m->link.next)
			if (!(m->context & CHANNEL_COLL))
				visit(context, m->source, m->site);
	}
	mpi_pair_visit(world, visit, context);
}

void mpi_endpoint_block(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	sim_time_ps begin = me->pd->world->engine.now;

	if (endpoint->deferred.first) { /* came while the rank was spending overheads; may be what
					   it waits for */
		mpi_message_progress(me);
		return;
	}
	if (me->in_progress && endpoint->has_progressed) /* so did a part of a collective */
		return;
	if (mpi_connections_attend(me)) {
		mpi_connections_leave(me);
		return;
	}
	mpi_cause_block(me);
	mpi_endpoint_block_alone(me, endpoint);
	mpi_connections_leave(me);
	mpi_cause_resume(me, begin);
}

void mpi_wait(struct mpi_rank *me, const struct mpi_wait *wait)
{
	mpi_progress_poll(me, 0, NULL, false);
	while (!wait->is_satisfied(me, wait)) {
		me->endpoint->wait = *wait;
		mpi_endpoint_block(me);
		mpi_wait_is_over(me->endpoint);
		mpi_progress_poll(me, 0, NULL, false);
	}
}
