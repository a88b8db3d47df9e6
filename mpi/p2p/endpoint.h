/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_ENDPOINT_H
#define MPI_P2P_ENDPOINT_H

#include "mpi/core/rank.h"
#include "mpi/p2p/request.h"
#include "mpi/p2p/wait.h"
#include "netmodel/model.h"
#include "util/list.h"

/* One rank's end of point-to-point: its queues and what it is blocked in. */
struct mpi_message;

struct mpi_endpoint {
	struct util_list posted;	   /* receives, oldest first */
	struct mpi_request *blocking_recv; /* of MPI_Recv, while it is not in use; NULL: not yet */
	struct util_list unexpected;	   /* messages, in order of delivery */
	int n_posted, n_posted_wild, n_unexpected; /* wild: with MPI_ANY_SOURCE or MPI_ANY_TAG */
	struct mpi_match_index posted_index,
	    unexpected_index;	   /* of deep queues, wild ones left out */
	struct util_list deferred; /* rendezvous whose next step waits for this rank to be in MPI */
	struct util_list arrived;  /* ARRIVED receives, in order of arrival */
	/* Rendezvous sends, and receives of matched ones: they use the program's memory. */
	struct util_list lent;
	struct mpi_wait wait; /* what the rank is blocked in */
	struct mpi_message
	    *found;  /* by a probe that waits, where a hook chooses; NULL: nothing yet */
	int n_to_go; /* requests that still have to complete before it goes on */
	bool
	    may_leave_some; /* it may go on before all that it waits for (is_waited) are complete */
	/* Set while a collective goes on without the fiber (mpi/coll/rounds.h): what happens
	   instead of waking it when n_to_go gets to 0; false: it has to be woken. */
	bool (*go_on)(struct mpi_rank *me);
	void *apart; /* the collective */
	sim_time_ps blocked_since;
	bool is_blocked;     /* anything that makes progress possible wakes it */
	bool has_progressed; /* a part of a collective completed since it was cleared */
	sim_time_ps
	    last_look; /* when it made progress last: what has come later it does not know */
	struct mpi_connection *connections,
	    *incoming;		  /* from it and to it, where the cluster limits
							  them */
	bool has_connections;	  /* of either kind */
	sim_time_ps last_started; /* when the transfer that ended the wait entered the network */
	/* unsuccessful tests and probes in a row, without another operation in between */
	sim_time_ps poll_end;
	sim_time_ps looked_at; /* the last access to a window was complete then … */
	uint32_t n_looks;      /* … and so many before it */
	sim_time_ps poll_work; /* between the polls of the streak */
	uint32_t n_polls;
	const void *paused_site; /* where the program polls whose streak has paused; NULL: none has */
	/* quick polls: mpi/p2p/poll.h */
	double quick_step_s; /* the mark of the step that they are in; 0: there was none yet */
	uint32_t n_quick, n_answered; /* that may follow; that were answered since the last poll */
	const char *poll_function;    /* of the last poll that found nothing; NULL: none yet */
	uint32_t n_refused;	      /* steps of the streak in which the program computed */
	bool has_news;		      /* something concerned the rank since its last pause began */
	struct sim_event alarm;	      /* ends a pause between polls */
	struct mpi_rank *owner;
	struct mpi_partitioned
	    *unmatched_partitioned; /* halves of operations to this rank, oldest first */
	struct mpi_buffer *buffer;  /* MPI_Buffer_attach; NULL: none */
};

/* Hash of the pairs that have messages under way: the last one sent, for the order of delivery. */
struct mpi_pair_table;
int mpi_pair_table_create(struct mpi_pair_table **out);
void mpi_pair_table_destroy(struct mpi_pair_table *table);

/* The connections between pairs of ranks, where the cluster says that there are any. */
struct mpi_stream_table;
int mpi_stream_table_create(struct mpi_stream_table **out);
void mpi_stream_table_destroy(struct mpi_stream_table *table);
/* The connection from one rank to another; NULL: there is none, or no memory for it. Lives as long as
 * the world. O(1). */
struct net_stream *mpi_stream_get(struct mpi_world *world, struct mpi_rank *from,
				  struct mpi_rank *to);
/* A transfer has been started in it: the system takes of it what it can, if it has all before it. */
void mpi_stream_offer(struct net_stream *stream);
static inline void mpi_stream_started(struct net_stream *stream)
{
	if (stream->is_held)
		mpi_stream_offer(stream);
}
/*
 * `protocol.unattended_send`: the rank begins to make progress, and its connections let everything
 * pass; it ends to, or did so for an instant, and they let pass what the system has. So it is with
 * those to it and `protocol.unattended_receive`. O(its connections), nothing where the cluster limits
 * none. The first one: true if a send has ended, so that the rank may have nothing to wait for.
 */
