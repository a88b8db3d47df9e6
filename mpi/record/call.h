/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RECORD_CALL_H
#define MPI_RECORD_CALL_H

#include <mpi.h>

#include "mtrace/writer.h"
#include "simcore/time.h"

/*
 * For the generated functions that record calls, and those written by hand (completion.c): of runs
 * in the simulator (this folder) and of real runs (real/trace), each with its own mpi.h.
 */
struct mpi_record;
struct mpi_rank;

/* The function that a recorded one stands for: real runs define it as PMPI_X. */
#ifndef MPI_RECORD_NEXT
#define MPI_RECORD_NEXT(name) name
#endif

struct mpi_record_function {
	const char *name;
	void (*function)(void); /* of the type of the function it stands for; NULL: none */
	const char *signature;	/* mtrace/format.h */
};
const struct mpi_record_function *mpi_record_functions(int *out_n);

struct mpi_record_refusal {
	const char *name;
	const char *reason; /* what follows "run without --record, as" */
};
const struct mpi_record_refusal *mpi_record_refusals(void); /* ends with NULL */

struct mpi_record_call { /* being recorded */
	struct mpi_rank *me;
	struct mpi_record *record;
	struct mtrace_stream *stream;
	int function;
	uint32_t site;
	bool is_nested; /* in an error handler of another call: its record comes after that */
	sim_time_ps begin;
	uint64_t match;		     /* position of the match of a wildcard in it; 0: none */
	uint32_t comm, message, win, session; /* ids that were recorded last */
};

/* Enters the call. False within a callback of another one: nothing is recorded then, nor entered.
 */
bool mpi_record_begin(struct mpi_record_call *call, int function, const void *site);
/* Definitions of datatypes come before the record. */
void mpi_record_define(struct mpi_record_call *call, MPI_Datatype type);
void mpi_record_define_all(struct mpi_record_call *call, int n, const MPI_Datatype types[]);
void mpi_record_open(struct mpi_record_call *call);
/* Completes the record and leaves the call; one that refused its arguments is only noted. Returns
 * `code`. */
int mpi_record_end(struct mpi_record_call *call, int code);
void mpi_record_doubt(struct mpi_record_call *call, enum mtrace_doubt kind);

/* --- arguments, in the order of the signature --- */
void mpi_record_buffer(struct mpi_record_call *call, const void *buf);
static inline void mpi_record_int(struct mpi_record_call *call, int64_t value)
{
	mtrace_put_int(call->stream, value);
}
void mpi_record_ints(struct mpi_record_call *call, int n, const int values[]);
void mpi_record_counts(struct mpi_record_call *call, int n, const MPI_Count values[]);
void mpi_record_type(struct mpi_record_call *call, MPI_Datatype type);
void mpi_record_types(struct mpi_record_call *call, int n, const MPI_Datatype types[]);
void mpi_record_op(struct mpi_record_call *call, MPI_Op op);
void mpi_record_comm(struct mpi_record_call *call, MPI_Comm comm);
void mpi_record_group(struct mpi_record_call *call, MPI_Group group);
void mpi_record_request(struct mpi_record_call *call, MPI_Request request);
void mpi_record_requests(struct mpi_record_call *call, int n, const MPI_Request requests[]);
void mpi_record_message(struct mpi_record_call *call, MPI_Message message);
void mpi_record_source(struct mpi_record_call *call, int source, MPI_Comm comm);
void mpi_record_win(struct mpi_record_call *call, MPI_Win win);

/* --- lengths of arrays; 0 for a communicator that is none --- */
int mpi_record_n_peers(const struct mpi_rank *me, MPI_Comm comm);
int mpi_record_n_members(const struct mpi_rank *me, MPI_Comm comm);
int mpi_record_n_at_root(const struct mpi_rank *me, MPI_Comm comm, int root);
int mpi_record_n_neighbours(const struct mpi_rank *me, MPI_Comm comm, bool is_out);
int mpi_record_sum(int n, const int values[]);
int mpi_record_n_dims(const struct mpi_rank *me, MPI_Comm comm);

struct mpi_record_numbers {  /* small ids of one rank: the lowest that is free */
	uint32_t n;	     /* given so far; the next one when none is free */
	uint32_t *free_ones; /* [n_free] */
	uint32_t n_free;
};

/* A number that is free, from `first` on. */
uint32_t mpi_record_number(struct mpi_record_numbers *numbers, uint32_t first);
void mpi_record_free_number(struct mpi_record_numbers *numbers, uint32_t number);

/* --- what the call gave --- */
void mpi_record_new_request(struct mpi_record_call *call, const MPI_Request *request, int code);
void mpi_record_new_comm(struct mpi_record_call *call, const MPI_Comm *comm, int code);
void mpi_record_new_message(struct mpi_record_call *call, const MPI_Message *message, int code);
void mpi_record_new_win(struct mpi_record_call *call, const MPI_Win *win, int code);
void mpi_record_freed_win(struct mpi_record_call *call, const MPI_Win *win);
/* What the call reads may depend on when others wrote it. */
void mpi_record_fetches(struct mpi_record_call *call, MPI_Win win);
void mpi_record_freed_comm(struct mpi_record_call *call, const MPI_Comm *comm);
void mpi_record_taken_message(struct mpi_record_call *call, const MPI_Message *message);
/* A wildcard of this call got what `status` says. */
void mpi_record_matched(struct mpi_record_call *call, const MPI_Status *status, int code);

