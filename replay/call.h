/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_CALL_H
#define REPLAY_CALL_H

#include "mpi/core/rank.h"
#include "mtrace/reader.h"
#include "replay/replay.h"

/*
 * One rank of a replay, for the generated functions that make a recorded call again
 * (replay/generate.py) and those written by hand (completion.c). Each reads its arguments in
 * the order of its signature.
 */
struct replay_rank;

struct replay_function {
	const char *name;
	int (*call)(struct replay_rank *rank); /* returns the error code */
	const char *signature;
};
/* Sorted by name. */
const struct replay_function *replay_functions(int *out_n);

struct replay_array { /* grows; holds what one call needs */
	void *items;
	size_t capacity_B;
};

struct replay_rank {
	struct mtrace_cursor cursor;
	struct mpi_rank *mpi;
	struct replay *replay;
	MPI_Comm *comms;       /* [n_comms] by id */
	MPI_Request *requests; /* [n_requests] by id */
	MPI_Message *messages; /* [n_messages] by id */
	MPI_Datatype *types;   /* [n_types] by id */
	MPI_Win *wins;	       /* [n_wins] by id */
	MPI_Session *sessions; /* [n_sessions] by id */
	uint32_t n_comms, n_requests, n_messages, n_types, n_wins, n_sessions;
	MPI_Op ops[2];		   /* the program's own, by commutativity; 0: not made yet */
	MPI_Group groups[2];	   /* [n_groups] of the present call */
	MPI_Session group_session; /* which those of the present call come from */
	int n_groups;
	struct replay_array arrays[4]; /* integers and the like, of the present call */
	int n_arrays, n_buffers;       /* of the present call */
	uint64_t n_items;	       /* of the array that was read last */
	struct replay_array list;      /* requests of the present call */
	struct replay_array found;     /* the same, as the MPI layer knows them */
	uint32_t *ids;		       /* of `list` */
	int n_listed;
	uint64_t
	    at[2]; /* of the record that ends the present computation: what it is, and of what */
	uint32_t n_polls; /* before the next call, of which nobody was told, … */
	sim_time_ps pause;   /* … and how long the rank paused for them at most */
	bool is_early;       /* the last call found what it did not find in the recording */
	struct replay_place passed; /* the last record that ends computations */
	const char **phases; /* [depth] that are open */
	int depth, max_depth;
	uint64_t spawned; /* the first of the last ranks that it spawned, in the trace */
	void *ignored[2]; /* where outputs go that nobody reads */
};

/* --- arguments --- */
static inline int64_t replay_int(struct replay_rank *rank)
{
	return mtrace_get_int(&rank->cursor);
}
/* A buffer that is not there; where MPI takes it, MPI_IN_PLACE or MPI_BUFFER_AUTOMATIC. */
void *replay_buffer(struct replay_rank *rank);
void *replay_buffer_or_in_place(struct replay_rank *rank);
void *replay_attached_buffer(struct replay_rank *rank);
MPI_Datatype replay_type(struct replay_rank *rank);
MPI_Op replay_op(struct replay_rank *rank);
MPI_Comm replay_comm(struct replay_rank *rank);
MPI_Comm *replay_new_comm(struct replay_rank *rank);
MPI_Comm *replay_comm_place(struct replay_rank *rank);
MPI_Group replay_group(struct replay_rank *rank);
/* The source that a receive names; what a wildcard got, where that is known. */
int replay_source(struct replay_rank *rank);
MPI_Request *replay_request(struct replay_rank *rank);
MPI_Message *replay_message(struct replay_rank *rank);
/* Arrays of this call, and ones that stay until the end of the replay. */
const int *replay_ints(struct replay_rank *rank);
const MPI_Count *replay_counts(struct replay_rank *rank);
const MPI_Datatype *replay_types(struct replay_rank *rank);
const int *replay_kept_ints(struct replay_rank *rank);
const MPI_Count *replay_kept_counts(struct replay_rank *rank);
const MPI_Datatype *replay_kept_types(struct replay_rank *rank);
/* As many zeros as the run has ranks, or the program's largest neighbourhood; of any integer type.
 */
