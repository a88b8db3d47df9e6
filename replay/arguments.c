/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of recorded calls, as the MPI layer wants them. */
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/comm/group.h"
#include "replay/call.h"
#include "replay/kept.h"

enum { MAX_IDS = 1 << 28, BUFFER_BITS = 41 };

_Noreturn void replay_damaged(struct replay_rank *rank, const char *what)
{
	struct util_error err;

	mtrace_cursor_damaged(&rank->cursor, what, &err);
	pd_fail(rank->mpi->pd, PD_FAILURE_UNSUPPORTED, "%s", err.text);
}

static _Noreturn void fail_memory(struct replay_rank *rank)
{
	pd_fail(rank->mpi->pd, PD_FAILURE_MEMORY, "out of memory for the replay of rank %d",
		rank->mpi->rank);
}

void *replay_array_reserve(struct replay_rank *rank, struct replay_array *array, size_t size_B)
{
	void *larger;

	if (size_B <= array->capacity_B)
		return array->items;
	larger = realloc(array->items, 2 * size_B);
	if (!larger)
		fail_memory(rank);
	array->items = larger;
	array->capacity_B = 2 * size_B;
	return larger;
}

uintptr_t *replay_place(struct replay_rank *rank, uintptr_t **table, uint32_t *n, uint64_t id,
			uintptr_t empty)
{
	uint32_t capacity;
	uintptr_t *larger;

	if (id < *n)
		return &(*table)[id];
	if (id >= MAX_IDS)
		replay_damaged(rank, "an id is too large");
	capacity = 2 * (uint32_t)id + 16;
	larger = realloc(*table, capacity * sizeof *larger);
	if (!larger)
		fail_memory(rank);
	for (uint32_t i = *n; i < capacity; i++)
		larger[i] = empty;
	*table = larger;
	*n = capacity;
	return &larger[id];
}

static void *absent_buffer(struct replay_rank *rank, unsigned char kind)
{
	/* MTRACE_BOTTOM: with a datatype of addresses, or nothing */
	if (kind != MTRACE_BUFFER && kind != MTRACE_BOTTOM && kind != MTRACE_NULL)
		replay_damaged(rank, "no such buffer");
	/* no two buffers of a call are the same memory */
	return (char *)pd_memory_absent() + ((size_t)rank->n_buffers++ << BUFFER_BITS);
}

void *replay_buffer(struct replay_rank *rank)
{
	return absent_buffer(rank, mtrace_get_byte(&rank->cursor));
}

void *replay_buffer_or_in_place(struct replay_rank *rank)
{
	unsigned char kind = mtrace_get_byte(&rank->cursor);

	return kind == MTRACE_IN_PLACE ? MPI_IN_PLACE : absent_buffer(rank, kind);
}

void *replay_attached_buffer(struct replay_rank *rank)
{
	unsigned char kind = mtrace_get_byte(&rank->cursor);

	return kind == MTRACE_BUFFER_AUTOMATIC ? MPI_BUFFER_AUTOMATIC : absent_buffer(rank, kind);
}

static MPI_Datatype type_of(struct replay_rank *rank, uint64_t code)
{
	if (code < MTRACE_DERIVED)
		return (MPI_Datatype)(uintptr_t)code;
	if (code - MTRACE_DERIVED >= rank->n_types || !rank->types[code - MTRACE_DERIVED])
		replay_damaged(rank, "a datatype that was not defined");
	return rank->types[code - MTRACE_DERIVED];
}

MPI_Datatype replay_type(struct replay_rank *rank)
{
	return type_of(rank, mtrace_get_uint(&rank->cursor));
}

static void no_operation(void *in, void *inout, int *n, MPI_Datatype *type)
{
}

MPI_Op replay_op(struct replay_rank *rank)
{
	uint64_t code = mtrace_get_uint(&rank->cursor);

	if (code < MTRACE_DERIVED)
		return (MPI_Op)(uintptr_t)code;
	code -= MTRACE_DERIVED;
	if (code > 1)
		replay_damaged(rank, "no such operation");
	if (!rank->ops[code])
		MPI_Op_create(no_operation, (int)code, &rank->ops[code]);
	return rank->ops[code];
}

MPI_Comm *replay_comm_place(struct replay_rank *rank)
{
	return (MPI_Comm *)replay_place(rank, (uintptr_t **)&rank->comms, &rank->n_comms,
					mtrace_get_uint(&rank->cursor), (uintptr_t)MPI_COMM_NULL);
}

