/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_WATCH_ADDRESS_H
#define SIMCORE_FIBER_WATCH_ADDRESS_H

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <stddef.h>

/* fiber-watch-none.h says what these are for; this is for AddressSanitizer. */
struct sim_watch {
	void *fake_stack;
	const void *low;
	size_t size_B;
};

static inline void sim_watch_begin(struct sim_watch *watch, void *low, size_t size_B)
{
	*watch = (struct sim_watch){NULL, low, size_B};
}
static inline void sim_watch_end(struct sim_watch *watch)
{
	/* frames that never returned left their red zones in the shadow memory */
	__asan_unpoison_memory_region(watch->low, watch->size_B);
}
static inline void sim_watch_leave(struct sim_watch *from, struct sim_watch *to)
{
	__sanitizer_start_switch_fiber(&from->fake_stack, to->low, to->size_B);
}
static inline void sim_watch_leave_for_good(struct sim_watch *from, struct sim_watch *to)
{
	__sanitizer_start_switch_fiber(NULL, to->low, to->size_B);
}
static inline void sim_watch_arrive(struct sim_watch *here, struct sim_watch *from)
{
	__sanitizer_finish_switch_fiber(here->fake_stack, &from->low, &from->size_B);
}

#endif
