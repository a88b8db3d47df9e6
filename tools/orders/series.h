/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_ORDERS_SERIES_H
#define TOOLS_ORDERS_SERIES_H

#include "mpi/orders/series.h"

/*
 * Finds the series of a run (mpi/orders/series.h): it watches the calls with mpi_watch_substitute as
 * config->substitute, and says at the end what they were. A place is one of a series if all of its
 * calls are, and those of the places that they meet.
 */
struct orders_series;

/* Watches `world`, before the ranks run. NULL: out of memory. */
struct orders_series *orders_series_watch(struct mpi_world *world);
/* The run is over: adds to `out` what was found. More calls than can be kept: nothing. */
void orders_series_find(struct orders_series *series, struct mpi_all_series *out);

#endif
