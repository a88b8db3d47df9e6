/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_WATCH_THREAD_H
#define SIMCORE_FIBER_WATCH_THREAD_H

#include <sanitizer/tsan_interface.h>
#include <stddef.h>

/* fiber-watch-none.h says what these are for; this is for ThreadSanitizer. */
struct sim_watch {
	void *fiber; /* NULL for the resumer's stack until it is left */
	int is_ours;
};

static inline void sim_watch_begin(struct sim_watch *watch, void *low, size_t size_B)
{
	*watch = (struct sim_watch){__tsan_create_fiber(0), 1};
}
static inline void sim_watch_end(struct sim_watch *watch)
{
	__tsan_destroy_fiber(watch->fiber);
}
static inline void sim_watch_leave(struct sim_watch *from, struct sim_watch *to)
{
	if (!from->is_ours)
		from->fiber = __tsan_get_current_fiber();
	__tsan_switch_to_fiber(to->fiber, 0);
}
static inline void sim_watch_leave_for_good(struct sim_watch *from, struct sim_watch *to)
{
	sim_watch_leave(from, to);
}
static inline void sim_watch_arrive(struct sim_watch *here, struct sim_watch *from)
{
}

#endif
