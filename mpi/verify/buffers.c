/* SPDX-License-Identifier: BSD-3-Clause */
/* Which memory the arguments of a call are, by the table of functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/topology.h"
#include "mpi/datatype/typemap.h"
#include "mpi/verify/memory.h"
#include "util/array.h"

int mpi_memory_parameter(const struct mpi_call_info *info, int kind)
{
	for (int i = 0; i < info->n_parameters; i++)
		if ((int)info->parameters[i].kind == kind)
			return i;
	return -1;
}

bool mpi_memory_is_split(const struct mpi_call_info *info)
{
	return info->holds && strcmp(info->holds, "end") == 0;
}

bool mpi_memory_is_communication(const struct mpi_call_info *info)
{
	return mpi_memory_parameter(info, PARAMETER_BUFFER) >= 0 &&
	       (!info->holds || strcmp(info->holds, "epoch") == 0 || mpi_memory_is_split(info)) &&
	       strncmp(info->name, "MPI_Pack", 8) != 0 &&
	       strncmp(info->name, "MPI_Unpack", 10) != 0 && strncmp(info->name, "MPI_Abi", 7) != 0;
}

/* --- how many --- */

struct arguments {
	const struct mpi_verify_call *call;
	const struct mpi_call_info *info;
	const struct mpi_comm *comm; /* NULL: the call has none */
	bool is_root;
	/* which parameters they are, of mpi_memory_collect; -1: there is none */
	int at_comm, at_op, at_tag, at_peers[2];
	int n_buffers;
	bool is_in_place; /* one of them is MPI_IN_PLACE */
};

static int64_t item(const struct arguments *a, int place, MPI_Count i)
{
	const struct mpi_parameter *p = &a->info->parameters[place];
	union mpi_value value = mpi_memory_argument(a->call, place);

	if (!p->is_array)
		return value.i;
	if (!value.p)
		return 0;
	return p->is_wide ? ((const int64_t *)value.p)[i] : ((const int *)value.p)[i];
}

static MPI_Count neighbours(const struct mpi_comm *comm, bool are_sources)
{
	if (!comm || !comm->topology)
		return 0;
	return are_sources ? mpi_topology_n_sources(comm->topology, comm->rank)
			   : mpi_topology_n_destinations(comm->topology, comm->rank);
}

/* The last item of indx. */
static MPI_Count n_edges(const struct arguments *a)
{
	int place = a->info->at[MPI_ARG_INDX] - 1;
	int64_t n_nodes = item(a, a->info->parameters[place].extent_from, 0);

	return n_nodes > 0 ? item(a, place, n_nodes - 1) : 0;
}

static MPI_Count extent_of(const struct arguments *a, const struct mpi_parameter *p)
{
	MPI_Count n_peers = a->comm ? mpi_comm_n_peers(a->comm) : 0;

	switch (p->extent) {
	case EXTENT_ONE:
		return 1;
	case EXTENT_PARAMETER:
		return item(a, p->extent_from, 0);
	case EXTENT_PEERS:
	case EXTENT_SEND_PEERS:
		return n_peers;
	case EXTENT_ROOT_PEERS:
		return a->is_root ? n_peers : 0;
	case EXTENT_AT_ROOT:
		return a->is_root;
	case EXTENT_MEMBERS:
		return a->comm ? a->comm->size : 0;
	case EXTENT_IN_NEIGHBOURS:
		return neighbours(a->comm, true);
	case EXTENT_OUT_NEIGHBOURS:
		return neighbours(a->comm, false);
	case EXTENT_DIMS:
		return a->comm && a->comm->topology ? a->comm->topology->n_dims : 0;
	case EXTENT_GRAPH_EDGES:
		return n_edges(a);
	default:
		return 0;
	}
}

MPI_Count mpi_memory_length(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			    const struct mpi_parameter *p)
{
	return extent_of(
	    &(struct arguments){.call = call, .info = mpi_memory_info(call), .comm = comm}, p);
}

