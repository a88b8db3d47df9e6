/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_FIT_FILES_H
#define CALIBRATE_FIT_FILES_H

#include "util/error.h"

/* A cluster file from times that others have measured. */
struct fit_files {
	int n_paths;
	char *const *paths; /* [n_paths] of observations.h */
	const char *output;
	const char *check;   /* no fit: how well this cluster file predicts the times */
	const char *known;   /* a cluster file to complete; NULL: a node for each rank */
	const char *library; /* of machine.h, by name; NULL: whichever predicts best */
	const char *plot;    /* a folder; NULL: no picture */
};

/* Writes the file, says on standard output how good it is, and warns on standard error. 1: times are
 * more than 10 % off the file that is checked. */
int fit_files(const char *who, const struct fit_files *request, struct util_error *err);

#endif
