/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_FIBER_VALGRIND_NONE_H
#define SIMCORE_FIBER_VALGRIND_NONE_H

/* Without valgrind's headers it is told nothing; fiber-valgrind-client.h is the other choice of
 * meson. */
static inline unsigned int sim_valgrind_register(void *low, void *top)
{
	return 0;
}
static inline void sim_valgrind_deregister(unsigned int id)
{
}

#endif
