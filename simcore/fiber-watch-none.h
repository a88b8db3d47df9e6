/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_WATCH_NONE_H
#define SIMCORE_FIBER_WATCH_NONE_H

#include <stddef.h>

/*
 * What a sanitizer has to be told about fibers. Meson takes the fiber-watch-*.h that suits the
 * build (fiber-config.h in the build folder); this one is for builds without a sanitizer.
 */
struct sim_watch { /* one for each stack */
};

static inline void sim_watch_begin(struct sim_watch *watch, void *low, size_t size_B)
{
}
/* The stack is not used any more; it need not have ended properly. */
static inline void sim_watch_end(struct sim_watch *watch)
{
}
/* About to switch from `from`, the running stack, to `to`. */
static inline void sim_watch_leave(struct sim_watch *from, struct sim_watch *to)
{
}
/* Likewise, never to come back. */
static inline void sim_watch_leave_for_good(struct sim_watch *from, struct sim_watch *to)
{
}
/* On `here` now, `from` was left. */
static inline void sim_watch_arrive(struct sim_watch *here, struct sim_watch *from)
{
}

#endif
