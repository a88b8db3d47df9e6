/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_GRID_H
#define TOOLS_SWEEP_GRID_H

#include "tools/sweep/spec.h"

/*
 * The points of a sweep: which value each parameter has. The last parameter runs fastest. With
 * "vary: one" those in which at most one parameter, the seed aside, differs from its base.
 */
#define SWEEP_MAX_CANDIDATES 10000000 /* combinations that conditions are asked about */
#define SWEEP_MAX_POINTS 1000000

struct sweep_grid {
	int n_points, n_parameters;
	int *choices; /* [n_points * n_parameters] */
};

/* Errors: UTIL_EINPUT (more points than the limits, with their number; none; a condition that
 * cannot be evaluated), UTIL_ENOMEM. */
int sweep_grid_make(const struct sweep_spec *spec, struct sweep_grid *out, struct util_error *err);
void sweep_grid_finish(struct sweep_grid *grid);

/* The values of a point, [spec->n_parameters]; borrowed from `spec`. */
void sweep_grid_values(const struct sweep_spec *spec, const int choice[], struct sweep_value out[]);

#endif
