/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls and their arguments as they go into the trace. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/comm/group.h"
#include "mpi/datatype/datatype.h"
#include "mpi/op/op.h"
#include "mpi/record/internal.h"
#include "mpi/watch/watch.h"
#include "mpi/comm/topology.h"
#include "util/array.h"

_Static_assert(sizeof(struct mpi_record_call) <= MPI_WATCH_ROOM_B, "a call has too little room");

static void begin(struct mpi_record *record, struct mpi_watch_call *watched)
{
	struct mpi_record_call *call = (struct mpi_record_call *)watched->room;
	struct mpi_record_rank *rank = &record->ranks[watched->me->rank];

	call->record = record;
	call->me = watched->me;
	call->function = watched->function;
	call->values = watched->values;
	call->match = 0;
	call->is_nested = rank->is_open;
	if (rank->is_open && call->function->signature[0])
		mpi_record_refuse_nested(call);
	call->stream = rank->is_open ? &rank->aside : rank->stream;
	call->site = mpi_record_site(record, call->me->pd, watched->site);
}

static void enter(void *context, struct mpi_watch_call *watched)
{
	struct mpi_record_call *call = (struct mpi_record_call *)watched->room;

	begin(context, watched);
	if (watched->n_polls > 0)
		mpi_record_polls(call, watched->n_polls, watched->pause_ps > 0);
	if (call->record->has_memory)
		mpi_record_memory_of(call);
	if (call->function->record == RECORD_EFFECTS)
		mpi_record_effects_begin(
		    call, (MPI_Comm)mpi_value_at(call->function, call->values, MPI_ARG_COMM).p);
	else
		mpi_record_before(call);
}

static bool is_vain_poll(const struct mpi_record_call *call)
{
	const int *flag = mpi_value_at(call->function, call->values, MPI_ARG_FLAG).p;

	return call->function->at[MPI_ARG_FLAG] > 0 && flag && !*flag;
}

static int leave(void *context, struct mpi_watch_call *watched, int code)
{
	struct mpi_record_call *call = (struct mpi_record_call *)watched->room;

	mpi_record_after(call, code);
	if (call->function->record == RECORD_EFFECTS)
		mpi_record_effects_end(
		    call, mpi_value_at(call->function, call->values, MPI_ARG_REQUEST).p, code);
	else
		mpi_record_end(call, call->function->record == RECORD_LOCAL ? MPI_SUCCESS : code);
	if (is_vain_poll(call))
		mpi_record_poll(call->record);
	return code;
}

int mpi_record_watch(struct mpi_record *record)
{
	const struct mpi_watcher watcher = {.context = record, .enter = enter, .leave = leave, .skips_polls = true};

	return mpi_watch_add(record->world, &watcher);
}

static uint32_t number_of(struct mpi_record_call *call, bool has_failed)
{
	struct mpi_record *record = call->record;
	uint32_t *number =
	    &(has_failed ? record->failed : record->numbers)[call->function - mpi_call_infos];

	if (*number == UINT32_MAX)
		*number = mtrace_writer_function(record->writer, call->function->name,
						 has_failed ? "" : call->function->signature);
	return *number;
}

void mpi_record_open(struct mpi_record_call *call)
{
	mpi_record_rank_of(call)->is_open = true;
	call->begin = call->me->world->pd->engine.now;
	mtrace_put_uint(call->stream, MTRACE_CALL + number_of(call, false));
	mtrace_put_uint(call->stream, call->site);
}

/* Whether a call with this error has done nothing: it refused its arguments. An error handler may
 * have computed since. Lists of requests may have been completed in part. */
