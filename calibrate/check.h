/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_CHECK_H
#define CALIBRATE_CHECK_H

#include <stdbool.h>
#include <stdio.h>

#include "samples.h"
#include "util/error.h"

/*
 * Whether a cluster file reproduces the measurements that it was made of: the same probes run in
 * the simulator on that file, and their medians are compared. No rule of the fit is asked. No MPI,
 * no GSL.
 */
struct check_off { /* one measurement, and what the file makes of it */
	struct sample_key key;
	char name[64]; /* of what is no probe; "": the key's */
	double measured, predicted;
	double error;	    /* distance from the measurement's 95 % interval, see check.c */
	bool is_of_message; /* it is a part of a message's time, not of what was measured */
};

enum { CHECK_PROBES = 128, CHECK_LISTED = 8 }; /* more than there are; what a list shows */
#define CHECK_MOST 0.1			       /* more than that off is warned of */

struct check {
	bool is_made;
	char why_not[1024];	       /* it was not */
	int n, n_close, n_near, n_off; /* compared; within 5 %, within 10 %, and not */
	int n_apart;		       /* not compared: probes on the file did not make them */
	int n_worst;
	struct check_off worst[CHECK_PROBES]; /* [n_worst] of each probe, the worst first */
};

/* What was measured, in the machine or on a file: each key once, in order, without what tells
 * nothing that the model could say. */
struct check_base {
	int n;
	struct check_wanted {
		struct sample_key key;
		struct summary time;
		double of;    /* what an error is a part of */
		double limit; /* whether it is more is all that counts; NAN: its size does */
	} * list;	      /* [n] */
	double core;	      /* what one core computes, in its own units */
};

/* check.c: 0, or -1: out of memory. */
int check_begin(struct check_base *base, const struct samples *samples);
void check_end(struct check_base *base);
/* Half of the 95 % interval of a measurement, as a part of what an error of it is a part of. */
double check_scatter(const struct check_wanted *wanted);
/* 0, or -1: out of memory. offs[base->n] (NULL: none): how far predictions are off, with sign, as
 * such a part; NAN: not compared. Each that is compared becomes a row, too (NULL: none): probe, place,
 * x, y, measured, predicted, how far off as such a part. */
int check_compare(const struct check_base *base, const struct samples *predicted,
		  struct check *check, double *offs, FILE *rows);
/* One more that was compared. */
void check_add(struct check *check, const struct check_off *off);
/* One line without an end: how many are reproduced, and the worst one. */
void check_verdict(const struct check *check, FILE *file);
/* The worst of each probe that is more than CHECK_MOST off, at most CHECK_LISTED, behind `prefix`;
 * before them how many measurements are, behind `warning` (NULL: not said). */
void check_list(const struct check *check, const char *warning, const char *prefix, FILE *file);

/* view_samples.c: check->is_made, or why it is not. Rows: as above. */
void check_file(const struct samples *measured, const char *cluster, struct check *check,
		FILE *rows);

#endif
