/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_CORES_H
#define PDEXEC_CORES_H

#include <stdbool.h>

/* Libraries of the program are being loaded, from true to false: those that look for processors
 * then find one, as the program does. */
void pd_cores_of_program(bool begins);

#endif
