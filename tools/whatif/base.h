/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_BASE_H
#define TOOLS_WHATIF_BASE_H

#include <jansson.h>

#include "cluster/cluster.h"
#include "tools/whatif/options.h"

/* What scenarios change: a trace or a program, on its cluster, as it is. */
struct whatif_scale {
	char *kernel; /* "*": all computation */
	double factor;
};

struct whatif_base {
	const char *what;	     /* the trace's or program's name, borrowed */
	const char *how;	     /* "replay" or "run" */
	char **words;		     /* the command, borrowed texts, NULL at its end */
	int n_words, place;	     /* where further options go */
	const char *html;	     /* borrowed: where its page goes; NULL: none is written */
	struct cluster *cluster;     /* as the base has it */
	struct whatif_scale *scales; /* [n_scales] that the base has */
	int n_scales;
	json_t *result; /* of the base (docs/json.md) with --explain; NULL before it is known */
	double time_s;
	double *node_useful_s; /* [cluster->n_nodes]; NULL before the result is known */
};

/*
 * `trace` NULL: options->program. `run`, `replay`: the tools. Errors: UTIL_EINPUT (no trace, a
 * damaged one, no cluster, …), UTIL_ENOMEM.
 */
int whatif_base_init(struct whatif_base *base, const struct whatif_options *options,
		     const char *trace, char *run, char *replay, struct util_error *err);
void whatif_base_finish(struct whatif_base *base);

/* Takes the base's result. Errors: UTIL_ENOMEM. */
int whatif_base_take_result(struct whatif_base *base, json_t *result, double time_s,
			    struct util_error *err);

/* Useful computation of a node in the base's result; 0 where it carries no rank. */
double whatif_base_useful_s(const struct whatif_base *base, int node);
/* The node that computes most. */
int whatif_base_busiest(const struct whatif_base *base);
/* Sentences of the base's result; borrowed, NULL: none. */
json_t *whatif_base_warnings(const struct whatif_base *base);
/* A derivative of the base's result, by its name in docs/json.md. */
double whatif_base_derivative(const struct whatif_base *base, const char *name);

#endif
