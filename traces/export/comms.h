/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_EXPORT_COMMS_H
#define TRACES_EXPORT_COMMS_H

#include <stdint.h>

#include "simcore/observer.h"

/* The communicators that collectives are called on, as their ranks enter them. */
struct trace_comm {
	char *name;  /* when it was entered first */
	int n_ranks; /* more than one */
	int n_known; /* of its ranks, those that entered a collective */
	int *ranks;  /* [n_ranks] in the run; -1: not known */
};

struct trace_comms {
	struct trace_comm *list; /* [n] in the order of their first collectives */
	int n;
	int *index_of; /* [n_numbers] by sim_cause_collective.comm, which are dense; -1: none */
	uint32_t n_numbers;
};

/* The index of the communicator in `list`; -1: of one rank; -2: out of memory. O(1), and O(ranks)
 * for a new one. */
int trace_comms_enter(struct trace_comms *comms, const struct sim_cause_collective *entered);
void trace_comms_finish(struct trace_comms *comms);

#endif
