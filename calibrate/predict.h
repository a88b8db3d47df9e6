/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_PREDICT_H
#define CALIBRATE_PREDICT_H

#include <limits.h>

#include "machine.h"
#include "observations.h"
#include "search.h"
#include "shape.h"

/*
 * The forward model of times that others have measured: the same operations and programs on
 * candidates of the cluster, each a run of mpisim-run, several at once.
 */
enum { PREDICT_JOBS = 64 };

struct predictor {
	const struct observations *observations; /* borrowed */
	const char *known;			 /* of the cluster file; borrowed */
	struct shape shape;			 /* of it */
	int n_jobs;
	int n_runs;	      /* so far */
	char folder[4000];    /* for what is there meanwhile only */
	char run[PATH_MAX];   /* mpisim-run */
	char bench[PATH_MAX]; /* mpisim-benchmark.simulated */
	int n_parts;	      /* runs of a candidate */
};

/* `name`: what errors call the file that is known. 0 or negative. */
int predictor_begin(struct predictor *predictor, const struct observations *observations,
		    const char *known, const char *name, int n_jobs, struct util_error *err);
/* times[n][number of observations]; NAN of a candidate that the simulator refuses; why the last one
 * was stands in *err. 0 or negative: no candidate could be run. */
int predictor_run(struct predictor *predictor, const struct machine *machines, int n, double *times,
		  struct util_error *err);
void predictor_end(struct predictor *predictor);

/* times.c: what a search sees of them, and the machine that it begins with: closed forms of the plain
 * model. `predictor` has begun. */
void predictor_view(struct predictor *predictor, const struct observations *observations,
		    struct view *view, struct machine *machine);
void predictor_view_end(struct view *view);

#endif