/* --- requests that a call completes --- */

/* Notes the ids of the requests that the call is about, before it ends any. */
void mpi_record_list(struct mpi_record_call *call, int n, const MPI_Request requests[]);
/* The id of listed request i; 0: none. */
void mpi_record_listed(struct mpi_record_call *call, int i);
/* How many of them are requests. */
int mpi_record_n_listed(const struct mpi_record_call *call, int n);
/* The statuses of a call, at most as many as listed (one is always there): the program's, or the
 * recorder's where it wants none. */
MPI_Status *mpi_record_statuses(struct mpi_record_call *call, MPI_Status statuses[]);
MPI_Status *mpi_record_status(struct mpi_record_call *call, MPI_Status *status);
/* Listed request i is complete: resolves its wildcard, and gives its id back when it is no more. */
void mpi_record_done(struct mpi_record_call *call, int i, MPI_Request after,
		     const MPI_Status *status);
/* An index that a call gave, or MPI_UNDEFINED. */
void mpi_record_index(struct mpi_record_call *call, int index);
void mpi_record_tag(struct mpi_record_call *call, int tag);

#if MPI_VERSION >= 4
void mpi_record_session(struct mpi_record_call *call, MPI_Session session);
void mpi_record_new_session(struct mpi_record_call *call, const MPI_Session *session, int code);
void mpi_record_freed_session(struct mpi_record_call *call, const MPI_Session *session);
int mpi_record_own_Request_get_status_all(struct mpi_record_call *call, int count,
					  const MPI_Request requests[], int *flag,
					  MPI_Status statuses[]);
int mpi_record_own_Request_get_status_any(struct mpi_record_call *call, int count,
					  const MPI_Request requests[], int *index, int *flag,
					  MPI_Status *status);
int mpi_record_own_Request_get_status_some(struct mpi_record_call *call, int count,
					   const MPI_Request requests[], int *n_done, int indices[],
					   MPI_Status statuses[]);
int mpi_record_own_Comm_create_from_group(struct mpi_record_call *call, MPI_Group group,
					  const char *stringtag, MPI_Info info,
					  MPI_Errhandler errhandler, MPI_Comm *newcomm);
int mpi_record_own_Intercomm_create_from_groups(struct mpi_record_call *call, MPI_Group local_group,
						int local_leader, MPI_Group remote_group,
						int remote_leader, const char *stringtag,
						MPI_Info info, MPI_Errhandler errhandler,
						MPI_Comm *newintercomm);
#endif

/* --- files: what a call did that takes time (mpi/io/effects.h) --- */
void mpi_record_effects_begin(struct mpi_record_call *call, MPI_Comm comm);
/* Ends the call, too; `request`: where it put one, NULL: it makes none. Returns `code`. */
int mpi_record_effects_end(struct mpi_record_call *call, const MPI_Request *request, int code);

/* --- those written by hand: the arguments of the function, which they call --- */
int mpi_record_own_Wait(struct mpi_record_call *call, MPI_Request *request, MPI_Status *status);
int mpi_record_own_Waitall(struct mpi_record_call *call, int count, MPI_Request requests[],
			   MPI_Status statuses[]);
int mpi_record_own_Waitany(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *index, MPI_Status *status);
int mpi_record_own_Waitsome(struct mpi_record_call *call, int count, MPI_Request requests[],
			    int *n_done, int indices[], MPI_Status statuses[]);
int mpi_record_own_Test(struct mpi_record_call *call, MPI_Request *request, int *flag,
			MPI_Status *status);
int mpi_record_own_Testall(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *flag, MPI_Status statuses[]);
int mpi_record_own_Testany(struct mpi_record_call *call, int count, MPI_Request requests[],
			   int *index, int *flag, MPI_Status *status);
int mpi_record_own_Testsome(struct mpi_record_call *call, int count, MPI_Request requests[],
			    int *n_done, int indices[], MPI_Status statuses[]);
int mpi_record_own_Request_get_status(struct mpi_record_call *call, MPI_Request request, int *flag,
				      MPI_Status *status);
int mpi_record_own_Request_free(struct mpi_record_call *call, MPI_Request *request);
int mpi_record_own_Iprobe(struct mpi_record_call *call, int source, int tag, MPI_Comm comm,
			  int *flag, MPI_Status *status);
int mpi_record_own_Improbe(struct mpi_record_call *call, int source, int tag, MPI_Comm comm,
			   int *flag, MPI_Message *message, MPI_Status *status);
int mpi_record_own_Parrived(struct mpi_record_call *call, MPI_Request request, int partition,
			    int *flag); /* MPI 4.0 */
int mpi_record_own_Win_test(struct mpi_record_call *call, MPI_Win win, int *flag);

#endif
