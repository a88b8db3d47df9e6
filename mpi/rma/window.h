/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RMA_WINDOW_H
#define MPI_RMA_WINDOW_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi/comm/comm.h"
#include "mpi/core/meeting.h"
#include "mpi/p2p/request.h"
#include "util/list.h"
#include "util/map.h"
#include "util/pool.h"

/*
 * Windows. What all members of one share is a rma_window; what one rank has of it, and what its
 * handle names, is a mpi_win. All ranks live in one process, so members look into each other's
 * mpi_win instead of keeping copies; what that costs in time are the messages that the calls send.
 */
struct mpi_errhandler;
struct mpi_info;
struct rma_op;

/* What one member knows of another that it has to do with, made when it first does. */
struct rma_peer {
	int rank;		     /* in the window's group */
	int n_remote;		     /* operations that are not known to be complete at the peer */
	int n_local;		     /* … of which this rank's buffers are still in use */
	int n_posts;		     /* exposures by the peer that no access epoch has used yet */
	int lock_type;		     /* MPI_LOCK_…, 0: none */
	bool is_granted;	     /* the lock, if it is asked for */
	bool is_unchecked;	     /* the lock was taken with MPI_MODE_NOCHECK: no messages */
	bool is_accessed;	     /* in the group of MPI_Win_start */
	bool is_awaited;	     /* … which waits for the peer's post */
	bool is_exposed_to;	     /* in the group of MPI_Win_post, and has not completed */
	int n_under_way;	     /* messages to it that are not answered yet */
	struct rma_op *first, *last; /* not served yet, in order of their start */
	struct rma_op *unsent;	     /* the first of them that has yet to be sent; NULL: none */
};

enum rma_access { /* the access epoch that a rank is in */
		  ACCESS_NONE,
		  ACCESS_FENCE,
		  ACCESS_STARTED,
		  ACCESS_LOCKED, /* one or more targets */
		  ACCESS_LOCKED_ALL,
};

enum rma_wait { /* what a member is blocked for */
		WAIT_NOTHING,
		WAIT_REMOTE,	/* operations to be complete at one target, or at all */
		WAIT_LOCAL,	/* buffers of operations to one target, or to all */
		WAIT_POSTS,	/* targets to expose their windows */
		WAIT_COMPLETES, /* origins to end their accesses */
		WAIT_LOCK,
		WAIT_LOCK_ALL,
		WAIT_NOTICES, /* messages without an answer to arrive */
};

struct rma_region { /* memory attached to a dynamic window */
	char *base;
	MPI_Aint size_B;
};

struct rma_window;

struct mpi_win {
	struct util_link link; /* of the same rank */
	MPI_Win handle;
	struct rma_window *window;
	struct mpi_rank *owner;
	struct mpi_comm *comm; /* of its own; retained */
	int rank, size;	       /* in comm */
	char *base;	       /* as the owner sees it */
	MPI_Aint size_B, disp_unit;
	bool is_abandoned;	    /* its rank has finalized: nothing of its memory is touched */
	void *allocated;	    /* by MPI_Win_allocate; NULL: not the window's */
	struct rma_region *regions; /* [n_regions], by base; dynamic windows */
	int n_regions;
	struct mpi_errhandler *errhandler;
	struct mpi_info *info;
	char *name;
	struct mpi_attribute *attributes;
	int disp_unit_attribute; /* values of the predefined attributes that have no other place */
	int flavor_attribute, model_attribute;
	/* epochs */
	enum rma_access access;
	bool is_used;	 /* ACCESS_FENCE: something was started since the fence */
	bool is_exposed; /* MPI_Win_post */
	struct mpi_group *access_group, *exposure_group; /* retained, NULL: none */
	int n_awaited_posts, n_awaited_completes;
	int n_locks; /* targets locked one by one */
	bool is_all_granted, is_all_unchecked;
	/* operations, over all targets; `n_notices`: messages without an answer under way */
	int n_remote, n_local, n_notices;
	struct util_map peers; /* struct rma_peer by rank */
	/* the call that blocks, at most one */
	enum rma_wait wait;
	int wait_rank;	    /* -1: all */
	int64_t cause_mark; /* of what ended the wait (mpi/p2p/causes.h) */
	/* who holds this member's window locked */
	int n_shared, exclusive; /* exclusive: member, -1: nobody */
};

struct rma_window {
	struct mpi_meeting meeting; /* first */
	int flavor, n_members;
	struct mpi_win **members; /* [n_members] NULL: has yet to come, or has freed it */
	void *segment;		  /* shared memory */
	int n_all, n_exclusive;	  /* members that hold all locked; targets locked exclusively */
	struct rma_op *waiters, **last_waiter; /* lock requests, oldest first */
};

/* What this chapter keeps per run (mpi_world.rma). */
struct rma_world {
	struct util_pool ops;
};

/* What it keeps per rank (mpi_rank.rma): messages that wait until the rank is in MPI. */
struct rma_host {
	struct mpi_progress progress; /* first */
	struct util_list windows;
	struct rma_op *first, *last;
	struct rma_engine *engine; /* mpi/rma/design.h; NULL: none has served */
};

/* The memory model that the library says it has, but for shared memory. */
bool rma_is_separate(const struct mpi_world *world);
/* The window of a handle; NULL when it is none. O(1). */
struct mpi_win *mpi_win_get(const struct mpi_rank *me, MPI_Win handle);
/* MPI_SUCCESS and *out, or the error raised. */
int rma_check_win(struct mpi_rank *me, MPI_Win handle, struct mpi_win **out);

/* mpi_raise on a window: (me, win, error class, format, …). */
#define rma_raise(me, win, ...) \
	mpi_raise_on(me, (win)->errhandler, (uintptr_t)(win)->handle, __VA_ARGS__)

/* The peer, made when there is none yet; fails the run when out of memory. O(1) expected. */
struct rma_peer *rma_peer(struct mpi_win *win, int rank);
/* The same without making one: NULL. */
struct rma_peer *rma_peer_find(const struct mpi_win *win, int rank);
/* Another member's part of the window. */
static inline struct mpi_win *rma_member(const struct mpi_win *win, int rank)
{
	return win->window->members[rank];
}

/*
 * Makes the caller's part of a window over `comm`, with default error handler: collective, the
 * messages of a duplication of the communicator. An error class that is yet to be raised.
 */
int rma_win_create(struct mpi_rank *me, struct mpi_comm *comm, int flavor, struct mpi_win **out);
/* Ends the caller's part: without messages, also of one half made. */
void rma_win_destroy(struct mpi_rank *me, struct mpi_win *win);

#endif
