/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/coll/ideal.h"
#include "mpi/coll/rounds.h"
#include "netmodel/model.h"
#include "netmodel/topology.h"
#include "tests/mpi/coll/fake.h"

struct fake_world fake;
static const struct cluster free_of_charge;

/* --- objects --- */

struct fake_datatype {
	struct mpi_datatype base;
	int n_elements;
	MPI_Aint offsets[3];
};

static struct fake_datatype types[] = {
    [FAKE_INT] =
	{{.handle = MPI_INT, .is_contiguous = true, .size_B = 4, .extent_B = 4, .true_extent_B = 4},
	 1,
	 {0}},
    [FAKE_TRIPLE] = {{.handle = (MPI_Datatype)0x10001,
		      .is_contiguous = true,
		      .size_B = 12,
		      .extent_B = 12,
		      .true_extent_B = 12},
		     3,
		     {0, 4, 8}},
    [FAKE_GAPPY] = {{.handle = (MPI_Datatype)0x10002,
		     .size_B = 12,
		     .extent_B = 28,
		     .true_lb_B = 4,
		     .true_extent_B = 20},
		    3,
		    {4, 12, 20}},
    /* starts before its address, and its elements are not in order of address */
    [FAKE_SHIFTED] = {{.handle = (MPI_Datatype)0x10003,
		       .size_B = 12,
		       .lb_B = -12,
		       .extent_B = 24,
		       .true_lb_B = -8,
		       .true_extent_B = 16},
		      3,
		      {4, -8, 0}},
};

static struct mpi_datatype byte_type = {
    .handle = MPI_BYTE, .is_contiguous = true, .size_B = 1, .extent_B = 1, .true_extent_B = 1};
static struct mpi_op ops[] = {
    [FAKE_SUM] = {.handle = MPI_SUM, .is_commutative = true},
    [FAKE_SUM_IN_ORDER] = {.handle = (MPI_Op)0x20001},
    [FAKE_JOIN] = {.handle = (MPI_Op)0x20002},
    [FAKE_REPLACE] = {.handle = MPI_REPLACE},
};

MPI_Datatype fake_type_handle(enum fake_type type)
{
	return types[type].base.handle;
}

struct mpi_datatype *fake_type(enum fake_type type)
{
	return &types[type].base;
}

int fake_n_elements(enum fake_type type)
{
	return types[type].n_elements;
}

MPI_Op fake_op_handle(enum fake_op op)
{
	return ops[op].handle;
}

int *fake_element(enum fake_type type, char *buf, int64_t item, int element)
{
	return (int *)(buf + item * types[type].base.extent_B + types[type].offsets[element]);
}

struct mpi_datatype *mpi_datatype_get(const struct mpi_rank *me, MPI_Datatype handle)
{
	if (handle == MPI_BYTE)
		return &byte_type;
	for (int i = 0; i < N_FAKE_TYPES; i++)
		if (types[i].base.handle == handle)
			return &types[i].base;
	return NULL;
}

static void marshal(const struct mpi_datatype *type, char *buf, MPI_Count count, char *packed,
		    MPI_Count size_B, bool packs)
{
	const struct fake_datatype *layout = (const void *)type;
	MPI_Count n_units = type == &byte_type ? size_B : size_B / 4,
		  unit_B = type == &byte_type ? 1 : 4;

	for (MPI_Count i = 0; i < n_units; i++) {
		char *at = buf + i;

		if (type != &byte_type)
			at = buf + i / layout->n_elements * type->extent_B +
			     layout->offsets[i % layout->n_elements];
		memcpy(packs ? packed + i * unit_B : at, packs ? at : packed + i * unit_B,
		       (size_t)unit_B);
	}
}

void mpi_datatype_pack(const struct mpi_datatype *type, const void *buf, MPI_Count count,
		       void *packed)
{
	marshal(type, (char *)buf, count, packed, count * type->size_B, true);
}

