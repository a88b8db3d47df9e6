/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/lend.h"

#include <stdio.h>
#include <string.h>

int mpi_message_keep(struct mpi_message *message)
{
	struct pd_world *world = message->dest->world->pd;
	const void *data =
	    mpi_message_data(message); /* still the sender's: the payload comes after it */

	if (!data)
		return 0;
	message->payload = mpi_message_allocate(message, (size_t)message->size_B);
	if (message->payload) {
		memcpy(message->payload, data, (size_t)message->size_B);
		return 0;
	}
	world->failure = (struct pd_failure){
	    .kind = PD_FAILURE_MEMORY, .rank = message->dest->rank, .time = world->engine.now};
	snprintf(world->failure.text, sizeof world->failure.text,
		 "out of memory for a message of %lld B", (long long)message->size_B);
	sim_engine_stop(&world->engine);
	return UTIL_ENOMEM;
}

void mpi_message_lend(struct mpi_message *message, struct mpi_request *send)
{
	message->send = send;
	message->is_lent = true;
	send->message = message;
	mpi_request_lend(send);
}

void mpi_message_give_back(struct mpi_message *message)
{
	struct mpi_request *send = message->send;

	message->send = NULL;
	message->is_lent = false;
	send->message = NULL;
	mpi_request_unlend(send);
}

void mpi_request_settle_now(struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	if (!mpi_message_hand_over(message, mpi_message_data(message)))
		mpi_message_keep(message);
	mpi_message_give_back(message);
}
