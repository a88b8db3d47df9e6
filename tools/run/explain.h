/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_EXPLAIN_H
#define TOOLS_RUN_EXPLAIN_H

#include "tools/run/run.h"

/* What became of the jobs, and the analysis in numbers, with its call sites in words, which `texts`
 * owns: goes to `description`, where `out` stays borrowed. */
void run_explain(struct run *run, struct run_strings *texts, struct trace_explanation *out,
		 struct trace_run *description);

#endif
