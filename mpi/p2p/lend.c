/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/lend.h"

#include <stdio.h>
#include <string.h>

int mpi_message_keep(struct mpi_message *message)
{
	struct pd_world *world = message->dest->world->pd;
	const void *data = mpi_message_data(message);
	void *copy;

	if (message->data != MESSAGE_LENT)
		return 0;
	copy = mpi_message_allocate(message, (size_t)message->size_B);
	if (copy) {
		memcpy(copy, data, (size_t)message->size_B);
		return 0;
	}
	world->failure = (struct pd_failure){
	    .kind = PD_FAILURE_MEMORY, .rank = message->dest->rank, .time = world->engine.now};
	snprintf(world->failure.text, sizeof world->failure.text,
		 "out of memory for a message of %lld B", (long long)message->size_B);
	sim_engine_stop(&world->engine);
	return UTIL_ENOMEM;
}

void mpi_message_join_send(struct mpi_message *message, struct mpi_request *send)
{
	message->send = send;
	send->message = message;
	mpi_request_lend(send);
}

struct mpi_request *mpi_message_leave_send(struct mpi_message *message)
{
	struct mpi_request *send = message->send;

	message->send = NULL;
	if (message->data == MESSAGE_LENT)
		message->data = MESSAGE_NO_DATA;
	send->message = NULL;
	mpi_request_unlend(send);
	return send;
}

void mpi_request_settle_now(struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	if (!mpi_message_hand_over(message, mpi_message_data(message)))
		mpi_message_keep(message);
	mpi_message_leave_send(message);
}
