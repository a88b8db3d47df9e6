/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RECORD_CALL_H
#define MPI_RECORD_CALL_H

#include <mpi.h>

#include "mpi/abi/call_info.h"
#include "mtrace/writer.h"
#include "simcore/time.h"

/*
 * What a record of a call holds (call.c) and how handles and requests are numbered: of runs in the simulator (this
 * folder) and of real runs (real/trace), each with its own mpi.h.
 */
struct mpi_record;
struct mpi_rank;

struct mpi_record_call { /* being recorded */
	const struct mpi_call_info *function;
	union mpi_value *values; /* its arguments (mpi/watch/call.h) */
	struct mpi_rank *me;
	struct mpi_record *record;
	struct mtrace_stream *stream;
	uint32_t site;
	bool is_nested; /* in an error handler of another call: its record comes after that */
	sim_time_ps begin;
	uint64_t match; /* position of the match of a wildcard in it; 0: none */
	uint32_t comm, message, win, session; /* ids that were recorded last */
	MPI_Status own;			      /* where the program wants none */
};

/* The whole record but its end: what is known before the call, which may change the values of statuses; what it gave. */
void mpi_record_before(struct mpi_record_call *call);
void mpi_record_after(struct mpi_record_call *call, int code);

int mpi_record_sum(int n, const int values[]);

/* --- of the simulator and of real runs each its own --- */

void mpi_record_open(struct mpi_record_call *call);
/* Completes the record; one of a call that refused its arguments is only noted. */
void mpi_record_end(struct mpi_record_call *call, int code);
/* Defines the datatype, before the record. */
void mpi_record_define(struct mpi_record_call *call, MPI_Datatype type);
void mpi_record_doubt(struct mpi_record_call *call, enum mtrace_doubt kind);

/* --- arguments, in the order of the signature --- */
void mpi_record_buffer(struct mpi_record_call *call, const void *buf);
void mpi_record_int(struct mpi_record_call *call, const struct mpi_parameter *p, int64_t value);
void mpi_record_type(struct mpi_record_call *call, MPI_Datatype type);
void mpi_record_op(struct mpi_record_call *call, MPI_Op op);
void mpi_record_comm(struct mpi_record_call *call, MPI_Comm comm);
void mpi_record_group(struct mpi_record_call *call, MPI_Group group);
void mpi_record_request(struct mpi_record_call *call, MPI_Request request);
void mpi_record_requests(struct mpi_record_call *call, int n, const MPI_Request requests[]);
void mpi_record_message(struct mpi_record_call *call, MPI_Message message);
void mpi_record_source(struct mpi_record_call *call, int source, MPI_Comm comm);
void mpi_record_win(struct mpi_record_call *call, MPI_Win win);
/* A session, its place, or that of a group. */
void mpi_record_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			union mpi_value value);

/* --- lengths of arrays; 0 for a communicator that is none --- */
int mpi_record_n_peers(const struct mpi_rank *me, MPI_Comm comm);
int mpi_record_n_members(const struct mpi_rank *me, MPI_Comm comm);
int mpi_record_n_at_root(const struct mpi_rank *me, MPI_Comm comm, int root);
int mpi_record_n_neighbours(const struct mpi_rank *me, MPI_Comm comm, bool is_out);
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
/* A session that the call has made, or may have freed. */
void mpi_record_given_session(struct mpi_record_call *call, const struct mpi_parameter *p,
			      const void *place, int code);
/* Letters N and P of mtrace/format.h. */
void mpi_record_processes(struct mpi_record_call *call, char letter, const MPI_Comm *made, int code);
/* A wildcard of this call got what `status` says. */
void mpi_record_matched(struct mpi_record_call *call, const MPI_Status *status, int code);

/* --- requests that a call completes --- */

/* Notes the ids of the requests that the call is about, before it ends any. */
void mpi_record_list(struct mpi_record_call *call, int n, const MPI_Request requests[]);
/* The id of listed request i; 0: none. */
void mpi_record_listed(struct mpi_record_call *call, int i);
/* How many of them are requests. */
int mpi_record_n_listed(const struct mpi_record_call *call, int n);
/* The statuses of a call, at most as many as listed: the program's, or the recorder's where it wants none. */
MPI_Status *mpi_record_statuses(struct mpi_record_call *call, MPI_Status statuses[]);
/* Listed request i is complete: resolves its wildcard, and gives its id back when it is no more. */
void mpi_record_done(struct mpi_record_call *call, int i, MPI_Request after,
		     const MPI_Status *status);
/* An index that a call gave, or MPI_UNDEFINED. */
void mpi_record_index(struct mpi_record_call *call, int index);

#endif
