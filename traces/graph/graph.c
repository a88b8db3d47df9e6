/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects the graph while the run goes on. */
#include "traces/graph/graph.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/p2p/message.h"
#include "traces/graph/internal.h"
#include "traces/graph/values.h"

enum { NO_CALL = -1 };

/* Numbers from -1 on by keys; `otherwise`: there is none. */
static int find(const struct util_map *map, uint64_t key, int otherwise)
{
	const struct util_map_slot *slot = util_map_find(map, key);

	return slot ? (int)slot->number - 2 : otherwise;
}

static void put(struct trace_graph *graph, struct util_map *map, uint64_t key, int value)
{
	struct util_map_slot *slot = util_map_find(map, key);

	if (!slot)
		slot = util_map_add(map, key);
	if (slot)
		slot->number = (uintptr_t)(value + 2);
	else
		graph->is_out_of_memory = true;
}

static bool room(struct trace_graph *graph, void *array, int n, size_t item_B)
{
	bool is_there = util_array_room(array, (size_t)n, item_B);

	graph->is_out_of_memory |= !is_there;
	return is_there;
}

/* --- what calls are about --- */

static int text_id(struct trace_graph *graph, const char *text)
{
	for (int i = 0; i < graph->n_texts; i++)
		if (strcmp(graph->texts[i], text) == 0)
			return i;
	if (!room(graph, &graph->texts, graph->n_texts, sizeof *graph->texts))
		return 0;
	graph->texts[graph->n_texts] = strdup(text);
	if (!graph->texts[graph->n_texts])
		graph->is_out_of_memory = true;
	return graph->is_out_of_memory ? 0 : graph->n_texts++;
}

static int comm_id(struct trace_graph *graph, const struct mpi_comm *comm)
{
	int id;
	char made[32];

	if (!comm)
		return -1;
	id = find(&graph->comm_of, comm->context, -1);
	if (id >= 0)
		return id;
	id = graph->n_comms;
	snprintf(made, sizeof made, "communicator %u", comm->context);
	if (!room(graph, &graph->comms, id, sizeof *graph->comms))
		return -1;
	graph->comms[id] = (struct graph_comm){
	    .size = comm->remote ? comm->size + comm->remote->size : comm->size,
	    .name = strdup(comm->name && comm->name[0] ? comm->name : made),
	};
	graph->n_comms++;
	if (!graph->comms[id].name)
		graph->is_out_of_memory = true;
	put(graph, &graph->comm_of, comm->context, id);
	return id;
}

/* All members call the collectives of a communicator in the same order. */
static int count_collective(struct trace_graph *graph, int comm, int rank)
{
	uint64_t key = (uint64_t)comm << 32 | (uint32_t)rank;
	int n = find(&graph->counts, key, 0);

	put(graph, &graph->counts, key, n + 1);
	return n;
}

static void keep_values(struct trace_graph *graph, const struct mpi_watch_call *call)
{
	char text[256];

	for (int i = 0; i < call->function->n_parameters; i++) {
		enum mpi_parameter_kind kind = mpi_value_kind(&call->function->parameters[i]);
		int64_t value = call->values[i].i;

		if (kind == PARAMETER_COMM)
			value = comm_id(graph, mpi_comm_get(call->me, (MPI_Comm)call->values[i].p));
		else if (kind == PARAMETER_DATATYPE || kind == PARAMETER_OP ||
			 kind == PARAMETER_TEXT)
			value = text_id(graph, trace_value_text(call, i, text, sizeof text));
		if (!util_array_room(&graph->values, graph->n_values, sizeof *graph->values))
			graph->is_out_of_memory = true;
		else
			graph->values[graph->n_values++] = value;
	}
}

/* --- calls --- */

static struct graph_rank *rank_of(struct trace_graph *graph, int rank)
{
	int n = rank + 1 > 2 * graph->n_ranks ? rank + 1 : 2 * graph->n_ranks;
	struct graph_rank *ranks;

