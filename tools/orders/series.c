// SPDX-License-Identifier: BSD-3-Clause
/* The calls that a run sends and receives with, and which of them are a collective by hand. */
#include "tools/orders/series.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/comm/comm.h"
#include "mpi/datatype/datatype.h"
#include "mpi/orders/registered.h"
#include "mpi/watch/watch.h"
#include "pdexec/image.h"
#include "util/array.h"
#include "util/map.h"

enum { MAX_CALLS = 1 << 20, NO_CALL = -1 };

struct call { /* one message, on one side */
	uint64_t place;
	const char *function;
	int rank, peer, tag;	   /* ranks of MPI_COMM_WORLD */
	int peer_in_comm, n_peers; /* of the communicator */
	uint32_t context;
	bool is_send, may_turn; /* may_turn: mpi_series_substitute can do something else for it */
	const char *buf;
	int64_t size_B, stride_B; /* stride_B: of what follows it in memory */
	uint64_t hash;		  /* of what is sent */
	int other;		  /* the call that it meets; NO_CALL: another one, or none */
};

struct blind { /* calls of a rank whose messages are not known */
	bool sends, receives;
};

struct orders_series {
	struct call *calls; /* [n] as they were made */
	int n;
	struct blind *blind;	  /* [n_ranks] */
	struct util_map ordinals; /* of messages between two ranks, with one tag, so far */
	struct util_map meets;	  /* 1 + call that waits for its other side */
	bool is_full;
};

/* --- as the calls are made --- */

static uint64_t channel_of(const struct call *call)
{
	const uint64_t key[] = {
	    call->context, call->is_send, (uint64_t)(call->is_send ? call->rank : call->peer),
	    (uint64_t)(call->is_send ? call->peer : call->rank), (uint64_t)call->tag};

	return util_hash(key, sizeof key, 0);
}

/* The n-th send meets the n-th receive: messages of one pair and tag do not overtake each other. */
static void meet(struct orders_series *series, int i)
{
	struct call *call = &series->calls[i], side = *call;
	struct util_map_slot *slot = util_map_find(&series->ordinals, channel_of(call));
	uint64_t key[2];

	if (!slot)
		slot = util_map_add(&series->ordinals, channel_of(call));
	if (!slot) {
		series->is_full = true;
		return;
	}
	key[1] = slot->number++;
	side.is_send = true;
	side.rank = call->is_send ? call->rank : call->peer;
	side.peer = call->is_send ? call->peer : call->rank;
	key[0] = channel_of(&side);
	key[0] = util_hash(key, sizeof key, 0);
	slot = util_map_find(&series->meets, key[0]);
	if (slot) {
		call->other = (int)slot->number - 1;
		series->calls[call->other].other = i;
	} else if ((slot = util_map_add(&series->meets, key[0]))) {
		slot->number = (uintptr_t)i + 1;
	} else {
		series->is_full = true;
	}
}

static void keep(struct orders_series *series, const struct call *call)
{
	if (series->n == MAX_CALLS ||
	    !util_array_room(&series->calls, (size_t)series->n, sizeof *series->calls)) {
		series->is_full = true;
		return;
	}
	series->calls[series->n++] = *call;
	meet(series, series->n - 1);
}

static void go_blind(struct orders_series *series, int rank, bool is_send)
{
	*(is_send ? &series->blind[rank].sends : &series->blind[rank].receives) = true;
}

