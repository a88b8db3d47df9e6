/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of real calls as they go into the trace: the values of this library become the ABI's.
 */
#include <stdlib.h>
#include <string.h>

#include "real/trace/trace.h"
#include "util/array.h"

/* Of the MPI 5.0 ABI, which the trace speaks. */
enum {
	ABI_ANY_SOURCE = -1,
	ABI_ANY_TAG = -2,
	ABI_PROC_NULL = -3,
	ABI_ROOT = -4,
	ABI_UNDEFINED = -32766,
	ABI_THREAD_FUNNELED = 1024,
	ABI_COMM_TYPE_SHARED = 221,
	ABI_OP_NULL = 0x20,
	ABI_DATATYPE_NULL = 0x200,
};

static int peer_of(int rank)
{
	if (rank == MPI_ANY_SOURCE)
		return ABI_ANY_SOURCE;
	if (rank == MPI_PROC_NULL)
		return ABI_PROC_NULL;
	return rank == MPI_ROOT ? ABI_ROOT : rank;
}

static int tag_of(int tag)
{
	return tag == MPI_ANY_TAG ? ABI_ANY_TAG : tag;
}

static int color_of(int color)
{
	return color == MPI_UNDEFINED ? ABI_UNDEFINED : color;
}

static int split_type_of(int type)
{
	if (type == MPI_COMM_TYPE_SHARED)
		return ABI_COMM_TYPE_SHARED;
	if (type != MPI_UNDEFINED)
		mpi_trace_refuse("called MPI_Comm_split_type with a type that a trace cannot hold");
	return ABI_UNDEFINED;
}

int mpi_trace_thread_level(int level)
{
	int above = (level > MPI_THREAD_SINGLE) + (level > MPI_THREAD_FUNNELED);

	return level > MPI_THREAD_SERIALIZED ? 4 * ABI_THREAD_FUNNELED
					     : above * ABI_THREAD_FUNNELED;
}

/* --- datatypes --- */

static uint32_t add_shape(const int64_t shape[6])
{
	struct mpi_record *r = &mpi_trace;

	if (!util_array_room(&r->shapes, (size_t)r->n_shapes, sizeof *r->shapes)) {
		mpi_trace_refuse("out of memory");
		return 0;
	}
	memcpy(r->shapes[r->n_shapes], shape, sizeof r->shapes[0]);
	return r->n_shapes++;
}

/* The number of the datatype's shape, a new one if it has none. Handles are used again for other
 * types, so it is asked for at every use. */
static uint32_t shape_of(MPI_Datatype type, bool *out_is_new)
{
	struct mpi_record *r = &mpi_trace;
	MPI_Count size, lb, extent, true_lb, true_extent;
	uint32_t i = 0;

	PMPI_Type_size_x(type, &size);
	PMPI_Type_get_extent_x(type, &lb, &extent);
	PMPI_Type_get_true_extent_x(type, &true_lb, &true_extent);

	int64_t shape[6] = {
	    size,    lb,	  extent,
	    true_lb, true_extent, size == extent && size == true_extent && lb == 0 && true_lb == 0};

	while (i < r->n_shapes && memcmp(r->shapes[i], shape, sizeof shape) != 0)
		i++;
	*out_is_new = i == r->n_shapes;
	return *out_is_new ? add_shape(shape) : i;
}

void mpi_record_define(struct mpi_record_call *call, MPI_Datatype type)
{
	bool is_new;
	uint32_t id;

	if (type == MPI_DATATYPE_NULL ||
	    mpi_trace_map_get(&mpi_trace.types, (uintptr_t)type) != MPI_TRACE_NONE)
		return;
	id = shape_of(type, &is_new);
	if (!is_new)
		return;
	mtrace_put_uint(call->stream, MTRACE_TYPE);
	mtrace_put_uint(call->stream, id);
	for (int i = 0; i < 5; i++)
		mtrace_put_int(call->stream, mpi_trace.shapes[id][i]);
	mtrace_put_byte(call->stream, mpi_trace.shapes[id][5] ? MTRACE_CONTIGUOUS : 0);
	mtrace_record_end(call->stream);
}

void mpi_record_type(struct mpi_record_call *call, MPI_Datatype type)
{
	uint32_t code = ABI_DATATYPE_NULL;
	bool is_new;

	if (type != MPI_DATATYPE_NULL)
		code = mpi_trace_map_get(&mpi_trace.types, (uintptr_t)type);
	if (code == MPI_TRACE_NONE)
		code = MTRACE_DERIVED + shape_of(type, &is_new);
	mtrace_put_uint(call->stream, code);
}

/* --- other arguments --- */

void mpi_record_buffer(struct mpi_record_call *call, const void *buf)
{
	enum mtrace_buffer kind = MTRACE_BUFFER;

	if (buf == MPI_IN_PLACE)
		kind = MTRACE_IN_PLACE;
	else if (buf == MPI_BOTTOM) /* is NULL */
		kind = MTRACE_BOTTOM;
	mtrace_put_byte(call->stream, (unsigned char)kind);
}