	if (rank < graph->n_ranks)
		return &graph->ranks[rank];
	ranks = realloc(graph->ranks, (size_t)n * sizeof *ranks);
	if (!ranks) {
		graph->is_out_of_memory = true;
		return NULL;
	}
	for (int i = graph->n_ranks; i < n; i++)
		ranks[i] = (struct graph_rank){.open = NO_CALL, .ended = NO_CALL};
	graph->ranks = ranks;
	graph->n_ranks = n;
	return &ranks[rank];
}

/* A vertex; NO_CALL: it is beyond the bound, or memory has run out. */
static int add_call(struct trace_graph *graph, const struct graph_call *call)
{
	if (graph->n_calls >= graph->max_calls) {
		graph->n_left_out++;
		return NO_CALL;
	}
	if (!room(graph, &graph->calls, graph->n_calls, sizeof *graph->calls))
		return NO_CALL;
	graph->calls[graph->n_calls] = *call;
	return graph->n_calls++;
}

/* The requests among the arguments that go in `direction`, too; returns how many. */
static int find_requests(const struct mpi_watch_call *call, enum mpi_direction direction,
			 const MPI_Request **out)
{
	*out = NULL;
	for (int i = 0; i < call->function->n_parameters; i++) {
		const struct mpi_parameter *p = &call->function->parameters[i];

		if (p->kind != PARAMETER_REQUEST || !(p->direction & direction) ||
		    !(p->is_place || p->is_array))
			continue;
		*out = call->values[i].p;
		if (*out && p->is_array)
			return (int)call->values[p->extent_from].i;
		if (*out)
			return 1;
	}
	return 0;
}

/* Those that earlier calls have made, and that this one may complete. */
static void list_requests(struct trace_graph *graph, struct graph_rank *rank,
			  const struct mpi_watch_call *call)
{
	const MPI_Request *requests;
	int n = find_requests(call, MPI_ARGUMENT_IN, &requests);

	rank->n_listed = 0;
	for (int i = 0; i < n; i++)
		if (find(&graph->call_of_request, (uintptr_t)requests[i], NO_CALL) >= 0 &&
		    room(graph, &rank->listed, rank->n_listed, sizeof *rank->listed))
			rank->listed[rank->n_listed++] = (uintptr_t)requests[i];
}

/* MPI_Init and MPI_Finalize are collectives of all ranks that name no communicator. */
static void join_world(struct trace_graph *graph, const struct mpi_watch_call *call,
		       struct graph_call *vertex)
{
	const char *name = call->function->name;

	if (vertex->comm >= 0 || !call->me->comm_world ||
	    (strncmp(name, "MPI_Init", 8) != 0 && strcmp(name, "MPI_Finalize") != 0) ||
	    !mpi_watch_is_collective(call->function))
		return;
	vertex->comm = comm_id(graph, call->me->comm_world);
	vertex->collective = count_collective(graph, vertex->comm, vertex->rank);
}

static void enter(void *context, struct mpi_watch_call *call)
{
	struct trace_graph *graph = context;
	struct graph_rank *rank = rank_of(graph, call->me->rank);
	const struct mpi_call_info *function = call->function;
	struct graph_call vertex = {
	    .rank = call->me->rank,
	    .function = function,
	    .begin = call->me->call_begin,
	    .comm = -1,
	    .collective = -1,
	};

	if (!rank || mpi_watch_is_local(function) || graph->is_out_of_memory)
		return;
	vertex.outer = rank->open;
	if (graph->n_calls < graph->max_calls) {
		vertex.site = trace_sites_id(&graph->sites, function->name, call->site);
		vertex.comm = comm_id(graph, mpi_watch_comm(call));
		if (mpi_watch_is_collective(function) && vertex.comm >= 0)
			vertex.collective = count_collective(graph, vertex.comm, vertex.rank);
		else
			join_world(graph, call, &vertex);
		vertex.first_value = graph->n_values;
		keep_values(graph, call);
	}
	rank->open = add_call(graph, &vertex);
	list_requests(graph, rank, call);
}

