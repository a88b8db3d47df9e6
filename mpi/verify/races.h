/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_RACES_H
#define MPI_VERIFY_RACES_H

#include "mpi/rma/window.h"
#include "mpi/verify/memory.h"

/*
 * Accesses to windows that nothing orders (MPI 4.1, §12.7). Each rank has a vector clock; messages,
 * collectives, fences, post/start/complete/wait and locks carry it on; who completes a synchronous
 * send knows what its receiver knew when it started to receive. A one-sided operation goes
 * on from its call to the call that completes it: what another access has to know of to come after
 * it is the clock of that. Two accesses to the same bytes race if neither comes after the other,
 * one of them changes the bytes, and they are no accumulates that are atomic towards each other.
 * The order in which the run happened to go is no order, but that of a rank's own program is, for
 * what it does itself.
 *
 * Operations that fetch know of those that changed the same location before, as far as these knew
 * of others' completion: so locks and lists made of them work. Atomic loads and stores of the
 * program do the same among each other.
 *
 * In the separate memory model (`rma.model`) stores are there for others only once the owner has
 * synchronized the window, and what others have done is there for it only then; a window that is
 * stored to must not be updated by others meanwhile, wherever in it.
 *
 * Cost: 4 n^2 bytes for n ranks; each access is compared with all those to the same memory that may
 * still race.
 */
enum mpi_race_kind {
	RACE_LOAD,
	RACE_STORE,
	RACE_GET,
	RACE_PUT,
	RACE_ACCUMULATE, /* also the fetching ones */
	RACE_ATTACH,	 /* of memory to a dynamic window */
	RACE_DETACH,
};

enum { /* accumulate_ordering: what comes after what, of one origin */
       RACE_RAR = 1,
       RACE_RAW = 2,
       RACE_WAR = 4,
       RACE_WAW = 8,
};

struct mpi_race_stamp { /* a rank's clock at some time; shared by what refers to it */
	int n_references;
	uint32_t clock[];
};

#define RACE_PENDING UINT32_MAX

struct mpi_race_operation { /* under way; accesses refer to it */
	int n_references;
	int rank, target; /* of the origin, in the world; in the window */
	uint32_t end;	  /* the origin's own clock at the completion, or RACE_PENDING */
	struct mpi_race_operation *next; /* of the epoch */
	uint64_t learns; /* key of what is published, of operations that fetch; 0: nothing */
};

struct mpi_race_access {
	uintptr_t low, high;
	enum mpi_race_kind kind;
	uintptr_t op, type;	     /* handles, of accumulates */
	uint32_t element_B;	     /* of this type */
	bool fetches, needs_same_op; /* accumulates; accumulate_ops without MPI_NO_OP */
	unsigned ordering;	     /* RACE_RAR … */
	bool is_atomic;		     /* a load or store of the program that is */
	const struct mpi_win *win;   /* the owner's; only compared */
	int rank;
	uint32_t end;			      /* without operation */
	struct mpi_race_operation *operation; /* NULL: a load or store */
	struct mpi_race_stamp *start;
	struct mpi_finding_call call;
};

struct mpi_race_space { /* addresses that mean the same */
	struct mpi_race_access *accesses;
	size_t n, limit; /* limit: of n, when those that cannot race any more are thrown away */
};

struct mpi_race_region { /* memory of a window, as a rank sees it */
	uintptr_t low, high;
	struct mpi_win *win;
	int rank, space;
};

struct mpi_race_epoch { /* what a member of a window does */
	struct mpi_win *win;
	int size;
	uint32_t **acquired;	  /* [size] what operations on a target come after; NULL: nothing */
	uint32_t *released[2];	  /* by whoever unlocked this member: exclusively, in any way */
	int *locked;		  /* [size] MPI_LOCK_… or 0 */
	int n_targets, n_origins; /* of start, of post */
	int *targets, *origins;	  /* world ranks */
	struct mpi_race_operation *open; /* operations that are not complete at their targets */
	/* separate memory model */
	struct mpi_race_operation *stores; /* since the last synchronization; NULL: none */
	struct mpi_race_stamp *seen;	   /* by loads and stores: the clock at that time */
};

struct mpi_races {
	struct mpi_world *world;
	struct mpi_memory *memory;
	int n;
	bool is_separate;		/* the memory model */
	uint32_t *clocks;		/* [n][n] */
	struct mpi_win **freed;		/* [n] that the rank's present call frees; NULL: none */
	struct mpi_race_stamp **stamps; /* [n] of the present clocks; NULL: not made yet */
	struct mpi_race_deed **deeds;	/* [n] of the calls under way: order.c's own; NULL: none */
	struct mpi_race_space *spaces;	/* [n + 1]: the last one is shared memory */
	struct mpi_race_region *regions;
	size_t n_regions;
	struct util_map epochs;	   /* by mpi_win */
	struct util_map queues;	   /* stamps of messages under way */
	struct util_map meetings;  /* collectives that not all have left */
	struct util_map counts;	   /* of collectives, by rank and context */
	struct util_map published; /* clocks that stay for whoever learns of them */
};

