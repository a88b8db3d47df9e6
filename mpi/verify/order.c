/* SPDX-License-Identifier: BSD-3-Clause */
/* Which calls let a rank know what others have done: messages and collectives. */
#include <stdlib.h>
#include <string.h>

#include "mpi/abi/call_info.h"
#include "mpi/comm/comm.h"
#include "mpi/comm/topology.h"
#include "mpi/p2p/kept.h"
#include "mpi/p2p/message.h"
#include "mpi/verify/internal.h"
#include "mpi/verify/races.h"

enum flow {
	FLOW_ALL,
	FLOW_FROM_ROOT,
	FLOW_TO_ROOT,
	FLOW_PREFIX,	 /* to ranks that are higher */
	FLOW_NEIGHBOURS, /* of the topology */
};

struct meeting { /* one collective */
	uint32_t *all, *root;
	struct mpi_race_stamp **stamps; /* [n_members] those who came; NULL: nobody needs them */
	int n_left, n_members;
};

/* What a call, or each start of a persistent one, has to do with others. */
struct mpi_race_deed {
	enum {
		DEED_NONE,
		DEED_SEND,
		DEED_RECV,
		DEED_PROBE, /* finds a message that stays */
		DEED_SEND_PARTS,
		DEED_RECV_PARTS,
		DEED_MEET,
	} kind;
	uint64_t channel;
	int rank, peer, tag; /* world ranks */
	enum flow flow;
	bool is_root;
	int member, n_members;
	const struct mpi_comm *comm;
	struct meeting *meeting;      /* under way */
	struct mpi_race_stamp *start; /* of a receive: its beginning; NULL: it has not begun */
	struct mpi_race_stamp
	    *answer; /* of a synchronous send: the start of its receive; NULL: unknown */
};

struct tie {				  /* to a request; it frees it */
	struct mpi_foreign_memory memory; /* first */
	struct mpi_races *races;
	struct mpi_request *request;
	struct mpi_race_deed deed;
	bool is_open;
};

/* --- collectives --- */

static struct meeting *meeting_of(struct mpi_races *races, const struct mpi_race_deed *deed)
{
	uint64_t words[] = {deed->channel, (uint64_t)deed->rank};
	uint64_t key = util_hash(words, sizeof words, 0);
	struct util_map_slot *slot = util_map_find(&races->counts, key);
	struct meeting *meeting;

	if (!slot)
		slot = util_map_add(&races->counts, key);
	if (!slot)
		return NULL;
	words[1] = ++slot->number;
	key = util_hash(words, sizeof words, 1);
	slot = util_map_find(&races->meetings, key);
	if (slot)
		return slot->item;
	meeting = calloc(1, sizeof *meeting);
	if (meeting)
		meeting->n_members = deed->n_members;
	if (meeting && util_map_put(&races->meetings, key, meeting)) {
		free(meeting);
		meeting = NULL;
	}
	return meeting;
}

static void enter(struct mpi_races *races, struct mpi_race_deed *deed)
{
	const uint32_t *clock = mpi_races_clock(races, deed->rank);

	deed->meeting = meeting_of(races, deed);
	if (!deed->meeting)
		return;
	mpi_races_merge(races, &deed->meeting->all, clock);
	if (deed->is_root)
		mpi_races_merge(races, &deed->meeting->root, clock);
	if (deed->flow >= FLOW_PREFIX && !deed->meeting->stamps)
		deed->meeting->stamps =
		    calloc((size_t)deed->n_members, sizeof *deed->meeting->stamps);
	if (deed->meeting->stamps)
		deed->meeting->stamps[deed->member] = mpi_races_stamp(races, deed->rank);
	mpi_races_tick(races, deed->rank);
}

static void learn_from(struct mpi_races *races, const struct mpi_race_deed *deed, int member)
{
	struct mpi_race_stamp **stamps = deed->meeting->stamps;

	if (stamps && member >= 0 && member < deed->n_members && stamps[member])
		mpi_races_join(races, deed->rank, stamps[member]->clock);
}

static void learn(struct mpi_races *races, const struct mpi_race_deed *deed)
{
	const struct mpi_topology *topology;

	switch (deed->flow) {
	case FLOW_FROM_ROOT:
		mpi_races_join(races, deed->rank, deed->meeting->root);
		break;
	case FLOW_PREFIX:
		for (int i = 0; i < deed->member; i++)
			learn_from(races, deed, i);
		break;
	case FLOW_NEIGHBOURS: /* others may have freed the communicator */
		topology = deed->comm->topology;
		for (int i = 0; topology && i < mpi_topology_n_sources(topology, deed->member); i++)
			learn_from(races, deed, mpi_topology_source(topology, deed->member, i));
		break;
	default:
		if (deed->flow == FLOW_ALL || deed->is_root)
			mpi_races_join(races, deed->rank, deed->meeting->all);
	}
}

