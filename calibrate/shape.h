/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SHAPE_H
#define CALIBRATE_SHAPE_H

#include <stdbool.h>

#include "benchmarks.h"
#include "util/error.h"

/* What a cluster file that is to be completed says of nodes. No MPI, no GSL. */
struct shape {
	int n_nodes, n_cores, per_domain;  /* cores of a node, of a domain */
	bool has_sockets, has_domains;	   /* several: levels of a node */
	bool is_block;			   /* cores may be given a memory */
	bool knows_levels, knows_topology; /* times within nodes; what lies between them */
};

int shape_read(struct shape *shape, const char *known, const char *name, struct util_error *err);
/* Whether so many ranks are at a place. */
bool shape_has(const struct shape *shape, enum place place, int n_ranks);

#endif
