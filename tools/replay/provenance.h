/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_REPLAY_PROVENANCE_H
#define TOOLS_REPLAY_PROVENANCE_H

#include <jansson.h>

#include "mtrace/reader.h"
#include "pdexec/rank.h"

/* What a trace was recorded from (docs/trace-format.md), as far as a replay needs it. Texts are
 * owned by `root`. */
struct replay_provenance {
	json_t *root;
	char **command;		  /* NULL at its end; "unknown" where the trace does not say */
	const char *cluster_file; /* name */
	const char *cluster;	  /* text; NULL: none, as in traces of real runs */
	const char *placement;	  /* NULL: the cluster's own */
	int *node_of;		  /* [n_ranks]; NULL: unknown */
	const char **overrides, **scales; /* [n_overrides], [n_scales] */
	int n_overrides, n_scales;
	enum pd_compute_mode mode;
	int first_n; /* 0: all calls of kernels were of one kind */
	bool no_alloc;
	int cpus_per_rank; /* 0: was not given */
	double vary_compute, vary_transfer; /* negative: as the cluster file says */
	bool deterministic, is_single;	    /* --deterministic, --repeat 1 */
	int64_t seed;
};

/* Errors: UTIL_EINPUT for a text that is not what it should be, UTIL_ENOMEM. */
int replay_provenance_read(const struct mtrace_file *file, struct replay_provenance *out,
			   struct util_error *err);
void replay_provenance_finish(struct replay_provenance *provenance);

#endif