static void add_edge(struct trace_graph *graph, int from, int to)
{
	if (from < 0 || to < 0 || from == to ||
	    !room(graph, &graph->edges, graph->n_edges, sizeof *graph->edges))
		return;
	graph->edges[graph->n_edges++] = (struct graph_edge){from, to};
}

/* A request that is no more, or not active any more, was completed by the call. */
static void complete_listed(struct trace_graph *graph, const struct graph_rank *rank,
			    const struct mpi_rank *me)
{
	for (int i = 0; i < rank->n_listed; i++) {
		uintptr_t handle = rank->listed[i];
		const struct mpi_request *request = mpi_request_get(me, (MPI_Request)handle);

		if (request && request->state != REQUEST_IDLE)
			continue;
		add_edge(graph, find(&graph->call_of_request, handle, NO_CALL), rank->open);
		put(graph, &graph->call_of_request, handle, NO_CALL);
	}
}

/* Those that the call has made or started. */
static void note_requests(struct trace_graph *graph, const struct graph_rank *rank,
			  const struct mpi_watch_call *call)
{
	const MPI_Request *requests;
	int n = find_requests(call, MPI_ARGUMENT_OUT, &requests);

	for (int i = 0; i < n; i++) {
		const struct mpi_request *request = mpi_request_get(call->me, requests[i]);
		uintptr_t handle = (uintptr_t)requests[i];

		if (request && request->state != REQUEST_IDLE &&
		    find(&graph->call_of_request, handle, NO_CALL) < 0)
			put(graph, &graph->call_of_request, handle, rank->open);
	}
}

static int leave(void *context, struct mpi_watch_call *call, int code)
{
	struct trace_graph *graph = context;
	struct graph_rank *rank = rank_of(graph, call->me->rank);

	if (!rank || graph->is_out_of_memory)
		return code;
	rank->is_skipped = mpi_watch_is_local(call->function) || rank->open < 0;
	if (mpi_watch_is_local(call->function))
		return code;
	if (rank->open >= 0)
		join_world(graph, call, &graph->calls[rank->open]);
	complete_listed(graph, rank, call->me);
	note_requests(graph, rank, call);
	rank->n_listed = 0;
	rank->ended = rank->open;
	rank->open = rank->open >= 0 ? graph->calls[rank->open].outer : NO_CALL;
	return code;
}

/* Of a call that nobody was told of: a library has made it. */
static void add_unwatched(struct trace_graph *graph, const struct sim_record_call *record)
{
	const struct mpi_call_info *function = mpi_watched(record->function);
	struct graph_call call = {
	    .rank = record->rank,
	    .begin = record->begin,
	    .end = record->end,
	    .waiting = record->waiting,
	    .comm = -1,
	    .collective = -1,
	    .outer = NO_CALL,
	    .has_ended = true,
	};

	if (!function || mpi_watch_is_local(function))
		return;
	call.site = trace_sites_id(&graph->sites, function->name, record->site);
	add_call(graph, &call);
}

/* Every call that is over, behind what `leave` was told of it; at the end also those under way. */
static void record_call(void *context, const struct sim_record_call *record)
{
	struct trace_graph *graph = context;
	struct graph_rank *rank = rank_of(graph, record->rank);
	bool is_skipped;
	int ended;

	if (!rank || graph->is_out_of_memory)
		return;
	ended = rank->ended;
	is_skipped = rank->is_skipped;
	rank->ended = NO_CALL;
	rank->is_skipped = false;
	if (is_skipped)
		return;
	if (ended < 0 && rank->open < 0) {
		add_unwatched(graph, record);
		return;
	}
	graph->calls[ended >= 0 ? ended : rank->open].end = record->end;
	graph->calls[ended >= 0 ? ended : rank->open].waiting = record->waiting;
	graph->calls[ended >= 0 ? ended : rank->open].has_ended = ended >= 0;
}