static const struct mpi_datatype *type_of(const struct arguments *a, const struct mpi_parameter *p,
					  MPI_Count i)
{
	union mpi_value value;

	if (p->type < 0)
		return mpi_datatype_get(a->call->me, MPI_BYTE);
	value = mpi_memory_argument(a->call, p->type);
	if (a->info->parameters[(int)p->type].is_array)
		return value.p ? mpi_datatype_get(a->call->me, ((const MPI_Datatype *)value.p)[i])
			       : NULL;
	return mpi_datatype_get(a->call->me, (MPI_Datatype)(uintptr_t)value.p);
}

/* --- where --- */

static void add_run(void *context, uintptr_t at, size_t size_B)
{
	struct mpi_memory_buffer *buffer = context;
	struct mpi_memory_run *last = buffer->n_runs ? &buffer->runs[buffer->n_runs - 1] : NULL;

	if (size_B == 0)
		return;
	buffer->size_B += size_B;
	if (at < buffer->low || buffer->low == buffer->high)
		buffer->low = at;
	if (at + size_B > buffer->high)
		buffer->high = at + size_B;
	if (last && last->at + last->size_B == at) {
		last->size_B += size_B;
		return;
	}
	buffer->is_shuffled |= last && at < last->at + last->size_B;
	if (!util_array_room(&buffer->runs, buffer->n_runs, sizeof *buffer->runs))
		return;
	buffer->runs[buffer->n_runs++] = (struct mpi_memory_run){at, size_B};
}

/* By addresses, as a rule: MPI_Type_create_struct, _hindexed, _hindexed_block. */
static bool is_struct(const struct mpi_datatype *type)
{
	while (type && type->map && type->map->kind != MAP_STRUCT &&
	       !(type->contents && (type->contents->combiner == MPI_COMBINER_HINDEXED ||
				    type->contents->combiner == MPI_COMBINER_HINDEXED_BLOCK)))
		type = type->map->child;
	return type && type->map;
}

static void add_items(const struct arguments *a, const struct mpi_parameter *p, MPI_Count i,
		      int64_t offset_B, MPI_Count count, struct mpi_memory_buffer *out)
{
	const struct mpi_datatype *type = type_of(a, p, i);

	if (type && type->n_elements > 0 && type->size_B % type->n_elements == 0)
		out->element_B = (size_t)(type->size_B / type->n_elements);
	if (out->n_items == 0) {
		out->type = type;
		out->first_item = out->base + (uintptr_t)offset_B;
		out->n_items = count;
	} else if (type != out->type) {
		out->type = NULL;
	}
	out->is_raw |= type && type->basic == BASIC_BYTE;
	out->is_struct |= type && type->map && is_struct(type);
	if (type && count > 0 && (type->is_committed || type->is_predefined))
		mpi_datatype_runs(type, (const char *)out->base + offset_B, count, add_run, out);
}

void mpi_memory_part(const struct mpi_memory_buffer *whole, MPI_Count first, MPI_Count count,
		     struct mpi_memory_buffer *out)
{
	*out = *whole;
	out->runs = NULL;
	out->n_runs = out->size_B = 0;
	out->low = out->high = 0;
	out->first_item += (uintptr_t)(first * whole->type->extent_B);
	out->n_items = count;
	mpi_datatype_runs(whole->type, (const char *)out->first_item, count, add_run, out);
	out->read_low = out->low;
	out->read_high = out->high;
}

/* A block for each item of the array of counts. */
static void add_blocks(const struct arguments *a, const struct mpi_parameter *p,
		       struct mpi_memory_buffer *out)
{
	MPI_Count n = extent_of(a, &a->info->parameters[(int)p->count]);
	bool in_bytes = p->type >= 0 && a->info->parameters[(int)p->type].is_array;

	for (MPI_Count i = 0; i < n; i++) {
		const struct mpi_datatype *type = type_of(a, p, i);
		int64_t unit_B = in_bytes || !type ? 1 : type->extent_B;

		add_items(a, p, i, item(a, p->displs, i) * unit_B, item(a, p->count, i), out);
	}
}

