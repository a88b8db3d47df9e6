/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_ACCELERATORS_H
#define TRACES_ACCELERATORS_H

#include <jansson.h>
#include <stdio.h>

#include "traces/run.h"

/*
 * How long the accelerators of nodes with ranks were busy with kernels and copies (docs/model.md
 * §12). As text nothing where the run used none.
 */
void trace_accelerators_text(const struct trace_run *run, FILE *file);
void trace_accelerators_brief(const struct trace_run *run, FILE *file); /* in one line */
json_t *trace_accelerators_json(const struct trace_run *run, int node); /* of a run that did */

#endif
