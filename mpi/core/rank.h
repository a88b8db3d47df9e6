/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_CORE_RANK_H
#define MPI_CORE_RANK_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/core/foreign.h"
#include "mpi/core/handle.h"
#include "mpi/core/payload.h"
#include "pdexec/rank.h"
#include "util/pool.h"

/*
 * The MPI layer's state of one rank and of the whole run, and what every MPI function does first
 * and last:
 *
 *     struct mpi_rank *me = MPI_ENTER();
 *     …
 *     return mpi_leave(me, code);
 *
 * mpi/abi/entries.py writes all of these functions but a few: it looks up and checks the arguments, and
 * calls what a chapter's folder defines, without either:
 *
 *     int mpi_comm_size(struct mpi_rank *me, struct mpi_comm *comm, int *size)
 *     {
 *             *size = comm->size;
 *             return MPI_SUCCESS;
 *     }
 *
 * Functions named MPI_* are for applications only: inside the library call the mpi_* ones. PMPI_*
 * are aliases made by the linker.
 */
struct mpi_comm;
struct mpi_request;
struct mpi_errhandler;
struct mpi_choice;
struct mpi_coll_selection;
struct mpi_synchronous;
struct mpi_series_run;
struct mpi_coll_uses;
struct mpi_shadow_rank;

typedef bool mpi_receiving_fn(const struct mpi_request *recv, bool is_over);

/* Something of a rank that goes on whenever the rank is inside MPI, e.g. a nonblocking collective.
 */
struct mpi_progress {
	struct mpi_progress *next;
	/* Does what can be done now, on the rank's own fiber; true when it has ended and is to be
	 * unlinked. */
	bool (*advance)(struct mpi_rank *me, struct mpi_progress *progress);
};

/* Outside a call, when mpisim_foreign_call has announced the next one. */
#define MPI_DEPTH_FOREIGN (-1)

enum mpi_init_state { MPI_STATE_BEFORE_INIT, MPI_STATE_RUNNING, MPI_STATE_FINALIZED };

struct mpi_rank {
	struct pd_rank *pd;
	struct mpi_world *world;
	int rank;		   /* in MPI_COMM_WORLD */
	enum mpi_init_state state; /* of the World model */
	int n_open; /* the World model and sessions that have begun and not ended: calls are allowed
		     */
	int n_opened; /* those that have begun so far */
	int thread_level;
	int depth; /* of nested calls: callbacks call MPI from inside MPI; or MPI_DEPTH_FOREIGN */
	bool has_handled; /* an error handler has changed the code of the call under way … */
	int handled_code; /* … to this one */
	enum mpi_language language; /* of the call under way, until it is taken */
	const void *foreign_site;   /* with MPI_DEPTH_FOREIGN: where the next call comes from */
	sim_time_ps call_begin;
	sim_time_ps call_waiting; /* blocked time of this call with no transfer under way for it */
	struct mpi_comm *comm_world, *comm_self; /* NULL before MPI_Init */
	struct mpi_comm
	    *parent; /* MPI_Comm_get_parent: with whoever spawned the rank; NULL: none */
	uint64_t meeting; /* the last one at a port where it was a root; mpi/dynamic/port.h */
	struct mpi_comm
	    *comm_none; /* where there is no communicator; NULL before the first begin */
	struct mpi_progress *in_progress;
	struct mpi_endpoint *endpoint; /* matching queues and waiting; p2p's own */
	struct mpi_message *last_sent; /* of one pair that it is the source of, and … */
	int n_pairs_more; /* … how many there are besides: mpi/p2p/pair.h */
	void *buffer_attached;	       /* MPI_Buffer_attach: p2p's own */
	void *error_space;	       /* user-defined error classes and strings: env's own */
	void *attributes;	       /* keyvals of this rank: comm's own */
	void *rma;		       /* windows of this rank: rma's own */
	void *io;		       /* files of this rank: io's own */
	const struct sim_causes *causes; /* borrowed; NULL: nobody asks (mpi/p2p/causes.h) */
	struct sim_tally_rank *tally; /* borrowed; NULL: calls and messages are recorded one by one */
	struct mpi_shadow_rank *shadow; /* verify's own; NULL: its calls are not looked at */
	struct mpi_registered *registered; /* mpi/orders/registered.h, borrowed; NULL: nobody asks */
	int n_tool_inits; /* MPI_T_init_thread without MPI_T_finalize yet */
	uint64_t n_sent[2], sent_B[2]; /* messages by enum mpi_channel, their payload */
	uint64_t n_handles;	       /* live ones of this rank */
	bool has_reported;	       /* what it held at its end: leaks, env's own */
};

/* Has left MPI: it may come back with another session. */
static inline bool mpi_rank_has_left(const struct mpi_rank *me)
{
	return me->n_open == 0 && me->n_opened > 0;
}

