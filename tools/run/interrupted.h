/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_INTERRUPTED_H
#define TOOLS_RUN_INTERRUPTED_H

#include "tools/run/run.h"

/* Says where each rank that has not ended is: its MPI call or that it computes, the line of the
 * source, since when. Starts helper processes for source lines. */
void run_interrupted_print(const struct run *run, FILE *file);

#endif