static void add_all(const struct arguments *a, const struct mpi_parameter *p,
		    struct mpi_memory_buffer *out)
{
	MPI_Count count = 1;

	if (p->displs >= 0) {
		add_blocks(a, p, out);
		return;
	}
	if (p->count >= 0 && a->info->parameters[(int)p->count].is_array) {
		MPI_Count n = extent_of(a, &a->info->parameters[(int)p->count]);

		count = 0;
		if (p->is_own)
			count = a->comm ? item(a, p->count, a->comm->rank) : 0;
		for (MPI_Count i = 0; !p->is_own && i < n; i++)
			count += item(a, p->count, i);
	} else if (p->count >= 0) {
		count = item(a, p->count, 0);
	}
	add_items(a, p, 0, 0, count * extent_of(a, p), out);
}

/* --- which --- */

static void look_through(struct arguments *a)
{
	a->at_comm = a->at_op = a->at_tag = a->at_peers[0] = a->at_peers[1] = -1;
	for (int i = 0; i < a->info->n_parameters; i++)
		switch (a->info->parameters[i].kind) {
		case PARAMETER_BUFFER:
			a->n_buffers++;
			a->is_in_place |= mpi_memory_argument(a->call, i).p == MPI_IN_PLACE;
			break;
		case PARAMETER_COMM:
			a->at_comm = a->at_comm < 0 ? i : a->at_comm;
			break;
		case PARAMETER_OP:
			a->at_op = i;
			break;
		case PARAMETER_RANK:
			a->at_peers[a->at_peers[0] >= 0] = i;
			break;
		case PARAMETER_TAG:
			a->at_tag = a->at_tag < 0 ? i : a->at_tag;
			break;
		default:
			break;
		}
}

static void describe(const struct arguments *a, struct mpi_memory_buffer *buffer)
{
	const struct mpi_parameter *parameters = a->info->parameters;
	int peer = a->at_peers[0], tag = a->at_tag;

	if (a->n_buffers > 1)
		buffer->known.name = parameters[buffer->place].name;
	if (peer >= 0) {
		buffer->known.peer = parameters[peer].name;
		buffer->known.rank = item(a, peer, 0);
	}
	buffer->known.has_tag = tag >= 0;
	if (tag >= 0)
		buffer->known.tag = item(a, tag, 0);
}

const char *mpi_memory_text(const struct mpi_memory_buffer *buffer, char text[MEMORY_TEXT_B])
{
	const char *peer = buffer->known.peer;
	size_t n =
	    (size_t)snprintf(text, MEMORY_TEXT_B, "%s of %s (%zu byte%s",
			     buffer->known.name ? buffer->known.name : "the buffer",
			     buffer->call.function, buffer->size_B, buffer->size_B == 1 ? "" : "s");

	if (peer)
		n += (size_t)snprintf(text + n, MEMORY_TEXT_B - n, ", %s %lld",
				      strcmp(peer, "target_rank") == 0 ? "target" : peer,
				      (long long)buffer->known.rank);
	if (buffer->known.has_tag)
		n += (size_t)snprintf(text + n, MEMORY_TEXT_B - n, ", tag %lld",
				      (long long)buffer->known.tag);
	snprintf(text + n, MEMORY_TEXT_B - n, ")");
	return text;
}

/* Nothing moves where the partner is nobody or there is no message; what the root alone looks at is
 * told by the extents. */
static bool is_idle(const struct arguments *a, const struct mpi_parameter *p)
{
	/* of the two peers of a call, send buffers go to the first */
	bool is_second = a->at_peers[1] >= 0 && p->direction == MPI_ARGUMENT_OUT;

	if (a->info->kind == MPI_CALL_MRECV) {
		const MPI_Message *message = mpi_verify_value(a->call, MPI_ARG_MESSAGE).p;

		return message && *message == MPI_MESSAGE_NO_PROC;
	}
	return a->at_peers[0] >= 0 && item(a, a->at_peers[is_second], 0) == MPI_PROC_NULL;
}

