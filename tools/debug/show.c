/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user sees of a run that stands. */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/comm/comm.h"
#include "mpi/p2p/blocked.h"
#include "mpi/p2p/match.h"
#include "tools/debug/internal.h"
#include "traces/graph/values.h"
#include "util/units.h"

enum { TEXT_B = 1024 };

static const char *place(struct run_debug *debug, const void *site, char *text)
{
	return pd_describe_site(debug->world->pd, site, text, TEXT_B);
}

/* "`what` 2 `state` MPI_Send(…) at ring.c:31 (main), 1.2 ms" */
static void say_call(struct run_debug *debug, const char *what, const char *state,
		     const struct mpi_watch_call *call)
{
	char arguments[TEXT_B], site[TEXT_B], time[32];

	debug_say(debug, "%s %d %s%s(%s) at %s, %s", what, call->me->rank, state,
		  call->function->name, trace_values_text(call, arguments, sizeof arguments),
		  place(debug, call->site, site),
		  util_format_time(time, sizeof time, sim_time_to_s(debug->world->pd->engine.now)));
}

void debug_show_stop(struct run_debug *debug)
{
	char time[32];

	if (debug->stopped >= 0)
		say_call(debug, "stopped rank", "", debug->ranks[debug->stopped].call);
	else
		debug_say(debug, "stopped %s, %s", debug->reason,
			  util_format_time(time, sizeof time,
					   sim_time_to_s(debug->world->pd->engine.now)));
}

static void show_rank(struct run_debug *debug, int r)
{
	struct mpi_rank *me = &debug->world->ranks[r];
	struct mpi_blocked blocked;
	char site[TEXT_B];

	if (debug->ranks[r].call) {
		say_call(debug, "rank", debug->ranks[r].is_kept ? "held at " : "at ",
			 debug->ranks[r].call);
		return;
	}
	if (me->pd->has_ended) {
		debug_say(debug, "rank %d ended", r);
		return;
	}
	if (!me->pd->function || !me->endpoint || !me->endpoint->is_blocked) {
		debug_say(debug, "rank %d runs", r);
		return;
	}
	mpi_blocked_describe(me, &blocked);
	debug_say(debug, "rank %d waits in %s at %s: %s", r, me->pd->function,
		  place(debug, me->pd->site, site), blocked.text);
	free(blocked.waits_for);
}

void debug_show_ranks(struct run_debug *debug)
{
	for (int r = 0; r < debug->n_ranks; r++)
		show_rank(debug, r);
}

static void show_message(struct run_debug *debug, const char *what, const struct debug_message *one)
{
	const struct mpi_message *m = one->message;
	char site[TEXT_B];

	debug_say(debug, "%s from %d to %d tag %d size %lld %s, %s at %s", what, m->source->rank,
		  m->dest->rank, m->tag, (long long)m->size_B,
		  m->stage == MESSAGE_DELIVERED ? "arrived" : "under way", one->function,
		  place(debug, one->site, site));
}

/* The first message of each source that fits, arrived or not: what the receive may get. */
static void show_candidates(struct run_debug *debug, const struct mpi_request *recv)
{
	uint32_t context = mpi_message_context(recv->comm, recv->channel);
	bool *has = calloc((size_t)debug->n_ranks, sizeof *has);

	for (struct debug_message *one = debug->messages.first; has && one; one = one->link.next) {
		const struct mpi_message *m = one->message;

		if (m->dest != recv->owner || has[m->source->rank] ||
		    !mpi_match_fits(m, context, recv->peer, recv->tag))
			continue;
		has[m->source->rank] = true;
		show_message(debug, "  candidate", one);
	}
	free(has);
}

static void show_receive(struct run_debug *debug, const struct mpi_request *recv)
{
	char source[32], tag[32];
	const char *name = trace_value_tag(recv->tag);

	if (recv->peer == MPI_ANY_SOURCE)
		snprintf(source, sizeof source, "any, receive %u", recv->ordinal);
	else
		snprintf(source, sizeof source, "%d", mpi_comm_peer(recv->comm, recv->peer));
	snprintf(tag, sizeof tag, "%d", recv->tag);
	debug_say(debug, "receive on %d from %s tag %s size %lld", recv->owner->rank, source,
		  name ? "any" : tag, (long long)(recv->count * recv->type->size_B));
	if (recv->peer == MPI_ANY_SOURCE)
		show_candidates(debug, recv);
}

void debug_show_pending(struct run_debug *debug)
{
	for (struct debug_message *one = debug->messages.first; one; one = one->link.next)
		show_message(debug, "send", one);
	for (int r = 0; r < debug->n_ranks; r++) {
		const struct mpi_endpoint *endpoint = debug->world->ranks[r].endpoint;
		const struct mpi_request *recv = endpoint ? endpoint->posted.first : NULL;

		for (; recv; recv = recv->link.next)
			if (recv->channel != CHANNEL_COLL)
				show_receive(debug, recv);
	}
}