/* --- messages --- */

/* The call that the rank is in has made what is at `key`. */
static void note(struct trace_graph *graph, struct util_map *map, const void *key, int rank)
{
	const struct graph_rank *r = rank_of(graph, rank);

	if (r)
		put(graph, map, (uintptr_t)key, r->open);
}

static void send(void *context, const struct mpi_message *message)
{
	struct trace_graph *graph = context;

	if (!(message->context & CHANNEL_COLL))
		note(graph, &graph->call_of_message, message, message->source->rank);
}

static void post(void *context, const struct mpi_request *recv)
{
	struct trace_graph *graph = context;

	if (recv->channel != CHANNEL_COLL)
		note(graph, &graph->call_of_recv, recv, recv->owner->rank);
}

static void match(void *context, const struct mpi_message *message)
{
	struct trace_graph *graph = context;
	struct graph_message m = {.tag = message->tag, .size_B = message->size_B};

	if (message->context & CHANNEL_COLL)
		return;
	m.send = find(&graph->call_of_message, (uintptr_t)message, NO_CALL);
	m.receive = find(&graph->call_of_recv, (uintptr_t)message->recv, NO_CALL);
	if (m.send >= 0 && m.receive >= 0 &&
	    room(graph, &graph->messages, graph->n_messages, sizeof *graph->messages))
		graph->messages[graph->n_messages++] = m;
}

/* There has to be a listener, or the library does not look who meets whom. */
static void *begin_message(void *context, const struct sim_cause_message *message, sim_time_ps now)
{
	return context;
}

/* --- life --- */

int trace_graph_create(int max_calls, trace_locate_fn locate, void *context,
		       struct trace_graph **out, struct util_error *err)
{
	struct trace_graph *graph = calloc(1, sizeof *graph);

	if (!graph)
		return util_error_set(err, UTIL_ENOMEM, "out of memory for the graph");
	graph->max_calls = max_calls;
	trace_sites_init(&graph->sites, locate, context);
	graph->causes = (struct sim_causes){.context = graph, .message_begin = begin_message};
	graph->meets =
	    (struct mpi_meets){.context = graph, .sent = send, .posted = post, .matched = match};
	*out = graph;
	return 0;
}

void trace_graph_destroy(struct trace_graph *graph)
{
	if (!graph)
		return;
	for (int i = 0; i < graph->n_ranks; i++)
		free(graph->ranks[i].listed);
	for (int i = 0; i < graph->n_texts; i++)
		free(graph->texts[i]);
	for (int i = 0; i < graph->n_comms; i++)
		free(graph->comms[i].name);
	free(graph->ranks);
	free(graph->texts);
	free(graph->comms);
	free(graph->calls);
	free(graph->values);
	free(graph->messages);
	free(graph->edges);
	util_map_finish(&graph->comm_of);
	util_map_finish(&graph->counts);
	util_map_finish(&graph->call_of_message);
	util_map_finish(&graph->call_of_recv);
	util_map_finish(&graph->call_of_request);
	trace_sites_finish(&graph->sites);
	free(graph);
}

struct sim_observer trace_graph_observer(struct trace_graph *graph)
{
	return (struct sim_observer){
	    .context = graph, .call = record_call, .causes = &graph->causes};
}

struct mpi_watcher trace_graph_watcher(struct trace_graph *graph)
{
	return (struct mpi_watcher){.context = graph, .enter = enter, .leave = leave};
}

const struct mpi_meets *trace_graph_meets(const struct trace_graph *graph)
{
	return &graph->meets;
}

uint64_t trace_graph_n_left_out(const struct trace_graph *graph)
{
	return graph->n_left_out;
}