static void leave(struct mpi_races *races, struct mpi_race_deed *deed)
{
	struct meeting *meeting = deed->meeting;

	if (!meeting)
		return;
	learn(races, deed);
	deed->meeting = NULL;
	if (++meeting->n_left < meeting->n_members)
		return;
	for (int i = 0; meeting->stamps && i < meeting->n_members; i++)
		mpi_races_release(meeting->stamps[i]);
	free(meeting->stamps);
	meeting->stamps = NULL;
	free(meeting->all); /* the rest stays: its key may be looked for no more */
	free(meeting->root);
	meeting->all = meeting->root = NULL;
}

/* --- what a call does --- */

static enum flow flow_of(const char *operation)
{
	if (strcmp(operation, "Bcast") == 0 || strncmp(operation, "Scatter", 7) == 0)
		return FLOW_FROM_ROOT;
	if (strcmp(operation, "Scan") == 0 || strcmp(operation, "Exscan") == 0)
		return FLOW_PREFIX;
	if (strncmp(operation, "Neighbor", 8) == 0)
		return FLOW_NEIGHBOURS;
	return strncmp(operation, "Gather", 6) == 0 || strcmp(operation, "Reduce") == 0
		   ? FLOW_TO_ROOT
		   : FLOW_ALL;
}

static struct mpi_comm *comm_of(const struct mpi_verify_call *call,
				const struct mpi_call_info *info, int place)
{
	const struct mpi_parameter *p = place >= 0 ? &info->parameters[place] : NULL;
	const void *value = p ? mpi_memory_argument(call, place).p : NULL;
	struct mpi_win *win;

	if (!value)
		return NULL;
	if (p->is_place)
		value = *(const void *const *)value;
	if (p->kind == PARAMETER_COMM)
		return mpi_comm_get(call->me, (MPI_Comm)(uintptr_t)value);
	if (p->kind != PARAMETER_WIN)
		return NULL;
	win = mpi_win_get(call->me, (MPI_Win)(uintptr_t)value);
	return win ? win->comm : NULL;
}

static struct mpi_race_deed collective(const struct mpi_verify_call *call,
				       const struct mpi_call_info *info)
{
	const struct mpi_comm *comm = comm_of(call, info, info->over);
	struct mpi_race_deed deed = {.kind = DEED_NONE};

	if (!comm)
		return deed;
	deed.kind = DEED_MEET;
	deed.channel = comm->context;
	deed.rank = call->me->rank;
	deed.flow = flow_of(info->operation);
	deed.comm = comm;
	deed.member = comm->rank;
	deed.n_members = comm->size + (comm->remote ? comm->remote->size : 0);
	if (info->root >= 0)
		deed.is_root = mpi_memory_argument(call, info->root).i ==
			       (comm->remote ? MPI_ROOT : comm->rank);
	return deed;
}

/* The peer of the call that it sends to, or that it receives from, and the tag likewise. */
static struct mpi_race_deed message(const struct mpi_verify_call *call,
				    const struct mpi_call_info *info, bool is_send)
{
	const char *peer = is_send ? "dest" : "source";
	int comm_place = mpi_memory_parameter(info, PARAMETER_COMM);
	const struct mpi_comm *comm = comm_of(call, info, comm_place);
	struct mpi_race_deed deed = {.kind = DEED_NONE, .rank = call->me->rank, .tag = MPI_ANY_TAG};

	for (int i = 0; comm && i < info->n_parameters; i++) {
		const char *name = info->parameters[i].name;
		int64_t value = mpi_memory_argument(call, i).i;

		if (strcmp(name, peer) == 0) {
			if (is_send && (value < 0 || value >= mpi_comm_n_peers(comm)))
				return deed;
			deed.kind = is_send ? DEED_SEND : DEED_RECV;
			deed.peer = is_send ? mpi_comm_peer(comm, (int)value) : -1;
		}
		if (strcmp(name, "tag") == 0 || strcmp(name, is_send ? "sendtag" : "recvtag") == 0)
			deed.tag = (int)value;
	}
	deed.channel = comm ? (uint64_t)comm->context | (uint64_t)1 << 40 : 0;
	return deed;
}

