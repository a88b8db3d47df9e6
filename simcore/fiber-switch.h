/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_SWITCH_H
#define SIMCORE_FIBER_SWITCH_H

/*
 * The part of fibers that depends on the architecture: fiber-x86_64.S, fiber-aarch64.S or
 * fiber-ucontext.c; meson takes one. A suspended fiber is one pointer: the place on its own stack
 * where it keeps what the ABI lets it expect back. The signal mask is not switched.
 */

/* Saves the running context, stores its pointer at *save and goes on with `load`; returns when
 * someone switches back. */
__attribute__((visibility("hidden"))) void sim_fiber_switch(void **save, void *load);

/*
 * Builds the context of a fiber that will call entry(arg) on the stack [low, top); entry does not
 * return. `top` is 16-byte aligned. The pointer is for sim_fiber_switch.
 */
__attribute__((visibility("hidden"))) void *sim_fiber_prepare(void *low, void *top,
							      void (*entry)(void *arg), void *arg);

#endif
