/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_WHATIF_PREDICT_H
#define TOOLS_WHATIF_PREDICT_H

#include "tools/whatif/scenario.h"

/* Predicts the base, with --explain. Errors: UTIL_EINPUT (it failed, with what it said),
 * UTIL_EPROGRAM: a signal asks for the end. */
int whatif_predict_base(struct whatif_base *base, struct util_error *err);
/* Predicts all scenarios, at most `n_jobs` at a time; one that fails keeps its error. Errors:
 * UTIL_ENOMEM, UTIL_ESYSTEM; UTIL_EPROGRAM: a signal asks for the end. */
int whatif_predict(const struct whatif_base *base, struct whatif_scenarios *scenarios, int n_jobs,
		   struct util_error *err);

#endif
