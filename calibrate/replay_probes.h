/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_REPLAY_PROBES_H
#define CALIBRATE_REPLAY_PROBES_H

#include "check.h"

/*
 * What simulated probes repeat: the file of mpisim-calibrate.simulated --replay, by whose values a
 * run decides what it measures, as the measured run did.
 */

/* weights[base->n]: how much each measurement counts in a search; 0: it takes long and tells no more
 * than others. O(number of samples squared). */
void replay_weights(const struct samples *measured, const struct check_base *base, double *weights);
/* The file as *text, which is the caller's, in the place of what it was. Measurements without a
 * weight are left out; weights NULL: none is. 0, or -1: out of memory. */
int replay_make(const struct samples *measured, const struct check_base *base,
		const double *weights, char **text);

#endif