static bool has_done_nothing(const struct mpi_record_call *call, int code)
{
	static const int refusals[] = {
	    MPI_ERR_BUFFER,   MPI_ERR_COUNT,	 MPI_ERR_TYPE,	     MPI_ERR_TAG,
	    MPI_ERR_COMM,     MPI_ERR_RANK,	 MPI_ERR_REQUEST,    MPI_ERR_ROOT,
	    MPI_ERR_GROUP,    MPI_ERR_OP,	 MPI_ERR_TOPOLOGY,   MPI_ERR_DIMS,
	    MPI_ERR_ARG,      MPI_ERR_INFO,	 MPI_ERR_WIN,	     MPI_ERR_BASE,
	    MPI_ERR_SIZE,     MPI_ERR_DISP,	 MPI_ERR_LOCKTYPE,   MPI_ERR_ASSERT,
	    MPI_ERR_RMA_SYNC, MPI_ERR_RMA_RANGE, MPI_ERR_RMA_FLAVOR, MPI_ERR_RMA_SHARED,
	};
	const char *signature = call->function->signature;
	bool only_looks = strncmp(call->function->name, "MPI_Request_get_status", 22) == 0;

	if ((call->me->world->pd->engine.now != call->begin &&
	     mpi_record_rank_of(call)->aside.size == 0) ||
	    (!only_looks && (signature[0] == 'q' || strpbrk(signature + 1, "qxX"))))
		return false;
	for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++)
		if (code == refusals[i])
			return true;
	return false;
}

static void note_failed(struct mpi_record_call *call, int code)
{
	if (!has_done_nothing(call, code))
		mpi_record_refuse_error(call, code);
	mtrace_record_drop(call->stream);
	mtrace_put_uint(call->stream, MTRACE_CALL + number_of(call, true));
	mtrace_put_uint(call->stream, call->site);
}

void mpi_record_end(struct mpi_record_call *call, int code)
{
	struct mpi_record_rank *rank = mpi_record_rank_of(call);

	if (code != MPI_SUCCESS)
		note_failed(call, code);
	if (call->is_nested) {
		call->stream->n_records++;
		return;
	}
	rank->is_open = false;
	mtrace_record_end(call->stream);
	if (rank->aside.size > 0) {
		mtrace_put_bytes(call->stream, rank->aside.bytes, rank->aside.size);
		call->stream->n_records += rank->aside.n_records - 1;
		mtrace_record_end(call->stream);
		rank->aside.size = 0;
		rank->aside.n_records = 0;
	}
}

void mpi_record_doubt(struct mpi_record_call *call, enum mtrace_doubt kind)
{
	mtrace_writer_doubt(call->record->writer, kind, number_of(call, false), call->site,
			    call->me->rank, 1);
}

/* --- datatypes --- */

static bool is_predefined(MPI_Datatype type)
{
	return (uintptr_t)type <= MPI_HANDLE_PREDEFINED_MAX;
}

static bool is_shape(const struct mpi_record_shape *shape, const struct mpi_datatype *type)
{
	return shape->size_B == type->size_B && shape->extent_B == type->extent_B &&
	       shape->lb_B == type->lb_B && shape->true_lb_B == type->true_lb_B &&
	       shape->true_extent_B == type->true_extent_B &&
	       shape->is_contiguous == type->is_contiguous;
}

/* The id of the datatype's shape, UINT32_MAX: it has none yet. The last one asked for is tried
 * first. */
static uint32_t find_shape(struct mpi_record_rank *rank, const struct mpi_datatype *type)
{
	if (rank->last_shape < rank->n_shapes && is_shape(&rank->shapes[rank->last_shape], type))
		return rank->last_shape;
	for (uint32_t i = 0; i < rank->n_shapes; i++)
		if (is_shape(&rank->shapes[i], type))
			return rank->last_shape = i;
	return UINT32_MAX;
}

static uint32_t add_shape(struct mpi_record_rank *rank, const struct mpi_datatype *type)
{
	if (!util_array_room(&rank->shapes, (size_t)rank->n_shapes, sizeof *rank->shapes))
		return UINT32_MAX;
	rank->shapes[rank->n_shapes] = (struct mpi_record_shape){
	    .size_B = type->size_B,
	    .lb_B = type->lb_B,
	    .extent_B = type->extent_B,
	    .true_lb_B = type->true_lb_B,
	    .true_extent_B = type->true_extent_B,
	    .is_contiguous = type->is_contiguous,
	};
	return rank->last_shape = rank->n_shapes++;
}