/* `values`: buffer, count, datatype, rank and tag of one side. */
static void note(struct orders_series *series, const struct mpi_watch_call *from, bool is_send,
		 bool may_turn, const union mpi_value values[])
{
	const struct mpi_rank *me = from->me;
	const struct mpi_comm *comm = mpi_watch_comm(from);
	const struct mpi_datatype *type = mpi_datatype_get(me, (MPI_Datatype)(uintptr_t)values[2].p);
	int64_t count = values[1].i, peer = values[3].i, tag = values[4].i;
	struct call call = {.function = from->function->name,
			    .rank = me->rank,
			    .tag = (int)tag,
			    .peer_in_comm = (int)peer,
			    .is_send = is_send,
			    .may_turn = may_turn,
			    .other = NO_CALL,
			    .buf = values[0].p};
	char *data;

	if (peer == MPI_PROC_NULL)
		return;
	if (!comm || comm->remote || !type || count < 0 || tag < 0 || peer < 0 ||
	    peer >= comm->size) {
		go_blind(series, me->rank, is_send);
		return;
	}
	call.context = comm->context;
	call.n_peers = comm->size;
	call.peer = mpi_comm_peer(comm, (int)peer);
	call.size_B = count * type->size_B;
	call.stride_B = count * type->extent_B;
	if (!pd_image_locate(me->pd->program->image, from->site, &call.place))
		call.may_turn = false;
	if (is_send && call.may_turn && (data = malloc((size_t)call.size_B + 1))) {
		mpi_datatype_pack(type, call.buf, count, data);
		call.hash = mpi_registered_hash_bytes(data, call.size_B);
		free(data);
	}
	keep(series, &call);
}

static bool is_one_of(const char *name, const char *const names[])
{
	while (*names && strcmp(name, *names) != 0)
		names++;
	return *names != NULL;
}

/* mpi_watcher.enter */
static void enter(void *context, struct mpi_watch_call *call)
{
	static const char *const turns[] = {"MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Issend",
					    NULL};
	static const char *const sends[] = {"MPI_Bsend", "MPI_Rsend", "MPI_Ibsend", "MPI_Irsend",
					    NULL};
	static const char *const probes[] = {"MPI_Probe", "MPI_Iprobe", NULL};
	const char *name = call->function->name;
	const struct mpi_call_info *function = call->function;
	struct orders_series *series = context;

	if (mpi_parameter_value(function, PARAMETER_RANK) < 0 ||
	    mpi_parameter_value(function, PARAMETER_TAG) < 0 ||
	    is_one_of(name, probes))
		return;
	if (is_one_of(name, turns) || is_one_of(name, sends)) {
		note(series, call, true, is_one_of(name, turns), call->values);
	} else if (strcmp(name, "MPI_Recv") == 0 || strcmp(name, "MPI_Irecv") == 0) {
		note(series, call, false, strcmp(name, "MPI_Recv") == 0, call->values);
	} else if (strcmp(name, "MPI_Sendrecv") == 0) {
		note(series, call, true, false, call->values);
		note(series, call, false, false, call->values + 5);
	} else {
		go_blind(series, call->me->rank, true);
		go_blind(series, call->me->rank, false);
	}
}

struct orders_series *orders_series_watch(struct mpi_world *world)
{
	struct orders_series *series = calloc(1, sizeof *series);
	const struct mpi_watcher watcher = {.context = series, .enter = enter};

	if (!series)
		return NULL;
	series->blind = calloc((size_t)world->n_ranks, sizeof *series->blind);
	return series->blind && !mpi_watch_add(world, &watcher) ? series : NULL;
}

/* --- when the run is over --- */

struct look { /* at the calls of one place */
	const struct orders_series *series;
	struct mpi_series found;
	const struct call *first; /* of the series under way */
	int *seen; /* [n_peers] the series in which the rank had its message, from 1 */
	int n_done;
	bool are_equal, are_blocks; /* the data; where they lie: one after the other, by ranks */
};

static bool add_other(struct mpi_series *found, const struct call *call)
{
	for (int i = 0; i < found->n_others; i++)
		if (found->others[i].place == call->place)
			return true;
	if (found->n_others == MPI_SERIES_MAX_OTHERS)
		return false;
	found->others[found->n_others++] = (struct mpi_series_place){
	    .place = call->place, .function = call->function, .rank = call->rank};
	return true;
}

