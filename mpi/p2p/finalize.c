/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of operations under way when their rank finalizes: its memory is not the library's
 * any more. */
#include "mpi/p2p/compound.h"
#include "mpi/p2p/internal.h"

/* A part that is under way goes on alone: its compound request may have been freed, and goes now.
 */
static void leave_whole(struct mpi_request *part)
{
	struct mpi_compound *whole = part->whole;

	if (!whole)
		return;
	part->whole = NULL;
	part->is_orphan = true;
	mpi_compound_end_part(whole, NULL);
}

/* Nobody has a handle of it, and nothing will complete it any more. */
static void destroy_orphan(struct mpi_rank *me, struct mpi_request *request)
{
	leave_whole(request);
	if (request->is_orphan)
		mpi_request_destroy(me, request);
}

static void take_back_send(struct mpi_rank *me, struct mpi_request *send)
{
	mpi_message_keep(send->message); /* it goes on with a copy */
	mpi_message_leave_send(send->message);
	destroy_orphan(me, send);
}

/* Nothing is copied when the transfer ends. */
static void give_up_receive(struct mpi_request *recv)
{
	mpi_status_set_bytes(&recv->status, 0);
	leave_whole(recv);
}

void mpi_p2p_finalize(struct mpi_rank *me)
{
	struct mpi_endpoint *endpoint = me->endpoint;
	struct mpi_request *next;

	mpi_connections_forget(me);
	for (struct mpi_request *r = endpoint->lent.first; r; r = next) {
		next = r->link.next;
		if (r->kind == REQUEST_SEND) {
			take_back_send(me, r);
		} else {
			mpi_request_unlend(r);
			give_up_receive(r);
		}
	}
	for (struct mpi_request *r = endpoint->arrived.first; r; r = r->link.next)
		leave_whole(r);
	while (endpoint->posted.first) {
		struct mpi_request *recv = endpoint->posted.first;

		mpi_match_remove_recv(endpoint, recv);
		destroy_orphan(me, recv);
	}
}
