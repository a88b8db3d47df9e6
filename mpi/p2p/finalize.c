/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of operations under way when their rank finalizes: its memory is not the library's
 * any more. */
#include <string.h>

#include "mpi/p2p/internal.h"

/* The message goes on with a copy of what the sender lent. */
static void copy_lent_data(struct mpi_rank *me, struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	message->send = NULL;
	send->message = NULL;
	if (message->payload || message->size_B == 0 || pd_memory_is_absent(send->buf))
		return;
	message->payload = mpi_message_allocate(message, (size_t)message->size_B);
	if (!message->payload)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)message->size_B);
	memcpy(message->payload, (const char *)send->buf + send->type->true_lb_B,
	       (size_t)message->size_B);
}

/* Nobody has a handle of it, and nothing will complete it any more. */
static void destroy_orphan(struct mpi_rank *me, struct mpi_request *request)
{
	if (request->is_orphan)
		mpi_request_destroy(me, request);
}

static void take_back_send(struct mpi_rank *me, struct mpi_request *send)
{
	copy_lent_data(me, send);
	destroy_orphan(me, send);
}

void mpi_p2p_finalize(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_request *next;

	for (struct mpi_request *r = endpoint->lent_first; r; r = next) {
		next = r->next;
		mpi_request_unlend(r);
		if (r->kind == REQUEST_SEND)
			take_back_send(me, r);
		else
			mpi_status_set_bytes(&r->status,
					     0); /* nothing is copied when the transfer ends */
	}
	while (endpoint->posted_first) {
		struct mpi_request *recv = endpoint->posted_first;

		mpi_match_remove_recv(recv);
		destroy_orphan(me, recv);
	}
}