enum { RACE_MAX_RANKS = 2048 };

int mpi_races_create(struct mpi_memory *memory, struct mpi_races **out); /* 0 or UTIL_ENOMEM */
void mpi_races_destroy(struct mpi_races *races);			 /* NULL is fine */

/* --- clock.c --- */
static inline uint32_t *mpi_races_clock(const struct mpi_races *races, int rank)
{
	return races->clocks + (size_t)rank * (size_t)races->n;
}
/* The present clock, with a reference for the caller. */
struct mpi_race_stamp *mpi_races_stamp(struct mpi_races *races, int rank);
void mpi_races_release(struct mpi_race_stamp *stamp); /* NULL is fine */
/* What follows on `rank` is later than what it has told. */
void mpi_races_tick(struct mpi_races *races, int rank);
void mpi_races_join(struct mpi_races *races, int rank, const uint32_t *clock); /* NULL: nothing */
/* *into becomes the later of both; made when it is NULL. */
void mpi_races_merge(const struct mpi_races *races, uint32_t **into, const uint32_t *clock);
/* A message, of `channel` and `tag`, leaves; is there: its clock, NULL: it is not known. */
void mpi_races_send(struct mpi_races *races, uint64_t channel, int from, int to, int tag);
struct mpi_race_stamp *mpi_races_recv(struct mpi_races *races, uint64_t channel, int from, int to,
				      int tag);
/* The same without taking it: probes. */
const struct mpi_race_stamp *mpi_races_peek(const struct mpi_races *races, uint64_t channel,
					    int from, int to, int tag);
/* What `rank` knows is there under `key`, with what was; whoever learns of it comes after it. */
void mpi_races_publish(struct mpi_races *races, uint64_t key, int rank);
void mpi_races_learn(struct mpi_races *races, uint64_t key, int rank);

/* --- order.c: which call orders what --- */
/* What synchronous sends tell of their receives is known from now on. */
void mpi_races_look_at_synchronous(struct mpi_races *races);
void mpi_races_before(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_after(struct mpi_races *races, struct mpi_verify_call *call, int code);

/* --- operations.c: one-sided operations as accesses --- */
bool mpi_races_is_operation(const struct mpi_verify_call *call);
/* Pending, with one reference, of `me` to a member of a window. */
struct mpi_race_operation *mpi_races_operation(struct mpi_rank *me, int target);
/* The argument of that name; 0: there is none. */
union mpi_value mpi_races_argument(const struct mpi_verify_call *call, const char *name);
/* Made when there is none yet. */
struct mpi_race_epoch *mpi_races_epoch(struct mpi_races *races, struct mpi_win *win);
void mpi_races_add_region(struct mpi_races *races, struct mpi_win *win, const void *base,
			  MPI_Aint size_B, int space);
/* [at, at + size_B) is an access of the window's owner, without an operation. */
void mpi_races_mark(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win,
		    enum mpi_race_kind kind, uintptr_t at, size_t size_B);
/* A buffer stays with MPI, which accesses it until it is unlocked. */
void mpi_races_hold(struct mpi_races *races, struct mpi_memory_active *active);
/* A window was made; an operation was started. */
void mpi_races_created(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_operate(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win);

/* --- epochs.c: calls about windows --- */
void mpi_races_window_before(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_window_after(struct mpi_races *races, struct mpi_verify_call *call);
/* What others did to the window is there for its owner (separate memory model). */
void mpi_races_synchronize(struct mpi_races *races, struct mpi_win *win);
/* The buffers of `active` are the program's again. */
void mpi_races_complete_locally(struct mpi_races *races, struct mpi_memory_active *active);

/* --- races.c --- */
/* A load or store of `rank`. */
void mpi_races_touch(struct mpi_races *races, int rank, uintptr_t at, size_t size_B, unsigned use,
		     const struct mpi_finding_call *by);
/* The memory of a region that was removed may become that of another window: what was done to it is over. */
void mpi_races_forget(struct mpi_races *races, const struct mpi_race_region *region);
/* `access` without low and high, to `n` runs in `space`. */
void mpi_races_add(struct mpi_races *races, int space, const struct mpi_race_access *access,
		   const struct mpi_memory_run *runs, size_t n);
void mpi_races_drop(struct mpi_race_operation *operation); /* one reference; NULL is fine */
/* Under what is published of atomic accesses to a location. */
uint64_t mpi_races_key(int space, uintptr_t at);
/* The window's memory that `rank` accesses; NULL: it is none. */
const struct mpi_race_region *mpi_races_region(const struct mpi_races *races, int rank,
					       uintptr_t at, size_t size_B);

#endif
