/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef REAL_TAP_H
#define REAL_TAP_H

#include <stdbool.h>

/*
 * What libmpisim-real tells a recorder of the process (real/trace), if there is one: it looks for
 * the symbol MPISIM_REAL_TAP, so neither library needs the other. All functions are called by the
 * thread that called mpisim.h's.
 */
struct mpisim_real_tap {
	/* NULL: the phase begun last ends. */
	void (*phase)(const char *name);
	/* The kernel that begins now runs. */
	void (*kernel_begin)(void);
	/* It has run. */
	void (*kernel_end)(const char *name, int n_params, const double params[]);
	/* Computation of `seconds` that was slept, since the last call of any kind; name NULL: of
	 * no kernel. */
	void (*slept)(const char *name, int n_params, const double params[], double seconds);
};

#define MPISIM_REAL_TAP mpisim_real_tap_of_trace
#define MPISIM_REAL_TAP_NAME "mpisim_real_tap_of_trace"

#endif
