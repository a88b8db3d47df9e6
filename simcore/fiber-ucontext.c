/* SPDX-License-Identifier: BSD-3-Clause */
#include "simcore/fiber-switch.h"

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/*
 * Fibers on any architecture with ucontext. Slow: glibc's swapcontext makes a system call for the
 * signal mask. A suspended context lies in the frame of the sim_fiber_switch that suspended it.
 */
struct beginning {
	ucontext_t context;
	void (*entry)(void *arg);
	void *arg;
};

void sim_fiber_switch(void **save, void *load)
{
	ucontext_t here;

	/* getcontext leaves it alone and AddressSanitizer looks at it */
	here.uc_stack.ss_size = 0;
	*save = &here;
	swapcontext(&here, load);
}

/* makecontext passes ints only: a pointer comes in two halves. */
static void begin(unsigned int high, unsigned int low)
{
	struct beginning *beginning = (void *)((uintptr_t)((uint64_t)high << 32 | low));

	beginning->entry(beginning->arg);
}

void *sim_fiber_prepare(void *low, void *top, void (*entry)(void *arg), void *arg)
{
	struct beginning *beginning = (struct beginning *)top - 1;
	uint64_t address = (uintptr_t)beginning;

	getcontext(&beginning->context);
	beginning->context.uc_stack.ss_sp = low;
	beginning->context.uc_stack.ss_size = (size_t)((char *)beginning - (char *)low);
	beginning->context.uc_link = NULL;
	beginning->entry = entry;
	beginning->arg = arg;
	makecontext(&beginning->context, (void (*)(void))begin, 2, (unsigned int)(address >> 32),
		    (unsigned int)address);
	return &beginning->context;
}
