/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_H
#define SIMCORE_FIBER_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Fibers: stacks that are switched in user space. One assembly file per architecture (x86-64,
 * aarch64), ucontext elsewhere, chosen by meson. Every switch tells valgrind and the sanitizers. A
 * fiber runs until it yields; whoever resumed it goes on then. Not reentrant: a fiber does not
 * resume another.
 *
 * Stacks come from one reservation of address space; memory is taken when a fiber first runs and
 * given back when it ends. Each stack has guard pages below it as long as half the mappings a
 * process may have (vm.max_map_count) suffice: 16 382 fibers by default. Beyond that, only every
 * second, third … has them, and the last 64 bytes of the stacks without, which are zero until used,
 * are looked at whenever the fiber yields or ends: a frame that jumps over them or leaves them zero
 * is not noticed. 64 KiB below every stack belong to no other.
 *
 * A switch costs about 30 instructions (9 ns) by assembly, and a system call more by ucontext. It
 * keeps what the ABI promises over a call, rounding mode included; the signal mask is not switched.
 * Callable from one thread only.
 */
struct sim_fiber;
struct sim_fiber_set; /* the stacks and fibers of one engine */
typedef void (*sim_fiber_fn)(void *arg);

/*
 * Reserves stacks for `n_fibers` >= 1 fibers of `stack_size_B` bytes each (rounded up to pages), at
 * least 16 KiB. A fiber that never runs costs 40 bytes. Errors: UTIL_EINPUT for a size out of
 * range, UTIL_ENOMEM when the address space is not to be had.
 */
int sim_fiber_set_create(struct sim_fiber_set **out, size_t n_fibers, size_t stack_size_B,
			 struct util_error *err);
/* NULL is fine; fibers that did not end are dropped: nothing on their stacks is cleaned up. */
void sim_fiber_set_destroy(struct sim_fiber_set *set);

/*
 * Prepares a fiber; it starts at the first resume. `index`: 0 … n_fibers-1, each used once, in any
 * order. The set owns the fiber. Errors: UTIL_EINPUT for an index out of range or in use.
 */
int sim_fiber_create(struct sim_fiber_set *set, size_t index, sim_fiber_fn entry, void *arg,
		     struct sim_fiber **out, struct util_error *err);

/* Runs `fiber`, which did not end yet, until it, or one that control was passed to meanwhile
 * (fiber-private.h), yields or ends. True when that one can go on: it has not ended, nor overflowed
 * its stack. Called from outside any fiber. */
bool sim_fiber_resume(struct sim_fiber *fiber);
/* Gives control back to the resumer. Called on `fiber`, which must be running. */
void sim_fiber_yield(struct sim_fiber *fiber);
bool sim_fiber_has_ended(const struct sim_fiber *fiber);
/* True once the end of the stack was overwritten (only where there are no guard pages): neighbours
 * may be damaged. */
bool sim_fiber_overflowed(const struct sim_fiber *fiber);

/* Which fiber's guard pages `address` lies in (for a SIGSEGV handler): its index, or -1.
 * Async-signal-safe. */
long sim_fiber_set_guard_hit(const struct sim_fiber_set *set, const void *address);
/* True when `stack_pointer` lies among the stacks of the set but not in that of `fiber`, which ran
 * past its end; false for a stack that a program made for itself. Async-signal-safe. */
bool sim_fiber_strayed(const struct sim_fiber *fiber, const void *stack_pointer);
/* The fiber's stack without guard: lowest address and size. Up to 1920 bytes at its top are left
 * out to spread cache lines. */
void sim_fiber_stack(const struct sim_fiber *fiber, void **out_low, size_t *out_size_B);

#endif