MPI_Comm replay_comm(struct replay_rank *rank)
{
	uint64_t id = mtrace_get_uint(&rank->cursor);

	if (id >= rank->n_comms)
		replay_damaged(rank, "a communicator that was not created");
	return rank->comms[id];
}

MPI_Comm *replay_new_comm(struct replay_rank *rank)
{
	uint64_t id = mtrace_get_uint(&rank->cursor);

	if (id == MTRACE_COMM_NULL)
		return (MPI_Comm *)rank->ignored;
	return (MPI_Comm *)replay_place(rank, (uintptr_t **)&rank->comms, &rank->n_comms, id,
					(uintptr_t)MPI_COMM_NULL);
}

/* Of a rank of the trace, which has begun. */
static int world_rank(struct replay_rank *rank, uint64_t place)
{
	const struct replay *replay = rank->replay;

	if (place >= (uint64_t)replay->file->n_ranks || !replay->ranks[place].mpi)
		replay_damaged(rank, "no such rank");
	return replay->ranks[place].mpi->rank;
}

MPI_Group replay_group(struct replay_rank *rank)
{
	int n = (int)mtrace_get_count(&rank->cursor);
	int *members =
	    replay_array_reserve(rank, &rank->arrays[0], (size_t)n * sizeof *members + 1);
	MPI_Group all, *group = &rank->groups[rank->n_groups];
	struct mpi_group *base =
	    mpi_group_create_sequence(rank->replay->file->n_ranks, 0, 1); /* not of a communicator:
									     the rank may have none */

	if (rank->n_groups == sizeof rank->groups / sizeof rank->groups[0])
		replay_damaged(rank, "too many groups");
	all = base ? (MPI_Group)mpi_handle_create(rank->mpi, KIND_GROUP, base) : 0;
	if (!all)
		fail_memory(rank);
	base->session = rank->group_session;
	for (int i = 0; i < n; i++)
		members[i] = world_rank(rank, mtrace_get_uint(&rank->cursor));
	MPI_Group_incl(all, n, members, group);
	MPI_Group_free(&all);
	rank->n_groups++;
	return *group;
}

MPI_Session *replay_session(struct replay_rank *rank)
{
	return (MPI_Session *)replay_place(rank, (uintptr_t **)&rank->sessions, &rank->n_sessions,
					   mtrace_get_uint(&rank->cursor),
					   (uintptr_t)MPI_SESSION_NULL);
}

const char *replay_text(struct replay_rank *rank)
{
	uint64_t number = mtrace_get_uint(&rank->cursor);

	if (number >= rank->replay->file->n_strings)
		replay_damaged(rank, "no such text");
	return rank->replay->file->strings[number];
}

int replay_source(struct replay_rank *rank)
{
	int source = (int)mtrace_get_int(&rank->cursor);
	int32_t matched, tag;

	if (source != MPI_ANY_SOURCE)
		return source;
	rank->replay->n_unlike++; /* what it got may stand elsewhere */
	mtrace_get_match(&rank->cursor, &matched, &tag);
	return matched == MTRACE_UNMATCHED ? MPI_ANY_SOURCE : matched;
}

static MPI_Request *request_of(struct replay_rank *rank, uint64_t id)
{
	if (id < rank->n_requests)
		return &rank->requests[id];
	return (MPI_Request *)replay_place(rank, (uintptr_t **)&rank->requests, &rank->n_requests,
					   id, (uintptr_t)MPI_REQUEST_NULL);
}

MPI_Request *replay_request(struct replay_rank *rank)
{
	return request_of(rank, mtrace_get_uint(&rank->cursor));
}

MPI_Message *replay_message(struct replay_rank *rank)
{
	MPI_Message *message = (MPI_Message *)replay_place(
	    rank, (uintptr_t **)&rank->messages, &rank->n_messages, mtrace_get_uint(&rank->cursor),
	    (uintptr_t)MPI_MESSAGE_NULL);

	rank->messages[1] = MPI_MESSAGE_NO_PROC;
	return message;
}

/* --- arrays --- */

void replay_check_length(struct replay_rank *rank, uint64_t n, int64_t wanted, bool has_zeros)
{
	if (wanted > 0 && n < (uint64_t)wanted)
		replay_damaged(rank, "an array is too short");
	if (wanted > 0 && has_zeros && (uint64_t)wanted > rank->replay->n_zeros)
		replay_damaged(rank, "too many neighbours");
}

static void *array(struct replay_rank *rank, uint64_t n, size_t size_B)
{
	if (rank->n_arrays == sizeof rank->arrays / sizeof rank->arrays[0])
		replay_damaged(rank, "too many arrays");
	return replay_array_reserve(rank, &rank->arrays[rank->n_arrays++], (n + 1) * size_B);
}

