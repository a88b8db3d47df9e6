/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UTIL_RNG_H
#define UTIL_RNG_H

#include <stdint.h>

/* splitmix64: small, seedable, the same numbers on every machine. Not for cryptography. */
struct util_rng {
	uint64_t state;
};

/* Streams of one seed are independent (one per rank, say); stream 0 gives the published sequence of
 * `seed`. */
void util_rng_init(struct util_rng *rng, uint64_t seed, uint64_t stream);
uint64_t util_rng_next(struct util_rng *rng);
/* Uniform in [0, 1), 53 bits. */
double util_rng_uniform(struct util_rng *rng);

#endif
