/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REPLAY_REPLAY_H
#define REPLAY_REPLAY_H

#include "mpi/core/rank.h"
#include "mtrace/reader.h"
#include "util/map.h"

/*
 * Replays a trace: a program built into the simulator makes the recorded calls again, with buffers
 * that are not there and the recorded computation. Protocols, collectives and placement are those
 * of a run; on the cluster of the recording the times are the same. Any number of replays of an
 * open trace, one after the other, in one process; one at a time, as with runs.
 */
/* Where a computation stands in the program: the record before it and the one that ends it. */
struct replay_region {
	struct replay_place {
		uint64_t what, of; /* MTRACE_CALL + function, and its site; else enum mtrace_op and
				      what it is of; all zero: the start of the rank */
	} after, before;
};

/* What a replay does otherwise than the recording, and who is told where its ranks compute. Only
 * whole replays, which jump over nothing, have it. */
struct replay_change {
	void *context;
	/* Before the rank computes for `seconds`: how much of it remains, 1 for all. On the rank's
	 * fiber. */
	double (*compute)(void *context, int rank, const struct replay_region *region,
			  double seconds);
	/* It locks the window of `target`, a rank of the window, at file->sites[site]; NULL: nobody
	 * asks. */
	void (*lock)(void *context, int rank, int target, bool is_exclusive, uint64_t site);
	/* Exclusive locks of windows are shared ones. */
	bool shares_locks;
};

struct replay_config {
	const struct cluster *cluster;	       /* borrowed, as all here */
	const int *node_of;		       /* [file->n_ranks] */
	const struct sim_observers *observers; /* copied; NULL: none */
	int cpus_per_rank;		       /* as of struct pd_config */
	enum pd_compute_mode mode;	       /* of the recording: how polls cost */
	const char *bench_in;	   /* kernels take their times from it; NULL: the recorded ones */
	const char *const *scales; /* [n_scales] */
	int n_scales;
	double vary_compute, vary_transfer;
	bool vary_kernels;
	uint64_t seed;
	const struct replay_change *change; /* NULL: it does what was recorded */
};

struct replay {
	const struct replay_change *change; /* borrowed; NULL: none */
	struct mtrace_file *file;	    /* borrowed */
	struct pd_world *world;
	struct mpi_world *mpi;
	struct pd_program_config program;
	struct replay_rank *ranks; /* [n_ranks], in the order of the trace */
	int *places;		   /* [n_ranks]: of each rank of the world among them */
	uint64_t clock;		   /* number of MPI_Wtime in the file; UINT64_MAX: none */
	const struct replay_function *finalize; /* MPI_Finalize; NULL: nobody calls it */
	const struct replay_function *
	    *functions; /* [file->n_functions]; NULL: no arguments, only noted */
	double *scales; /* [file->n_strings] of kernels; negative: not known yet */
	void *zeros;	/* [n_zeros] of 8 bytes */
	uint64_t n_zeros;
	struct util_map kept; /* arrays that operations under way use */
	bool has_bench;
	struct replay_repeat *repeat; /* NULL: all is simulated */
	int n_computing;	      /* ranks that end a step of computation */
	uint64_t n_unlike;	      /* records so far that leave more behind than repeats */
	uint64_t n_ordered; /* that may depend on the order of what happens at one instant */
	bool *is_unlike, *is_ordered; /* [file->n_functions]: their calls are such records */
	size_t last_B;		      /* size of the array that was read last */
};

/*
 * Makes a world that is ready for pd_world_start. Errors: UTIL_EINPUT (a function that cannot be
 * replayed, by name; a damaged trace; scales), UTIL_ENOMEM.
 */
int replay_create(struct mtrace_file *file, const struct replay_config *config, struct replay **out,
		  struct util_error *err);
void replay_destroy(struct replay *replay); /* NULL is fine */

#endif
