/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_RUN_RECORD_H
#define TOOLS_RUN_RECORD_H

#include "tools/run/run.h"

/* --record: the trace of a run with what it was made from. */

/* By --record, or in memory for what follows (tools/run/variation.h). */
bool run_is_recorded(const struct run *run);
/* Before the ranks run. Errors: those of mpi_record_create. */
int run_record_create(struct run *run, struct util_error *err);
/* After the run: completes the file when every rank ended. Says on the console what it did.
 * Negative: the file could not be written. */
int run_record_close(struct run *run);

#endif