struct mpi_world {
	struct pd_world *pd;
	struct mpi_handle_table *handles;
	struct mpi_rank *ranks; /* [n_ranks]; stays where it is when ranks are added */
	int n_ranks;
	struct util_pool requests, messages, bare_messages; /* bare: without inline data */
	struct mpi_payloads payloads; /* data of messages that keep it: p2p's own */
	struct mpi_pair_table *pairs; /* p2p: order of delivery */
	struct mpi_stream_table *streams; /* p2p: connections between ranks; NULL: transfers have no order */
	const struct mpi_choice *choice; /* borrowed: mpi/p2p/choose.h; NULL: time decides */
	struct mpi_synchronous *synchronous; /* borrowed: mpi/p2p/synchronous.h; NULL: nobody asks */
	struct mpi_series_run *series; /* mpi/orders/series.h; NULL: no messages are a collective */
	const struct mpi_shortening *shortening; /* borrowed: mpi/p2p/message.h; NULL: none */
	const void *waiting_site; /* p2p: a loop of the program that waits by polls; NULL: none known */
	bool has_send_overhead, has_recv_overhead; /* the cluster has any of it */
	struct mpi_contacts *contacts; /* mpi/p2p/contact.h; NULL: they cost nothing */
	int64_t buffered_B; /* standard sends of more wait for their receive; -1: all do */
	int64_t plain_B;  /* sends of more are not plain (mpi/p2p/send.c); -1: none is */
	struct mpi_meetings *meetings; /* mpi/core/meeting.h; NULL: none yet */
	uint32_t next_context;	       /* mpi/comm/context.h; 0: none was made */
	void *predefined; /* datatypes, operations, groups …: datatype's and op's own */
	/* Algorithms asked for, by the cluster file; NULL: none (mpi/coll/algorithms.h). */
	const struct mpi_coll_selection *coll_selection;
	struct mpi_coll_uses *coll_uses; /* mpi/coll/uses.h; NULL: they are not counted */
	struct mpi_coll_orders *coll_orders;  /* mpi/coll/order.h; NULL: none yet */
	int n_finalized;		      /* ranks that have left MPI for good */
	int n_unfinalized, first_unfinalized; /* ranks that ended well without MPI_Finalize */
	void *ports;			      /* and published names: dynamic's own; NULL: none */
	struct mpi_spawn *spawns; /* mpi/dynamic/spawn.h */
	const char *no_spawn; /* the option under which processes cannot be spawned, and why; NULL: they can */
	struct mpi_leaks *leaks; /* found at MPI_Finalize: env's own */
	struct mpi_record *record; /* mpi/record/record.h; NULL: the run is not recorded */
	struct mpi_watch *watch;   /* mpi/watch/watch.h; NULL: nobody watches the calls */
	const struct mpi_meets *meets; /* borrowed: mpi/p2p/causes.h; NULL: nobody asks */
	/* A synchronous send has met its receive: verify's own; NULL: nobody asks. */
	void (*synchronized)(const struct mpi_message *message);
	mpi_receiving_fn *receiving; /* mpi/p2p/message.h; NULL: nobody asks */
	struct mpi_verify *verify; /* mpi/verify/verify.h; NULL: the run is not verified */
	const char *failure_class; /* for it: the class of the failure that comes next; NULL: by its kind */
	const void *described; /* record, verify or watch: calls of the program come through functions of theirs */
	bool tells_polls;      /* who watches is told of every poll: none is answered quickly */
	uint64_t n_messages,
	    n_bytes; /* point-to-point messages of the application and their payload */
	uint64_t n_collective_messages,
	    n_collective_bytes; /* messages that collectives are made of */
	uint64_t n_steps_in_mpi; /* steps of messages that wait until their rank is in MPI */
	void *rma;		/* windows: rma's own */
	void *io;		/* files: io's own */
};

/*
 * Makes the MPI layer of a run. Before pd_world_start. Negative: see err; UTIL_EINPUT for algorithms
 * of collectives that the cluster file asks for and that there are not.
 */
int mpi_world_create(struct pd_world *pd, struct mpi_world **out, struct util_error *err);
void mpi_world_destroy(struct mpi_world *world);
/* Takes up the ranks that pd_world_add has added. */
void mpi_world_extend(struct mpi_world *world);

#define MPI_ENTER() mpi_enter(__func__, __builtin_return_address(0))

/* Ends the computation step and notes the call. Fails the run outside MPI_Init … MPI_Finalize and
 * of every session. */
struct mpi_rank *mpi_enter(const char *function, const void *site);
/* The same for the few functions that are allowed before MPI_Init and after MPI_Finalize. */
struct mpi_rank *mpi_enter_anytime(const char *function, const void *site);
/* For those that call the function itself within: the generated ones of mpi/record and replay. */
void mpi_enter_described(struct mpi_rank *me, const char *function, const void *site);
/* The site of a call that its binding announced (`depth` is MPI_DEPTH_FOREIGN), which is over now. */
const void *mpi_foreign_site(struct mpi_rank *me);
/* Records the call, returns to the application. Returns `code`. */
int mpi_leave(struct mpi_rank *me, int code);

/*
 * Raises an error of class `error_class` on `comm` (NULL: MPI_COMM_SELF's handler, or
 * MPI_COMM_WORLD's where that alone was changed): MPI_ERRORS_ARE_FATAL and MPI_ERRORS_ABORT end the
 * run with the sentence; MPI_ERRORS_RETURN returns the code; a user's handler is called with it.
 * Returns the code to give to mpi_leave.
 */
int mpi_raise(struct mpi_rank *me, struct mpi_comm *comm, int error_class, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same for objects that have error handlers of their own: `object` is the handle that a user's
 * handler gets. */
int mpi_raise_on(struct mpi_rank *me, const struct mpi_errhandler *handler, uintptr_t object,
		 int error_class, const char *format, ...) __attribute__((format(printf, 5, 6)));
/* The same on the object of a handle of any kind: on a window or a communicator; others have no
 * error handlers. `handle` 0: on no object. */
int mpi_raise_about(struct mpi_rank *me, enum mpi_kind kind, uintptr_t handle, int error_class,
		    const char *text);

/*
 * Predefined datatypes, operations, groups and the registry of contexts: made and freed with the
 * world (mpi/world/objects.c). 0 or UTIL_ENOMEM.
 */
int mpi_objects_create(struct mpi_world *world);
void mpi_objects_destroy(struct mpi_world *world);

/* Ends the run: `function` is not implemented. */
int mpi_unsupported(const char *function, const void *site);

#endif