/* The origin's data of an operation that only fetches (§12.3.4). */
static bool is_ignored(const struct arguments *a, const struct mpi_parameter *p)
{
	return a->at_op >= 0 && p->direction == MPI_ARGUMENT_IN &&
	       mpi_memory_argument(a->call, a->at_op).p == MPI_NO_OP;
}

/* Of a receive buffer that takes the place of the send buffer, too: the block of the rank alone is read. */
static bool limit_to_own(const struct arguments *a, const struct mpi_parameter *p,
			 struct mpi_memory_buffer *buffer)
{
	struct mpi_memory_buffer own = {.base = buffer->base};
	const struct mpi_datatype *type = type_of(a, p, 0);
	int rank = a->comm ? a->comm->rank : 0;

	if (type && p->displs >= 0)
		add_items(a, p, rank, item(a, p->displs, rank) * type->extent_B,
			  item(a, p->count, rank), &own);
	else if (type)
		add_items(a, p, 0, rank * item(a, p->count, 0) * type->extent_B,
			  item(a, p->count, 0), &own);
	buffer->read_low = own.low;
	buffer->read_high = own.high;
	free(own.runs);
	return own.size_B > 0;
}

static unsigned use_of(const struct arguments *a, const struct mpi_parameter *p,
		       struct mpi_memory_buffer *buffer)
{
	unsigned use = (unsigned)p->direction; /* the same bits */

	buffer->read_low = buffer->low;
	buffer->read_high = buffer->high;
	if (p->direction == MPI_ARGUMENT_INOUT && a->info->root >= 0) /* of a broadcast */
		return a->is_root ? MEMORY_READ : MEMORY_WRITE;
	if (!a->is_in_place || p->direction != MPI_ARGUMENT_OUT)
		return use;
	if (a->info->in_place == IN_PLACE_UNREAD) /* the root's block stays where it is */
		return use;
	if (a->info->in_place == IN_PLACE_BLOCK && !limit_to_own(a, p, buffer))
		return use;
	return use | MEMORY_READ;
}

/* False: the rank takes no part. Between two groups the root and who is with it say so (§6.2.2). */
static bool find_root(struct arguments *a)
{
	int64_t root = item(a, a->info->root, 0);

	a->is_root = root == a->comm->rank;
	if (!a->comm->remote)
		return true;
	a->is_root = root == MPI_ROOT;
	return root != MPI_PROC_NULL;
}

/* At the root of an intercommunicator: what it would give to itself, or take. */
static bool is_of_other_group(const struct arguments *a, const struct mpi_parameter *p)
{
	enum mpi_extent extent = p->extent;

	if (!a->comm || !a->comm->remote || a->info->root < 0 || !a->is_root ||
	    p->direction == MPI_ARGUMENT_INOUT)
		return false;
	if (extent == EXTENT_ONE && p->count >= 0)
		extent = a->info->parameters[p->count].extent;
	return extent != EXTENT_ROOT_PEERS && extent != EXTENT_AT_ROOT; /* what only the root has */
}

/* Where the receive buffer has what the send buffer would have, that may be more than what comes: all blocks. */
static const struct mpi_parameter *shape_of(const struct arguments *a,
					    const struct mpi_parameter *p)
{
	if (!a->is_in_place || a->info->in_place != IN_PLACE_ALL)
		return p;
	for (int i = 0; i < a->info->n_parameters; i++)
		if (a->info->parameters[i].kind == PARAMETER_BUFFER &&
		    a->info->parameters[i].direction == MPI_ARGUMENT_IN)
			return &a->info->parameters[i];
	return p;
}

