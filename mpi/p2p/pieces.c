/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/p2p/pieces.h"

#include <stdlib.h>

#include "mpi/p2p/internal.h"
#include "pdexec/device.h"
#include "util/array.h"

struct mpi_piece {
	int64_t at_B; /* in the packed message */
	size_t size_B;
	char *address;
};

struct mpi_pieces {
	size_t all_B; /* of this structure and what follows it */
	int n;
	struct mpi_piece list[]; /* [n], by at_B; their bytes follow */
};

static bool is_staged(const struct mpi_rank *me, const void *buf)
{
	return pd_memory_is_device(buf) && !me->world->pd->cluster->accelerators.is_gpu_aware;
}

bool mpi_pieces_are_staged(const struct mpi_request *recv)
{
	return recv->channel == CHANNEL_P2P && is_staged(recv->owner, recv->buf);
}

void mpi_pieces_stage(struct mpi_rank *me, const struct mpi_request *recv)
{
	if (mpi_pieces_are_staged(recv))
		pd_device_stage(me->pd, NET_DEVICE_IN, mpi_status_bytes(&recv->status));
}

void mpi_pieces_stage_send(struct mpi_rank *me, const void *buf, int64_t size_B)
{
	if (is_staged(me, buf))
		pd_device_stage(me->pd, NET_DEVICE_OUT, size_B);
}

/* Memory of accelerators is all there, but for --no-alloc: what is missing is beyond a buffer. */
static bool is_beyond(const struct pd_rank *rank, const void *at, size_t size_B, size_t there_B)
{
	return there_B < size_B && pd_memory_is_device(at) && !rank->world->config.no_alloc;
}

static const char beyond[] = "a message of %lld B reaches beyond a buffer of mpisim_device_alloc, or "
			     "into one that is freed";

/* --- taken where they are sent --- */

struct taken {
	const struct pd_rank *sender;
	int64_t at_B; /* of the next run */
	struct mpi_piece *list; /* [n] */
	size_t n, data_B;
	bool failed, is_beyond;
};

static void take_run(void *context, uintptr_t at, size_t size_B)
{
	struct taken *taken = context;
	struct mpi_piece piece = {.address = (char *)at, .size_B = size_B};

	if (pd_memory_is_reserved(piece.address)) {
		piece.size_B = pd_memory_part((const void *)at, size_B, &piece.address);
		taken->is_beyond |=
		    is_beyond(taken->sender, (const void *)at, size_B, piece.size_B);
	}
	piece.at_B = taken->at_B + (piece.address - (char *)at);
	taken->at_B += (int64_t)size_B;
	if (piece.size_B == 0)
		return;
	if (!util_array_room(&taken->list, taken->n, sizeof piece)) {
		taken->failed = true;
		return;
	}
	taken->list[taken->n++] = piece;
	taken->data_B += piece.size_B;
}

/* A message that has room for all its data has zeros for what is not there. */
static void take_inline(const struct taken *taken, struct mpi_message *message)
{
	char *data = mpi_message_allocate(message, (size_t)message->size_B);

	memset(data, 0, (size_t)message->size_B);
	for (size_t i = 0; i < taken->n; i++)
		memcpy(data + taken->list[i].at_B, taken->list[i].address, taken->list[i].size_B);
}

/* False: no memory. */
static bool take_apart(const struct taken *taken, struct mpi_message *message)
{
	size_t list_B = taken->n * sizeof *taken->list;
	size_t all_B = sizeof(struct mpi_pieces) + list_B + taken->data_B;
	struct mpi_pieces *pieces = mpi_payload_get(&message->source->world->payloads, all_B);
	char *data;

	if (!pieces)
		return false;
	*pieces = (struct mpi_pieces){.all_B = all_B, .n = (int)taken->n};
	data = (char *)pieces->list + list_B;
	for (size_t i = 0; i < taken->n; i++) {
		memcpy(data, taken->list[i].address, taken->list[i].size_B);
		pieces->list[i] = taken->list[i];
		pieces->list[i].address = data;
		data += taken->list[i].size_B;
	}
	message->payload = pieces;
	message->data = MESSAGE_PIECES;
	return true;
}