bool mpi_connections_release(struct mpi_rank *me); /* for the next two */
void mpi_connections_limit(struct mpi_rank *me);
static inline bool mpi_connections_attend(struct mpi_rank *me)
{
	return __builtin_expect(me->endpoint->has_connections, 0) && mpi_connections_release(me);
}
static inline void mpi_connections_leave(struct mpi_rank *me)
{
	me->endpoint->last_look = me->pd->world->engine.now;
	if (__builtin_expect(me->endpoint->has_connections, 0))
		mpi_connections_limit(me);
}
/* Nobody waits for sends of this rank any more. */
void mpi_connections_forget(struct mpi_rank *me);
/*
 * The transfer that was just started for the message ends where the system has not got to: `send`,
 * NULL: the message's own, completes when it has. False: it has all, or there is no such limit.
 */
bool mpi_connection_keeps(struct mpi_message *message, struct mpi_request *send);

int mpi_p2p_create(struct mpi_world *world);
void mpi_p2p_destroy(struct mpi_world *world);
int mpi_endpoint_create(struct mpi_rank *me);
/* MPI_Finalize: from now on nothing of this rank's memory is read or written. Messages that it sent
 * go on with copies. */
void mpi_p2p_finalize(struct mpi_rank *me);
/*
 * Visits the messages of the application that were sent and not received: those that wait at their
 * receivers and, of every pair of ranks, the last one under way. `site` is where the application
 * sent it.
 */
typedef void (*mpi_message_visit_fn)(void *context, struct mpi_rank *sender, const void *site);
void mpi_p2p_visit_messages(struct mpi_world *world, mpi_message_visit_fn visit, void *context);
void mpi_pair_visit(struct mpi_world *world, mpi_message_visit_fn visit, void *context);

/* From here on the rank is blocked in these requests, which are `n`; it is in none any more. */
static inline __attribute__((always_inline)) void mpi_wait_for(struct mpi_endpoint *endpoint, int n,
							       struct mpi_request *const requests[])
{
	endpoint->wait.kind = MPI_WAIT_REQUESTS;
	endpoint->wait.of.requests = requests;
	endpoint->wait.n = n;
}
static inline void mpi_wait_is_over(struct mpi_endpoint *endpoint)
{
	endpoint->wait.kind = MPI_WAIT_NOTHING;
}
/* The time since `begin` counts as waiting up to the start of the transfer that ended it. */
static inline __attribute__((always_inline)) void
mpi_endpoint_add_waiting(struct mpi_rank *me, const struct mpi_endpoint *endpoint,
			 sim_time_ps begin, sim_time_ps now)
{
	sim_time_ps started = endpoint->last_started < now ? endpoint->last_started : now;

	if (started > begin)
		me->call_waiting += started - begin;
}

/* Blocks the rank until mpi_endpoint_wake, or not at all when it has deferred steps to take or a
 * collective to advance: call it in a loop that looks again. The time counts as waiting up to the
 * start of the transfer that ended it. */
void mpi_endpoint_block(struct mpi_rank *me);
/* The same for a rank that has no such steps, no connections and nobody who asks for causes. */
static inline __attribute__((always_inline)) void
mpi_endpoint_block_alone(struct mpi_rank *me, struct mpi_endpoint *endpoint)
{
	const struct sim_engine *engine = &me->pd->world->engine;
	sim_time_ps begin = engine->now;

	endpoint->is_blocked = true;
	endpoint->last_started = SIM_TIME_MAX;
	sim_task_block(&me->pd->task);
	endpoint->is_blocked = false;
	endpoint->last_look = engine->now;
	mpi_endpoint_add_waiting(me, endpoint, begin, engine->now);
}
static inline void mpi_endpoint_tell(struct mpi_endpoint *endpoint)
{
	endpoint->has_news = true;
	if (endpoint->is_blocked)
		sim_task_wake(&endpoint->owner->pd->task);
}
static inline void mpi_endpoint_wake(struct mpi_rank *me)
{
	mpi_endpoint_tell(me->endpoint);
}
/* The end of a request, which is COMPLETE with its error in its status: for what follows here. */
void mpi_request_tell(struct mpi_request *request);
/* Marks a request complete that has its error in its status, and wakes its rank when it waits. */
static inline __attribute__((always_inline)) void mpi_request_end(struct mpi_endpoint *endpoint,
								  struct mpi_request *request)
{
	request->state = REQUEST_COMPLETE;
	if (!request->is_waited) {
		mpi_request_tell(request);
		return;
	}
	request->is_waited = false;
	if (--endpoint->n_to_go <= 0 && !(endpoint->go_on && endpoint->go_on(endpoint->owner)))
		mpi_endpoint_tell(endpoint);
}
/*
 * A test or probe found nothing. A rank that does nothing but poll would stop the simulated clock:
 * each further poll in a row pauses, until something that concerns the rank happens, but not for
 * long (docs/decisions/0010-polling.md).
 */
void mpi_endpoint_poll_failed(struct mpi_rank *me);
/*
 * An access to a window is complete, and may have been a look at it: nobody knows. Where accesses
 * take no time, a rank that looks again and again would stop the clock: from the 100 000th at one
 * instant on each pauses as a poll does.
 */
void mpi_endpoint_looked(struct mpi_rank *me);

#endif