void mpi_record_define(struct mpi_record_call *call, MPI_Datatype handle)
{
	struct mpi_record_rank *rank = mpi_record_rank_of(call);
	struct mpi_datatype *type =
	    is_predefined(handle) ? NULL : mpi_datatype_get(call->me, handle);
	struct mtrace_stream *s = call->stream;
	uint32_t id;

	if (!type || find_shape(rank, type) != UINT32_MAX)
		return;
	id = add_shape(rank, type);
	if (id == UINT32_MAX) {
		call->record->is_out_of_memory = true;
		return;
	}
	mtrace_put_uint(s, MTRACE_TYPE);
	mtrace_put_uint(s, id);
	mtrace_put_int(s, type->size_B);
	mtrace_put_int(s, type->lb_B);
	mtrace_put_int(s, type->extent_B);
	mtrace_put_int(s, type->true_lb_B);
	mtrace_put_int(s, type->true_extent_B);
	mtrace_put_byte(s, type->is_contiguous ? MTRACE_CONTIGUOUS : 0);
	mtrace_record_end(s);
}

void mpi_record_type(struct mpi_record_call *call, MPI_Datatype handle)
{
	struct mpi_datatype *type;
	uint64_t code = (uint64_t)(uintptr_t)handle;

	if (!is_predefined(handle)) {
		type = mpi_datatype_get(call->me, handle);
		code = type ? MTRACE_DERIVED + find_shape(mpi_record_rank_of(call), type)
			    : (uint64_t)(uintptr_t)MPI_DATATYPE_NULL;
	}
	mtrace_put_uint(call->stream, code);
}

/* --- other arguments --- */

void mpi_record_int(struct mpi_record_call *call, const struct mpi_parameter *p, int64_t value)
{
	mtrace_put_int(call->stream, value);
}

void mpi_record_buffer(struct mpi_record_call *call, const void *buf)
{
	enum mtrace_buffer kind = MTRACE_BUFFER;

	if (buf == MPI_IN_PLACE)
		kind = MTRACE_IN_PLACE;
	else if (buf == MPI_BOTTOM) /* is NULL */
		kind = MTRACE_BOTTOM;
	else if (buf == MPI_BUFFER_AUTOMATIC)
		kind = MTRACE_BUFFER_AUTOMATIC;
	mtrace_put_byte(call->stream, (unsigned char)kind);
}

void mpi_record_op(struct mpi_record_call *call, MPI_Op handle)
{
	uint64_t code = (uint64_t)(uintptr_t)handle;

	if (code > MPI_HANDLE_PREDEFINED_MAX) {
		struct mpi_op *op = mpi_op_get(call->me, handle);

		code = (uint64_t)(uintptr_t)MPI_OP_NULL;
		if (op)
			code = MTRACE_DERIVED + (op->is_commutative ? 1 : 0);
	}
	mtrace_put_uint(call->stream, code);
}

void mpi_record_comm(struct mpi_record_call *call, MPI_Comm comm)
{
	uint32_t id = MTRACE_COMM_NULL;

	if (comm == MPI_COMM_WORLD)
		id = MTRACE_COMM_WORLD;
	else if (comm == MPI_COMM_SELF)
		id = MTRACE_COMM_SELF;
	else if (mpi_comm_get(call->me, comm))
		id = mpi_record_id(call->record, (uintptr_t)comm);
	call->comm = id;
	mtrace_put_uint(call->stream, id);
}

void mpi_record_group(struct mpi_record_call *call, MPI_Group handle)
{
	const struct mpi_group *group = mpi_group_get(call->me, handle);
	int n = group ? group->size : 0;

	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mtrace_put_uint(call->stream, (uint64_t)mpi_group_world_rank(group, i));
}

void mpi_record_request(struct mpi_record_call *call, MPI_Request request)
{
	bool has_id = request != MPI_REQUEST_NULL &&
		      mpi_handle_object(call->me, KIND_REQUEST, (uintptr_t)request);

	mtrace_put_uint(call->stream, has_id ? mpi_record_id(call->record, (uintptr_t)request) : 0);
}

void mpi_record_requests(struct mpi_record_call *call, int n, const MPI_Request requests[])
{
	n = requests && n > 0 ? n : 0;
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++)
		mpi_record_request(call, requests[i]);
}

void mpi_record_message(struct mpi_record_call *call, MPI_Message message)
{
	uint32_t id = 0;

	if (message == MPI_MESSAGE_NO_PROC)
		id = 1;
	else if (message != MPI_MESSAGE_NULL)
		id = mpi_record_id(call->record, (uintptr_t)message);
	call->message = id;
	mtrace_put_uint(call->stream, id);
}

