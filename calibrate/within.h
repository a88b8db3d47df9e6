/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CALIBRATE_WITHIN_H
#define CALIBRATE_WITHIN_H

#include "search.h"

/* within.c: mechanisms that times of pairs at places tell (enum place). */

/* Levels of a node, where there are times of one. */
void within_begin(struct search *search);
void vary_memory(const struct search *search, const struct machine *now, struct variants *out);
void vary_rate(const struct search *search, const struct machine *now, struct variants *out);
void vary_uplinks(const struct search *search, const struct machine *now, struct variants *out);

#endif
