/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/fiber.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "simcore/fiber-private.h"

enum {
	MIN_STACK_B = 16384,
	/* Larger than a page: a frame of a few KiB that skips its start must not jump over the
	   guard. It costs address space only. */
	GUARD_B = 65536,
	/* vm.max_map_count where it cannot be read: the kernel's default */
	DEFAULT_MAX_MAPPINGS = 65530,
	MAPPINGS_PER_GUARD = 2,
	/* The end of a stack that is looked at; untouched memory is zero, so this pattern costs no
	   page. */
	N_CHECKED_WORDS = 8,
	/* Tops start at different cache lines, or the hot frames of all stacks would share a few
	   cache sets. Not where there are more stacks than any cache holds: there it would only be
	   a second page for many of them. */
	N_COLOURS = 16,
	COLOUR_B = 128,
	MAX_COLOURED = 8192,
};

static size_t fiber_index(const struct sim_fiber *fiber)
{
	return (size_t)(fiber - fiber->set->fibers);
}

static char *stack_low(const struct sim_fiber *fiber)
{
	return fiber->set->base + GUARD_B + fiber_index(fiber) * fiber->set->pitch_B;
}

static size_t max_mappings(void)
{
	FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
	size_t count = DEFAULT_MAX_MAPPINGS;

	if (!file)
		return count;
	if (fscanf(file, "%zu", &count) != 1)
		count = DEFAULT_MAX_MAPPINGS;
	fclose(file);
	return count;
}

/* Sets the sizes of the reservation: 0 or UTIL_EINPUT. */
static int set_measure(struct sim_fiber_set *set, size_t n_fibers, size_t stack_size_B,
		       struct util_error *err)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	/* half is left to the images of the ranks and to everyone else */
	size_t max_guards = max_mappings() / 2 / MAPPINGS_PER_GUARD;

	if (n_fibers == 0)
		return util_refuse(err, "0 fibers were asked for, wanted at least 1");
	if (stack_size_B < MIN_STACK_B || stack_size_B > SIZE_MAX / 2)
		return util_refuse(
		    err, "a stack of %zu bytes is %s, wanted at least %d", stack_size_B,
		    stack_size_B < MIN_STACK_B ? "too small" : "too large", MIN_STACK_B);
	set->n_fibers = n_fibers;
	set->stack_size_B = (stack_size_B + page - 1) / page * page;
	set->guard_stride = max_guards > 0 ? (n_fibers + max_guards - 1) / max_guards : n_fibers;
	/* an odd number of pages: with a power of two the tops of all stacks would share a few sets
	   of the cache */
	set->pitch_B = (set->stack_size_B + GUARD_B) | page;
	if (set->pitch_B > (SIZE_MAX / 2 - GUARD_B) / n_fibers)
		return util_refuse(err, "%zu stacks of %zu bytes are too much", n_fibers,
				   stack_size_B);
	set->reserved_B = GUARD_B + n_fibers * set->pitch_B;
	return 0;
}

