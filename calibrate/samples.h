/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_SAMPLES_H
#define CALIBRATE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"

/*
 * All that was measured, every single sample, and facts about the run. It is what a calibration
 * hands to the fit, in memory or as a file (docs/calibration-reference.md describes it). No MPI, no GSL.
 */
enum where { BETWEEN_NODES, WITHIN_NODE };

#define SAMPLES_NAME_B 24
#define SAMPLES_KEY_B 96

struct sample_key {
	char name[SAMPLES_NAME_B]; /* of the probe */
	int where;		   /* enum where */
	int64_t x, y;		   /* what the probe varies: bytes, numbers of transfers */
};

struct sample {
	struct sample_key key;
	double value; /* seconds, if the probe's description says nothing else */
};

struct samples {
	size_t n;
	struct sample *list; /* [n], in the order measured */
	size_t n_facts;
	struct fact {
		char *name, *value; /* several of one name are allowed */
	} * facts;		    /* [n_facts] */
};

enum { SAMPLES_FEW = 3 }; /* fewer have no interval */

/* Robust statistics of one key's samples. */
struct summary {
	int n, n_outliers; /* outliers: further than 5 scaled median deviations from the median */
	double median;	   /* of all, outliers too */
	double low, high;  /* 95 % interval of the median (order statistics); all for n < 6 */
	double minimum;
};

struct sample_key sample_key(const char *name, int where, int64_t x, int64_t y);
/* As it stands in a file. */
void sample_key_text(const struct sample_key *key, char text[SAMPLES_KEY_B]);
/* For qsort, of keys or what begins with one: by name, place, y and x. */
int sample_key_compare(const void *a, const void *b);
/* 0, or -1 when out of memory. */
int samples_add(struct samples *samples, const struct sample_key *key, double value);
int samples_fact(struct samples *samples, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The value of the k-th fact of that name; NULL: there are not that many. Borrowed. */
const char *samples_get_fact(const struct samples *samples, const char *name, int k);
/* The probe's next larger x than this one; NULL: there is none. Borrowed. */
const struct sample_key *samples_next(const struct samples *samples, const char *name, int64_t x);
/* The probe's largest x; -1: there is none. */
int64_t samples_largest(const struct samples *samples, const char *name);
/* n = 0 when there is none. O(number of samples). */
struct summary samples_summary(const struct samples *samples, const struct sample_key *key);
/* The first of its key. O(number of samples). */
bool samples_is_first(const struct samples *samples, size_t i);
/* Among names with blanks between them. */
bool is_probe_named(const char *names, const char *name);
/* How many samples and outliers the measurements of all these probes have there, nothing else. */
struct summary samples_probes(const struct samples *samples, const char *names, int where);
/* The same of a plain array, which it sorts. */
struct summary summary_of(double *values, int n);
void samples_finish(struct samples *samples);

/* samples_file.c */
/* 0 or negative. The file appears complete or not at all. */
int samples_write(const struct samples *samples, const char *path, struct util_error *err);
void samples_print(const struct samples *samples, FILE *file);
/*
 * 0, or -1 with a sentence in `error`: the file's name and line, what was found there and what was
 * wanted. A part of a file is refused, and values that cannot have been measured. *samples is the
 * caller's, to be finished.
 */
#define SAMPLES_ERROR_B 5000
int samples_read(struct samples *samples, const char *path, char error[SAMPLES_ERROR_B]);

#endif
