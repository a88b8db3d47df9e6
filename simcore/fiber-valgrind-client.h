/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_VALGRIND_CLIENT_H
#define SIMCORE_FIBER_VALGRIND_CLIENT_H

#include <valgrind/valgrind.h>

/*
 * Tells valgrind that [low, top) is a stack, so that a switch is not taken for a huge frame. Costs
 * a few instructions outside valgrind. Returns the id for sim_valgrind_deregister.
 */
static inline unsigned int sim_valgrind_register(void *low, void *top)
{
	return VALGRIND_STACK_REGISTER(low, top);
}
static inline void sim_valgrind_deregister(unsigned int id)
{
	VALGRIND_STACK_DEREGISTER(id);
}

#endif
