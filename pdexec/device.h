/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_DEVICE_H
#define PDEXEC_DEVICE_H

#include "netmodel/device.h"
#include "pdexec/rank.h"

/*
 * Streams of a rank (mpisim.h): queues of work for its accelerator. The first piece of a stream's work
 * that is not done waits for its server (netmodel/device.h). Their data are moved and their kernels
 * run when they are handed over. State lies behind rank->streams and is made at the first use.
 */
enum { PD_MAX_STREAMS = 32 }; /* MPISIM_MAX_STREAMS */

/* The rank uses its accelerator, of which observers are told. Ends the run when the cluster has none, or
 * there is no such stream. */
void pd_streams_check(struct pd_rank *rank, int stream);
/*
 * Hands work over to a stream, a kernel or (NULL) a copy: the rank spends the time of a launch, which
 * counts as waiting for its accelerator. On its fiber, with no step of computation open.
 */
void pd_streams_push(struct pd_rank *rank, int stream, const char *kernel,
		     enum net_device_server server, sim_time_ps duration);
/* The rank's own copy in an MPI call, in no stream: blocks until it is done. */
void pd_device_stage(struct pd_rank *rank, enum net_device_server server, int64_t size_B);
/* Ends the run when work is left. Called when the rank has returned or exited, on its fiber. */
void pd_streams_end(struct pd_rank *rank);
void pd_streams_destroy(struct pd_rank *rank);

#endif