void *replay_zeros(struct replay_rank *rank);
/* A list of requests as an array; replay_requests_back gives back what became of them, and returns
 * `code`. */
MPI_Request *replay_requests(struct replay_rank *rank);
int replay_requests_back(struct replay_rank *rank, int code);

/* Its place: one that is made goes there. */
MPI_Session *replay_session(struct replay_rank *rank);
/* One of the file's strings. */
const char *replay_text(struct replay_rank *rank);

MPI_Win replay_win(struct replay_rank *rank);
int64_t replay_lock_type(struct replay_rank *rank);
MPI_Win *replay_win_place(struct replay_rank *rank);
MPI_Win *replay_new_win(struct replay_rank *rank);
/* What every construction of a window is here: it takes the same messages. */
int replay_win_create(struct replay_rank *rank, MPI_Comm comm, MPI_Win *win);
MPI_Aint replay_displacement(struct replay_rank *rank);
MPI_Op replay_win_op(struct replay_rank *rank);

/* Fails the run if the call's array has n items where MPI takes `wanted`, or, `has_zeros`, takes
 * more than there are of replay_zeros. */
void replay_check_length(struct replay_rank *rank, uint64_t n, int64_t wanted, bool has_zeros);
/* The place of id `id` in a table of handles that grows; new places hold `empty`. */
uintptr_t *replay_place(struct replay_rank *rank, uintptr_t **table, uint32_t *n, uint64_t id,
			uintptr_t empty);
/* Fails the run: the record at hand cannot be. */
_Noreturn void replay_damaged(struct replay_rank *rank, const char *what);
/* Room for `size_B` bytes. */
void *replay_array_reserve(struct replay_rank *rank, struct replay_array *array, size_t size_B);
/* MPI_Finalize comes: frees the datatypes and operations that were made for the program's own. */
void replay_objects_free(struct replay_rank *rank);
void replay_define_type(struct replay_rank *rank);
void replay_rank_finish(struct replay_rank *rank);

/* The rank of the trace that `pd` is: spawned ones are numbered as they begin, which may be in another order than it was. */
struct replay_rank *replay_rank_begin(struct replay *replay, struct pd_rank *pd);

/* --- written by hand --- */
int replay_own_Comm_spawn(struct replay_rank *rank);
int replay_own_Comm_spawn_multiple(struct replay_rank *rank);
int replay_own_Comm_accept(struct replay_rank *rank);
int replay_own_Comm_connect(struct replay_rank *rank);
int replay_own_Comm_join(struct replay_rank *rank);
int replay_own_Grequest_start(struct replay_rank *rank);
int replay_own_Grequest_complete(struct replay_rank *rank);
int replay_own_Comm_create_from_group(struct replay_rank *rank);
int replay_own_Intercomm_create_from_groups(struct replay_rank *rank);
/* Every function of files. */
int replay_effects(struct replay_rank *rank);
int replay_own_Wait(struct replay_rank *rank);
int replay_own_Waitall(struct replay_rank *rank);
int replay_own_Waitany(struct replay_rank *rank);
int replay_own_Waitsome(struct replay_rank *rank);
int replay_own_Test(struct replay_rank *rank);
int replay_own_Testall(struct replay_rank *rank);
int replay_own_Testany(struct replay_rank *rank);
int replay_own_Testsome(struct replay_rank *rank);
int replay_own_Request_get_status(struct replay_rank *rank);
int replay_own_Request_get_status_all(struct replay_rank *rank);
int replay_own_Request_get_status_any(struct replay_rank *rank);
int replay_own_Request_get_status_some(struct replay_rank *rank);
int replay_own_Request_free(struct replay_rank *rank);
int replay_own_Iprobe(struct replay_rank *rank);
int replay_own_Improbe(struct replay_rank *rank);
int replay_own_Parrived(struct replay_rank *rank);
int replay_own_Win_test(struct replay_rank *rank);

#endif