void mpi_datatype_unpack(const struct mpi_datatype *type, void *buf, MPI_Count count,
			 const void *packed, MPI_Count size_B)
{
	marshal(type, buf, count, (char *)packed, size_B, false);
}

struct mpi_op *mpi_op_get(const struct mpi_rank *me, MPI_Op handle)
{
	for (int i = 0; i < N_FAKE_OPS; i++)
		if (ops[i].handle == handle)
			return &ops[i];
	return NULL;
}

bool mpi_op_accepts(const struct mpi_op *op, const struct mpi_datatype *type)
{
	return op != &ops[FAKE_JOIN] || type != &types[FAKE_INT].base;
}

void mpi_op_apply(struct mpi_rank *me, const struct mpi_op *op, const struct mpi_datatype *type,
		  const void *in, void *inout, MPI_Count count)
{
	enum fake_type t =
	    (enum fake_type)((const struct fake_datatype *)(const void *)type - types);

	if (pd_memory_is_absent(in) || pd_memory_is_absent(inout))
		return;
	for (MPI_Count i = 0; i < count; i++) {
		if (op != &ops[FAKE_JOIN]) {
			for (int e = 0; e < types[t].n_elements; e++)
				*fake_element(t, inout, i, e) += *fake_element(t, (char *)in, i, e);
			continue;
		}
		*fake_element(t, inout, i, 2) &=
		    *fake_element(t, (char *)in, i, 2) &&
		    *fake_element(t, (char *)in, i, 1) == *fake_element(t, inout, i, 0);
		*fake_element(t, inout, i, 0) = *fake_element(t, (char *)in, i, 0);
	}
}

void *mpi_handle_object(const struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle)
{
	return NULL; /* MPI_COMM_WORLD is all there is */
}

/* --- errors and memory --- */

int mpi_raise(struct mpi_rank *me, struct mpi_comm *comm, int error_class, const char *format, ...)
{
	fake.raised = error_class;
	return error_class;
}

void pd_fail(struct pd_rank *rank, enum pd_failure_kind kind, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	abort();
}

char *pd_describe_site(const struct pd_world *world, const void *site, char *buf, size_t size)
{
	(void)world;
	snprintf(buf, size, "%p", site);
	return buf;
}

int mpi_check_buffer(struct mpi_rank *me, struct mpi_comm *comm, const void *buf, MPI_Count count,
		     MPI_Datatype handle, struct mpi_datatype **out_type)
{
	struct mpi_datatype *type = mpi_datatype_get(me, handle);

	if (count < 0)
		return mpi_raise(me, comm, MPI_ERR_COUNT, "count");
	if (!type)
		return mpi_raise(me, comm, MPI_ERR_TYPE, "type");
	if (!buf && count > 0)
		return mpi_raise(me, comm, MPI_ERR_BUFFER, "buf");
	*out_type = type;
	return MPI_SUCCESS;
}

/* --- messages --- */

static struct mpi_request *post(struct mpi_rank *me, enum mpi_request_kind kind, const void *buf,
				MPI_Count count, struct mpi_datatype *type, int peer, int tag)
{
	struct mpi_request *request = calloc(1, sizeof *request);

	fake.n_requests++;
	fake.n_present += count > 0 && !pd_memory_is_absent(buf);
	*request = (struct mpi_request){.kind = kind,
					.state = REQUEST_PENDING,
					.owner = me,
					.type = type,
					.buf = (void *)buf,
					.count = count,
					.peer = peer,
					.tag = tag};
	return request;
}

static void transfer(struct mpi_request *send, struct mpi_request *recv)
{
	MPI_Count size_B = send->count * send->type->size_B,
		  room_B = recv->count * recv->type->size_B;
	char *packed = malloc((size_t)size_B + 1);

	if (size_B > room_B) {
		recv->status.MPI_ERROR = MPI_ERR_TRUNCATE;
		size_B = room_B;
	}
	if (!pd_memory_is_absent(send->buf))
		mpi_datatype_pack(send->type, send->buf, send->count, packed);
	if (!pd_memory_is_absent(send->buf) && !pd_memory_is_absent(recv->buf))
		mpi_datatype_unpack(recv->type, recv->buf, recv->count, packed, size_B);
	free(packed);
	send->state = recv->state = REQUEST_COMPLETE;
	fake.n_messages++;
}

