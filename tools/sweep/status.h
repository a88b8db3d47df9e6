/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_SWEEP_STATUS_H
#define TOOLS_SWEEP_STATUS_H

#include <stdio.h>

#include "tools/sweep/table.h"

/* Why points of the grid failed: each error once with how often, the most frequent first, and the
 * parameters of one of its points. */
void sweep_failures_print(struct sweep_db *db, FILE *file);
/* The fastest point, or those of which it cannot be told. */
void sweep_verdict_print(struct sweep_table *table, FILE *file);

#endif
