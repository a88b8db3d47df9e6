/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_SHADOW_H
#define MPI_VERIFY_SHADOW_H

#include "mpi/comm/comm.h"
#include "mpi/p2p/internal.h"
#include "mpi/verify/apart.h"
#include "mpi/verify/call.h"
#include "mpi/verify/signature.h"
#include "mpi/verify/verify.h"
#include "util/list.h"
#include "util/map.h"

/*
 * The shadow of a run: what its ranks have sent, received and called together, as their calls tell,
 * and how that matched. The library's own queues know nothing of it. It is there to compare both
 * sides of a match, and to go through the run once more in the *strict view*, where every send and
 * every collective blocks until it is matched (mpi/verify/strict.c): the matches are those of the
 * run, except that receives from any source may take another message that fits.
 */
enum mpi_shadow_kind { SHADOW_SEND, SHADOW_RECV, SHADOW_COLL };

struct mpi_shadow_op;

/* A send and a receive that match. Side 0 is the send, side 1 the receive. */
struct mpi_shadow_pair {
	struct util_link link;	     /* in the queue */
	struct mpi_shadow_op *op[2]; /* NULL: it is forgotten */
	int rank[2];
	bool is_posted[2];		/* in the strict view */
	int n_references;		/* of the two */
	struct mpi_shadow_queue *queue; /* that it is in, while not both are posted; NULL: none */
};

/* What a member of a collective sends [0] to and receives [1] from each of its peers. Shared by the
 * starts of a persistent one. */
struct mpi_shadow_blocks {
	int n_references;
	int n[2];
	struct mpi_signature *each[2]; /* [n] malloc'd; NULL: all are alike */
	int *peers[2]; /* [n] malloc'd: of a neighbourhood, by edge; NULL: they go by rank */
	bool is_grid;
	struct mpi_shadow_given *given; /* of calls whose arguments are compared; NULL: none */
};

/* One of MPI_COMM's collectives, on all its members. */
struct mpi_shadow_part { /* what one member calls */
	struct mpi_finding_call call;
	struct mpi_signature send, recv;
	struct mpi_shadow_blocks *blocks; /* NULL: one for all */
	bool has_send, has_recv, has_called;
	bool is_uniform;  /* `send` is the same on all ranks … */
	bool is_of_group; /* … of the rank's own group of an intercommunicator */
};

struct mpi_shadow_together {
	struct util_link
	    link; /* among those that not all have called, or those that are remembered */
	const char *operation;
	const struct mpi_comm *comm; /* of the first one that called; only compared */
	uint32_t context, number;    /* of the communicator's collectives */
	int n_members, n_called, n_posted, n_references, root;
	int first[2]; /* who called it first, of each group; -1: nobody yet */
	int sender;   /* between groups: who gave MPI_ROOT; -1: nobody yet */
	int n_first; /* members of the first group; of an intercommunicator, those of the other follow */
	bool is_between_groups, has_root; /* has_root: of those, a rank gave MPI_ROOT */
	bool differs;			  /* not all of them gave equal arguments (given.c) */
	int *members;			  /* [n_members] world ranks */
	struct mpi_shadow_part *parts;	  /* [n_members], by place in `members` */
	bool *is_posted;		  /* [n_members] in the strict view */
};

/* What a match looks at comes first: one line of the cache. */
struct mpi_shadow_op {
	struct util_link link;				   /* in the queue */
	struct mpi_shadow_op *next_of_peer, *prev_of_peer; /* in the bucket */
	enum mpi_shadow_kind kind : 2;
	enum mpi_send_mode mode : 2;
	bool is_wild : 1;   /* a receive whose source is not known yet */
	bool was_wild : 1;  /* it was given without a source */
	bool is_queued : 1; /* it has no match yet */
	bool is_posted : 1; /* in the strict view */
	bool is_dead : 1;   /* cancelled: whoever waits for it goes on */
	bool is_met : 1;    /* the other side is posted, in the strict view; it has no pair */
	bool is_paired : 1;
	bool was_probed : 1;
	bool is_held : 1; /* by `request`, until it is met */
	int n_references; /* steps, a request, the queue */
	int rank, peer;	  /* world ranks; peer MPI_ANY_SOURCE: not known */
	int tag;
	uint32_t context;
	struct mpi_datatype *type; /* retained; NULL: not known (MPI_Mprobe) */

