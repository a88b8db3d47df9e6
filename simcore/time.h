/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SIMCORE_TIME_H
#define SIMCORE_TIME_H

#include <stdint.h>

/*
 * Simulated time: integer picoseconds since the start of the run; 106 days fit. Durations are of
 * the same type. Seconds as double become picoseconds by rounding half up; what does not fit
 * saturates at SIM_TIME_MAX, which stands for "never". No libm, so that every machine rounds alike.
 */
typedef int64_t sim_time_ps;

#define SIM_TIME_MAX INT64_MAX
#define SIM_PS_PER_S 1000000000000LL

static inline sim_time_ps sim_time_from_s(double seconds)
{
	double ps = seconds * 1e12 + 0.5;

	if (!(ps > 0))
		return 0;
	if (ps >= 9.2e18)
		return SIM_TIME_MAX;
	return (sim_time_ps)ps;
}

static inline double sim_time_to_s(sim_time_ps time)
{
	return (double)time * 1e-12;
}

/* a + b, saturating at "never"; both >= 0. */
static inline sim_time_ps sim_time_add(sim_time_ps a, sim_time_ps b)
{
	sim_time_ps sum;

	return __builtin_add_overflow(a, b, &sum) ? SIM_TIME_MAX : sum;
}

#endif
