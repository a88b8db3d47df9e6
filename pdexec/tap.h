/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_TAP_H
#define PDEXEC_TAP_H

#include "pdexec/rank.h"

/*
 * What the ranks of a program do, as they do it: for whoever records a run to repeat it (mpi/record). struct sim_recorder tells what came of it. Every member is
 * there. Called on the rank's fiber.
 */
enum { PD_CHARGE_MEASURED = 1, PD_CHARGE_SKIPPED = 2 }; /* enum mtrace_charge */

struct pd_tap {
	void *context;
	/* Computation is charged: `seconds` before scale factors; kernel NULL: not annotated. */
	void (*charge)(void *context, struct pd_rank *rank, const char *kernel, int n_params,
		       const double params[], double seconds, int flags);
	/* A step ended before each of these. */
	void (*phase)(void *context, struct pd_rank *rank, const char *name); /* NULL: the innermost ends */
	void (*node_release)(void *context, struct pd_rank *rank);
	void (*node_acquire)(void *context, struct pd_rank *rank);
	void (*clock)(void *context, struct pd_rank *rank, const void *site);
	void (*sleep)(void *context, struct pd_rank *rank, const void *site, sim_time_ps duration);
	void (*end)(void *context, struct pd_rank *rank);
};

#endif