/* Whether the call, and the one that it meets, could be in a series with the first of them. */
static bool fits(const struct look *look, const struct call *call)
{
	const struct blind *blind = look->series->blind;
	const struct call *first = look->first, *other;

	if (call->other == NO_CALL)
		return false;
	other = &look->series->calls[call->other];
	return call->rank == look->found.root && call->context == first->context &&
	       call->tag == first->tag && call->size_B > 0 && call->may_turn && other->may_turn &&
	       other->size_B == call->size_B && call->peer != call->rank &&
	       !(call->is_send ? blind[call->rank].sends : blind[call->rank].receives) &&
	       !(call->is_send ? blind[call->peer].receives : blind[call->peer].sends);
}

/* One more call of the place. */
static bool follow(struct look *look, const struct call *call)
{
	const struct call *first;

	if (look->n_done == 0)
		look->first = call;
	first = look->first;
	if (!fits(look, call) || call->size_B != first->size_B ||
	    look->seen[call->peer_in_comm] == (int)look->found.n + 1 ||
	    !add_other(&look->found, &look->series->calls[call->other]))
		return false;
	look->seen[call->peer_in_comm] = (int)look->found.n + 1;
	look->are_equal &= call->buf == first->buf && call->hash == first->hash;
	look->are_blocks &=
	    call->stride_B == first->stride_B &&
	    call->buf - first->buf == (call->peer_in_comm - first->peer_in_comm) * first->stride_B;
	if (++look->n_done == look->found.n_messages) {
		look->n_done = 0;
		look->found.n++;
	}
	return true;
}

/* The others make no such call at these places that meets another one. */
static bool others_fit(const struct orders_series *series, const struct mpi_series *found,
		       bool is_send)
{
	for (int i = 0; i < series->n; i++) {
		const struct call *call = &series->calls[i];

		if (call->is_send == is_send || call->context != found->context ||
		    call->tag != found->tag || call->peer != found->root ||
		    call->rank == found->root)
			continue;
		for (int k = 0; k < found->n_others; k++)
			if (found->others[k].place == call->place &&
			    (call->other == NO_CALL ||
			     series->calls[call->other].place != found->hub.place))
				return false;
	}
	return true;
}

/* Whether the calls of a place, whose first is `at`, are series. */
static bool is_series(const struct orders_series *series, int at, struct mpi_series *out)
{
	const struct call *call = &series->calls[at];
	struct look look = {.series = series, .first = call, .are_equal = true, .are_blocks = true};
	bool is_one = call->n_peers > 2 && call->may_turn;

	look.found = (struct mpi_series){
	    .context = call->context,
	    .root = call->rank,
	    .tag = call->tag,
	    .n_messages = call->n_peers - 1,
	    .hub = {.place = call->place, .function = call->function, .rank = call->rank}};
	look.seen = calloc((size_t)call->n_peers, sizeof *look.seen);
	for (int i = at; i < series->n && is_one && look.seen; i++)
		if (series->calls[i].place == call->place &&
		    series->calls[i].is_send == call->is_send)
			is_one = follow(&look, &series->calls[i]);
	look.found.kind = !call->is_send   ? MPI_SERIES_GATHER
			  : look.are_equal ? MPI_SERIES_BCAST
					   : MPI_SERIES_SCATTER;
	is_one = is_one && look.seen && look.n_done == 0 &&
		 (look.are_blocks || look.found.kind == MPI_SERIES_BCAST) &&
		 others_fit(series, &look.found, call->is_send);
	free(look.seen);
	*out = look.found;
	return is_one;
}

/* The place of the call was looked at before. */
static bool is_known(struct util_map *known, const struct call *call)
{
	uint64_t key = call->place * 2 + call->is_send;
	struct util_map_slot *slot = util_map_find(known, key);

	if (!slot && (slot = util_map_add(known, key))) {
		slot->number = 1;
		return false;
	}
	return true;
}

void orders_series_find(struct orders_series *series, struct mpi_all_series *out)
{
	struct util_map known = {0};

	for (int i = 0; i < series->n && !series->is_full && out->n < MPI_MAX_SERIES; i++)
		if (!is_known(&known, &series->calls[i]) &&
		    is_series(series, i, &out->list[out->n]))
			out->n++;
	util_map_finish(&known);
}
