/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_H
#define SIMCORE_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Fibers: stacks that are switched in user space. One assembly file per architecture (x86-64, aarch64),
 * ucontext elsewhere, chosen by meson. Every switch tells valgrind and the sanitizers. A fiber runs until it
 * yields; whoever resumed it goes on then. Not reentrant: a fiber does not resume another.
 *
 * Stacks come from one reservation of address space. Each has a guard page below it as long as the
 * process may have that many mappings (vm.max_map_count); beyond that, a pattern at the stack's end is checked at every yield.
 */
struct sim_fiber;
struct sim_fiber_set; /* the stacks and fibers of one engine */
typedef void (*sim_fiber_fn)(void *arg);

/*
 * Reserves stacks for `n_fibers` fibers of `stack_size_B` bytes each (rounded up to pages; at least 16 KiB).
 * Errors: UTIL_EINPUT for a size out of range, UTIL_ENOMEM when the address space is not to be had.
 */
int sim_fiber_set_create(struct sim_fiber_set **out, size_t n_fibers, size_t stack_size_B, struct util_error *err);
void sim_fiber_set_destroy(struct sim_fiber_set *set); /* NULL is fine; fibers that did not end are dropped */

/* Prepares the next fiber; it starts at the first resume. `index`: 0 … n_fibers-1, each used once. */
int sim_fiber_create(struct sim_fiber_set *set, size_t index, sim_fiber_fn entry, void *arg, struct sim_fiber **out,
		     struct util_error *err);

/* Runs `fiber` until it yields or ends. Called from outside any fiber. */
void sim_fiber_resume(struct sim_fiber *fiber);
/* Gives control back to the resumer. Called on `fiber`, which must be running. */
void sim_fiber_yield(struct sim_fiber *fiber);
bool sim_fiber_has_ended(const struct sim_fiber *fiber);
/* True when the check pattern at the end of the stack was overwritten (only where there are no guard pages). */
bool sim_fiber_overflowed(const struct sim_fiber *fiber);

/* Which fiber's guard page `address` lies in (for a SIGSEGV handler): its index, or -1. Async-signal-safe. */
long sim_fiber_set_guard_hit(const struct sim_fiber_set *set, const void *address);
/* Usable stack of the fiber: lowest address and size. */
void sim_fiber_stack(const struct sim_fiber *fiber, void **out_low, size_t *out_size_B);

#endif
