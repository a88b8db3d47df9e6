/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_STREAMS_H
#define PDEXEC_STREAMS_H

#include "pdexec/rank.h"

/*
 * Standard streams: `stdin`, `stdout` and `stderr` are each rank's own variables, so that freopen
 * concerns the rank alone. Standard input is rank 0's; the others read that there is none.
 */

/* The rank begins: on its fiber. */
void pd_streams_begin(struct pd_rank *rank);

#endif
