/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_FIT_H
#define CALIBRATE_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"
#include "machine.h"
#include "samples.h"
#include "search.h"
#include "util/error.h"

/*
 * From samples to a cluster file. Uses GSL: what links it is under the GPL (README.md).
 */
struct value {
	bool is_known;
	double value, low, high; /* 95 % interval */
	int n, n_outliers;	 /* samples */
};

struct fit {
	const struct samples *samples; /* borrowed */
	int n_nodes, n_ranks;
	int subject; /* enum where: what the network's values come from */
	int cores;
	bool cores_are_certain;
	struct value empty[2], send_overhead, recv_overhead;
	struct machine machine;
	/* CPU cost */
	int table_n;	       /* -1: no table */
	struct value *table;   /* [(n + 1)²], fraction of one CPU */
	bool table_is_partial; /* fewer loops than cores: only what they saw is in the table */
	/* of the cluster file, what is not searched for; text */
	char *known, *intervals;
};

/* readings.c: what samples say without a simulator. 0, or -1 with a sentence in `error`. */
int fit_make(struct fit *fit, const struct samples *samples, char error[256]);
void fit_finish(struct fit *fit);
/* Of one node: the network's latency and bandwidth, which the file asks for and no time depends on,
 * are those within it. */
void fit_set_outer(struct fit *fit);
struct value fit_value(const struct samples *samples, const char *name, int where, int64_t x,
		       int64_t y);
/* Messages by size at one place; NULL: no larger one. */
const struct sample_key *fit_next_message(const struct fit *fit, int where, int64_t size_B);
/* More than a tenth of the samples are outliers, or an empty message is known to 10 % only. */
bool fit_is_noisy(const struct fit *fit);
#define FIT_NOISY                                                                                \
	"noisy machine: many outliers, or times scatter; do not rely on values that are marked " \
	"DOUBTFUL, run again on an idle machine"

#define FIT_UNSEARCHED                                                                            \
	"NOT SEARCHED: packets, bursts, buffers, order and progress of messages, lines by size; " \
	"this is the plain model only. Keep the samples, and run mpisim-calibrate-fit SAMPLES "   \
	"-o FILE where mpisim's tools are"

/* view_samples.c: replaces the machine by that which predicts the samples best; *check is that of the
 * result. */
void fit_choose(struct fit *fit, struct check *check);

/* variation.c: how much equal computations and transfers differ, either way, as a part of them;
 * false: it was not measured, or nothing differs, as in the simulator. */
struct fit_varies {
	double computation, messages;
};
bool fit_variation(const struct fit *fit, struct fit_varies *out);
/* The same computation on each node: its median, and by how much it differs; how many nodes. */
int fit_node_speeds(const struct fit *fit, double *times_s, double *varies, int most);

/* yaml.c: the parts of the file that are not searched for, into fit->known. 0 or -1. */
int fit_write_known(struct fit *fit);
/* The cluster file, with what its check says. */
void fit_write_yaml(const struct fit *fit, const struct check *check, FILE *file);
/* Timed collective operations: the most that one is off; -1: there are none. */
double fit_collective_off(const struct check *check);
/* plot.c: data, a gnuplot script and PNG pictures in the directory, with what the cluster file's
 * probes take in the simulator (NULL: without). 0; 1: no pictures, since there is no gnuplot;
 * negative. */
int fit_plot(const struct fit *fit, const char *cluster, const char *directory,
	     struct util_error *err);
/* report.c */
/* All of it: file `output` appears complete or not at all, after it was compared with the samples
 * if `checks`; warnings go to stderr, after the name `who`, a summary to stdout. 0 or -1, with a
 * message on stderr. */
int fit_report(const char *who, const struct samples *samples, const char *output, const char *plot,
	       bool checks);
/* How well that cluster file reproduces the samples, on stdout. 0, 1: something is more than 10 %
 * off, 2: it could not be told, and stderr says why. */
int fit_check(const char *who, const struct samples *samples, const char *cluster);

#endif