static void received(struct mpi_races *races, const struct mpi_race_deed *deed,
		     const struct mpi_comm *comm, const MPI_Status *status)
{
	struct mpi_race_stamp *stamp;
	const struct mpi_race_stamp *found;
	int peer;

	if (!comm || !status || status->MPI_SOURCE < 0 ||
	    status->MPI_SOURCE >= mpi_comm_n_peers(comm))
		return;
	peer = mpi_comm_peer(comm, status->MPI_SOURCE);
	if (deed->kind == DEED_PROBE) {
		found = mpi_races_peek(races, deed->channel, peer, deed->rank, status->MPI_TAG);
		if (found)
			mpi_races_join(races, deed->rank, found->clock);
		return;
	}
	stamp = mpi_races_recv(races, deed->channel, peer, deed->rank, status->MPI_TAG);
	if (stamp)
		mpi_races_join(races, deed->rank, stamp->clock);
	mpi_races_release(stamp);
}

/* --- partitions: who has received one knows what was there when the last one became ready --- */

static uint64_t key_of_parts(const struct mpi_race_deed *deed)
{
	bool is_send = deed->kind == DEED_SEND_PARTS;
	uint64_t words[] = {deed->channel, (uint64_t)(is_send ? deed->rank : deed->peer),
			    (uint64_t)(is_send ? deed->peer : deed->rank), (uint64_t)deed->tag};

	return util_hash(words, sizeof words, 0);
}

/* --- requests --- */

/* What follows comes after what a synchronous send learns of the receive. */
static void start_receive(struct mpi_races *races, struct mpi_race_deed *deed)
{
	mpi_races_release(deed->start);
	deed->start = mpi_races_stamp(races, deed->rank);
	mpi_races_tick(races, deed->rank);
}

static void begin(struct mpi_races *races, struct mpi_race_deed *deed)
{
	if (deed->kind == DEED_RECV)
		start_receive(races, deed);
	else if (deed->kind == DEED_SEND)
		mpi_races_send(races, deed->channel, deed->rank, deed->peer, deed->tag);
	else if (deed->kind == DEED_MEET)
		enter(races, deed);
}

static void learn_answer(struct mpi_races *races, struct mpi_race_deed *deed)
{
	if (deed->answer)
		mpi_races_join(races, deed->rank, deed->answer->clock);
	mpi_races_release(deed->answer);
	deed->answer = NULL;
}

static void fetch(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	if (tie->deed.kind == DEED_SEND_PARTS)
		mpi_races_publish(tie->races, key_of_parts(&tie->deed), tie->deed.rank);
	if (tie->is_open)
		return;
	tie->is_open = true;
	begin(tie->races, &tie->deed);
}

static void give(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	if (tie->deed.kind == DEED_RECV_PARTS)
		mpi_races_learn(tie->races, key_of_parts(&tie->deed), tie->deed.rank);
	if (!tie->is_open)
		return;
	tie->is_open = false;
	learn_answer(tie->races, &tie->deed);
	if (tie->deed.kind == DEED_RECV)
		received(tie->races, &tie->deed, tie->request->comm, &tie->request->status);
	else if (tie->deed.kind == DEED_MEET)
		leave(tie->races, &tie->deed);
}

static void end(struct mpi_foreign_memory *memory)
{
	struct tie *tie = (struct tie *)memory;

	mpi_races_release(tie->deed.start);
	mpi_races_release(tie->deed.answer);
}

/* The request's, or that of the call of `rank` which makes it; NULL: there is none. */
static struct mpi_race_deed *deed_of_request(const struct mpi_races *races,
					     const struct mpi_request *request)
{
	struct mpi_foreign_memory *memory = mpi_kept_memories(request);

	for (; memory; memory = memory->next)
		if (memory->fetch == fetch)
			return &((struct tie *)memory)->deed;
	return request->owner->rank < races->n ? races->deeds[request->owner->rank] : NULL;
}

/* A send that is synchronous completes after its receive has started (§3.4). */
static void synchronized(const struct mpi_message *message)
{
	const struct mpi_races *races = message->dest->world->verify->memory->races;
	struct mpi_race_deed *send = deed_of_request(races, message->send);
	const struct mpi_race_deed *recv = deed_of_request(races, message->recv);

	if (!send || !recv || !recv->start || send->kind != DEED_SEND)
		return;
	mpi_races_release(send->answer);
	send->answer = recv->start;
	send->answer->n_references++;
}

void mpi_races_look_at_synchronous(struct mpi_races *races)
{
	races->world->synchronized = synchronized;
}