	union {
		struct mpi_shadow_pair *pair;	    /* if it is_paired */
		struct mpi_shadow_request *request; /* if it is_held */
	};
	MPI_Count count;
	const char *function; /* the call */
	const void *site;
	union {
		const struct mpi_group *peers;	      /* of a wild receive: borrowed from its
						  communicator, retained */
		struct mpi_shadow_together *together; /* of a collective */
	};
	union {
		int place;     /* among its members */
		int given_tag; /* as the program gave it, that may be any */
	};
	int given_peer, comm_rank;    /* ranks in the communicator: as given, and the op's own */
	struct mpi_shadow_op *probed; /* was_probed: the send, kept; the datatype is yet to come */
};
static inline struct mpi_finding_call mpi_shadow_call_of(const struct mpi_shadow_op *op)
{
	return (struct mpi_finding_call){op->rank, op->function, op->site};
}

enum { SHADOW_FEW = 8 };

/* What a rank goes through in the strict view. */
struct mpi_shadow_step {
	enum {
		STEP_POST, /* all of its operations */
		STEP_ALL,
		STEP_ANY,
		STEP_SEEN, /* a send that a probe found is posted */
	} kind;
	int n, n_done;		    /* n_done: of the first ones, where all are waited for */
	struct mpi_shadow_op **ops; /* [n]; `few` where they fit */
	struct mpi_shadow_step *next;
	struct mpi_finding_call call;
	bool is_open; /* a probe that is not over: what it waits for is yet to be said */
	int source;   /* of that: a world rank or MPI_ANY_SOURCE */
	struct mpi_shadow_op *few[SHADOW_FEW];
};

/* Of one rank and one communicator. */
struct mpi_shadow_bucket {
	struct mpi_shadow_op *first, *last;
};

/* What is not matched, [SHADOW_SEND] sends to the rank, [SHADOW_RECV] its receives: one line. */
struct mpi_shadow_queue {
	struct util_list of[2];
	/* the same by the other rank, but for wild ones; NULL: there are few */
	struct mpi_shadow_bucket *buckets[2];
	uint32_t n[2];
	int n_wild;
	uint8_t log2_buckets[2]; /* how many */

	struct util_list pairs;	      /* that are not done in the strict view */
	uint32_t n_together;	      /* collectives that the rank has called */
	bool is_fenced;		      /* of a window: the last fence may have begun an epoch … */
	struct mpi_finding_call lock; /* … in which it was locked; function NULL: it was not */
};

/*
 * A blocking send or receive between two ranks that are, in the strict view, as far as in the run,
 * and whose other side has not come: most messages are nothing else, and need no operation. It
 * becomes one (mpi_shadow_settle) where anything but its other side is to be matched. MPI_Sendrecv
 * is one of each. One line of the cache.
 */
struct mpi_shadow_plain {
	uint8_t call;	      /* enum mpi_verify_direct */
	int peer, given_peer; /* peer: a world rank, or MPI_ANY_SOURCE */
	int tag, count;
	uint32_t context;
	struct mpi_datatype *type; /* predefined */
	struct mpi_comm *comm; /* borrowed: whatever frees it makes an operation of this first */
	const void *site;
	/* of a send, among those for `peer`, the last one first */
	struct mpi_shadow_rank *next, *prev;
};

