/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REAL_TRACE_TRACE_H
#define REAL_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi/abi/functions.h"
#include "mpi/record/call.h"
#include "mpi/watch/call.h"
#include "util/map.h"

/*
 * libmpisim-trace: records a run under a real MPI (docs/trace-real.md). The generated wrappers call
 * the functions of mpi/record/call.h, which this folder defines for a process that is one rank. Its
 * trace goes into a file of its own; MPI_Finalize gathers them.
 */

/* --- numbers for handles: number + 1 in a map --- */
#define MPI_TRACE_NONE UINT32_MAX
uint32_t mpi_trace_map_get(const struct util_map *map, uintptr_t key);
/* What does not fit in memory is not there: the trace is refused. */
void mpi_trace_map_set(struct util_map *map, uintptr_t key, uint32_t value);
/* Generated: the library's own datatypes and operations, by the constants of the ABI. */
void mpi_trace_predefined(struct util_map *types, struct util_map *ops);

/* --- requests that are there --- */
struct mpi_trace_request {
	MPI_Request handle;
	const MPI_Request *place; /* where the program had it put: libraries give one handle to many
				     requests that ended at once */
	uint64_t match;		  /* position of a wildcard receive's match in the trace, 0: none */
	uint64_t listed;	  /* the call that it was listed for last */
	uint32_t next;		  /* of the free ones: id, 0: none */
	bool is_there;
};

struct mpi_trace_requests {
	struct mpi_trace_request *entries; /* [n]; ids are indices + 1 */
	struct util_map ids;		   /* by handle and place */
	uint32_t n, free_one;
	uint64_t call;	  /* counts lists */
	uint32_t *listed; /* [list_capacity] ids, 0: none */
	MPI_Status *statuses;
	int list_capacity;
};

/* --- what is measured --- */
enum mpi_trace_clock { MPI_TRACE_CPU, MPI_TRACE_WALL };

struct mpi_trace_offset { /* of this rank's clock against rank 0's */
	int64_t at_ns, offset_ns;
};

struct mpi_record {	/* of this process */
	bool is_wanted; /* MPISIM_TRACE is set: ranks compare clocks and gather */
	bool is_on;
	int depth; /* of calls: only the outermost is recorded */
	const char *path;
	char *part; /* file of this rank */
	struct mtrace_writer *writer;
	struct mtrace_stream *stream;
	uint32_t *numbers;  /* [mpi_n_functions] in the file; UINT32_MAX: not used yet */
	const void **sites; /* [n_sites] */
	uint32_t n_sites, site_capacity;
	struct util_map types, ops, comms, messages, wins;
	struct mpi_record_numbers comm_numbers, message_numbers, win_numbers;
	bool has_locked; /* a window */
	struct mpi_trace_requests requests;
	int64_t (*shapes)[6]; /* [n_shapes]: size, bounds, contiguous or not */
	uint32_t n_shapes;
	enum mpi_trace_clock clock;
	int64_t mark_ns;  /* of that clock: computation starts here */
	int64_t begin_ns; /* of the present call */
	int64_t last_ns;  /* end of the last record with times */
	int64_t first_ns; /* begin of the first */
	char refused[256];
	MPI_Comm comm; /* the recorder's own */
	MPI_Group world;
	int rank, n_ranks;
	struct mpi_trace_offset offsets[2]; /* at MPI_Init and MPI_Finalize */
	int n_phases;
};
extern struct mpi_record mpi_trace; /* a process is one rank, and has no other place for it */

/* --- life.c --- */
int mpi_trace_init(const struct mpi_call_info *function, const void *site, int *argc, char ***argv,
		   int required, int *provided);
int mpi_trace_finalize(const struct mpi_call_info *function, const void *site);
/* No trace can be made of this run: the first reason is told at the end. */
void mpi_trace_refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* --- clocks.c --- */
int64_t mpi_trace_now_ns(void);
int64_t mpi_trace_compute_ns(void);
/* Writes the computation since the mark, if any. */
void mpi_trace_charge(void);
void mpi_trace_put_charge(const char *kernel, int n_params, const double params[], double seconds,
			  int flags);
/* Real times of the record that was written last. */
void mpi_trace_put_times(int64_t begin_ns, int64_t end_ns);
/* Compares this rank's clock with rank 0's; collective. */
void mpi_trace_compare_clocks(struct mpi_trace_offset *out);

/* --- arguments.c --- */
int mpi_trace_thread_level(int level);

/* --- window.c --- */
int mpi_trace_assertion(int assertion);
int mpi_trace_lock_type(int type);

/* --- requests.c --- */
/* The id of a request that is there; 0: none. */
uint32_t mpi_trace_request_id(MPI_Request request, const MPI_Request *place);

/* --- fortran.c --- */
typedef void mpi_trace_fn(void);
struct mpi_trace_wrapper {
	const char *name; /* "MPI_Send" */
	mpi_trace_fn *function;
};
/* Generated: all functions that the library has, up to one without a name. */
extern const struct mpi_trace_wrapper mpi_trace_wrappers[];
/* Whether a Fortran interface made this call on its own account. */
bool mpi_trace_is_inner(const char *function, const void *site);
/* Where the program called: an address within a Fortran interface becomes that of its caller (0.5
 * us). */
const void *mpi_trace_caller(const void *site);

/* --- sites.c --- */
/* "lu.c:88 (main)" for an address of this process. */
void mpi_trace_describe(const void *site, char *text, size_t size);

/* --- gather.c --- */
/* The traces of all ranks become one file, by rank 0; collective. */
void mpi_trace_gather(void);

/* --- merge.c --- */
struct mpi_trace_source { /* the file of one rank */
	const char *path;
	struct mpi_trace_offset offsets[2];
	int64_t zero_ns; /* of all ranks, in rank 0's clock */
};
int64_t mpi_trace_common_ns(const struct mpi_trace_offset offsets[2], int64_t local_ns);
int mpi_trace_merge(const struct mpi_trace_source *source, struct mtrace_writer *writer, int rank,
		    struct util_error *err);

#endif
