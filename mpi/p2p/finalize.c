/* SPDX-License-Identifier: BSD-3-Clause */
/* What becomes of operations under way when their rank finalizes: its memory is not the library's
 * any more. */
#include <stdlib.h>
#include <string.h>

#include "mpi/p2p/compound.h"
#include "mpi/p2p/internal.h"

/* A copy may still be under way when the last rank ends: the world knows them all. */
struct mpi_lent_copy {
	_Alignas(16) struct mpi_lent_copy *next;
	struct mpi_lent_copy **link; /* what points to this */
};

static void *lent_copy_allocate(struct mpi_world *world, size_t size_B)
{
	struct mpi_lent_copy *copy = malloc(sizeof *copy + size_B);

	if (!copy)
		return NULL;
	*copy = (struct mpi_lent_copy){.next = world->lent_copies, .link = &world->lent_copies};
	if (copy->next)
		copy->next->link = &copy->next;
	world->lent_copies = copy;
	return copy + 1;
}

void mpi_lent_copy_free(void *payload)
{
	struct mpi_lent_copy *copy = (struct mpi_lent_copy *)payload - 1;

	*copy->link = copy->next;
	if (copy->next)
		copy->next->link = copy->link;
	free(copy);
}

void mpi_lent_copies_destroy(struct mpi_world *world)
{
	while (world->lent_copies)
		mpi_lent_copy_free(world->lent_copies + 1);
}

/* The message goes on with a copy of what the sender lent. */
static void copy_lent_data(struct mpi_rank *me, struct mpi_request *send)
{
	struct mpi_message *message = send->message;

	message->send = NULL;
	send->message = NULL;
	if (message->payload || message->size_B == 0 || pd_memory_is_absent(send->buf))
		return;
	message->payload = lent_copy_allocate(me->world, (size_t)message->size_B);
	if (!message->payload)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)message->size_B);
	message->is_lent_copy = true;
	memcpy(message->payload, (const char *)send->buf + send->type->true_lb_B,
	       (size_t)message->size_B);
}

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
	copy_lent_data(me, send);
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
	for (struct mpi_request *r = endpoint->lent_first; r; r = next) {
		next = r->next;
		mpi_request_unlend(r);
		if (r->kind == REQUEST_SEND)
			take_back_send(me, r);
		else
			give_up_receive(r);
	}
	for (struct mpi_request *r = endpoint->arrived_first; r; r = r->next)
		leave_whole(r);
	while (endpoint->posted_first) {
		struct mpi_request *recv = endpoint->posted_first;

		mpi_match_remove_recv(recv);
		destroy_orphan(me, recv);
	}
}
