/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/partitioned.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/context.h"
#include "mpi/p2p/internal.h"

static void *allocate(struct mpi_rank *me, size_t n, size_t size_B)
{
	void *memory = calloc(n + 1, size_B);

	if (!memory)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for %zu partitions", n);
	return memory;
}

/* --- matching of the halves --- */

static bool fit(const struct mpi_partitioned *a, const struct mpi_partitioned *b)
{
	return a->is_send != b->is_send && a->context == b->context && a->source == b->source &&
	       a->dest == b->dest && a->tag == b->tag;
}

static void remove_from_list(struct mpi_partitioned *half)
{
	struct mpi_partitioned **link = half->list;

	if (!link)
		return;
	while (*link != half)
		link = &(*link)->next;
	*link = half->next;
	half->list = NULL;
}

static void make_line(struct mpi_rank *me, struct mpi_partitioned *half, uint32_t context)
{
	struct mpi_comm *comm = half->compound.request->comm;

	half->line_context = context;
	half->line = mpi_comm_create_local(me, comm->group, comm->remote, comm->rank, context);
	if (!half->line)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a partitioned operation");
}

/* --- the receiver --- */

static int64_t total_B(const struct mpi_partitioned *half)
{
	return half->n_partitions * half->part_B;
}

/* Message `i` of the sender as a receive of this rank. */
static struct mpi_request *prepare_message(struct mpi_rank *me, const struct mpi_partitioned *recv,
					   int i)
{
	const struct mpi_request *request = recv->compound.request;
	char *base = recv->packed ? recv->packed : (char *)request->buf + request->type->true_lb_B;
	int64_t first = i * recv->message_B, room_B = total_B(recv) - first;

	if (room_B > recv->message_B)
		room_B = recv->message_B;
	if (room_B < 0) /* the sender has more: an error of truncation */
		room_B = 0;
	return mpi_recv_prepare(me, room_B > 0 ? base + first : base, room_B,
				mpi_datatype_get(me, MPI_BYTE), request->peer, i, recv->line,
				CHANNEL_P2P);
}

/* Both halves are there, and the receive has started. */
static void post_messages(struct mpi_partitioned *recv)
{
	struct mpi_rank *me = recv->compound.request->owner;
	int n = recv->n_messages;

	recv->compound.n_left = n;
	if (n == 0)
		mpi_request_complete(recv->compound.request, MPI_SUCCESS);
	for (int i = 0; i < n; i++)
		mpi_compound_recv(me, &recv->compound, prepare_message(me, recv, i));
}

/* Message `part->tag` is here: which bytes of which partitions those are. */
static void message_arrived(struct mpi_compound *compound, const struct mpi_request *part)
{
	struct mpi_partitioned *recv = (struct mpi_partitioned *)compound;
	int64_t first = part->tag * recv->message_B, end = first + part->count;
	int i = recv->part_B > 0 ? (int)(first / recv->part_B) : recv->n_partitions;

	for (; i < recv->n_partitions && i * recv->part_B < end; i++) {
		int64_t from = i * recv->part_B, to = from + recv->part_B;

		recv->missing_B[i] -= (to < end ? to : end) - (from > first ? from : first);
	}
}

bool mpi_partitioned_arrived(struct mpi_partitioned *recv, int partition)
{
	struct mpi_request *request = recv->compound.request;

	if (request->state != REQUEST_COMPLETE &&
	    (recv->part_B == 0 || recv->missing_B[partition] > 0))
		return false;
	if (recv->packed && !recv->is_unpacked[partition]) {
		recv->is_unpacked[partition] = true;
		mpi_datatype_unpack(request->type,
				    (char *)request->buf +
					partition * recv->count * request->type->extent_B,
				    recv->count, recv->packed + partition * recv->part_B,
				    recv->part_B - recv->missing_B[partition]);
	}
	return true;
}

/* mpi_request.query: the program gets the status, on its own fiber; everything is to be in its
 * place. */
static int finish_receive(struct mpi_request *request)
{
	struct mpi_partitioned *recv = request->operation;
	int64_t sent_B = recv->n_messages * recv->message_B;

	for (int i = 0; recv->packed && i < recv->n_partitions; i++)
		mpi_partitioned_arrived(recv, i);
	request->status.MPI_SOURCE = request->peer;
	request->status.MPI_TAG = request->peer == MPI_PROC_NULL ? MPI_ANY_TAG : request->tag;
	mpi_status_set_bytes(&request->status, sent_B < total_B(recv) ? sent_B : total_B(recv));
	return request->status.MPI_ERROR;
}

static void start_receive(struct mpi_partitioned *recv)
{
	for (int i = 0; i < recv->n_partitions; i++) {
		recv->missing_B[i] = recv->part_B;
		recv->is_unpacked[i] = false;
	}
	if (recv->n_messages >= 0)
		post_messages(recv); /* otherwise when the sender comes */
}

/* --- both halves --- */

