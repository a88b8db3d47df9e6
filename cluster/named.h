/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CLUSTER_NAMED_H
#define CLUSTER_NAMED_H

#include <stdio.h>

#include "util/error.h"

/* Cluster files that come with mpisim and are found by name: "infiniband-hdr". */

/*
 * The path for what the option --cluster names: `name` itself where a file of this name exists or
 * `name` holds a slash, else that of the file NAME.yaml which comes with mpisim. *path belongs to
 * the caller. Errors: UTIL_EINPUT with the nearest name; UTIL_ENOMEM.
 */
int cluster_named_find(const char *name, char **path, struct util_error *err);

/* Prints a line for each: name, and what it describes. Errors: UTIL_EINPUT: there are none. */
int cluster_named_list(FILE *out, struct util_error *err);

#endif
