/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrong uses of mpisim.h: each ends the run with a sentence. */
#include "tests/pdexec/fake_world.h"

static void wrong_nested(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	mpisim_kernel_begin("g", 0, NULL);
}

static void wrong_end(struct pd_rank *rank)
{
	mpisim_kernel_end();
}

static void wrong_five(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 5, (double[]){1, 2, 3, 4, 5});
}

static void wrong_unknown(struct pd_rank *rank)
{
	mpisim_kernel_begin("h", 0, NULL);
}

static void wrong_missing_end(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
}

static void wrong_call(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	fake_call("MPI_Send");
}

static void wrong_phase_in_kernel(struct pd_rank *rank)
{
	mpisim_kernel_begin("f", 1, (double[]){1});
	mpisim_phase_begin("p");
}

static void wrong_phase_end(struct pd_rank *rank)
{
	mpisim_phase_end();
}

static void wrong_phase_open(struct pd_rank *rank)
{
	mpisim_phase_begin("p");
}

static void wrong_phase_name(struct pd_rank *rank)
{
	mpisim_phase_begin(NULL);
}

static void wrong_phase_depth(struct pd_rank *rank)
{
	for (int i = 0; i < 100; i++)
		mpisim_phase_begin("p");
}

static void wrong_time(struct pd_rank *rank)
{
	mpisim_add_compute_time(1.0 / (rank->rank * 0.0));
}

static void wrong_uses_end_the_run_with_a_sentence(void **state)
{
	static const struct {
		void (*run)(struct pd_rank *);
		const char *wanted;
	} cases[] = {
		{wrong_nested, "kernel \"g\" begins within kernel \"f\""},
		{wrong_end, "wanted mpisim_kernel_begin before it"},
		{wrong_five, "5 parameters, wanted 0 to 4"},
		{wrong_unknown, "kernel \"h\" was never measured"},
		{wrong_missing_end, "ended within kernel \"f\""},
		{wrong_call, "MPI_Send was called within kernel \"f\""},
		{wrong_phase_in_kernel, "mpisim_phase_begin was called within kernel \"f\""},
		{wrong_phase_end, "wanted mpisim_phase_begin before it"},
		{wrong_phase_open, "ended within phase \"p\""},
		{wrong_phase_name, "without a name"},
		{wrong_phase_depth, "within 64 others"},
		{wrong_time, "finite"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run_in(PD_COMPUTE_MODELLED, cases[i].run, 1);
		assert_int_equal(world.failure.kind, PD_FAILURE_ANNOTATION);
		if (!strstr(world.failure.text, cases[i].wanted))
			fail_msg("\"%s\" does not say \"%s\"", world.failure.text, cases[i].wanted);
		world_close();
	}
}

static void kernels_do_not_run_on_memory_that_is_not_there(void **state)
{
	struct pd_config config = {.mode = PD_COMPUTE_DIRECT, .no_alloc = true};

	world_open(&config, 1);
	world_run(wrong_missing_end, 1);
	assert_non_null(strstr(world.failure.text, "--no-alloc"));
	world_close();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrong_uses_end_the_run_with_a_sentence),
		cmocka_unit_test(kernels_do_not_run_on_memory_that_is_not_there),
	};

	return cmocka_run_group_tests(tests, make_bench, remove_bench);
}
