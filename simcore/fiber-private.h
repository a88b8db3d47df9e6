/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_PRIVATE_H
#define SIMCORE_FIBER_PRIVATE_H

#include "simcore/fiber-config.h"
#include "simcore/fiber-switch.h"
#include "simcore/fiber.h"

/* What the engine, which passes control from fiber to fiber, shares with fiber.c. */

struct sim_fiber {
	void *context; /* suspended here; NULL: did not begin */
	struct sim_fiber_set *set;
	sim_fiber_fn entry;
	void *arg;
	unsigned int valgrind_id;
	bool has_guard, has_ended, has_overflowed;
	struct sim_watch watch;
};

/*
 * The reservation: [guard] stack 0 [guard] stack 1 … Where guards for all would take too many
 * mappings, only every `guard_stride`-th is protected, the lowest always: an overflow that nobody
 * notices ends there. The others are room that a small overflow may use without harm.
 */
struct sim_fiber_set {
	void *resumer; /* context of who resumed the running fiber */
	struct sim_fiber *running;
	struct sim_watch resumer_watch;
	struct sim_watch *left; /* of the stack that was left last */
	char *base;
	size_t reserved_B, stack_size_B, pitch_B;
	size_t n_fibers, guard_stride;
	struct sim_fiber *fibers; /* [n_fibers] */
};

/*
 * Whether `from` may pass control to `to`: not where the resumer has to do something for one of
 * them: without guard pages it looks at the stack, and a new one has to be begun.
 */
static inline bool sim_fiber_can_pass(const struct sim_fiber *from, const struct sim_fiber *to)
{
	return from->has_guard && to->context && to->set == from->set;
}

/* `from`, which is running, is suspended as by a yield, and `to` goes on; sim_fiber_can_pass holds.
 */
static inline void sim_fiber_pass(struct sim_fiber *from, struct sim_fiber *to)
{
	struct sim_fiber_set *set = from->set;

	set->running = to;
	set->left = &from->watch;
	sim_watch_leave(&from->watch, &to->watch);
	sim_fiber_switch(&from->context, to->context);
	sim_watch_arrive(&from->watch, set->left);
}

#endif