static void take(const struct arguments *a, int place, struct mpi_memory_buffers *out)
{
	const struct mpi_parameter *p = &a->info->parameters[place];
	const void *given = mpi_memory_argument(a->call, place).p;
	struct mpi_memory_buffer *buffer = &out->buffers[out->n];

	if (given == MPI_IN_PLACE || pd_memory_is_absent(given) || pd_memory_is_device(given) ||
	    is_idle(a, p) || is_ignored(a, p) || is_of_other_group(a, p))
		return;
	*buffer =
	    (struct mpi_memory_buffer){.place = place, .base = (uintptr_t)given, .element_B = 1};
	add_all(a, shape_of(a, p), buffer);
	if (buffer->size_B == 0 || buffer->low < MPI_ABSOLUTE_ADDRESS_MIN ||
	    pd_memory_is_absent((const void *)buffer->low)) {
		free(buffer->runs);
		return;
	}
	buffer->use = use_of(a, p, buffer);
	buffer->call = (struct mpi_finding_call){a->call->me->rank, a->call->function->name,
						 a->call->me->pd->site};
	out->n++;
}

void mpi_memory_collect(const struct mpi_verify_call *call, struct mpi_memory_buffers *out)
{
	struct arguments a = {.call = call, .info = mpi_memory_info(call)};

	out->n = 0;
	look_through(&a);
	if (a.n_buffers == 0)
		return;
	if (a.at_comm >= 0 && !a.info->parameters[a.at_comm].is_place)
		a.comm = mpi_comm_get(call->me,
				      (MPI_Comm)(uintptr_t)mpi_memory_argument(call, a.at_comm).p);
	if (a.info->root >= 0 && a.comm && !find_root(&a))
		return;
	for (int i = 0; i < a.info->n_parameters && out->n < MEMORY_MAX_BUFFERS; i++)
		if (a.info->parameters[i].kind == PARAMETER_BUFFER)
			take(&a, i, out);
	for (int i = 0; i < out->n; i++)
		describe(&a, &out->buffers[i]);
}

void mpi_memory_buffer_finish(struct mpi_memory_buffer *buffer)
{
	free(buffer->runs);
	buffer->runs = NULL;
}

static bool ends_before(const void *item, const void *at)
{
	const struct mpi_memory_run *run = item;

	return run->at + run->size_B <= *(const uintptr_t *)at;
}

/* The first run, of ascending ones, that ends behind `at`. */
static size_t first_behind(const struct mpi_memory_buffer *buffer, uintptr_t at)
{
	return util_count_before(buffer->runs, buffer->n_runs, sizeof *buffer->runs, ends_before,
				 &at);
}

size_t mpi_memory_common_range(const struct mpi_memory_buffer *buffer, uintptr_t at, size_t size_B,
			       int64_t *first)
{
	size_t n = 0, i;

	if (at >= buffer->high || at + size_B <= buffer->low)
		return 0;
	for (i = buffer->is_shuffled ? 0 : first_behind(buffer, at); i < buffer->n_runs; i++) {
		const struct mpi_memory_run *run = &buffer->runs[i];
		uintptr_t begin = run->at > at ? run->at : at;
		uintptr_t end =
		    run->at + run->size_B < at + size_B ? run->at + run->size_B : at + size_B;

		if (!buffer->is_shuffled && run->at >= at + size_B)
			break;
		if (begin >= end)
			continue;
		if (n == 0 || (int64_t)(begin - mpi_memory_origin(buffer)) < *first)
			*first = (int64_t)(begin - mpi_memory_origin(buffer));
		n += end - begin;
	}
	return n;
}

size_t mpi_memory_common(const struct mpi_memory_buffer *a, const struct mpi_memory_buffer *b,
			 int64_t *first)
{
	size_t n = 0;
	int64_t at = 0;

	if (a->low >= b->high || b->low >= a->high)
		return 0;
	for (size_t i = 0; i < b->n_runs; i++) {
		size_t more = mpi_memory_common_range(a, b->runs[i].at, b->runs[i].size_B, &at);

		if (more > 0 && (n == 0 || at < *first))
			*first = at;
		n += more;
	}
	return n;
}