/* The oldest counterpart, or the end of the list of unmatched ones. */
static struct mpi_request *match_or_queue(struct mpi_request *request)
{
	struct mpi_request **at = &fake.unmatched;

	for (; *at; at = &(*at)->next) {
		struct mpi_request *other = *at;

		if (other->kind != request->kind && other->tag == request->tag &&
		    other->owner->rank == request->peer && other->peer == request->owner->rank) {
			*at = other->next;
			transfer(request->kind == REQUEST_SEND ? request : other,
				 request->kind == REQUEST_SEND ? other : request);
			return request;
		}
	}
	*at = request;
	return request;
}

struct mpi_request *mpi_send_start(struct mpi_rank *me, const void *buf, MPI_Count count,
				   struct mpi_datatype *type, int dest, int tag,
				   struct mpi_comm *comm, enum mpi_send_mode mode,
				   enum mpi_channel channel)
{
	return match_or_queue(post(me, REQUEST_SEND, buf, count, type, dest, tag));
}

struct mpi_request *mpi_recv_start(struct mpi_rank *me, void *buf, MPI_Count count,
				   struct mpi_datatype *type, int source, int tag,
				   struct mpi_comm *comm, enum mpi_channel channel)
{
	return match_or_queue(post(me, REQUEST_RECV, buf, count, type, source, tag));
}

void mpi_request_destroy(struct mpi_rank *me, struct mpi_request *request)
{
	if (request->kind == REQUEST_COLL) {
		util_pool_put(&me->world->requests, request);
		return;
	}
	fake.n_requests--;
	free(request);
}

void mpi_requests_wait(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any)
{
	abort(); /* ranks are stepped */
}

/* Rounds that run apart need the simulator: here none do. */
bool mpi_coll_can_run_apart(const struct mpi_rank *me, const struct mpi_coll *coll)
{
	return false;
}

void mpi_coll_run_apart(struct mpi_rank *me, struct mpi_coll *coll)
{
	abort();
}

bool mpi_send_small(struct mpi_rank *me, const void *buf, MPI_Count count,
		    struct mpi_datatype *type, int dest, int tag, struct mpi_comm *comm)
{
	abort();
}

void mpi_recv_again(struct mpi_rank *me, struct mpi_request *recv, void *buf, MPI_Count count,
		    struct mpi_datatype *type, int source, int tag)
{
	abort();
}

/* --- collectives by formula: everything takes no time, and happens between two steps --- */

void mpi_request_fail_memory(const struct mpi_rank *me)
{
	abort();
}

void mpi_request_complete(struct mpi_request *request, int error_class)
{
	request->state = REQUEST_COMPLETE;
}

void mpi_comm_destroy(struct mpi_rank *me, struct mpi_comm *comm)
{
	abort(); /* nobody frees it */
}

struct net_minimum net_transfer_minimum(const struct cluster *cluster, int is_within_node,
					int64_t size_B)
{
	return (struct net_minimum){.latency_s = 0};
}

double net_topology_most_delay_s(const struct cluster *cluster)
{
	return 0;
}

void sim_task_sleep(struct sim_task *task, sim_time_ps duration)
{
	abort(); /* there is no overhead */
}

int sim_queue_push_slot(struct sim_queue *queue, struct sim_event *event, sim_time_ps time)
{
	event->next = fake.due;
	fake.due = event;
	return 0;
}

void sim_queue_cancel(struct sim_queue *queue, struct sim_event *event)
{
	abort();
}

