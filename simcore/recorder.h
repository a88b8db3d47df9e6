/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_RECORDER_H
#define SIMCORE_RECORDER_H

#include <stdint.h>

#include "simcore/time.h"

/*
 * What the layers below tell the layer that records. `traces` implements it; pdexec and mpi call
 * it. Every member may be NULL. Strings are borrowed and live as long as the run: compare them by
 * pointer. Ranks are ranks of MPI_COMM_WORLD. Times are simulated. Records of one rank come in the
 * order of their end times.
 */
struct sim_record_compute { /* one computation step that ended, or the share of it that one kernel
			       has */
	int rank;
	const char *kernel; /* NULL: not annotated */
	sim_time_ps begin, end;
	double useful_s; /* its time on one otherwise idle core of its node */
	double stolen_s; /* how much longer it took because communication used the CPU */
	double shared_s; /* … because other ranks computed on the node */
};

struct sim_record_call { /* one MPI call that ended */
	int rank;
	const char *function; /* "MPI_Send" */
	const void *site;     /* return address in the application */
	sim_time_ps begin, end;
	sim_time_ps waiting; /* of end - begin: blocked while no transfer for it was under way; the
				rest is communicating */
};

struct sim_record_message { /* one point-to-point message that was received; collectives' own
			       messages too */
	int source, dest, tag;
	int64_t size_B;
	sim_time_ps sent;     /* the send was called */
	sim_time_ps started;  /* its bulk transfer entered the network */
	sim_time_ps arrived;  /* its last byte arrived */
	sim_time_ps received; /* the receive completed */
	int in_collective;
};

struct sim_recorder {
	void *context;
	void (*compute)(void *context, const struct sim_record_compute *record);
	void (*call)(void *context, const struct sim_record_call *record);
	void (*message)(void *context, const struct sim_record_message *record);
	void (*phase)(void *context, int rank, const char *name, int is_begin, sim_time_ps now);
	void (*node_release)(void *context, int rank, sim_time_ps now);
	void (*rank_end)(void *context, int rank, sim_time_ps now);
};

#endif