static int set_reserve(struct sim_fiber_set *set, struct util_error *err)
{
	void *base = mmap(NULL, set->reserved_B, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

	if (base == MAP_FAILED)
		return util_error_set(
		    err, UTIL_ENOMEM,
		    "no address space for %zu stacks of %zu bytes: smaller stacks may help",
		    set->n_fibers, set->stack_size_B);
	set->base = base;
	/* one huge page would hold the memory of dozens of stacks; refused where the kernel has
	 * none: fine */
	madvise(base, set->reserved_B, MADV_NOHUGEPAGE);
	set->fibers = calloc(set->n_fibers, sizeof(*set->fibers));
	if (!set->fibers)
		return util_error_set(err, UTIL_ENOMEM, "no memory for %zu fibers", set->n_fibers);
	return 0;
}

int sim_fiber_set_create(struct sim_fiber_set **out, size_t n_fibers, size_t stack_size_B,
			 struct util_error *err)
{
	struct sim_fiber_set *set = calloc(1, sizeof(*set));
	int rc;

	if (!set)
		return util_error_set(err, UTIL_ENOMEM, "no memory for fibers");
	rc = set_measure(set, n_fibers, stack_size_B, err);
	if (!rc)
		rc = set_reserve(set, err);
	if (rc) {
		sim_fiber_set_destroy(set);
		return rc;
	}
	*out = set;
	return 0;
}

/* The stack is needed no more. */
static void fiber_release(struct sim_fiber *fiber)
{
	sim_valgrind_deregister(fiber->valgrind_id);
	sim_watch_end(&fiber->watch);
}

void sim_fiber_set_destroy(struct sim_fiber_set *set)
{
	if (!set)
		return;
	for (size_t i = 0; set->fibers && i < set->n_fibers; i++) {
		if (set->fibers[i].context && !set->fibers[i].has_ended)
			fiber_release(&set->fibers[i]);
	}
	if (set->base)
		munmap(set->base, set->reserved_B);
	free(set->fibers);
	free(set);
}

int sim_fiber_create(struct sim_fiber_set *set, size_t index, sim_fiber_fn entry, void *arg,
		     struct sim_fiber **out, struct util_error *err)
{
	struct sim_fiber *fiber;

	if (index >= set->n_fibers)
		return util_refuse(err, "there is no fiber %zu of %zu", index, set->n_fibers);
	fiber = &set->fibers[index];
	if (fiber->set)
		return util_refuse(err, "fiber %zu is in use already", index);
	*fiber = (struct sim_fiber){.set = set, .entry = entry, .arg = arg};
	/* when others took the mappings that are missing now, the pattern has to do for this one */
	fiber->has_guard = index % set->guard_stride == 0 &&
			   !mprotect(stack_low(fiber) - GUARD_B, GUARD_B, PROT_NONE);
	*out = fiber;
	return 0;
}

/* The bottom of every fiber's call chain. */
static void fiber_main(void *arg)
{
	struct sim_fiber *fiber = arg;
	struct sim_fiber_set *set = fiber->set;

	sim_watch_arrive(&fiber->watch, set->left);
	fiber->entry(fiber->arg);
	fiber->has_ended = true;
	sim_watch_leave_for_good(&fiber->watch, &set->resumer_watch);
	sim_fiber_switch(&fiber->context, set->resumer);
	__builtin_unreachable();
}

/* Done at the first resume, so that a fiber that never runs touches no memory of its stack. */
static void fiber_begin(struct sim_fiber *fiber)
{
	char *low = stack_low(fiber), *top = low + fiber->set->stack_size_B;

	sim_watch_begin(&fiber->watch, low, fiber->set->stack_size_B);
	fiber->valgrind_id = sim_valgrind_register(low, top);
	if (fiber->set->n_fibers <= MAX_COLOURED)
		top -= fiber_index(fiber) % N_COLOURS * COLOUR_B;
	fiber->context = sim_fiber_prepare(low, top, fiber_main, fiber);
}

static void fiber_end(struct sim_fiber *fiber)
{
	fiber_release(fiber);
	madvise(stack_low(fiber), fiber->set->stack_size_B, MADV_DONTNEED);
}

/* What lies there may be anyone's frame, red zones of the sanitizer included. */
__attribute__((noinline, no_sanitize("address"))) static bool
stack_is_overrun(const struct sim_fiber *fiber)
{
	const uintptr_t *words = (const void *)stack_low(fiber);
	uintptr_t any = 0;

	for (int i = 0; i < N_CHECKED_WORDS; i++)
		any |= words[i];
	return any != 0 || (const char *)fiber->context < stack_low(fiber);
}

bool sim_fiber_resume(struct sim_fiber *fiber)
{
	struct sim_fiber_set *set = fiber->set;

	if (__builtin_expect(!fiber->context, 0))
		fiber_begin(fiber);
	set->running = fiber;
	set->left = &set->resumer_watch;
	sim_watch_leave(&set->resumer_watch, &fiber->watch);
	sim_fiber_switch(&set->resumer, fiber->context);
	fiber = set->running;
	sim_watch_arrive(&set->resumer_watch, &fiber->watch);
	if (!fiber->has_guard && stack_is_overrun(fiber))
		fiber->has_overflowed = true;
	if (__builtin_expect(fiber->has_ended, 0))
		fiber_end(fiber);
	return !fiber->has_ended && !fiber->has_overflowed;
}

void sim_fiber_yield(struct sim_fiber *fiber)
{
	struct sim_fiber_set *set = fiber->set;

	sim_watch_leave(&fiber->watch, &set->resumer_watch);
	sim_fiber_switch(&fiber->context, set->resumer);
	sim_watch_arrive(&fiber->watch, set->left);
}

bool sim_fiber_has_ended(const struct sim_fiber *fiber)
{
	return fiber->has_ended;
}

bool sim_fiber_overflowed(const struct sim_fiber *fiber)
{
	return fiber->has_overflowed;
}

long sim_fiber_set_guard_hit(const struct sim_fiber_set *set, const void *address)
{
	size_t offset = (uintptr_t)address - (uintptr_t)set->base;
	size_t index = offset / set->pitch_B;

	if ((uintptr_t)address < (uintptr_t)set->base || index >= set->n_fibers)
		return -1;
	return offset % set->pitch_B < GUARD_B && index % set->guard_stride == 0 ? (long)index : -1;
}

bool sim_fiber_strayed(const struct sim_fiber *fiber, const void *stack_pointer)
{
	const struct sim_fiber_set *set = fiber->set;
	const char *low = stack_low(fiber);
	bool is_in_set = (uintptr_t)stack_pointer - (uintptr_t)set->base < set->reserved_B;

	return is_in_set && (uintptr_t)stack_pointer - (uintptr_t)low > set->stack_size_B;
}

void sim_fiber_stack(const struct sim_fiber *fiber, void **out_low, size_t *out_size_B)
{
	*out_low = stack_low(fiber);
	*out_size_B = fiber->set->stack_size_B;
}