const int *replay_ints(struct replay_rank *rank)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	int *values = array(rank, n, sizeof *values);

	for (uint64_t i = 0; i < n; i++)
		values[i] = (int)mtrace_get_int(&rank->cursor);
	rank->n_items = n;
	rank->replay->last_B = n * sizeof *values;
	return values;
}

const MPI_Count *replay_counts(struct replay_rank *rank)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	MPI_Count *values = array(rank, n, sizeof *values);

	for (uint64_t i = 0; i < n; i++)
		values[i] = mtrace_get_int(&rank->cursor);
	rank->n_items = n;
	rank->replay->last_B = n * sizeof *values;
	return values;
}

const MPI_Datatype *replay_types(struct replay_rank *rank)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	MPI_Datatype *values = array(rank, n, sizeof *values);

	for (uint64_t i = 0; i < n; i++)
		values[i] = type_of(rank, mtrace_get_uint(&rank->cursor));
	rank->n_items = n;
	rank->replay->last_B = n * sizeof *values;
	return values;
}

static const void *keep(struct replay_rank *rank, const void *values)
{
	const void *kept = replay_keep(rank->replay, values, rank->replay->last_B);

	if (!kept)
		fail_memory(rank);
	return kept;
}

const int *replay_kept_ints(struct replay_rank *rank)
{
	return keep(rank, replay_ints(rank));
}

const MPI_Count *replay_kept_counts(struct replay_rank *rank)
{
	return keep(rank, replay_counts(rank));
}

const MPI_Datatype *replay_kept_types(struct replay_rank *rank)
{
	return keep(rank, replay_types(rank));
}

void *replay_zeros(struct replay_rank *rank)
{
	return rank->replay->zeros;
}

MPI_Request *replay_requests(struct replay_rank *rank)
{
	uint64_t n = mtrace_get_count(&rank->cursor);
	MPI_Request *list = replay_array_reserve(rank, &rank->list, (n + 1) * (sizeof *list + 4));

	rank->ids = (uint32_t *)(list + n);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t id = mtrace_get_uint(&rank->cursor);

		list[i] = *request_of(rank, id);
		rank->ids[i] = (uint32_t)id;
	}
	rank->n_listed = (int)n;
	return list;
}

int replay_requests_back(struct replay_rank *rank, int code)
{
	const MPI_Request *list = rank->list.items;

	for (int i = 0; i < rank->n_listed; i++)
		rank->requests[rank->ids[i]] = list[i];
	return code;
}

/* --- objects --- */

/* A datatype of the same size and extent: where its data lies matters to memory only. Its calls are
 * not the program's. */
void replay_define_type(struct replay_rank *rank)
{
	uint64_t id = mtrace_get_uint(&rank->cursor);
	int64_t size_B = mtrace_get_int(&rank->cursor), lb_B = mtrace_get_int(&rank->cursor),
		extent_B = mtrace_get_int(&rank->cursor);
	MPI_Datatype *type, bytes;

	mtrace_get_int(&rank->cursor);
	mtrace_get_int(&rank->cursor);
	mtrace_get_byte(&rank->cursor);
	if (size_B < 0)
		replay_damaged(rank, "a datatype of negative size");
	type =
	    (MPI_Datatype *)replay_place(rank, (uintptr_t **)&rank->types, &rank->n_types, id, 0);
	rank->mpi->depth++;
	MPI_Type_contiguous_c(size_B, MPI_BYTE, &bytes);
	MPI_Type_create_resized_c(bytes, lb_B, extent_B, type);
	MPI_Type_commit(type);
	MPI_Type_free(&bytes);
	rank->mpi->depth--;
}

void replay_objects_free(struct replay_rank *rank)
{
	for (uint32_t i = 0; i < rank->n_types; i++)
		if (rank->types[i])
			MPI_Type_free(&rank->types[i]);
	for (int i = 0; i < 2; i++)
		if (rank->ops[i])
			MPI_Op_free(&rank->ops[i]);
	rank->n_types = 0;
}

void replay_rank_finish(struct replay_rank *rank)
{
	mtrace_cursor_close(&rank->cursor);
	free(rank->comms);
	free(rank->requests);
	free(rank->messages);
	free(rank->types);
	free(rank->wins);
	free(rank->sessions);
	for (size_t i = 0; i < sizeof rank->arrays / sizeof rank->arrays[0]; i++)
		free(rank->arrays[i].items);
	free(rank->list.items);
	free(rank->found.items);
	free(rank->phases);
}
