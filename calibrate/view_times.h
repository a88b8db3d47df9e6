/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_VIEW_TIMES_H
#define CALIBRATE_VIEW_TIMES_H

#include "forward.h"
#include "observations.h"
#include "search.h"

/*
 * The forward model of times that others have measured: the same operations and programs on
 * candidates of the cluster.
 */
struct predictor {
	const struct observations *observations;   /* borrowed */
	struct shape {				   /* of the cluster file that is known */
		int n_nodes, n_cores, per_domain;  /* cores of a node, of a domain */
		bool has_sockets, has_domains;	   /* several: levels of a node */
		bool is_block;			   /* cores may be given a memory */
		bool knows_levels, knows_topology; /* times within nodes; between them */
	} shape;
	struct forward forward;
	const struct observation **first; /* [forward.n_parts] of what one run has; borrowed */
	double *times;			  /* of the present runs */
};

/* `known` is borrowed; `name`: what errors call it. 0 or negative. */
int predictor_begin(struct predictor *predictor, const struct observations *observations,
		    const char *known, const char *name, struct util_error *err);
/* times[n][number of observations]; NAN of a candidate that the simulator refuses; why the last one
 * was stands in *err. 0 or negative: no candidate could be run. */
int predictor_run(struct predictor *predictor, const struct machine *machines, int n, double *times,
		  struct util_error *err);
void predictor_end(struct predictor *predictor);

/* What a search sees of them, and the machine that it begins with: closed forms of the plain
 * model. `predictor` has begun. 0 or negative. */
int predictor_view(struct predictor *predictor, struct view *view, struct machine *machine,
		   struct util_error *err);

#endif
