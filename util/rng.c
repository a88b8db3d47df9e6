/* SPDX-License-Identifier: BSD-3-Clause */
#include "util/rng.h"

/* splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014;
 * constants as published there. */
static const uint64_t gamma_step = 0x9e3779b97f4a7c15u;

static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

void util_rng_init(struct util_rng *rng, uint64_t seed, uint64_t stream)
{
	/* stream 0 is plain splitmix64; the others start far apart, also for neighbouring seeds */
	rng->state = stream ? mix(mix(seed + gamma_step) + stream * gamma_step) : seed;
}

uint64_t util_rng_next(struct util_rng *rng)
{
	rng->state += gamma_step;
	return mix(rng->state);
}

double util_rng_uniform(struct util_rng *rng)
{
	return (double)(util_rng_next(rng) >> 11) * 0x1p-53;
}
