/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_LEAST_SQUARES_H
#define CALIBRATE_LEAST_SQUARES_H

#include <stdbool.h>

#include "util/error.h"

/*
 * Robust least squares by Levenberg and Marquardt's method, over the logarithms of positive values.
 * GSL: what links it is under the GPL.
 */
enum { LEAST_SQUARES_VALUES = 64 };

struct least_squares {
	int n_values, n_residuals;
	const double *least, *most; /* [n_values] */
	const double *weight;	    /* [n_residuals] of their squares */
	/* n sets of values, residuals of each in units of what they scatter by; NAN: it tells
	 * nothing, INFINITY: it is refused. 0 or negative: no set at all can be had. */
	int (*predict)(void *context, const double *values, int n, double *residuals,
		       struct util_error *err);
	void *context;
	int n_steps;
	double difference;  /* of a value, for a derivative */
	double *low, *high; /* [n_values] out: 95 % intervals; NULL: not wanted */
};

/* From values on, in place. 0 or negative. */
int least_squares_run(const struct least_squares *problem, double *values, struct util_error *err);
/* What one residual adds to what is made least. */
double least_squares_loss(double residual);

#endif