struct mpi_shadow_rank {
	_Alignas(64) struct mpi_shadow *shadow;
	struct mpi_shadow_step *first;	  /* not yet done in the strict view */
	struct mpi_shadow_rank *senders;  /* whose plain sends are for this one */
	struct mpi_shadow_queue **queues; /* [n_queues] by context; NULL: nothing yet */
	struct mpi_shadow_queue *recent;  /* the queue asked for last, of `context`; NULL: none */
	uint32_t context, n_queues;
	bool has_plain[2]; /* of enum mpi_shadow_kind: which of `plain` is there */
	bool is_listed;	   /* among those to be looked at */
	bool has_ended;	   /* has called MPI_Finalize */
	struct mpi_apart apart;
	struct mpi_shadow_step *last;
	struct mpi_shadow_op *wild; /* what became of a plain receive from any source; NULL */
	uint64_t n_steps;
	struct util_list persistent; /* plans */
	struct mpi_finding_call end;
	_Alignas(64) struct mpi_shadow_plain plain[2];
};

/* The arguments of one operation: sends and receives, or a collective. */
struct mpi_shadow_plan {
	struct util_link link; /* of persistent requests: among those of the rank */
	struct mpi_comm *comm; /* NULL: the arguments are wrong, or nothing is to be posted */
	struct mpi_p2p_args send, recv; /* comm NULL: there is none */
	enum mpi_send_mode mode;
	const char *together; /* NULL: no collective */
	int root;
	struct mpi_shadow_part part;
	/* of persistent requests: */
	struct mpi_shadow_request *request;
};

enum { SHADOW_IN_CHUNK = 256 };

struct mpi_shadow_request { /* of the program's, by index of its handle: half a line */
	struct mpi_shadow_op *op;
	union {
		struct mpi_shadow_op *second; /* of a call that sends and receives */
		struct mpi_shadow_plan *plan; /* of a persistent one: its arguments */
	};
	const void *site;
	int rank;
	uint16_t function; /* which of mpi_call_infos, from 1; 0: there is no request */
	bool is_persistent : 1;
	bool is_active : 1;
	bool is_cancelled : 1; /* MPI_Cancel was called */
	bool was_started : 1;  /* of persistent ones */
	bool is_known : 1;     /* MPI_Request_get_status has found it complete */
};
static inline struct mpi_shadow_op *mpi_shadow_second(const struct mpi_shadow_request *request)
{
	return request->is_persistent ? NULL : request->second;
}

struct mpi_shadow {
	struct mpi_world *world;
	struct mpi_shadow_rank *ranks; /* also those to come; in `memory` */
	void *memory;
	struct mpi_shadow_request *
	    *requests; /* [n_chunks] by index of handles, so many in each; NULL */
	uint64_t n_chunks;
	struct util_list open;		/* struct mpi_shadow_together that not all have called */
	struct util_map numbered;	/* the same by communicator and number */
	struct util_list closed;	/* those that all have called, while they are remembered */
	bool has_end;			/* a rank has called MPI_Finalize */
	struct mpi_shadow_half *halves; /* of partitioned communication, that wait for the other */
	struct util_pool ops, pairs, steps, queues, chunks;
	int *to_look, n_to_look; /* ranks whose steps may go on */
	bool is_looking;
	bool
	    looks_at_buffers; /* whether they are apart; --verify=memory finds that in its own way */
	uint64_t n_calls, next_look; /* of mpi_shadow_look_for_partial */
	bool is_full;		     /* too many steps are kept: find out who is stuck, */
	bool is_given_up;	     /* and forget the strict view */
};

int mpi_shadow_create(struct mpi_world *world, struct mpi_shadow **out);
void mpi_shadow_add(struct mpi_shadow *shadow, struct mpi_rank *me); /* a rank begins */
void mpi_shadow_destroy(struct mpi_shadow *shadow);

/* What is sent or received. */
struct mpi_shadow_data {
	const struct mpi_datatype *type;
	MPI_Count count;
	struct mpi_finding_call call;
};
static inline struct mpi_shadow_data mpi_shadow_data_of(const struct mpi_shadow_op *op)
{
	return (struct mpi_shadow_data){op->type, op->count, mpi_shadow_call_of(op)};
}

