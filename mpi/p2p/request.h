/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_P2P_REQUEST_H
#define MPI_P2P_REQUEST_H

#include <mpi.h>
#include <stdbool.h>

#include "mpi/abi/call_info.h"
#include "mpi/comm/comm.h"
#include "mpi/core/rank.h"
#include "mpi/core/status.h"
#include "mpi/datatype/datatype.h"
#include "mpi/p2p/index.h"
#include "util/list.h"

/*
 * Requests: every operation that can be waited for, blocking calls included.
 *
 *   IDLE (persistent, not started) → PENDING → ARRIVED (a message that its rank has yet to take:
 * overhead o, unpacking) → COMPLETE
 */
enum mpi_request_kind {
	REQUEST_SEND,
	REQUEST_RECV,
	REQUEST_COLL,
	REQUEST_GENERALIZED,
	REQUEST_RMA,
	REQUEST_COMPOUND, /* of others: mpi/p2p/compound.h */
	REQUEST_IO,
};
enum mpi_request_state { REQUEST_IDLE, REQUEST_PENDING, REQUEST_ARRIVED, REQUEST_COMPLETE };
/* Messages of the application and of collectives never match each other. */
enum mpi_channel { CHANNEL_P2P, CHANNEL_COLL };

struct mpi_message;
struct mpi_compound;
struct mpi_kept;

struct mpi_request {
	struct util_link link; /* in the queue it is in */
	MPI_Request handle;    /* 0 while the application has none */
	enum mpi_request_kind kind : 8;
	enum mpi_request_state state : 8;
	enum mpi_send_mode mode : 8;
	enum mpi_channel channel : 8;
	bool is_persistent;
	bool is_blocking; /* a send within a call that blocks, of whoever has no request of it */
	bool is_waited; /* its rank blocks until it completes */
	bool is_lent;	/* see mpi_request_lend */
	bool is_listed; /* seen in the array of the present call */
	bool is_orphan; /* MPI_Request_free before completion */
	bool is_held;	/* a receive that takes nothing until it is known whether it is cancelled */
	int peer, tag;	/* as given: rank in comm or wildcard */
	uint32_t ordinal; /* of a receive, on its rank: for whoever chooses (mpi/p2p/choose.h) */
	struct mpi_rank *owner;
	struct mpi_comm *comm;	   /* retained */
	struct mpi_datatype *type; /* retained */
	void *buf;
	MPI_Count count;
	MPI_Status status; /* valid when COMPLETE; MPI_ERROR holds the operation's error */
	struct mpi_message
	    *message; /* sends: the message under way; receives: the one that matched */
	struct mpi_match_node by_key; /* while it is posted and the queue is deep */
	int64_t cause_mark; /* mpi/p2p/causes.h: of a receive's post, then of the completion */
	struct mpi_compound *whole; /* of what this is a part; NULL: of nothing */
	struct mpi_kept *kept;	    /* mpi/p2p/kept.h; NULL: nothing */
	/* collectives, compound and generalized requests, one-sided communication */
	void *operation;
	int (*query)(struct mpi_request *request); /* fills the status when the application gets it;
						      NULL: it is there already */
	void (*release)(struct mpi_rank *me,
			struct mpi_request *request); /* frees `operation`; may be NULL */
	int (*start)(
	    struct mpi_rank *me,
	    struct mpi_request *request); /* MPI_Start of a persistent collective; may be NULL */
};

static inline bool mpi_request_is_active(const struct mpi_request *request)
{
	return request && request->state != REQUEST_IDLE;
}

/* A request of the rank's own, PENDING, without a handle. From the pool; never NULL (fails the run
 * when out of memory). */
_Noreturn void mpi_request_fail_memory(const struct mpi_rank *me);
static inline struct mpi_request *mpi_request_create(struct mpi_rank *me,
						     enum mpi_request_kind kind)
{
	struct mpi_request *request = util_pool_get(&me->world->requests);

	if (__builtin_expect(!request, 0))
		mpi_request_fail_memory(me);
	memset(request, 0, sizeof *request);
	request->kind = kind;
	request->state = REQUEST_PENDING;
	request->owner = me;
	mpi_status_set_empty(&request->status);
	return request;
}
/* Gives the request a handle for the application. */
MPI_Request mpi_request_publish(struct mpi_rank *me, struct mpi_request *request);
void mpi_request_destroy(struct mpi_rank *me, struct mpi_request *request);
struct mpi_request *mpi_request_get(const struct mpi_rank *me,
				    MPI_Request handle); /* NULL: none, or MPI_REQUEST_NULL */
/* Enters a request, which is in no other queue, in the list of those that use the program's memory
 * while a rendezvous goes on; takes it out. */
void mpi_request_lend(struct mpi_request *request);
void mpi_request_unlend(struct mpi_request *request);
/* A receive whose data is here and that its rank has to take. From anywhere. */
void mpi_request_arrived(struct mpi_request *recv);
/* Takes a receive that has ARRIVED: unpacks, spends the overhead, completes it. On its rank's
 * fiber. */
void mpi_request_take(struct mpi_rank *me, struct mpi_request *recv);
/* Marks a request complete and wakes its rank when it waits for it. From anywhere. */
void mpi_request_complete(struct mpi_request *request, int error_class);

/*
 * Blocks until all (or, with `any`, one) of `n` requests are COMPLETE, making progress on
 * everything else of the rank meanwhile. NULL entries are ignored. On the rank's fiber. Does not
 * destroy them.
 */
void mpi_requests_wait(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any);
/*
 * One of the requests is complete: takes the others that have arrived by now, those at the same
 * simulated time included. On the rank's fiber.
 */
void mpi_requests_take_others(struct mpi_rank *me, int n, struct mpi_request *const requests[]);
/* mpi_requests_wait for one request that is PENDING or ARRIVED. */
void mpi_request_wait(struct mpi_rank *me, struct mpi_request *request);
/* Makes the progress that is possible now without blocking for others: takes arrived messages of
 * `requests`, advances collectives. None, with `protocol.progress: in_waiting`, where all (with `any`:
 * one) of the requests are complete. */
void mpi_progress_poll(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any);
/*
 * The same for a test of several requests; whether it may tell what is complete now. With
 * `protocol.late_answers: tests` one that knew of nothing may not: it makes progress, and the next
 * call tells what that found.
 */
bool mpi_progress_test(struct mpi_rank *me, int n, struct mpi_request *const requests[], bool any);
/* Links something to be advanced whenever the rank is in MPI. */
void mpi_progress_add(struct mpi_rank *me, struct mpi_progress *progress);

#endif
