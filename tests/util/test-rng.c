/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "util/rng.h"

/* The first numbers of splitmix64 for seed 1234567 as published with its reference implementation.
 */
static void stream_0_is_the_published_sequence(void **state)
{
	static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
					     9817491932198370423u, 4593380528125082431u,
					     16408922859458223821u};
	struct util_rng rng;

	util_rng_init(&rng, 1234567, 0);
	for (int i = 0; i < 5; i++)
		assert_true(util_rng_next(&rng) == published[i]);
}

static void streams_and_seeds_differ(void **state)
{
	uint64_t first[4][16];

	for (uint64_t seed = 0; seed < 4; seed++) {
		for (uint64_t stream = 0; stream < 16; stream++) {
			struct util_rng rng;

			util_rng_init(&rng, seed, stream);
			first[seed][stream] = util_rng_next(&rng);
		}
	}
	for (int i = 0; i < 64; i++) {
		for (int j = 0; j < i; j++)
			assert_true(first[i / 16][i % 16] != first[j / 16][j % 16]);
	}
}

/*
 * Mean of n = 10000 uniform numbers: standard deviation 1/sqrt(12 n) = 0.0029. The numbers are the
 * same on every machine, so four deviations (0.0116) cannot fail by chance.
 */
static void uniform_lies_in_the_unit_interval_with_mean_a_half(void **state)
{
	struct util_rng rng;
	double sum = 0;

	util_rng_init(&rng, 1, 1);
	for (int i = 0; i < 10000; i++) {
		double u = util_rng_uniform(&rng);

		assert_true(u >= 0 && u < 1);
		sum += u;
	}
	assert_true(sum / 10000 > 0.5 - 0.0116 && sum / 10000 < 0.5 + 0.0116);
}

/* 6457827717110365317 >> 11 = 3153236189995295; times 2^-53 it is 0.3500795420…: 53 bits, no
 * rounding. */
static void uniform_is_the_top_53_bits(void **state)
{
	struct util_rng rng;

	util_rng_init(&rng, 1234567, 0);
	assert_true(util_rng_uniform(&rng) == 3153236189995295.0 / 9007199254740992.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(stream_0_is_the_published_sequence),
	    cmocka_unit_test(streams_and_seeds_differ),
	    cmocka_unit_test(uniform_lies_in_the_unit_interval_with_mean_a_half),
	    cmocka_unit_test(uniform_is_the_top_53_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
