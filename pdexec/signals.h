/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PDEXEC_SIGNALS_H
#define PDEXEC_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "pdexec/rank.h"

/*
 * Signals that mean a crash, caught while a world exists. In a rank they become world->failure (a
 * stack's guard page: PD_FAILURE_OVERFLOW; a buffer that was not allocated: PD_FAILURE_ANNOTATION)
 * and the engine's loop goes on; elsewhere they do what they did before.
 */
struct pd_signals;

int pd_signals_create(struct pd_world *world, struct pd_signals **out, struct util_error *err);
void pd_signals_destroy(
    struct pd_signals *signals); /* puts the former handlers back; NULL is fine */

/*
 * The place in the program that led to the code at `code`, which may be in a library: `code` itself
 * when it is in the program, else the first return address into the program that lies above
 * `stack`. Async-signal-safe.
 */
const void *pd_signals_find_site(const struct pd_rank *rank, const void *code, const void *stack);
/* What that looks at. */
struct pd_frames; /* pdexec/pages.h */
void pd_signals_frames(const struct pd_rank *rank, struct pd_frames *out);
/* Writes the sentence for a stack overflow of `rank`. */
void pd_signals_describe_overflow(const struct pd_rank *rank, char *text, size_t size);

#endif
