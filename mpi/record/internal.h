/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef MPI_RECORD_INTERNAL_H
#define MPI_RECORD_INTERNAL_H

#include "mpi/io/effects.h"
#include "mpi/record/call.h"
#include "mpi/record/record.h"

/* What the files of this folder share. */

struct mpi_record_shape { /* of a datatype */
	int64_t size_B, lb_B, extent_B, true_lb_B, true_extent_B;
	bool is_contiguous;
};

struct mpi_record_rank {
	struct mtrace_stream *stream;
	struct mtrace_stream aside; /* what is charged within a call: for after its record */
	bool is_open;		    /* a call's record */
	struct mpi_record_numbers comms, requests, messages, wins, sessions;
	struct mpi_record_shape *shapes; /* [n_shapes]; ids are indices */
	uint32_t n_shapes, last_shape;
	uint32_t *listed;     /* [list_capacity] ids of the requests of the present call */
	MPI_Status *statuses; /* [list_capacity] where the program wants none */
	int list_capacity;
	uint64_t *matches; /* [match_capacity] by request id: position of a wildcard receive's
			      match, 0: none */
	uint32_t match_capacity;
	struct io_effects effects; /* of the present call about a file */
};

enum { MPI_RECORD_CALLERS = 6 };

struct mpi_record_site {
	const void *address; /* NULL: unknown */
	/* who called the function that it is in, from there outwards, when it was first reached;
	 * NULL: no more */
	const void *callers[MPI_RECORD_CALLERS];
};

struct mpi_record {
	struct mpi_world *world;
	struct mtrace_writer *writer;
	struct mpi_record_rank *ranks; /* [n_ranks] */
	uint32_t *numbers;	       /* [mpi_n_functions] of the file; UINT32_MAX: not used yet */
	uint32_t *failed; /* [mpi_n_functions] the same, of their calls that do nothing */
	uint32_t
	    *ids; /* [id_capacity] by index of a handle (mpi/core/handle.h): its id in the trace */
	uint64_t id_capacity;
	struct mpi_record_site *sites; /* [n_sites] */
	uint32_t n_sites, site_capacity;
	bool is_out_of_memory;
	bool has_memory;    /* which memory is used is recorded, too */
	bool has_touches;   /* and which of it is accessed between calls */
	bool is_in_memory;  /* what cannot be recorded ends the recording, not the run */
	uint64_t n_polls, most_polls; /* in vain; the recording ends with the last one */
	char given_up[512]; /* why the recording ended; "": it did not */
	int n_ranks;
};

/* Walks the stack of the rank, which runs, from the frame of `out->address` on; once for each site. */
void mpi_record_callers(const struct pd_rank *rank, struct mpi_record_site *out);

/* The calls of the program are told to it from now on. 0 or UTIL_ENOMEM. */
int mpi_record_watch(struct mpi_record *record);

/* Calls about files: what they did that takes time (mpi/io/effects.h). `request`: where the call put one; NULL: it makes
 * none. */
void mpi_record_effects_begin(struct mpi_record_call *call, MPI_Comm comm);
void mpi_record_effects_end(struct mpi_record_call *call, const MPI_Request *request, int code);

/* Polls before the call, of which nobody was told. */
void mpi_record_polls(struct mpi_record_call *call, uint32_t n, bool is_waiting);
/* A test or probe found nothing. */
void mpi_record_poll(struct mpi_record *record);

/* The memory that a call uses, before its record. */
void mpi_record_memory_of(struct mpi_record_call *call);

/* Accesses to these bytes, which the call uses, are watched from its end on. */
void mpi_record_watch_pages(struct mpi_record_call *call, uintptr_t low, uintptr_t high,
			    bool is_written);

/* What cannot be recorded: a call within an error handler, or one that failed in its middle. In
 * memory they return. */
void mpi_record_refuse_nested(struct mpi_record_call *call);
void mpi_record_refuse_error(struct mpi_record_call *call, int code);

static inline struct mpi_record_rank *mpi_record_rank_of(const struct mpi_record_call *call)
{
	return &call->record->ranks[call->me->rank];
}

/* Number of a place in the program, the same in every rank's copy of it. */
uint32_t mpi_record_site(struct mpi_record *record, const struct pd_rank *rank, const void *site);
/* The id of a live handle; 0 for those without one. */
uint32_t mpi_record_id(const struct mpi_record *record, uintptr_t handle);
void mpi_record_set_id(struct mpi_record *record, uintptr_t handle, uint32_t id);
#endif
