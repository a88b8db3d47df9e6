/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_CORES_H
#define PDEXEC_CORES_H

#include <stdbool.h>

struct pd_world;

/* How many cores each rank of a job holds of which `n_ranks` ranks are on `node_of` [n_ranks]: as
 * world->config says, or as many as all can have, at least 1. O(ranks + nodes). */
int pd_cores_share(const struct pd_world *world, const int node_of[], int n_ranks);

/*
 * Libraries of a program whose ranks hold `n` cores are being loaded, until `n` is 0: those that
 * look for processors then find as many as the program does, and threads of OpenMP that wait sleep.
 */
void pd_cores_of_program(int n);

#endif
