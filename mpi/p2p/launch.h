/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_LAUNCH_H
#define MPI_P2P_LAUNCH_H

#include "mpi/core/entry.h"
#include "mpi/p2p/causes.h"
#include "mpi/p2p/pair.h"
#include "mpi/p2p/rendezvous.h"

/* How messages and their steps enter the network, for the files that are on their way. */

/* With a mark, if any, where all but the last `last_B` are there. */
static MPI_HOT void mpi_launch_start(struct mpi_message *message, struct mpi_rank *from,
				     struct mpi_rank *to, int64_t size_B, int64_t last_B,
				     net_transfer_fn mark, net_transfer_fn done)
{
	struct mpi_world *world = from->world;
	struct net_model *model = world->pd->model;
	struct net_transfer *transfer = &message->transfer;
	int source = from->pd->node, dest = to->pd->node;
	struct net_stream *stream =
	    __builtin_expect(world->streams != NULL, 0) ? mpi_stream_get(world, from, to) : NULL;

	if (from == to && mpi_message_is_copied_at_once(message)) {
		transfer->size_B = size_B;
		done(transfer);
	} else if (stream) {
		net_transfer_start_in_stream(model, stream, transfer, source, dest, size_B, last_B,
					     mark, done);
		mpi_stream_started(stream);
	} else if (mark) {
		net_transfer_start_marked(model, transfer, source, dest, size_B, last_B, mark,
					  done);
	} else {
		net_transfer_start(model, transfer, source, dest, size_B, done);
	}
}

static MPI_HOT void mpi_launch_count(struct mpi_rank *source, enum mpi_channel channel,
				     int64_t size_B)
{
	struct mpi_world *world = source->world;

	source->n_sent[channel]++;
	source->sent_B[channel] += (uint64_t)size_B;
	if (channel == CHANNEL_COLL) {
		world->n_collective_messages++;
		world->n_collective_bytes += (uint64_t)size_B;
	} else {
		world->n_messages++;
		world->n_bytes += (uint64_t)size_B;
	}
}

/* The envelope is here; it is that of a plain message (mpi/p2p/eager.h), which was the only one of
 * its pair under way when it was sent off. */
void mpi_message_envelope_arrived(struct net_transfer *transfer);
void mpi_message_plain_arrived(struct net_transfer *transfer);

/* Sends off a message whose fields down to size_B are set, on its source's fiber. The others say
 * what stands in it, which the caller knows better than memory. */
static MPI_HOT void mpi_launch(struct mpi_message *message, struct mpi_rank *source,
			       struct mpi_rank *dest, int64_t size_B, enum mpi_channel channel,
			       bool is_rendezvous)
{
	struct mpi_world *world = source->world;

	mpi_launch_count(source, channel, size_B);
	if (mpi_pair_append(source, message))
		message->stage = MESSAGE_BEHIND;
	message->started = world->pd->engine.now;
	if (__builtin_expect(mpi_causes_of(source) != NULL, 0)) {
		mpi_cause_launch_slow(message);
		mpi_cause_transfer(message, false);
	}
	if (is_rendezvous)
		size_B = world->pd->cluster->protocol.control_message_B +
			 mpi_message_early_size(message);
	mpi_launch_start(message, source, dest, size_B, 0, NULL, mpi_message_envelope_arrived);
}

#endif
