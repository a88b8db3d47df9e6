/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_UNTOLD_H
#define CALIBRATE_UNTOLD_H

#include <stdio.h>

#include "search.h"

/* What the data leave open: values whose interval is wide, and other machines that predict as well. */
struct untold {
	int n;
	char texts[PARAMETERS + 16][160]; /* "the times do not tell …" */
};

/* Of what was found, which progress within MPI becomes a part of if the data tell nothing of it;
 * some runs of the simulator. 0 or negative. */
int untold_find(struct search *search, struct untold *out, struct util_error *err);
/* One more of them. */
void untold_say(struct untold *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void untold_write(const struct untold *untold, const char *prefix, FILE *file);

#endif