static inline bool mpi_shadow_is_peer(const struct mpi_comm *comm, int64_t peer, bool is_recv)
{
	return (peer >= 0 && peer < mpi_comm_n_peers(comm)) || peer == MPI_PROC_NULL ||
	       (is_recv && peer == MPI_ANY_SOURCE);
}
static inline bool mpi_shadow_is_tag(int64_t tag, bool is_recv)
{
	return tag >= 0 || (is_recv && tag == MPI_ANY_TAG);
}
/* Whether the arguments of a send or receive are right. */
static inline bool mpi_shadow_is_right(const struct mpi_p2p_args *a, bool is_recv)
{
	return a->comm && a->type && a->type->is_committed && a->count >= 0 &&
	       mpi_shadow_is_peer(a->comm, a->peer, is_recv) && mpi_shadow_is_tag(a->tag, is_recv);
}

/* --- operations (shadow.c) --- */
/* Ends the run. */
_Noreturn void mpi_shadow_fail_memory(const struct mpi_shadow *shadow);
/* Zeroed; ends the run when there is none. */
void *mpi_shadow_allocate(const struct mpi_shadow *shadow, size_t n, size_t size_B);
/* The same, not zeroed; n is at least 1. */
void *mpi_shadow_room(const struct mpi_shadow *shadow, size_t n, size_t size_B);
/* What there is. */
struct mpi_shadow_queue *mpi_shadow_queue_of(struct mpi_shadow *shadow, int rank, uint32_t context);
/* What is plain of the rank, or for it, is in the queue then. */
struct mpi_shadow_queue *mpi_shadow_settled_queue(struct mpi_shadow *shadow, int rank,
						  uint32_t context);
static inline struct mpi_shadow_queue *mpi_shadow_queue(struct mpi_shadow *shadow, int rank,
							uint32_t context)
{
	const struct mpi_shadow_rank *r = &shadow->ranks[rank];

	if (r->recent && r->context == context && !r->senders && !r->has_plain[SHADOW_RECV])
		return r->recent;
	return mpi_shadow_settled_queue(shadow, rank, context);
}

/* --- queues of what is not matched (queue.c) --- */
void mpi_shadow_append(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
		       struct mpi_shadow_op *op);
void mpi_shadow_take_out(struct mpi_shadow *shadow, struct mpi_shadow_queue *queue,
			 struct mpi_shadow_op *op);
/* The first of a side for this other rank that fits the tag; wild ones are left out. NULL: none. */
struct mpi_shadow_op *mpi_shadow_find(const struct mpi_shadow_queue *queue, int side, int other,
				      int tag);
/* The other rank of one of this side has changed. */
void mpi_shadow_drop_buckets(struct mpi_shadow_queue *queue, int side);

/* --- operations (shadow.c), again --- */
struct mpi_shadow_op *mpi_shadow_op(struct mpi_shadow *shadow, struct mpi_rank *me,
				    enum mpi_shadow_kind kind);
void mpi_shadow_destroy_op(struct mpi_shadow *shadow, struct mpi_shadow_op *op);
static inline void mpi_shadow_release(struct mpi_shadow *shadow, struct mpi_shadow_op *op)
{
	if (op && --op->n_references == 0)
		mpi_shadow_destroy_op(shadow, op);
}
/* Its reference becomes the request's; that is let go, at the latest when it is met. */
static inline void mpi_shadow_hold(struct mpi_shadow *shadow, struct mpi_shadow_request *request,
				   struct mpi_shadow_op *op)
{
	request->op = op;
	if (!op || op->is_paired || !op->type)
		return;
	if (op->is_met) {
		request->op = NULL;
		mpi_shadow_release(shadow, op);
		return;
	}
	op->request = request;
	op->is_held = true;
}
static inline void mpi_shadow_let_go(struct mpi_shadow *shadow, struct mpi_shadow_request *request)
{
	if (!request->op)
		return;
	request->op->is_held = false;
	mpi_shadow_release(shadow, request->op);
	request->op = NULL;
}
/* Of one that is in a queue, which has a reference, too. */
static inline void mpi_shadow_set_met(struct mpi_shadow_op *op)
{
	op->is_met = true;
	if (!op->is_held)
		return;
	op->is_held = false;
	op->request->op = NULL;
	op->n_references--;
}
/* Posts a send or receive, in the order of the rank's calls; matches what can be. The arguments are
 * right; type NULL: it is not known (MPI_Mprobe). NULL: it is none, or it is over in the strict view,
 * too, as most are whose other side waits. */