void mpi_record_source(struct mpi_record_call *call, int source, MPI_Comm comm)
{
	mtrace_put_int(call->stream, source);
	if (source != MPI_ANY_SOURCE)
		return;
	call->match = mtrace_position(call->stream);
	mtrace_put_match(call->stream, MTRACE_UNMATCHED, 0);
	if (mpi_record_n_peers(call->me, comm) >
	    2) /* of two processes only one is a sender, or the message is the rank's own */
		mpi_record_doubt(call, MTRACE_DOUBT_WILDCARD);
}

/* --- lengths --- */

int mpi_record_n_peers(const struct mpi_rank *me, MPI_Comm handle)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	return comm ? mpi_comm_n_peers(comm) : 0;
}

int mpi_record_n_members(const struct mpi_rank *me, MPI_Comm handle)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	return comm ? comm->size : 0;
}

int mpi_record_n_at_root(const struct mpi_rank *me, MPI_Comm handle, int root)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	if (!comm)
		return 0;
	return root == (comm->remote ? MPI_ROOT : comm->rank) ? mpi_comm_n_peers(comm) : 0;
}

int mpi_record_n_dims(const struct mpi_rank *me, MPI_Comm handle)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	return comm && comm->topology ? comm->topology->n_dims : 0;
}

int mpi_record_n_neighbours(const struct mpi_rank *me, MPI_Comm handle, bool is_out)
{
	const struct mpi_comm *comm = mpi_comm_get(me, handle);

	if (!comm || !comm->topology)
		return 0;
	return is_out ? mpi_topology_n_destinations(comm->topology, comm->rank)
		      : mpi_topology_n_sources(comm->topology, comm->rank);
}

/* --- what the call gave --- */

void mpi_record_new_request(struct mpi_record_call *call, const MPI_Request *request, int code)
{
	struct mpi_record_rank *rank = mpi_record_rank_of(call);
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *request != MPI_REQUEST_NULL) {
		id = mpi_record_number(&rank->requests, 1);
		mpi_record_set_id(call->record, (uintptr_t)*request, id);
	}
	mtrace_put_uint(call->stream, id);
	if (!id || !call->match)
		return;
	if (id >= rank->match_capacity) {
		uint32_t capacity = 2 * id + 16;
		uint64_t *matches = realloc(rank->matches, capacity * sizeof *matches);

		if (!matches) {
			call->record->is_out_of_memory = true;
			return;
		}
		memset(matches + rank->match_capacity, 0,
		       (capacity - rank->match_capacity) * sizeof *matches);
		rank->matches = matches;
		rank->match_capacity = capacity;
	}
	rank->matches[id] = call->match;
}

void mpi_record_new_comm(struct mpi_record_call *call, const MPI_Comm *comm, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) {
		id = mpi_record_number(&mpi_record_rank_of(call)->comms, MTRACE_COMM_FIRST);
		mpi_record_set_id(call->record, (uintptr_t)*comm, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_new_message(struct mpi_record_call *call, const MPI_Message *message, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *message == MPI_MESSAGE_NO_PROC) {
		id = 1;
	} else if (code == MPI_SUCCESS && *message != MPI_MESSAGE_NULL) {
		id = mpi_record_number(&mpi_record_rank_of(call)->messages, 2);
		mpi_record_set_id(call->record, (uintptr_t)*message, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_freed_comm(struct mpi_record_call *call, const MPI_Comm *comm)
{
	if (call->comm >= MTRACE_COMM_FIRST && *comm == MPI_COMM_NULL)
		mpi_record_free_number(&mpi_record_rank_of(call)->comms, call->comm);
}

void mpi_record_taken_message(struct mpi_record_call *call, const MPI_Message *message)
{
	if (call->message >= 2 && *message == MPI_MESSAGE_NULL)
		mpi_record_free_number(&mpi_record_rank_of(call)->messages, call->message);
}

void mpi_record_matched(struct mpi_record_call *call, const MPI_Status *status, int code)
{
	if (call->match && code == MPI_SUCCESS)
		mtrace_patch_match(call->stream, call->match, status->MPI_SOURCE, status->MPI_TAG);
}