static bool fire_one(void)
{
	struct sim_event *event = fake.due;

	if (!event)
		return false;
	fake.due = event->next;
	event->fire(event);
	return true;
}

void fake_finish(void)
{
	mpi_meetings_destroy(&fake.world);
	fake.due = NULL;
	util_pool_finish(&fake.world.requests);
}

/* --- running --- */

static int node_of(int rank, enum fake_layout layout)
{
	switch (layout) {
	case FAKE_BLOCKS:
		return rank / 3;
	case FAKE_CYCLIC:
		return rank % 3;
	case FAKE_SCATTERED:
		return rank * rank % 7;
	default:
		return rank;
	}
}

void fake_begin(int n_ranks, enum fake_layout layout)
{
	mpi_nodes_destroy(fake.group.nodes);
	fake_finish();
	memset(&fake, 0, sizeof fake);
	fake.n_ranks = n_ranks;
	fake.pd.cluster = &free_of_charge;
	util_pool_init(&fake.world.requests, sizeof(struct mpi_request));
	fake.world.pd = &fake.pd;
	fake.world.n_ranks = n_ranks;
	fake.world.ranks = fake.ranks;
	fake.group = (struct mpi_group){.size = n_ranks, .stride = 1};
	for (int i = 0; i < n_ranks; i++) {
		fake.pd_ranks[i].node = node_of(i, layout);
		fake.ranks[i] = (struct mpi_rank){.rank = i,
						  .world = &fake.world,
						  .pd = &fake.pd_ranks[i],
						  .endpoint = &fake.endpoints[i],
						  .comm_world = &fake.comms[i]};
		fake.comms[i] = (struct mpi_comm){.handle = MPI_COMM_WORLD,
						  .rank = i,
						  .size = n_ranks,
						  .group = &fake.group,
						  .peers = &fake.group};
	}
}

static bool can_continue(const struct mpi_coll *coll)
{
	for (int i = 0; i < coll->n_posted; i++)
		if (coll->posted[i]->state != REQUEST_COMPLETE)
			return false;
	return true;
}

/* An operation that does not end, with what it waits for. */
static void drop(struct mpi_rank *me, struct mpi_coll *coll)
{
	for (int i = 0; i < coll->n_posted; i++)
		mpi_request_destroy(me, coll->posted[i]);
	fake.unmatched = NULL;
	mpi_coll_finish(coll);
}

void fake_run(const struct mpi_coll_args args[], unsigned int seed, int out_errors[])
{
	struct mpi_coll colls[FAKE_MAX_RANKS];
	bool has_begun[FAKE_MAX_RANKS] = {false}, has_ended[FAKE_MAX_RANKS] = {false};
	int n_left = fake.n_ranks, n_idle = 0;

	for (int i = 0; i < fake.n_ranks; i++) {
		out_errors[i] = mpi_coll_resolve(&fake.ranks[i], &args[i], &colls[i]);
		if (out_errors[i] != MPI_SUCCESS) {
			has_ended[i] = true;
			n_left--;
		}
	}
	while (n_left > 0 && n_idle < 100000) { /* a deadlock leaves all idle for ever: give up */
		int i = (int)((seed = seed * 1103515245u + 12345u) >> 16) % fake.n_ranks;

		n_idle++;
		if (fire_one())
			n_idle = 0;
		if (has_ended[i] || (has_begun[i] && !can_continue(&colls[i])))
			continue;
		n_idle = 0;
		if (!has_begun[i])
			mpi_coll_begin(&fake.ranks[i], &colls[i]);
		has_begun[i] = true;
		if (!mpi_coll_continue(&fake.ranks[i], &colls[i]))
			continue;
		has_ended[i] = true;
		n_left--;
		out_errors[i] = colls[i].error;
		mpi_coll_finish(&colls[i]);
	}
	for (int i = 0; i < fake.n_ranks; i++)
		if (!has_ended[i]) {
			out_errors[i] = -1;
			drop(&fake.ranks[i], &colls[i]);
		}
}