static void match(struct mpi_partitioned *send, struct mpi_partitioned *recv)
{
	send->partner = recv;
	recv->partner = send;
	recv->n_messages = send->n_partitions;
	recv->message_B = send->part_B;
	if (recv->compound.request->state == REQUEST_PENDING)
		post_messages(recv);
}

/* Joins the oldest half that fits, or queues up. */
static void find_partner(struct mpi_rank *me, struct mpi_partitioned *half)
{
	struct mpi_rank *dest = &me->world->ranks[half->dest];
	struct mpi_partitioned **link, *other;

	if (mpi_endpoint_create(dest) < 0)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a partitioned operation");
	link = &dest->endpoint->unmatched_partitioned;
	while (*link && !fit(*link, half))
		link = &(*link)->next;
	other = *link;
	if (!other) {
		make_line(me, half, mpi_context_new(me->world));
		half->list = &dest->endpoint->unmatched_partitioned;
		*link = half;
		return;
	}
	remove_from_list(other);
	make_line(me, half, other->line_context);
	match(half->is_send ? half : other, half->is_send ? other : half);
	if (!other->compound.request) {
		half->partner = NULL;
		free(other);
	}
}

static void release(struct mpi_rank *me, struct mpi_request *request)
{
	struct mpi_partitioned *half = request->operation;
	bool is_awaited = half->list && half->is_send && half->has_started;

	if (half->partner)
		half->partner->partner = NULL;
	mpi_comm_release(me, half->line);
	free(half->is_ready);
	free(half->missing_B);
	free(half->is_unpacked);
	free(half->packed);
	if (is_awaited) {
		half->compound.request = NULL;
		return;
	}
	remove_from_list(half);
	free(half);
}

void mpi_partitioned_destroy_left(struct mpi_partitioned *list)
{
	struct mpi_partitioned *next;

	for (; list; list = next) {
		next = list->next;
		if (!list->compound.request)
			free(list);
	}
}

static void prepare_receiver(struct mpi_rank *me, struct mpi_partitioned *recv)
{
	const struct mpi_request *request = recv->compound.request;

	recv->n_messages = request->peer == MPI_PROC_NULL ? 0 : -1;
	recv->missing_B = allocate(me, (size_t)recv->n_partitions, sizeof *recv->missing_B);
	recv->is_unpacked = allocate(me, (size_t)recv->n_partitions, sizeof *recv->is_unpacked);
	if (!request->type->is_contiguous && !pd_memory_is_absent(request->buf))
		recv->packed = allocate(me, (size_t)total_B(recv), 1);
	recv->compound.part_completed = message_arrived;
}

void mpi_partitioned_create(struct mpi_rank *me, struct mpi_request *request, bool is_send,
			    int n_partitions)
{
	struct mpi_partitioned *half = allocate(me, 0, sizeof *half);
	int peer =
	    request->peer == MPI_PROC_NULL ? -1 : mpi_comm_peer(request->comm, request->peer);

	half->compound = (struct mpi_compound){.request = request, .peers = {peer, -1}};
	half->is_send = is_send;
	half->source = is_send ? me->rank : peer;
	half->dest = is_send ? peer : me->rank;
	half->tag = request->tag;
	half->context = request->comm->context;
	half->n_partitions = n_partitions;
	half->asked = -1;
	half->count = request->count;
	half->part_B = request->count * request->type->size_B;
	request->operation = half;
	request->release = release;
	if (is_send)
		half->is_ready = allocate(me, (size_t)n_partitions, sizeof *half->is_ready);
	else
		prepare_receiver(me, half);
	request->query = is_send ? NULL : finish_receive;
	if (peer >= 0)
		find_partner(me, half);
}

int mpi_partitioned_start(struct mpi_rank *me, struct mpi_request *request)
{
	struct mpi_partitioned *half = request->operation;

	request->state = REQUEST_PENDING;
	half->has_started = true;
	mpi_status_set_empty(&request->status);
	half->compound.error = MPI_SUCCESS;
	if (!half->is_send) {
		start_receive(half);
		return MPI_SUCCESS;
	}
	memset(half->is_ready, 0, (size_t)half->n_partitions * sizeof *half->is_ready);
	half->compound.n_left = half->n_partitions;
	if (!half->line) /* to MPI_PROC_NULL */
		mpi_request_complete(request, MPI_SUCCESS);
	return MPI_SUCCESS;
}

void mpi_partitioned_ready(struct mpi_rank *me, struct mpi_partitioned *send, int partition)
{
	const struct mpi_request *request = send->compound.request;
	char *items = (char *)request->buf + partition * send->count * request->type->extent_B;

	send->is_ready[partition] = true;
	if (!send->line)
		return;
	mpi_compound_send(me, &send->compound,
			  mpi_send_prepare(me, items, send->count, request->type, request->peer,
					   partition, send->line, SEND_STANDARD, CHANNEL_P2P));
}