struct mpi_shadow_op *mpi_shadow_send(struct mpi_shadow *shadow, struct mpi_rank *me,
				      const struct mpi_p2p_args *a, enum mpi_send_mode mode);
struct mpi_shadow_op *mpi_shadow_recv(struct mpi_shadow *shadow, struct mpi_rank *me,
				      const struct mpi_p2p_args *a);
/* The same of what was plain, by that call, and is posted in the strict view. */
struct mpi_shadow_op *mpi_shadow_settled(struct mpi_shadow *shadow, struct mpi_rank *me,
					 enum mpi_shadow_kind kind, const struct mpi_p2p_args *a,
					 const struct mpi_finding_call *call);
/* What the status of a receive tells of it. */
void mpi_shadow_resolve(struct mpi_shadow *shadow, struct mpi_shadow_op *recv,
			const MPI_Status *status);
void mpi_shadow_unlink_pair(struct mpi_shadow *shadow, struct mpi_shadow_pair *pair);
void mpi_shadow_kill(struct mpi_shadow *shadow, struct mpi_shadow_op *op);
/* A send that fits what was probed; NULL: none is known. */
struct mpi_shadow_op *mpi_shadow_find_send(struct mpi_shadow *shadow, int rank, uint32_t context,
					   int source, int tag);
/* The function of a send that nobody received; NULL: there is none there. */
const char *mpi_shadow_sender_at(const struct mpi_shadow *shadow, const void *site);
/* The datatypes of a message. */
void mpi_shadow_compare(struct mpi_shadow *shadow, const struct mpi_shadow_data *recv,
			const struct mpi_shadow_data *send);

/* --- plain messages (plain.c) --- */
/* Makes operations of what is plain of that rank; of what is in its queues, too. */
void mpi_shadow_settle(struct mpi_shadow_rank *rank);
void mpi_shadow_settle_for(struct mpi_shadow_rank *rank);
void mpi_shadow_settle_all(struct mpi_shadow *shadow);
/* An error was raised for the rank: if that was its plain call, it did nothing. */
void mpi_shadow_forget_plain(struct mpi_rank *me);
/* The plain receive from any source is over. */
void mpi_shadow_received_plain(struct mpi_shadow_rank *rank, const MPI_Status *status);

/* --- collectives (together.c) --- */
/* `me` calls a collective of `comm`: posts its part and compares it with the others'. `part` is
 * taken over. */
struct mpi_shadow_op *mpi_shadow_call_together(struct mpi_shadow *shadow, struct mpi_rank *me,
					       struct mpi_comm *comm, const char *operation,
					       int root, struct mpi_shadow_part *part);
void mpi_shadow_leave_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together);
void mpi_shadow_destroy_together(struct mpi_shadow *shadow, struct mpi_shadow_together *together);

/* --- their data (parts.c) --- */
void mpi_shadow_release_blocks(struct mpi_shadow_blocks *blocks); /* NULL is fine */
/* Whether what `member` has just called agrees with what others have. */
void mpi_shadow_compare_member(struct mpi_shadow *shadow,
			       const struct mpi_shadow_together *together, int member);
/* The same of the arguments that have to be alike (given.c). */
void mpi_shadow_compare_given(struct mpi_shadow *shadow, struct mpi_shadow_together *together,
			      int member);
/* NULL: there is nothing to compare. */
struct mpi_shadow_given *mpi_shadow_take_given(const struct mpi_verify_call *call,
					       const struct mpi_comm *comm);
void mpi_shadow_release_given(struct mpi_shadow_given *given); /* NULL is fine */
/* The signatures of a collective's arguments. */
void mpi_shadow_describe_part(const struct mpi_verify_call *call, const struct mpi_comm *comm,
			      struct mpi_shadow_part *out);

