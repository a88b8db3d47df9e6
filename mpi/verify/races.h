/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_VERIFY_RACES_H
#define MPI_VERIFY_RACES_H

#include "mpi/rma/window.h"
#include "mpi/verify/memory.h"

/*
 * Accesses to windows that nothing orders (MPI 4.1, §12.7). Each rank has a vector clock; messages,
 * collectives, fences, post/start/complete/wait and locks carry it on. A one-sided operation goes
 * on from its call to the call that completes it: what another access has to know of to come after
 * it is the clock of that. Two accesses to the same bytes race if neither comes after the other,
 * one of them changes the bytes, and they are no accumulates that are atomic towards each other.
 * Order within a rank's program, and the order in which the run happened to go, are no order.
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
};

struct mpi_race_access {
	uintptr_t low, high;
	enum mpi_race_kind kind;
	uintptr_t op, type; /* handles, of accumulates */
	uint32_t element_B; /* of this type */
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
};

struct mpi_races {
	struct mpi_world *world;
	struct mpi_memory *memory;
	int n;
	uint32_t *clocks;		/* [n][n] */
	struct mpi_win **freed;		/* [n] that the rank's present call frees; NULL: none */
	struct mpi_race_stamp **stamps; /* [n] of the present clocks; NULL: not made yet */
	struct mpi_race_space *spaces;	/* [n + 1]: the last one is shared memory */
	struct mpi_race_region *regions;
	size_t n_regions;
	struct util_map epochs;	  /* by mpi_win */
	struct util_map queues;	  /* stamps of messages under way */
	struct util_map meetings; /* collectives that not all have left */
	struct util_map counts;	  /* of collectives, by rank and context */
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

/* --- order.c: which call orders what --- */
void mpi_races_before(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_after(struct mpi_races *races, struct mpi_verify_call *call, int code);

/* --- operations.c: one-sided operations as accesses --- */
bool mpi_races_is_operation(const struct mpi_verify_call *call);
/* The argument of that name; 0: there is none. */
union mpi_value mpi_races_argument(const struct mpi_verify_call *call, const char *name);
/* Made when there is none yet. */
struct mpi_race_epoch *mpi_races_epoch(struct mpi_races *races, struct mpi_win *win);
void mpi_races_add_region(struct mpi_races *races, struct mpi_win *win, const void *base,
			  MPI_Aint size_B, int space);
/* A window was made; an operation was started. */
void mpi_races_created(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_operate(struct mpi_races *races, struct mpi_verify_call *call, struct mpi_win *win);

/* --- epochs.c: calls about windows --- */
void mpi_races_window_before(struct mpi_races *races, struct mpi_verify_call *call);
void mpi_races_window_after(struct mpi_races *races, struct mpi_verify_call *call);
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
/* The space of memory that `rank` accesses; -1: it is no window's. */
int mpi_races_space(const struct mpi_races *races, int rank, uintptr_t at, size_t size_B);

#endif
