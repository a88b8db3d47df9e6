/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_DERIVATIVES_H
#define TOOLS_WHATIF_DERIVATIVES_H

#include "tools/whatif/scenario.h"

/*
 * How fast the running time follows a parameter of the cluster: from the base's critical path, and
 * as the finite difference of predictions with the parameter a little larger and smaller.
 */
enum { WHATIF_LATENCY, WHATIF_INVERSE_BANDWIDTH, WHATIF_OVERHEAD, WHATIF_N_DERIVATIVES };

struct whatif_derivative {
	const char *name, *unit;
	double path, difference, step; /* of the parameter, in SI units */
	bool has_difference;
	bool is_path; /* the path's is good: what the difference says, but for 2 % */
};

struct whatif_derivatives {
	struct whatif_derivative list[WHATIF_N_DERIVATIVES];
	double inexact_s; /* struct trace_derivatives */
};

/* Errors: as whatif_predict. */
int whatif_derive(const struct whatif_base *base, int n_jobs, struct whatif_derivatives *out,
		  struct util_error *err);

#endif