/* The request has the deed, with its stamps, from now on. False: it is complete already. */
static bool bind(struct mpi_races *races, struct mpi_rank *me, const struct mpi_race_deed *deed,
		 MPI_Request handle, bool is_open)
{
	struct mpi_request *request = mpi_request_get(me, handle);
	struct tie *tie = request ? mpisim_foreign_allocate(sizeof *tie) : NULL;

	if (!tie)
		return false;
	*tie = (struct tie){.memory = {.fetch = fetch, .give = give, .end = end},
			    .races = races,
			    .request = request,
			    .deed = *deed,
			    .is_open = is_open};
	mpisim_foreign_keep(handle, &tie->memory);
	return true;
}

/* --- calls --- */

static bool is_two_way(const struct mpi_verify_call *call)
{
	return call->function->kind == MPI_CALL_SENDRECV;
}

static struct mpi_race_deed parts(const struct mpi_verify_call *call,
				  const struct mpi_call_info *info)
{
	struct mpi_race_deed deed =
	    message(call, info, true); /* who receives names its source "dest", too */
	bool is_send = strncmp(call->function->name, "MPI_Psend", 9) == 0;

	if (deed.kind == DEED_SEND)
		deed.kind = is_send ? DEED_SEND_PARTS : DEED_RECV_PARTS;
	deed.channel |= (uint64_t)1 << 41;
	return deed;
}

/* Nonblocking probes may have found nothing. */
static bool has_found(const struct mpi_verify_call *call)
{
	const int *flag =
	    mpi_verify_has(call, MPI_ARG_FLAG) ? mpi_verify_value(call, MPI_ARG_FLAG).p : NULL;

	return !flag || *flag;
}

static struct mpi_race_deed deed_of(const struct mpi_verify_call *call,
				    const struct mpi_call_info *info)
{
	enum mpi_call_kind kind = call->function->kind;
	struct mpi_race_deed deed = {.kind = DEED_NONE};

	if (info->is_collective)
		return collective(call, info);
	if (kind == MPI_CALL_SEND || is_two_way(call))
		return message(call, info, true);
	if (kind == MPI_CALL_RECV || kind == MPI_CALL_PROBE || kind == MPI_CALL_MPROBE)
		deed = message(call, info, false);
	if (kind == MPI_CALL_PARTITIONED)
		deed = parts(call, info);
	if (kind == MPI_CALL_PROBE && deed.kind == DEED_RECV)
		deed.kind = DEED_PROBE;
	return deed;
}

/* Of a call that leaves no request behind. */
static void finish_deed(struct mpi_races *races, struct mpi_race_deed *deed)
{
	learn_answer(races, deed);
	mpi_races_release(deed->start);
}

void mpi_races_before(struct mpi_races *races, struct mpi_verify_call *call)
{
	const struct mpi_call_info *info = mpi_memory_info(call);

	mpi_races_window_before(races, call);
	call->deed = calloc(1, sizeof *call->deed);
	if (!call->deed)
		mpi_request_fail_memory(call->me);
	*call->deed = deed_of(call, info);
	races->deeds[call->me->rank] = call->deed;
	if (info->form != FORM_PERSISTENT)
		begin(races, call->deed);
	if (is_two_way(call))
		start_receive(races, call->deed);
}

void mpi_races_after(struct mpi_races *races, struct mpi_verify_call *call, int code)
{
	const struct mpi_call_info *info = mpi_memory_info(call);
	int place = mpi_memory_parameter(info, PARAMETER_REQUEST);
	struct mpi_race_deed *deed = call->deed;
	struct mpi_race_deed receive;
	const MPI_Request *request;
	bool is_bound = false;

	if (!deed)
		return;
	races->deeds[call->me->rank] = NULL;
	if (is_two_way(call)) {
		receive = message(call, info, false);
		receive.start = deed->start;
		*deed = receive;
	}
	if (deed->kind != DEED_NONE && info->form != FORM_BLOCKING && place >= 0) {
		request = mpi_memory_argument(call, place).p;
		is_bound = bind(races, call->me, deed, *request, info->form == FORM_NONBLOCKING);
		if (!is_bound && deed->kind == DEED_MEET)
			leave(races, deed);
	} else if ((deed->kind == DEED_RECV || deed->kind == DEED_PROBE) && has_found(call)) {
		received(races, deed,
			 comm_of(call, info, mpi_memory_parameter(info, PARAMETER_COMM)),
			 call->status);
	} else if (deed->kind == DEED_MEET) {
		leave(races, deed);
	}
	if (!is_bound)
		finish_deed(races, deed);
	free(deed);
	call->deed = NULL;
	if (code == MPI_SUCCESS)
		mpi_races_window_after(races, call);
}
