/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef VALIDATION_HPL_SKELETON_H
#define VALIDATION_HPL_SKELETON_H

#include <stdbool.h>

/* The next number in [0, 1) of this rank's, by the seed that the program was given. */
double skeleton_uniform(void);
/* Whether n numbers at `x` are there: not the matrix, nor what lies in the wide part of a panel. */
bool skeleton_is_small(const double *x, int n);

#endif
