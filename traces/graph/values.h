/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TRACES_GRAPH_VALUES_H
#define TRACES_GRAPH_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "mpi/watch/watch.h"

/* Arguments of MPI calls in words. */

/* Ranks and tags that stand for something: "MPI_ANY_SOURCE"; NULL: the number is what it is. */
const char *trace_value_peer(int64_t value);
const char *trace_value_tag(int64_t value);
/* Argument `i` as text, "" where its value says nothing to a reader. Returns `text`. */
char *trace_value_text(const struct mpi_watch_call *call, int i, char *text, size_t size);
/* All that say something: "count 3, datatype MPI_INT, dest 1". Returns `text`. */
char *trace_values_text(const struct mpi_watch_call *call, char *text, size_t size);

#endif
