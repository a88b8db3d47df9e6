/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_RUN_H
#define TOOLS_RUN_RUN_H

#include <stdio.h>

#include "mpi/core/rank.h"
#include "tools/run/options.h"
#include "traces/report.h"
#include "traces/run.h"

/* mpisim-run: one run from its command line to its exit status. */
struct run_output;

struct run {
	struct run_options options;
	FILE *console; /* standard error as it was at the start: what mpisim-run itself says */
	struct net_cluster *cluster;
	int *node_of; /* [n_ranks] */
	struct trace_summary *summary;
	struct trace_detail *detail; /* NULL without --report */
	struct pd_world *world;
	struct mpi_world *mpi;
	struct run_output *output; /* NULL without --tag-output */
	int signal;		   /* that interrupted the run; 0: none */
	double begin_s;		   /* host's clock */
	void *tls_area;		   /* see tools/run/entry.h */
	size_t tls_size_B;
};

/* Runs the world until it is over, deadlocked or interrupted (tools/run/loop.c). */
void run_loop(struct run *run);

/* Reports the run on the console and to --json and --report (tools/run/finish.c). Returns the exit
 * status. */
int run_finish(struct run *run);

/* The host's monotonic clock; the C library's own functions give simulated time to ranks. */
double run_host_time_s(void);

#endif
