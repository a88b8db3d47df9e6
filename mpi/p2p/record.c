/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages one by one, for those who want more than sums. */
#include "mpi/p2p/message.h"

void mpi_message_record(const struct mpi_message *message)
{
	const struct sim_observers *observers = &message->dest->world->pd->observers;
	struct sim_record_message entry;

	if (!(observers->wanted & SIM_OBSERVED_MESSAGE))
		return;
	entry = (struct sim_record_message){
	    .source = message->source->rank,
	    .dest = message->dest->rank,
	    .tag = message->tag,
	    .size_B = message->size_B,
	    .sent = message->sent,
	    .started = message->started,
	    .arrived = message->arrived,
	    .received = message->dest->world->pd->engine.now,
	    .in_collective = message->context & CHANNEL_COLL,
	};
	sim_tell_message(observers, &entry);
}
