/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SERVICES_H
#define CALIBRATE_SERVICES_H

#include "fit.h"

/*
 * What a library and a cluster do beside moving messages: one-sided communication, starting
 * processes, files. From the samples of probe_rma.c, probe_spawn.c and probe_storage.c.
 */
struct services {
	/* rma */
	bool has_rma, is_in_mpi;
	double put_wait; /* of the time for which its target computed */
	int64_t depth;	 /* 0: not seen among n_at_once, */
	bool is_depth_certain;
	int64_t n_at_once; /* after which the first answer is back */
	/* spawn */
	struct value startup, per_process;
	long universe; /* 0: as the simulator has it without being told */
	/* storage */
	bool has_storage, is_server_seen;
	long n_servers, n_stripes;					/* of all; of a file */
	long stripe_B;							/* 0: not seen */
	struct value access, metadata, read_Bps, write_Bps, client_Bps; /* INFINITY: not seen */
};

void services_find(const struct fit *fit, struct services *services);

#endif
