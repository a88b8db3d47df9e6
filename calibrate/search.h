/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SEARCH_H
#define CALIBRATE_SEARCH_H

#include "machine.h"

/*
 * The machine on which the simulator predicts best what was measured, whatever that is: times of
 * others, or a calibration's own samples. GSL: what links it is under the GPL.
 *
 * A residual is how far a prediction is off, in units of the measurement's scatter and of what most
 * are off anyhow (noise); its loss is robust, so that one that no value explains pulls little. The
 * logarithm of a value is what is fitted, by Levenberg and Marquardt's method.
 */
enum { STARTS = 16, CURVE = 128 };

struct view {
	int n;		 /* observations */
	double *scatter; /* [n] as a part of what an error of it is a part of */
	double *weight;	 /* [n] at most 1: less where many others tell the same */
	/* whether the parameter changes that observation; NULL: each does all */
	bool (*tells)(void *context, int observation, enum parameter_id id);
	/* off[n_machines][n]: how far predictions are off, with sign, as such a part. NAN: it tells
	 * nothing; INFINITY: the simulator refuses it. 0 or negative: nothing can be simulated. */
	int (*predict)(void *context, const struct machine *machines, int n_machines, double *off,
		       struct util_error *err);
	void *context;
	struct machine facts; /* what is no question: it stays as it is */
	/* values that may be tried of what a machine may have; none: nothing tells of it */
	struct starts {
		int n;
		double values[STARTS];
	} starts[PARAMETERS];
	/* messages by size, one way: between nodes, within one */
	struct curve {
		int n;
		double sizes_B[CURVE], times_s[CURVE];
		bool may_begin[CURVE]; /* a line, there */
	} curves[2];
	struct machine left; /* send buffers by size, as sends of each left them behind */
	unsigned libraries;  /* a bit for each that may be tried */
	bool names_library;  /* whose protocol is the first question then */
	bool is_rough;	     /* closed forms are: values are fitted before anything is added */
};

int view_begin(struct view *view, int n, struct util_error *err);
void view_end(struct view *view);
void view_may(struct view *view, enum parameter_id id, double value);
/* Behind the last value stands a 0. */
void view_may_all(struct view *view, enum parameter_id id, const double *values);
/* Of such a size, where a line may begin; as many as there is room for. */
void view_add_time(struct view *view, int where, double size_B, double time_s, bool may_begin);

struct search {
	const struct view *view; /* borrowed */
	struct machine machine;	 /* where it begins, and what is found */
	enum library called;	 /* the library where it begins */
	double *off;		 /* [view->n], of the machine */
	double noise, loss;	 /* loss: mean */
	double n_told;		 /* as many observations as their weights */
	int n_runs;
};

/* mechanisms.c: something that machines may have, and machines that have it, beside all that this
 * one has. */
enum { VARIANTS = 64, MECHANISMS_MOST = 40 };

struct variants {
	int n;
	struct machine list[VARIANTS];
};

struct machine *variants_add(struct variants *variants, const struct machine *machine);
/* lines.c */
void vary_segments(const struct view *view, const struct machine *now, enum parameter_id id,
		   struct variants *out);

struct mechanism {
	const char *name;
	enum parameter_id id;	  /* what it adds, or sets to another value */
	enum parameter_id beside; /* what it is nothing without; else the latency */
	bool is_own;		  /* no values of the view are what it begins with */
	bool is_fluid;		  /* packets exclude it */
	/* NULL: with the view's values, or all words; mend, of each: what goes with it */
	void (*vary)(const struct view *view, const struct machine *now, enum parameter_id id,
		     struct variants *out);
	void (*mend)(const struct machine *now, enum parameter_id id, struct machine *machine);
};

void vary(const struct mechanism *mechanism, const struct view *view, const struct machine *now,
	  struct variants *out);

extern const struct mechanism MECHANISMS[];
extern const int N_MECHANISMS;

/* 0 or negative: the simulator refuses all. */
int search_run(struct search *search, struct util_error *err);
void search_finish(struct search *search);

/* refine.c: least squares from machine on, at most so many steps. Intervals, if wanted, of the
 * machine's values. 0 or negative. */
int refine(struct search *search, struct machine *machine, int n_steps, bool wants_intervals,
	   struct util_error *err);
/* Of one observation. */
double loss_of(const struct search *search, int observation, double off);

#endif
