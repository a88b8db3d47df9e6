/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SEARCH_H
#define CALIBRATE_SEARCH_H

#include "predict.h"

/*
 * The values with which the simulator predicts times best. GSL: what links it is under the GPL.
 *
 * A residual r is the logarithm of predicted over measured, in units of the measurement's scatter and
 * of what most times are off anyhow (noise): its loss is ln(1 + r² / 4), so that one time that no value explains pulls little. A value's
 * logarithm is what is fitted, by Levenberg and Marquardt's method with differences of 5 %.
 */
struct search {
	struct predictor predictor;
	const struct observations *observations; /* borrowed */
	struct machine machine;
	double *predicted;   /* [observations->n], of the machine */
	double noise;	     /* of times, as a part of them */
	double loss;	     /* mean of them */
	enum library wanted; /* of the library; LIBRARIES: whichever predicts best */
	void (*tell)(const struct search *search, const char *what); /* progress; NULL: nobody */
};

/* mechanisms.c: something that machines may have, and machines that have it, beside all that this
 * one has. */
enum { VARIANTS = 48, MECHANISMS_MOST = 32 };

struct variants {
	int n;
	struct machine list[VARIANTS];
};

struct machine *add_variant(struct variants *variants, const struct machine *machine);

struct mechanism {
	const char *name;
	void (*vary)(const struct search *search, const struct machine *now, struct variants *out);
};

extern const struct mechanism MECHANISMS[];
extern const int N_MECHANISMS;

/* 0 or negative: the simulator refuses all. */
int search_run(struct search *search, struct util_error *err);
void search_finish(struct search *search);

/* refine.c: least squares from machine on, at most so many steps, of observations k with
 * is_left_out[k] false (NULL: all). Intervals, if wanted, of the machine's values. 0 or negative. */
int refine(struct search *search, struct machine *machine, const bool *is_left_out, int n_steps,
	   bool wants_intervals, struct util_error *err);
/* Of one observation. */
double loss_of(const struct search *search, const struct observation *observation,
	       double predicted_s);
/* Mean of all. */
double loss_of_all(const struct search *search, const double *predicted_s);

#endif
