/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_CHANGE_H
#define TOOLS_WHATIF_CHANGE_H

#include "tools/whatif/scenario.h"

/* The base while a scenario changes it: what is worked on, and what of it goes into options. */
struct whatif_change {
	const struct whatif_base *base;
	double latency_s, bandwidth_Bps;
	struct cluster_segment *segments; /* [base->cluster->segments.n] */
	double overhead_factor, cost_scale;
	double *speed;				    /* [n_nodes] */
	struct cluster_speed_change *speed_changes; /* [n_speed_changes] those of the base first */
	int n_speed_changes, cores;
	struct whatif_scale *scales; /* [n_scales] */
	int n_scales;
	bool network, overhead, cost, speeds, changes, core_count, factors, ideal; /* changed */
	char *placement;  /* NULL: it says nothing of it */
	char **overrides; /* [n_overrides] KEY=VALUE that were asked for as such */
	int n_overrides;
};

int whatif_change_init(struct whatif_change *change, const struct whatif_base *base,
		       struct util_error *err);
void whatif_change_finish(struct whatif_change *change);

/* "protocol.overhead={…}": what the cluster has times `factor`, and `more_s` more for each message; the
 * caller frees it. NULL: no memory. */
char *whatif_overheads(const struct cluster *cluster, double factor, double more_s);
/* Applies one part of a scenario. Errors: UTIL_EINPUT, UTIL_ENOMEM. */
int whatif_change_apply(struct whatif_change *change, const char *part, struct util_error *err);
/* Multiplies the time of a kernel ("*": all computation). */
int whatif_change_scale(struct whatif_change *change, const char *kernel, double factor,
			struct util_error *err);

/* The options that make the changes; *out_words is the caller's, NULL at its end. */
int whatif_change_words(const struct whatif_change *change, char ***out_words, int *out_n,
			struct util_error *err);

#endif
