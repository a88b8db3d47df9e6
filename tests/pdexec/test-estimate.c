/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run will need, and that it is refused where that is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pdexec/estimate.h"
#include "pdexec/image.h"

static void a_million_ranks_take_as_much_as_was_measured(void **state)
{
	double each_B = pd_estimate_ranks_B(1 << 20) / (1 << 20);

	/* 10.8 kB in a run of 1 048 576 (bench/README.md) */
	assert_true(each_B > 10.3e3 && each_B < 11.3e3);
}

/* 100 ranks; 6000 writable bytes, 1000 of them from the file. */
static double variables(enum pd_isolation isolation)
{
	const Elf64_Phdr segments[] = {
	    {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = 70000},
	    {.p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_filesz = 1000},
	    {.p_type = PT_GNU_RELRO, .p_flags = PF_R | PF_W, .p_filesz = 500},
	};
	struct pd_image image = {.n_ranks = 100, .isolation = isolation};

	image.elf.phdr = segments;
	image.elf.n_phdrs = 3;
	image.elf.writable = (struct pd_elf_range){4096, 4096 + 6000};
	return pd_estimate_variables_B(&image);
}

static void variables_are_counted_by_their_isolation(void **state)
{
	assert_true(variables(PD_ISOLATION_COPY) == 600000);
	assert_true(variables(PD_ISOLATION_MAP) == 100000);
}

static void what_does_not_fit_is_refused_with_the_reason(void **state)
{
	struct util_error err = {0};

	assert_int_equal(pd_estimate_check(1000, 2e9, 2e9, &err), 0);
	assert_int_equal(pd_estimate_check(1000, 2e9, 1.9e9, &err), UTIL_EINPUT);
	assert_string_equal(
	    err.text, "1000 ranks need about 2 GB of memory before the program allocates anything "
		      "(2 MB each: stack, state and variables), and 1.9 GB are to be had");
}

static void this_machine_has_some_memory(void **state)
{
	assert_true(pd_estimate_available_B() > 1e6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_million_ranks_take_as_much_as_was_measured),
	    cmocka_unit_test(variables_are_counted_by_their_isolation),
	    cmocka_unit_test(what_does_not_fit_is_refused_with_the_reason),
	    cmocka_unit_test(this_machine_has_some_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