void mpi_pieces_take(struct mpi_rank *me, const struct mpi_datatype *type, const void *buf,
		     MPI_Count count, struct mpi_message *message)
{
	struct taken taken = {.sender = me->pd};

	if ((message->context & CHANNEL_COLL) == 0)
		mpi_pieces_stage_send(me, buf, message->size_B);
	mpi_datatype_runs(type, buf, count, take_run, &taken);
	if (taken.n > 0 && message->size_B <= MESSAGE_INLINE_B)
		take_inline(&taken, message);
	else if (taken.n > 0)
		taken.failed |= !take_apart(&taken, message);
	free(taken.list);
	if (taken.is_beyond)
		pd_fail(me->pd, PD_FAILURE_ANNOTATION, beyond, (long long)message->size_B);
	if (taken.failed)
		pd_fail(me->pd, PD_FAILURE_MEMORY, "out of memory for a message of %lld B",
			(long long)message->size_B);
}

void mpi_pieces_free(struct mpi_message *message)
{
	struct mpi_pieces *pieces = message->payload;

	mpi_payload_put(&message->dest->world->payloads, pieces, pieces->all_B);
	message->payload = NULL;
}

/* --- given where they are received --- */

struct given {
	struct pd_rank *receiver;
	int64_t at_B;	/* of the next run */
	int64_t end_B; /* of the message */
	bool is_beyond;
	const struct mpi_piece *from; /* [n] */
	size_t n;
};

static void give_run(void *context, uintptr_t at, size_t size_B)
{
	struct given *given = context;
	char *there = (char *)at;
	int64_t begin_B = given->at_B, end_B = begin_B + (int64_t)size_B;

	given->at_B = end_B;
	if (begin_B >= given->end_B)
		return;
	if (end_B > given->end_B)
		size_B = (size_t)(given->end_B - begin_B);
	if (pd_memory_is_reserved(there)) {
		size_t there_B = pd_memory_part(there, size_B, &there);

		given->is_beyond |= is_beyond(given->receiver, (const void *)at, size_B, there_B);
		size_B = there_B;
	}
	begin_B += there - (char *)at;
	end_B = begin_B + (int64_t)size_B;
	for (size_t i = 0; i < given->n; i++) {
		const struct mpi_piece *from = &given->from[i];
		int64_t from_end_B = from->at_B + (int64_t)from->size_B;
		int64_t low_B = begin_B > from->at_B ? begin_B : from->at_B;
		int64_t high_B = end_B < from_end_B ? end_B : from_end_B;

		if (low_B < high_B)
			memcpy(pd_rank_memory(given->receiver, there + (low_B - begin_B)),
			       from->address + (low_B - from->at_B), (size_t)(high_B - low_B));
	}
}

void mpi_pieces_give(const struct mpi_message *message, const void *data,
		     const struct mpi_request *recv)
{
	int64_t size_B = mpi_status_bytes(&recv->status);
	const struct mpi_pieces *pieces = data ? NULL : message->payload;
	struct mpi_piece whole = {0, (size_t)size_B, (char *)(uintptr_t)data};
	struct given given = {.receiver = recv->owner->pd,
			      .end_B = size_B,
			      .from = data ? &whole : pieces->list,
			      .n = data ? 1 : (size_t)pieces->n};
	struct pd_world *world = recv->owner->pd->world;
	mpi_receiving_fn *receiving = recv->owner->world->receiving;

	if (receiving && !receiving(recv, false))
		return;
	world->receiver = recv->owner->pd;
	mpi_datatype_runs(recv->type, recv->buf, recv->count, give_run, &given);
	world->receiver = NULL;
	if (given.is_beyond)
		pd_fail_aside(given.receiver, PD_FAILURE_ANNOTATION, beyond, (long long)size_B);
	if (receiving)
		receiving(recv, true);
}