void mpi_record_op(struct mpi_record_call *call, MPI_Op op)
{
	uint32_t code = ABI_OP_NULL;
	int is_commutative = 0;

	if (op != MPI_OP_NULL) {
		code = mpi_trace_map_get(&mpi_trace.ops, (uintptr_t)op);
		if (code == MPI_TRACE_NONE) {
			PMPI_Op_commutative(op, &is_commutative);
			code = MTRACE_DERIVED + (is_commutative ? 1 : 0);
		}
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
	else if (comm != MPI_COMM_NULL)
		id = mpi_trace_map_get(&mpi_trace.comms, (uintptr_t)comm);
	if (id == MPI_TRACE_NONE) {
		mpi_trace_refuse("used a communicator whose making is not in the trace");
		id = MTRACE_COMM_NULL;
	}
	call->comm = id;
	mtrace_put_uint(call->stream, id);
}

void mpi_record_group(struct mpi_record_call *call, MPI_Group group)
{
	int n = 0;

	if (group != MPI_GROUP_NULL)
		PMPI_Group_size(group, &n);
	mtrace_put_uint(call->stream, (uint64_t)n);
	for (int i = 0; i < n; i++) {
		int rank;

		PMPI_Group_translate_ranks(group, 1, &i, mpi_trace.world, &rank);
		mtrace_put_uint(call->stream, (uint64_t)rank);
	}
}

void mpi_record_message(struct mpi_record_call *call, MPI_Message message)
{
	uint32_t id = 0;

	if (message == MPI_MESSAGE_NO_PROC)
		id = 1;
	else if (message != MPI_MESSAGE_NULL)
		id = mpi_trace_map_get(&mpi_trace.messages, (uintptr_t)message);
	call->message = id == MPI_TRACE_NONE ? 0 : id;
	mtrace_put_uint(call->stream, call->message);
}

void mpi_record_source(struct mpi_record_call *call, int source, MPI_Comm comm)
{
	mtrace_put_int(call->stream, peer_of(source));
	if (source != MPI_ANY_SOURCE)
		return;
	call->match = mtrace_position(call->stream);
	mtrace_put_match(call->stream, MTRACE_UNMATCHED, 0);
	if (mpi_record_n_peers(call->me, comm) > 2) /* of two only one is another */
		mpi_record_doubt(call, MTRACE_DOUBT_WILDCARD);
}

void mpi_record_index(struct mpi_record_call *call, int index)
{
	mtrace_put_int(call->stream, color_of(index));
}

/* Integers with values that each library chooses. */
void mpi_record_int(struct mpi_record_call *call, const struct mpi_parameter *p, int64_t value)
{
	if (p->kind == PARAMETER_RANK || p->kind == PARAMETER_ROOT)
		value = peer_of((int)value);
	else if (p->kind == PARAMETER_TAG)
		value = tag_of((int)value);
	else if (strcmp(p->name, "color") == 0)
		value = color_of((int)value);
	else if (strcmp(p->name, "split_type") == 0)
		value = split_type_of((int)value);
	else if (strcmp(p->name, "assert") == 0)
		value = mpi_trace_assertion((int)value);
	else if (strcmp(p->name, "lock_type") == 0)
		value = mpi_trace_lock_type((int)value);
	mtrace_put_int(call->stream, value);
}

/* Nothing that a real run's trace has is about sessions. */
void mpi_record_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			union mpi_value value)
{
}

void mpi_record_given_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			      const void *place, int code)
{
}

/* --- what the call gave --- */

void mpi_record_new_comm(struct mpi_record_call *call, const MPI_Comm *comm, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) {
		id = mpi_record_number(&mpi_trace.comm_numbers, MTRACE_COMM_FIRST);
		mpi_trace_map_set(&mpi_trace.comms, (uintptr_t)*comm, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_new_message(struct mpi_record_call *call, const MPI_Message *message, int code)
{
	uint32_t id = 0;

	if (code == MPI_SUCCESS && *message == MPI_MESSAGE_NO_PROC) {
		id = 1;
	} else if (code == MPI_SUCCESS && *message != MPI_MESSAGE_NULL) {
		id = mpi_record_number(&mpi_trace.message_numbers, 2);
		mpi_trace_map_set(&mpi_trace.messages, (uintptr_t)*message, id);
	}
	mtrace_put_uint(call->stream, id);
}

void mpi_record_freed_comm(struct mpi_record_call *call, const MPI_Comm *comm)
{
	if (call->comm >= MTRACE_COMM_FIRST && *comm == MPI_COMM_NULL)
		mpi_record_free_number(&mpi_trace.comm_numbers, call->comm);
}

void mpi_record_taken_message(struct mpi_record_call *call, const MPI_Message *message)
{
	if (call->message >= 2 && *message == MPI_MESSAGE_NULL)
		mpi_record_free_number(&mpi_trace.message_numbers, call->message);
}

void mpi_record_matched(struct mpi_record_call *call, const MPI_Status *status, int code)
{
	if (call->match && code == MPI_SUCCESS)
		mtrace_patch_match(call->stream, call->match, status->MPI_SOURCE, status->MPI_TAG);
}