/* --- partitioned communication (partitioned.c) --- */
/* The call has made one side: compares it with the other if that is there. */
void mpi_shadow_partitioned(struct mpi_shadow *shadow, const struct mpi_verify_call *call);
void mpi_shadow_destroy_halves(struct mpi_shadow *shadow);

/* --- what a call does (plan.c) --- */
void mpi_shadow_plan(const struct mpi_verify_call *call, struct mpi_shadow_plan *out);
/* Posts it in the shadow: how many operations `ops` got, each with a reference for the caller. */
int mpi_shadow_do(struct mpi_shadow *shadow, struct mpi_rank *me, struct mpi_shadow_plan *plan,
		  struct mpi_shadow_op *ops[2]);

/* --- the strict view (strict.c) --- */
void mpi_shadow_post(struct mpi_shadow *shadow, struct mpi_rank *me, struct mpi_shadow_op *op);
struct mpi_shadow_step *mpi_shadow_wait(struct mpi_shadow *shadow, struct mpi_rank *me, int n,
					struct mpi_shadow_op *const ops[], bool any);
/* Its steps may go on. */
static inline void mpi_shadow_look_at(struct mpi_shadow *shadow, int rank)
{
	struct mpi_shadow_rank *r = &shadow->ranks[rank];

	if (!r->first || r->is_listed)
		return;
	r->is_listed = true;
	shadow->to_look[shadow->n_to_look++] = rank;
}
/* The operation is matched: a rank that waits for all of several goes on from the first that is not
 * done. */
static inline void mpi_shadow_look_for(struct mpi_shadow *shadow, const struct mpi_shadow_op *op)
{
	const struct mpi_shadow_step *step = shadow->ranks[op->rank].first;

	if (step &&
	    (step->kind != STEP_ALL || step->n_done >= step->n || step->ops[step->n_done] == op))
		mpi_shadow_look_at(shadow, op->rank);
}
/* Lets ranks go on as far as they come. */
void mpi_shadow_advance(struct mpi_shadow *shadow);
/* Marks who can never go on: returns how many. AND-OR release over the first step of each rank. */
int mpi_shadow_find_stuck(struct mpi_shadow *shadow, bool is_stuck[]);
/* The same of those that are blocked in the run itself, in the same call, while others go on. */
int mpi_shadow_find_blocked(struct mpi_shadow *shadow, bool is_stuck[]);
/* Gives one receive from any source another message that fits; false: there is none to give. To be
 * followed by mpi_shadow_advance. */
bool mpi_shadow_rematch(struct mpi_shadow *shadow);
bool mpi_shadow_is_done(const struct mpi_shadow_op *op);

/* --- the end (deadlock.c) --- */
void mpi_shadow_end(struct mpi_shadow *shadow);
/* Looks, ever less often, for ranks that wait for ever while others go on; each call of a rank comes
 * by here. */
void mpi_shadow_look_for_partial_now(struct mpi_shadow *shadow);
static inline void mpi_shadow_look_for_partial(struct mpi_shadow *shadow)
{
	if (++shadow->n_calls >= shadow->next_look)
		mpi_shadow_look_for_partial_now(shadow);
}
/* Who is stuck in the strict view so far. */
void mpi_shadow_look_for_potential(struct mpi_shadow *shadow);

/* --- requests (request.c) --- */
void mpi_shadow_destroy_requests(struct mpi_shadow *shadow);
/* By the index of its handle; NULL: it is not looked at. */
static inline struct mpi_shadow_request *mpi_shadow_request(struct mpi_shadow *shadow,
							    uint64_t index)
{
	uint64_t at = index / SHADOW_IN_CHUNK;
	struct mpi_shadow_request *request = at < shadow->n_chunks && shadow->requests[at]
						 ? &shadow->requests[at][index % SHADOW_IN_CHUNK]
						 : NULL;

	return request && request->function ? request : NULL;
}
void mpi_shadow_before(struct mpi_shadow *shadow, struct mpi_verify_call *call);
void mpi_shadow_after(struct mpi_shadow *shadow, struct mpi_verify_call *call, int code);

#endif
