/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_SCENARIO_H
#define TOOLS_WHATIF_SCENARIO_H

#include "tools/whatif/base.h"

/*
 * A scenario: changes joined by '+', each "latency/10", "bandwidth=1 GB/s", "kernel:dgemm*0.9", …
 * (docs/what-if.md). As options of mpisim-run and mpisim-replay.
 */
struct whatif_scenario {
	char *name;   /* as it was asked for */
	char **words; /* options, NULL at their end */
	int n_words;
	double time_s; /* predicted; meaningless with an error */
	char *error;   /* why there is no prediction; NULL: there is one */
};

struct whatif_scenarios {
	struct whatif_scenario *list; /* [n] */
	int n;
};

/*
 * Appends the scenario unless there is one of that name. Errors: UTIL_EINPUT (what it names does
 * not exist, with what does; a value that cannot be), UTIL_ENOMEM.
 */
int whatif_scenarios_add(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			 const char *name, struct util_error *err);
/* Each part of "A+B" and then all of it. */
int whatif_scenarios_add_pair(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			      const char *pair, struct util_error *err);
/* The usual ones, as far as they change anything on this cluster. */
int whatif_scenarios_add_usual(struct whatif_scenarios *scenarios, const struct whatif_base *base,
			       struct util_error *err);
void whatif_scenarios_finish(struct whatif_scenarios *scenarios);

/* --- predicting (tools/whatif/predict.c) --- */

/* Predicts the base, with --explain. Errors: UTIL_EINPUT (it failed, with what it said),
 * UTIL_EPROGRAM: a signal asks for the end. */
int whatif_predict_base(struct whatif_base *base, struct util_error *err);
/* Predicts all scenarios, at most `n_jobs` at a time; one that fails keeps its error. Errors:
 * UTIL_ENOMEM, UTIL_ESYSTEM; UTIL_EPROGRAM: a signal asks for the end. */
int whatif_predict(const struct whatif_base *base, struct whatif_scenarios *scenarios, int n_jobs,
		   struct util_error *err);

#endif
