/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "simcore/time.h"

static void seconds_round_half_up_to_picoseconds(void **state)
{
	assert_int_equal(sim_time_from_s(0), 0);
	assert_int_equal(sim_time_from_s(1350e-6), 1350000000);
	assert_int_equal(sim_time_from_s(0.5e-12), 1);
	assert_int_equal(sim_time_from_s(0.4e-12), 0);
	assert_int_equal(sim_time_from_s(2.6e-12), 3);
	assert_int_equal(sim_time_from_s(3600), 3600 * SIM_PS_PER_S);
	assert_true(sim_time_to_s(1500 * SIM_PS_PER_S / 1000) == 1.5);
}

static void negative_and_nan_become_zero_and_too_large_never(void **state)
{
	assert_int_equal(sim_time_from_s(-1), 0);
	assert_int_equal(sim_time_from_s(NAN), 0);
	assert_true(sim_time_from_s(1e7) == SIM_TIME_MAX); /* 115 days */
	assert_true(sim_time_from_s(INFINITY) == SIM_TIME_MAX);
}

static void addition_saturates_at_never(void **state)
{
	assert_int_equal(sim_time_add(2, 3), 5);
	assert_true(sim_time_add(SIM_TIME_MAX - 3, 3) == SIM_TIME_MAX);
	assert_true(sim_time_add(SIM_TIME_MAX - 3, 4) == SIM_TIME_MAX);
	assert_true(sim_time_add(SIM_TIME_MAX, SIM_TIME_MAX) == SIM_TIME_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(seconds_round_half_up_to_picoseconds),
	    cmocka_unit_test(negative_and_nan_become_zero_and_too_large_never),
	    cmocka_unit_test(addition_saturates_at_never),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
